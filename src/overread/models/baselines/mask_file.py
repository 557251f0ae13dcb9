"""Writes a mask on the grid of a released volume or picture. The same voxels, the same bytes."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from overread.imaging.encode import encode_png
from overread.imaging.geometry import LPS_FROM_RAS, Geometry

__all__ = ["is_nifti", "nifti_grid", "write_picture_mask", "write_volume_mask"]

_NIFTI: Final = (".nii", ".nii.gz")
_SCANNER: Final = 1
"""NIfTI's code of an affine that a scanner gave."""


def is_nifti(path: Path) -> bool:
    """Tell a NIfTI file by its name."""
    return path.name.lower().endswith(_NIFTI)


def nifti_grid(path: Path) -> tuple[tuple[int, int, int], NDArray[np.float64]]:
    """Give the shape and the affine of a NIfTI file as its header has them; no voxel is read.

    Raises
    ------
    Exception
        Whatever nibabel raises on a file that is none.
    ValueError
        It has other than three dimensions.
    """
    import nibabel

    image: Any = nibabel.load(path)
    shape = [int(size) for size in image.shape]
    while len(shape) > 3 and shape[-1] == 1:
        shape.pop()
    if len(shape) != 3:
        raise ValueError(f"{len(shape)} dimensions")
    return (shape[0], shape[1], shape[2]), np.asarray(image.affine, dtype=np.float64)


def write_volume_mask(
    place: Path, mask: NDArray[np.uint8], grid: Geometry | NDArray[np.float64]
) -> Path:
    """Write a mask as ``.nii.gz``.

    Parameters
    ----------
    place
        Path without a suffix.
    mask
        Axes i, j, k as the volume has them.
    grid
        Where the volume lies, or a NIfTI affine (voxel index → mm to the right, anterior and
        superior).

    Returns
    -------
    Path
        The file.
    """
    import nibabel

    affine = LPS_FROM_RAS @ np.asarray(grid.affine_lps) if isinstance(grid, Geometry) else grid
    image: Any = nibabel.Nifti1Image(mask, affine)
    image.set_sform(affine, _SCANNER)
    image.header.set_xyzt_units("mm")
    path = place.with_name(f"{place.name}.nii.gz")
    nibabel.save(image, path)
    return path


def write_picture_mask(place: Path, mask: NDArray[np.uint8]) -> Path:
    """Write a mask of a picture, rows and columns, as grey ``.png``; give the file."""
    path = place.with_name(f"{place.name}.png")
    path.write_bytes(encode_png(mask))
    return path
