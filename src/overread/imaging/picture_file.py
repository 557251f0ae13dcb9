"""PNG and JPEG: 8-bit pictures as they are, and 16-bit grey PNG as HU."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from overread.errors import ImageError, expected
from overread.imaging.bounds import check_file
from overread.imaging.header import PictureHeader, read_header
from overread.imaging.hounsfield import calibration_warning
from overread.imaging.stored import StoredSlice

if TYPE_CHECKING:
    from PIL.Image import Image

__all__ = ["HU_OFFSET", "decode_picture", "read_picture"]

HU_OFFSET = 32768
"""DeepLesion stores HU + 32768 in 16-bit PNG (README of its release, arXiv 1710.01766)."""


def read_picture(path: Path) -> StoredSlice:
    """Read a PNG or JPEG.

    A 16-bit grey PNG holds HU plus 32768, as DeepLesion writes them. Everything else is to be
    shown as it is: grey, palette and colour as 8 bits, transparency on black, turned upright where
    its EXIF part asks for it.

    Raises
    ------
    ImageError
        Absent, no whole picture, or out of bounds.
    """
    check_file(path)
    data = path.read_bytes()
    return decode_picture(data, read_header(data, path), path)


def _holds_hu(header: PictureHeader) -> bool:
    """Say whether a picture is a 16-bit grey PNG, whose numbers are HU."""
    return header.media_type == "image/png" and header.bits == 16 and header.channels == 1


def decode_picture(data: bytes, header: PictureHeader, path: Path) -> StoredSlice:
    """Decode a PNG or JPEG whose header was read and checked. ImageError when it cannot be."""
    from PIL import Image, ImageOps

    try:
        # Naming the formats keeps pillow's other decoders away from hostile bytes.
        with Image.open(io.BytesIO(data), formats=("PNG", "JPEG")) as opened:
            opened.load()
            picture = opened if header.upright else ImageOps.exif_transpose(opened)
            if _holds_hu(header):
                hu = np.asarray(picture, dtype=np.float32) - np.float32(HU_OFFSET)
                warning = calibration_warning(hu)
                return StoredSlice(pixels=hu, unit="hu", warnings=(warning,) if warning else ())
            return StoredSlice(pixels=np.asarray(_flat(picture)), unit="display")
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        raise ImageError(
            expected(
                str(path),
                rule="a whole PNG or JPEG",
                got=f"one that cannot be decoded ({error})",
                remedy="Copy the file again.",
            )
        ) from error


def _flat(picture: Image) -> Image:
    """Give a picture as 8-bit grey or RGB, transparency laid on black."""
    from PIL import Image

    if picture.mode in ("L", "RGB"):
        return picture
    if picture.mode in ("1", "I;16", "I"):
        return picture.convert("L")
    if "A" in picture.mode or "transparency" in picture.info:
        clear = picture.convert("RGBA")
        return Image.alpha_composite(Image.new("RGBA", clear.size, "black"), clear).convert("RGB")
    return picture.convert("RGB")
