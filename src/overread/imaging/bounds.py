"""How large a picture may be: decided from its header, before a pixel is decoded."""

from __future__ import annotations

import stat
from pathlib import Path

from overread.errors import ImageError, expected

__all__ = [
    "MAX_FILE_BYTES",
    "MAX_PIXELS",
    "MAX_VOLUME_BYTES",
    "MAX_VOXELS",
    "check_file",
    "check_pixels",
    "check_voxels",
]

MAX_PIXELS = 64_000_000
"""Pixels of one picture: 8,000 × 8,000. A mammogram has 17 million, a CT slice a quarter."""

MAX_FILE_BYTES = 256 * 2**20
"""Bytes of one PNG, JPEG or DICOM file, which is read whole."""

MAX_VOLUME_BYTES = 8 * 2**30
"""Bytes of a NIfTI file, of which only one slice is kept."""

MAX_VOXELS = 2**30
"""Voxels of a volume: 512 × 512 × 4,096."""


def check_file(path: Path, *, max_bytes: int = MAX_FILE_BYTES) -> int:
    """Check that a path is a plain file of bearable size, without opening it.

    Returns
    -------
    int
        Its size in bytes.

    Raises
    ------
    ImageError
        It is absent, empty, too large, or no plain file (a pipe would hang the reader).
    """
    try:
        state = path.stat()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ImageError(
            expected(
                str(path),
                rule="a picture",
                got=f"no readable file ({reason})",
                remedy="Complete the release.",
            )
        ) from error
    if not stat.S_ISREG(state.st_mode):
        raise ImageError(
            expected(
                str(path),
                rule="a picture",
                got="something that is no plain file",
                remedy="Put the file itself there.",
            )
        )
    if not 0 < state.st_size <= max_bytes:
        raise ImageError(
            expected(
                str(path),
                rule=f"a file of 1 to {max_bytes:,} bytes",
                got=f"{state.st_size:,} bytes",
                remedy="Copy the file again, or make it smaller.",
            )
        )
    return state.st_size


def check_pixels(path: Path, *, width: int, height: int) -> None:
    """Check the size that a picture's header states. ImageError when it is out of bounds."""
    if width < 1 or height < 1 or width * height > MAX_PIXELS:
        raise ImageError(
            expected(
                str(path),
                rule=f"a picture of 1 to {MAX_PIXELS:,} pixels",
                got=f"{width:,} × {height:,} pixels in its header",
                remedy="It was not opened. Make it smaller, or copy the file again.",
            )
        )


def check_voxels(path: Path, shape: tuple[int, ...]) -> None:
    """Check the shape that a volume's header states. ImageError when it is out of bounds."""
    voxels = 1
    for size in shape:  # Python integers: no overflow, whatever the header says
        voxels *= int(size)
    if not shape or min(shape) < 1 or voxels > MAX_VOXELS:
        raise ImageError(
            expected(
                str(path),
                rule=f"a volume of 1 to {MAX_VOXELS:,} voxels",
                got=" × ".join(map(str, shape)) + " voxels in its header",
                remedy="It was not opened. Crop it, or copy the file again.",
            )
        )
