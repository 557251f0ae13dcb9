"""What a PNG or JPEG says about itself, read without decoding it.

Standard library only: a stored 8-bit picture goes to a model untouched, so the common path of a
run never decodes a pixel. The checks here are what stands in for decoding: the size is bounded,
and a file that is cut off or damaged is found (PNG by its checksums, JPEG by its end marker).
"""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from overread.errors import ImageError, expected
from overread.imaging.bounds import check_pixels

__all__ = ["JPEG_START", "PNG_START", "PictureHeader", "read_header"]

PNG_START = b"\x89PNG\r\n\x1a\n"
JPEG_START = b"\xff\xd8\xff"

_CHANNELS = {0: 1, 2: 3, 3: 3, 4: 2, 6: 4}
"""PNG colour type → channels once decoded (a palette becomes three)."""

_JPEG_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
"""Markers that state the size (SOF0 to SOF15, ITU T.81 table B.1)."""

_JPEG_STANDALONE = frozenset({0x01, *range(0xD0, 0xD9)})
"""Markers without a length: TEM, RST0 to RST7, SOI."""

_ORIENTATION_TAG = 0x0112


@dataclass(frozen=True, slots=True, kw_only=True)
class PictureHeader:
    """Form of an encoded picture, and whether it is whole."""

    media_type: Literal["image/png", "image/jpeg"]
    width: int
    height: int
    bits: int
    """Bits a channel."""
    channels: int
    """1 grey, 2 grey and alpha, 3 colour, 4 colour and alpha (or CMYK in a JPEG)."""
    upright: bool
    """Whether it is to be shown as stored; False when its EXIF part asks for a turn."""


def read_header(data: bytes, path: Path) -> PictureHeader:
    """Read the header of a PNG or JPEG and check that the file is whole.

    Parameters
    ----------
    data
        The whole file.
    path
        Where it came from, for messages.

    Raises
    ------
    ImageError
        It is neither, it is cut off or damaged, or its size is out of bounds.
    """
    if data.startswith(PNG_START):
        header = _read_png(data, path)
    elif data.startswith(JPEG_START):
        header = _read_jpeg(data, path)
    else:
        raise _broken(path, "other bytes at its start")
    return header


def _read_png(data: bytes, path: Path) -> PictureHeader:
    if len(data) < 33 or data[12:16] != b"IHDR":
        raise _broken(path, "a PNG without its header")
    width, height, bits, colour = struct.unpack_from(">IIBB", data, 16)
    if colour not in _CHANNELS or bits not in (1, 2, 4, 8, 16):
        raise _broken(path, f"a PNG of unknown colour type {colour} with {bits} bits")
    check_pixels(path, width=width, height=height)
    upright = _walk_png(data, path)
    return PictureHeader(
        media_type="image/png",
        width=width,
        height=height,
        bits=bits,
        channels=_CHANNELS[colour],
        upright=upright,
    )


def _walk_png(data: bytes, path: Path) -> bool:
    """Check every chunk's checksum up to the end mark; say whether the picture is upright."""
    view = memoryview(data)
    place, upright, pixels = len(PNG_START), True, False
    while place + 12 <= len(data):
        (length,) = struct.unpack_from(">I", data, place)
        kind = data[place + 4 : place + 8]
        end = place + 12 + length
        if end > len(data):
            break
        (checksum,) = struct.unpack_from(">I", data, end - 4)
        if zlib.crc32(view[place + 4 : end - 4]) != checksum:
            raise _broken(path, "a damaged PNG (a checksum does not fit)")
        pixels = pixels or kind == b"IDAT"
        if kind == b"eXIf":
            upright = _tiff_upright(data[place + 8 : end - 4])
        if kind == b"IEND":
            if not pixels:
                raise _broken(path, "a PNG without pixels")
            return upright
        place = end
    raise _broken(path, "a PNG that is cut off")


def _read_jpeg(data: bytes, path: Path) -> PictureHeader:
    place, upright = 2, True
    while place + 4 <= len(data):
        if data[place] != 0xFF:
            raise _broken(path, "a damaged JPEG")
        marker = data[place + 1]
        if marker == 0xFF:  # fill byte
            place += 1
            continue
        if marker in _JPEG_STANDALONE:
            place += 2
            continue
        (length,) = struct.unpack_from(">H", data, place + 2)
        segment = data[place + 4 : place + 2 + length]
        if marker == 0xE1 and segment.startswith(b"Exif\0\0"):
            upright = _tiff_upright(segment[6:])
        if marker in _JPEG_FRAMES:
            return _jpeg_frame(data, path, segment, upright)
        if length < 2 or marker == 0xD9:
            break
        place += 2 + length
    raise _broken(path, "a JPEG without its size")


def _jpeg_frame(data: bytes, path: Path, segment: bytes, upright: bool) -> PictureHeader:
    if len(segment) < 6:
        raise _broken(path, "a JPEG that is cut off")
    bits, height, width, channels = struct.unpack_from(">BHHB", segment)
    check_pixels(path, width=width, height=height)
    if b"\xff\xd9" not in data[-4096:]:  # some writers pad after the end marker
        raise _broken(path, "a JPEG that is cut off")
    return PictureHeader(
        media_type="image/jpeg",
        width=width,
        height=height,
        bits=bits,
        channels=channels,
        upright=upright,
    )


def _tiff_upright(exif: bytes) -> bool:
    """Say whether an EXIF part leaves the picture as stored (orientation 1, or none)."""
    order = {b"II": "<", b"MM": ">"}.get(exif[:2])
    if order is None or len(exif) < 10:
        return True
    (first,) = struct.unpack_from(order + "I", exif, 4)
    if first + 2 > len(exif):
        return True
    (count,) = struct.unpack_from(order + "H", exif, first)
    for entry in range(first + 2, min(first + 2 + 12 * count, len(exif) - 11), 12):
        tag, _kind, _number, value = struct.unpack_from(order + "HHIH", exif, entry)
        if tag == _ORIENTATION_TAG:
            return value not in range(2, 9)
    return True


def _broken(path: Path, got: str) -> ImageError:
    return ImageError(
        expected(str(path), rule="a whole PNG or JPEG", got=got, remedy="Copy the file again.")
    )
