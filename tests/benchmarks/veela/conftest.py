"""A small synthetic release, and files of masks written by hand."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import nibabel
import numpy as np
import pytest
from numpy.typing import NDArray

from overread.benchmarks.veela import BENCHMARK

SEED, SIZE = 11, 3

Write = Callable[..., Path]


@pytest.fixture(scope="session")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a synthetic release that no test may change."""
    folder = tmp_path_factory.mktemp("veela") / "release"
    BENCHMARK.synthesise(folder, seed=SEED, size=SIZE)
    return folder


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write an array as NIfTI below the test's folder."""

    def written(
        name: str, array: NDArray[np.generic], *, spacing: tuple[float, ...] = (1.0, 1.0, 1.0)
    ) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        affine = np.diag([-spacing[0], -spacing[1], spacing[2], 1.0])
        narrow = {"b": np.uint8, "i": np.int16}.get(array.dtype.kind)
        array = array if narrow is None else array.astype(narrow)
        nibabel.save(nibabel.Nifti1Image(array, affine), path)  # type: ignore[attr-defined]
        return path

    return written
