"""Real volumes (TotalSegmentator test files, Apache-2.0) come right side up.

The organ masks that lie beside them are the witness: the liver must be on the patient's right, the
spleen on the left, the spine behind, the lungs above the bladder, whatever way the file is stored.
Label numbers are those of TotalSegmentator's class table.
"""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from overread.imaging.prepare import prepare_array
from overread.imaging.read_volume import read_volume, volume_files
from overread.imaging.recipes import recipe_named
from overread.imaging.render import PictureRenderer
from overread.records import Media, Recipe

pytestmark = pytest.mark.data

FOLDER = Path(os.environ.get("OVERREAD_DATA") or "no such folder") / "totalsegmentator_ct"
SPLEEN, LIVER = 1, 5


@pytest.fixture(scope="module", autouse=True)
def _needs_data(released_data: Path) -> None:
    if not FOLDER.is_dir():
        pytest.skip(f"no real volumes at {FOLDER}")


@cache
def spl(name: str) -> NDArray[Any]:
    """Slices from the feet up, rows from the front back, columns from the right to the left."""
    return prepare_array(read_volume(FOLDER / name), recipe_named("array-hu"))


def middle(mask: NDArray[np.bool_]) -> list[float]:
    return [
        float(places.mean()) / n for places, n in zip(np.nonzero(mask), mask.shape, strict=True)
    ]


def test_the_ct_is_calibrated_and_lies_on_its_grid() -> None:
    volume = read_volume(FOLDER / "example_ct.nii.gz")
    assert (volume.unit, volume.warnings) == ("hu", ())
    assert (volume.geometry.axes, volume.array.shape) == ("RAS", (122, 101, 112))
    assert volume.geometry.spacing_mm == pytest.approx((3, 3, 3))


def test_organs_lie_where_they_belong() -> None:
    for image, labels in (
        ("example_ct_sm.nii.gz", "example_seg.nii.gz"),
        ("example_ct_dicom", "example_seg_dicom.nii.gz"),
    ):
        hu, organs = spl(image), spl(labels)
        assert hu.shape == organs.shape
        found = {
            label: middle(organs == label) for label in (SPLEEN, LIVER) if (organs == label).any()
        }
        assert found
        for label, (_, _, across) in found.items():
            assert (across < 0.5) == (label == LIVER), (image, label, across)
            # The mask lies on the organ and not on its mirror image.
            inside = hu[organs == label]
            assert 0 < np.median(inside) < 180, (image, label)
            assert (np.abs(inside - np.median(inside)) < 100).mean() > 0.8, (image, label)


@pytest.mark.parametrize("name", ["example_ct.nii.gz", "example_ct_dicom"])
def test_the_back_is_below_and_the_table_under_it(name: str) -> None:
    body = spl(name)
    _, down, _ = middle(body > 300)
    _, tissue_down, _ = middle(body > -200)
    assert down > tissue_down - 0.02  # spine and table lie behind the middle of the body


def test_the_liver_of_the_mr_lies_on_the_left_of_the_picture() -> None:
    # Liver is of middle brightness there, between dark muscle and bright fat (looked up by eye).
    organs = (spl("example_mr_sm.nii.gz") > 110) & (spl("example_mr_sm.nii.gz") < 260)
    assert organs[:, 20:70, 8:30].mean() > 2 * organs[:, 20:70, -30:-8].mean()


def test_the_head_end_comes_last() -> None:
    hu = spl("example_ct.nii.gz")
    lung = (hu < -600) & (hu > -950)
    inside = lung[:, 30:80, 30:90].sum(axis=(1, 2))
    assert inside[-10:].sum() > 20 * inside[:10].sum() + 100


def test_dicom_and_its_masks_share_one_grid() -> None:
    series = read_volume(FOLDER / "example_ct_dicom")
    labels = read_volume(FOLDER / "example_seg_dicom.nii.gz")
    assert (series.geometry.axes, labels.geometry.axes) == ("LPS", "LAS")
    assert len(volume_files(FOLDER / "example_ct_dicom")) == 20
    assert series.geometry.spacing_mm == pytest.approx(labels.geometry.spacing_mm)
    # The mask was turned upside down in y: its first voxel is the series' last row.
    rows = series.array.shape[1]
    first = np.asarray(labels.geometry.affine_lps) @ (0, 0, 0, 1)
    last_row = np.asarray(series.geometry.affine_lps) @ (0, rows - 1, 0, 1)
    assert first == pytest.approx(last_row, abs=0.01)


def test_the_mr_is_shown_without_hu() -> None:
    for name in ("lingshu", "slices-32"):
        media = Media(
            paths=("example_mr_sm.nii.gz",),
            kind="volume",
            recipe=Recipe(volume=recipe_named(name)),
        )
        pictures = PictureRenderer(FOLDER)(media)
        assert len(pictures) == 20
        assert {picture.receipt.window for picture in pictures} == {"-2 to 658 stored"}
        assert {picture.receipt.orientation for picture in pictures} == {"LP"}
