from __future__ import annotations

from pathlib import Path

import nibabel
import numpy as np
import pytest
from PIL import Image

from overread.errors import ImageError, UnsafePathError
from overread.imaging.stored_unit import UnitLooker
from overread.records import Media


def test_files_say_what_their_numbers_are(tmp_path: Path) -> None:
    Image.new("L", (8, 8)).save(tmp_path / "eight.png")
    Image.fromarray(np.full((8, 8), 32768, dtype=np.uint16)).save(tmp_path / "sixteen.png")
    grid = np.diag([1.0, 1.0, 1.0, 1.0])
    nibabel.save(
        nibabel.Nifti1Image(np.full((4, 4, 4), -900, dtype=np.int16), grid), tmp_path / "ct.nii.gz"
    )
    nibabel.save(
        nibabel.Nifti1Image(np.full((4, 4, 4), 900, dtype=np.int16), grid), tmp_path / "mr.nii.gz"
    )
    look = UnitLooker(tmp_path)
    assert look(Media(paths=("eight.png",))) == "display"
    assert look(Media(paths=("sixteen.png",))) == "hu"
    assert look(Media(paths=("ct.nii.gz",), kind="volume")) == "hu"
    assert look(Media(paths=("mr.nii.gz",), kind="volume")) == "raw"
    assert look(Media(paths=("ct.nii.gz#2",))) == "hu"
    (tmp_path / "eight.png").unlink()
    assert look(Media(paths=("eight.png",))) == "display"  # looked into once


def test_what_cannot_be_looked_into_is_said(tmp_path: Path) -> None:
    look = UnitLooker(tmp_path)
    with pytest.raises(ImageError):
        look(Media(paths=("absent.png",)))
    with pytest.raises(UnsafePathError):
        look(Media(paths=("../outside.png",)))
