from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from numpy.typing import NDArray
from scipy import ndimage
from scipy.spatial import cKDTree

from overread.errors import UsageError
from overread.metrics.chaos import ChaosMeasures, ChaosScores, chaos_measures, chaos_scores

Mask = NDArray[np.bool_]


def pairs():
    shapes = array_shapes(min_dims=2, max_dims=3, min_side=1, max_side=7)
    return shapes.flatmap(lambda shape: st.tuples(arrays(np.bool_, shape), arrays(np.bool_, shape)))


def measures(**changes: float | None) -> ChaosMeasures:
    perfect = {"dice": 1.0, "ravd_percent": 0.0, "assd_mm": 0.0, "mssd_mm": 0.0}
    return ChaosMeasures(**{**perfect, **changes})


def test_a_perfect_mask_has_all_points():
    scores = chaos_scores(measures())
    assert scores == ChaosScores(dice=100.0, ravd=100.0, assd=100.0, mssd=100.0)
    assert scores.final == 100.0


@pytest.mark.parametrize(
    ("measure", "value", "points"),
    [
        ("dice", 0.80, 80.0),
        ("dice", 0.799, 0.0),
        ("ravd_percent", 2.5, 50.0),
        ("ravd_percent", 5.0, 0.0),
        ("ravd_percent", 80.0, 0.0),
        ("assd_mm", 3.0, 80.0),
        ("assd_mm", 15.1, 0.0),
        ("mssd_mm", 30.0, 50.0),
        ("mssd_mm", 61.0, 0.0),
    ],
)
def test_points_fall_to_a_threshold(measure: str, value: float, points: float):
    scores = chaos_scores(measures(**{measure: value}))
    name = measure.removesuffix("_mm").removesuffix("_percent")
    assert getattr(scores, name) == pytest.approx(points)
    assert scores.final == pytest.approx((300 + points) / 4)


@pytest.mark.parametrize("measure", ["dice", "ravd_percent", "assd_mm", "mssd_mm"])
def test_what_has_no_value_has_no_points(measure: str):
    scores = chaos_scores(measures(**{measure: None}))
    assert scores.final is None
    assert [scores.dice, scores.ravd, scores.assd, scores.mssd].count(None) == 1


def test_empty_masks():
    empty, full = np.zeros((4, 5), bool), np.ones((4, 5), bool)
    some = empty.copy()
    some[1:3, 1:4] = True
    nothing = ChaosMeasures(dice=None, ravd_percent=None, assd_mm=None, mssd_mm=None)
    assert chaos_measures(empty, empty, spacing_mm=(1, 1)) == nothing
    missed = ChaosMeasures(dice=0.0, ravd_percent=100.0, assd_mm=None, mssd_mm=None)
    assert chaos_measures(some, empty, spacing_mm=(1, 1)) == missed
    invented = ChaosMeasures(dice=0.0, ravd_percent=None, assd_mm=None, mssd_mm=None)
    assert chaos_measures(empty, some, spacing_mm=(1, 1)) == invented
    # A mask that fills the array has no border: it goes on beyond the edge.
    assert chaos_measures(some, full, spacing_mm=(1, 1)).assd_mm is None


def literal(one: Mask, other: Mask, spacing: tuple[float, ...]) -> tuple[float, float]:
    """Measure from border voxel to border voxel with scipy, as the challenge's code does."""
    cross = ndimage.generate_binary_structure(one.ndim, 1)
    points = [
        np.argwhere(mask ^ ndimage.binary_erosion(mask, structure=cross, border_value=1)) * spacing
        for mask in (one, other)
    ]
    far = np.concatenate(
        [cKDTree(points[0]).query(points[1])[0], cKDTree(points[1]).query(points[0])[0]]
    )
    return float(far.mean()), float(far.max())


@settings(max_examples=80, deadline=None)
@given(pair=pairs())
def test_distances_are_those_of_the_code(pair: tuple[Mask, Mask]):
    one, other = pair
    spacing = (3.0, 0.7, 1.1)[: one.ndim]
    found = chaos_measures(one, other, spacing_mm=spacing)
    swapped = chaos_measures(other, one, spacing_mm=spacing)
    assert (found.assd_mm, found.mssd_mm) == pytest.approx((swapped.assd_mm, swapped.mssd_mm))
    if found.assd_mm is not None:
        expected = literal(one, other, spacing)
        assert (found.assd_mm, found.mssd_mm) == pytest.approx(expected, rel=1e-6)
    if one.any() and not one.all():
        same = chaos_measures(one, one, spacing_mm=spacing)
        assert same == measures()


def test_masks_that_do_not_fit_are_refused():
    mask = np.zeros((4, 5), bool)
    with pytest.raises(UsageError, match="shape of the reference"):
        chaos_measures(mask, mask[1:], spacing_mm=(1, 1))
    with pytest.raises(UsageError, match="spacing_mm"):
        chaos_measures(mask, mask, spacing_mm=(1, 1, 1))


@pytest.mark.data
def test_the_example_liver_of_the_evaluation_code():
    """DICE 0.978, RAVD 0.665, ASSD 0.734, MSSD 14: README of emrekavur/CHAOS-evaluation."""
    from PIL import Image

    data = os.environ.get("OVERREAD_DATA")
    root = Path(data or "") / "chaos_evaluation" / "Data_3D"
    if not data or not root.is_dir():
        pytest.skip("needs Data_3D of emrekavur/CHAOS-evaluation in OVERREAD_DATA/chaos_evaluation")
    one, other = (
        np.stack([np.asarray(Image.open(path).convert("L")) > 0 for path in sorted(folder)])
        for folder in ((root / "Ground").glob("*.png"), (root / "Segmentation").glob("*.png"))
    )
    # Position and pixel spacing as its DICOM headers have them.
    found = chaos_measures(one, other, spacing_mm=(2.0, 0.7265625, 0.7265625))
    assert found.dice == pytest.approx(0.978, abs=5e-4)
    assert found.ravd_percent == pytest.approx(0.665, abs=5e-4)
    assert found.assd_mm == pytest.approx(0.734, abs=5e-4)
    assert found.mssd_mm == pytest.approx(14.0)
