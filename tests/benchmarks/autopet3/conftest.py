from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from numpy.typing import NDArray

from overread.benchmarks.autopet3.loader import AutoPet3Release
from overread.benchmarks.autopet3.phantom import encode_nifti
from overread.benchmarks.autopet3.synthetic import synthesise

Write = Callable[..., Path]

ID = "psma_0a1b_2018-04-16"


@pytest.fixture(scope="session")
def synthetic(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("autopet3") / "release"
    synthesise(root, seed=3, size=16)
    return root


@pytest.fixture
def write() -> Write:
    """Write a mask or volume with voxels of 1 ml unless told otherwise."""

    def written(
        path: Path,
        array: NDArray[Any],
        spacing_mm: tuple[float, float, float] = (10.0, 10.0, 10.0),
    ) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(encode_nifti(array, spacing_mm))
        return path

    return written


@pytest.fixture
def study(tmp_path: Path, write: Write) -> Callable[[NDArray[Any]], AutoPet3Release]:
    """Make a release of one study from its mask."""

    def made(mask: NDArray[Any], **options: Any) -> AutoPet3Release:
        write(tmp_path / "release" / "labelsTs" / f"{ID}.nii.gz", mask, **options)
        return AutoPet3Release(tmp_path / "release")

    return made
