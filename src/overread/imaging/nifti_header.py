"""What readers of NIfTI volumes share: opening a file zipped or not, bounds, units, voxel sizes."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final, cast

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from nibabel.nifti1 import Nifti1Header, Nifti1Image

__all__ = ["MOST_OFFSET", "open_nifti", "stored_spacing", "unit_mm"]

MOST_OFFSET: Final = 2**24
"""Bytes before the first voxel: header and extensions. Beyond it lies only a bomb to unpack."""

_MM: Final = {1: 1000.0, 2: 1.0, 3: 0.001}
"""NIfTI's codes for metre, millimetre and micrometre → mm."""


def open_nifti(path: Path) -> IO[bytes]:
    """Open a file to read its bytes, unpacked where it is zipped, whatever its name."""
    with path.open("rb") as file:
        zipped = file.read(2) == b"\x1f\x8b"
    return cast("IO[bytes]", gzip.open(path)) if zipped else path.open("rb")


def unit_mm(header: Nifti1Header) -> float:
    """Give the header's unit of length in mm; 1 where it states none."""
    return _MM.get(int(header["xyzt_units"]) & 7, 1.0)


def stored_spacing(path: Path, image: Nifti1Image) -> NDArray[np.float64]:
    """Read the voxel size as it is stored, shape (3,), in the header's unit, 0 and NaN included.

    nibabel turns a size of 0 into 1, which nobody stated.
    """
    with open_nifti(path) as file:
        stored = type(image.header).from_fileobj(file, check=False)
    return np.asarray(stored["pixdim"], dtype=np.float64)[1:4]
