"""Files with changed bytes give a volume or one of our errors, and never anything else."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import SimpleITK
from numpy.typing import NDArray

from overread.errors import ImageError, UnsafePathError
from overread.imaging.prepare import prepare_slices
from overread.imaging.read_volume import read_volume
from overread.imaging.recipes import recipe_named


@pytest.fixture(autouse=True)
def _quiet() -> None:
    logging.getLogger("nibabel.global").setLevel(logging.CRITICAL)
    SimpleITK.ProcessObject.SetGlobalWarningDisplay(False)


def survive(path: Path, victim: Path, header_bytes: int, rounds: int) -> int:
    """Change bytes of a file, mostly of its header; give how many volumes were read all the same.

    Warnings of the libraries count as errors here, as they do in all tests.
    """
    rng = np.random.default_rng(4)
    whole, n_read = victim.read_bytes(), 0
    for _ in range(rounds):
        data = bytearray(whole)
        for place in rng.integers(0, min(header_bytes, len(data)), rng.integers(1, 6)):
            data[place] = rng.choice([0, 1, 48, 57, 127, 255, rng.integers(256)])
        if rng.random() < 0.1:
            data = data[: rng.integers(1, len(data))]
        victim.write_bytes(bytes(data))
        try:
            prepare_slices(read_volume(path), recipe_named("lingshu"))
            n_read += 1
        except (ImageError, UnsafePathError):
            pass
    return n_read


def test_nifti(asymmetric_ras: NDArray[np.int16], write_turned_nifti: Callable[..., Path]) -> None:
    path = write_turned_nifti(asymmetric_ras, "LPS")
    assert survive(path, path, 352, 120) > 0


def test_zipped_nifti(
    asymmetric_ras: NDArray[np.int16], write_turned_nifti: Callable[..., Path]
) -> None:
    path = write_turned_nifti(asymmetric_ras, "LPS", "scan.nii.gz")
    survive(path, path, 10_000, 100)


def test_metaimage(asymmetric_ras: NDArray[np.int16], tmp_path: Path) -> None:
    path = tmp_path / "scan.mha"
    image = SimpleITK.GetImageFromArray(asymmetric_ras)
    SimpleITK.WriteImage(image, str(path), useCompression=True)
    assert survive(path, path, 400, 200) > 0


def test_dicom(asymmetric_ras: NDArray[np.int16], write_series: Callable[..., Path]) -> None:
    folder = write_series(asymmetric_ras[:, :, :3])
    assert survive(folder, folder / "899.dcm", 900, 80) > 0
