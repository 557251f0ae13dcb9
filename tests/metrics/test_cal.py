from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from numpy.typing import NDArray
from scipy import ndimage
from skimage.morphology import ball, disk

from overread.errors import UsageError
from overread.metrics.cal import (
    CAL_AREA,
    CAL_LENGTH,
    CalTriple,
    ComponentCounts,
    cal_spec,
    cal_triple,
    cal_triple_mm,
    component_counts,
)
from overread.metrics.skeleton import skeleton

Mask = NDArray[np.bool_]


def pairs():
    shapes = array_shapes(min_dims=2, max_dims=3, min_side=1, max_side=8)
    return shapes.flatmap(lambda shape: st.tuples(arrays(np.bool_, shape), arrays(np.bool_, shape)))


def tube(*, radius2: int = 9, first: int = 5, last: int = 35) -> Mask:
    z, y, x = np.mgrid[:40, :30, :30]
    return ((y - 15) ** 2 + (x - 15) ** 2 <= radius2) & (z >= first) & (z < last)


def cut(mask: Mask, *slices: int) -> Mask:
    other = mask.copy()
    other[list(slices)] = False
    return other


@pytest.mark.parametrize(
    ("prediction", "known"),
    [
        (tube(), (1, 1, 1)),
        (tube(last=20), (1, 0.566667, 0.571429)),
        (np.roll(tube(), 1, 2), (1, 1, 1)),
        (np.roll(tube(), 1, 1), (1, 1, 1)),
        (tube(radius2=16), (1, 1, 1)),
        (cut(tube(), 19, 20), (0.998851, 1, 1)),
        (np.roll(tube(), 4, 2), (1, 0.529412, 1)),
        (np.roll(tube(), 10, 2), (1, 0, 0)),
    ],
    ids=["same", "half", "x", "y", "thick", "gap", "by 4", "apart"],
)
def test_the_fixture_of_the_veela_figures(prediction, known):
    found = cal_triple(tube(), prediction)
    assert (found.connectivity, found.area, found.length) == pytest.approx(known, abs=5e-7)
    assert found.product == pytest.approx(known[0] * known[1] * known[2], abs=2e-6)


def test_empty_masks():
    empty = np.zeros_like(tube())
    nothing = CalTriple(connectivity=None, area=None, length=None)
    assert cal_triple(empty, empty) == nothing
    assert nothing.product is None
    # Missed: one piece fewer, of 870 voxels. Invented: there is nothing to divide by.
    assert cal_triple(tube(), empty) == CalTriple(connectivity=1 - 1 / 870, area=0.0, length=0.0)
    assert cal_triple(empty, tube()) == CalTriple(connectivity=None, area=0.0, length=0.0)


def test_more_pieces_than_voxels_is_no_less_than_zero():
    dot = np.zeros((1, 9), bool)
    dot[0, 0] = True
    dust = np.zeros((1, 9), bool)
    dust[0, ::2] = True
    assert cal_triple(dot, dust).connectivity == 0.0


def literal(reference: Mask, prediction: Mask, radius: int) -> tuple[float, float]:
    """Follow the formula by widening with a disc or ball, as it is written."""
    shape = (disk if reference.ndim == 2 else ball)(radius)
    wide = [
        ndimage.binary_dilation(mask, shape) if radius else mask for mask in (reference, prediction)
    ]
    thin = [skeleton(mask) for mask in (reference, prediction)]
    area = (wide[1] & reference) | (prediction & wide[0])
    length = (thin[1] & wide[0]) | (wide[1] & thin[0])
    return (
        area.sum() / (reference | prediction).sum(),
        length.sum() / (thin[0] | thin[1]).sum(),
    )


@settings(max_examples=60, deadline=None)
@given(pair=pairs(), radius=st.integers(0, 3))
def test_area_and_length_follow_the_formula(pair: tuple[Mask, Mask], radius: int):
    one, other = pair
    found = cal_triple(one, other, radius_voxels=radius)
    if not (one | other).any():
        assert (found.area, found.length) == (None, None)
        return
    assert (found.area, found.length) == pytest.approx(literal(one, other, radius))
    swapped = cal_triple(other, one, radius_voxels=radius)
    assert (swapped.area, swapped.length) == (found.area, found.length)


def test_in_mm_the_spacing_decides_how_far_is_near():
    line = np.zeros((9, 20, 9), bool)
    line[4, 2:18, 4] = True
    spacing = (3.0, 0.7, 0.7)
    for axis, shift, near in ((0, 1, 0.0), (2, 3, 1.0), (2, 4, 0.0)):
        moved = np.roll(line, shift, axis)
        found = cal_triple_mm(line, moved, radius_mm=2.1, spacing_mm=spacing)
        assert (found.area, found.length) == (near, near)  # 3 × 0.7 mm is 2.1 mm


def test_skeletons_at_hand_are_used():
    half = tube(last=20)
    thin = {"reference": skeleton(tube()), "prediction": skeleton(half)}
    known = cal_triple(tube(), half)
    assert known.length == pytest.approx(0.571429, abs=5e-7)
    assert known == cal_triple(
        tube(), half, reference_skeleton=thin["reference"], prediction_skeleton=thin["prediction"]
    )
    # That of the half for both: all of it is near.
    found = cal_triple(
        tube(), half, reference_skeleton=thin["prediction"], prediction_skeleton=thin["prediction"]
    )
    assert found.length == 1.0


def test_pieces_touch_by_corners():
    one = np.zeros((4, 4, 4), bool)
    one[0, 0, 0] = one[1, 1, 1] = True
    two = one.copy()
    two[3, 3, 3] = True
    assert component_counts(one, two) == ComponentCounts(reference=1, prediction=2)
    assert component_counts(one, two).error == component_counts(two, one).error == 1
    assert component_counts(one[0], one[0]) == ComponentCounts(reference=1, prediction=1)
    empty = np.zeros_like(one)
    assert component_counts(empty, empty).error == 0


def test_a_radius_stands_in_the_name():
    assert (CAL_AREA.name, CAL_LENGTH.name) == ("cal_area_2vx", "cal_length_2vx")
    assert cal_spec("length", radius=1.5, unit="mm").name == "cal_length_1.5mm"


@pytest.mark.parametrize("radius", [-1.0, float("nan"), float("inf")])
def test_a_radius_that_is_none_is_refused(radius):
    with pytest.raises(UsageError, match="radius_voxels: expected a radius of 0 or more"):
        cal_triple(tube(), tube(), radius_voxels=radius)
    with pytest.raises(UsageError, match="radius_mm: expected a radius of 0 or more"):
        cal_triple_mm(tube(), tube(), radius_mm=radius, spacing_mm=(1.0, 1.0, 1.0))


def test_masks_that_do_not_fit_are_refused():
    with pytest.raises(UsageError, match="shape of the reference"):
        cal_triple(tube(), tube()[1:])
    with pytest.raises(UsageError, match="shape of the reference"):
        component_counts(tube(), tube()[1:])
    with pytest.raises(UsageError, match="spacing_mm"):
        cal_triple_mm(tube(), tube(), radius_mm=2.0, spacing_mm=(1.0, 1.0))
