"""Small masks on disk, made on the spot."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

Write = Callable[..., Path]


@pytest.fixture
def write_mask(tmp_path: Path) -> Write:
    """Write a NIfTI mask under a name relative to the test's folder; the affine is RAS."""

    def write(
        name: str, array: NDArray[Any], *, spacing_mm=(1.0, 1.0, 1.0), affine=None, slope=None
    ) -> Path:
        import nibabel

        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        affine = np.diag([*spacing_mm, 1.0]) if affine is None else affine
        image = nibabel.Nifti1Image(array, affine, dtype=array.dtype)
        if slope is not None:
            image.header.set_slope_inter(slope, 0)
        nibabel.save(image, path)
        return path

    return write


@pytest.fixture
def boxes() -> Callable[..., NDArray[np.uint8]]:
    """Make an array of 12 × 10 × 8 voxels with boxes: label, then a slice an axis."""

    def make(*filled: tuple[int, slice, slice, slice]) -> NDArray[np.uint8]:
        array = np.zeros((12, 10, 8), np.uint8)
        for label, *where in filled:
            array[tuple(where)] = label
        return array

    return make
