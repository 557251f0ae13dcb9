from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from numpy.typing import NDArray
from scipy import ndimage
from skimage.morphology import skeletonize

from overread.errors import UsageError
from overread.metrics.skeleton import (
    CENTRELINE_DICE,
    THINNING,
    CentrelineDice,
    centreline_dice,
    skeleton,
    skeleton_length_mm,
)

Mask = NDArray[np.bool_]
masks = arrays(np.bool_, array_shapes(min_dims=2, max_dims=3, min_side=1, max_side=7))


def pairs():
    shapes = array_shapes(min_dims=2, max_dims=3, min_side=1, max_side=7)
    return shapes.flatmap(lambda shape: st.tuples(arrays(np.bool_, shape), arrays(np.bool_, shape)))


def tube(*, radius2: int = 9, first: int = 5, last: int = 35) -> Mask:
    """Give the fixture of the VEELA figures: a tube along the first axis of (40, 30, 30)."""
    z, y, x = np.mgrid[:40, :30, :30]
    return ((y - 15) ** 2 + (x - 15) ** 2 <= radius2) & (z >= first) & (z < last)


def cut(mask: Mask, *slices: int) -> Mask:
    other = mask.copy()
    other[list(slices)] = False
    return other


# ---------------------------------------------------------------- known values


def test_the_fixture_has_so_many_voxels():
    # Computed with scikit-image 0.26 when the benchmark was described.
    assert (np.count_nonzero(tube()), np.count_nonzero(skeleton(tube()))) == (870, 28)


@pytest.mark.parametrize(
    ("prediction", "precision", "sensitivity", "value"),
    [
        (tube(), 1, 1, 1),
        (tube(last=20), 1, 0.5, 0.666667),
        (np.roll(tube(), 1, 2), 1, 1, 1),
        (np.roll(tube(), 1, 1), 1, 1, 1),
        (np.roll(tube(), 1, 0), 1, 1, 1),
        (tube(radius2=16), 1, 1, 1),
        (cut(tube(), 19, 20), 1, 26 / 28, 0.962963),
        (np.roll(tube(), 10, 2), 0, 0, 0),  # the paper's formula has 0 / 0 here
    ],
    ids=["same", "half", "x", "y", "z", "thick", "gap", "apart"],
)
def test_centreline_dice_of_the_fixture(prediction, precision, sensitivity, value):
    found = centreline_dice(tube(), prediction)
    assert found.precision == precision
    assert found.sensitivity == pytest.approx(sensitivity)
    assert found.value == pytest.approx(value, abs=5e-7)


@pytest.mark.parametrize("axes", [2, 3])
def test_half_a_line_is_found_whoever_thins(axes: int):
    line = np.zeros((20, 5, 5)[:axes], bool)
    line[(slice(2, 18), *(2,) * (axes - 1))] = True
    half = line.copy()
    half[10:] = False
    assert np.count_nonzero(skeleton(line)) == 16
    assert centreline_dice(line, half) == CentrelineDice(
        precision=1.0, sensitivity=0.5, value=2 / 3
    )


def test_the_version_names_who_thins():
    import skimage

    assert ".".join(skimage.__version__.split(".")[:2]) == THINNING.removeprefix("skimage")
    assert CENTRELINE_DICE.version == f"1+{THINNING}"


# ---------------------------------------------------------------- empty masks


def test_both_empty_is_undefined():
    empty = np.zeros((4, 4, 4), bool)
    assert centreline_dice(empty, empty) == CentrelineDice(
        precision=None, sensitivity=None, value=None
    )
    assert skeleton_length_mm(skeleton(empty), (1.0, 1.0, 1.0)) == 0.0


def test_missed_and_invented_are_zero_with_one_part_undefined():
    empty = np.zeros_like(tube())
    assert centreline_dice(tube(), empty) == CentrelineDice(
        precision=None, sensitivity=0.0, value=0.0
    )
    assert centreline_dice(empty, tube()) == CentrelineDice(
        precision=0.0, sensitivity=None, value=0.0
    )


def test_a_single_voxel_is_its_own_centreline():
    one = np.zeros((3, 3, 3), bool)
    one[0, 2, 1] = True  # at the border
    assert np.array_equal(skeleton(one), one)
    assert centreline_dice(one, one).value == 1.0
    assert skeleton_length_mm(one, (3.0, 2.0, 1.0)) == 0.0


# ---------------------------------------------------------------- pieces that thinning loses


@pytest.mark.parametrize("side", [2, 4])
def test_a_cube_that_thinning_takes_away_keeps_a_voxel(side: int):
    cube = np.zeros((9, 9, 9), bool)
    cube[2 : 2 + side, 3 : 3 + side, 1 : 1 + side] = True
    assert not skeletonize(cube).any()  # that is what scikit-image gives
    assert not skeleton(cube, keep_pieces=False).any()
    (place,) = np.argwhere(skeleton(cube))
    assert place.tolist() == [1 + side // 2, 2 + side // 2, side // 2]
    assert centreline_dice(cube, cube).value == 1.0


def test_a_straight_bar_of_even_width_may_leave_one_voxel():
    bar = np.zeros((6, 6, 34), bool)
    bar[2:4, 2:4, 2:32] = True
    assert not skeletonize(bar).any()  # all 30 slices of it
    assert np.argwhere(skeleton(bar)).tolist() == [[2, 2, 16]]


@settings(max_examples=60, deadline=None)
@given(mask=arrays(np.bool_, array_shapes(min_dims=2, max_dims=3, min_side=2, max_side=7)))
def test_every_piece_has_a_centreline_and_nothing_else_is_added(mask: Mask):
    thin, raw = skeleton(mask), skeletonize(mask) > 0
    pieces, n = ndimage.label(mask, np.ones((3,) * mask.ndim))
    assert not (thin & ~mask).any()
    assert len(np.unique(pieces[thin])) == n
    assert not (raw & ~thin).any()
    added = pieces[thin & ~raw].tolist()
    assert len(set(added)) == len(added)  # one voxel each
    assert not set(added) & set(pieces[raw].tolist())


@settings(max_examples=60, deadline=None)
@given(mask=masks)
def test_without_it_the_skeleton_is_that_of_scikit_image(mask: Mask):
    assert np.array_equal(skeleton(mask, keep_pieces=False), skeletonize(mask) > 0)


@settings(max_examples=30, deadline=None)
@given(mask=masks, rim=st.integers(0, 3))
def test_where_a_mask_lies_in_its_array_changes_nothing(mask: Mask, rim: int):
    inner = (slice(rim, -rim or None),) * mask.ndim
    assert np.array_equal(skeleton(np.pad(mask, rim))[inner], skeleton(mask))


# ---------------------------------------------------------------- properties


@settings(max_examples=60, deadline=None)
@given(pair=pairs())
def test_the_measure_is_symmetric_and_within_its_range(pair: tuple[Mask, Mask]):
    one, other = pair
    found, swapped = centreline_dice(one, other), centreline_dice(other, one)
    assert found.value == swapped.value
    assert (found.precision, found.sensitivity) == (swapped.sensitivity, swapped.precision)
    assert (found.value is None) == (not one.any() and not other.any())
    for part in (found.value, found.precision, found.sensitivity):
        assert part is None or 0.0 <= part <= 1.0
    if one.any():
        assert centreline_dice(one, one).value == 1.0


def test_skeletons_at_hand_are_used():
    nothing = np.zeros_like(tube())
    found = centreline_dice(
        tube(), tube(last=20), reference_skeleton=nothing, prediction_skeleton=tube(last=20)
    )
    assert (found.precision, found.sensitivity) == (1.0, None)


# ---------------------------------------------------------------- length


def test_a_straight_line_is_as_long_as_its_ends_are_apart():
    line = np.zeros((3, 3, 20), bool)
    line[1, 1, 2:18] = True
    assert skeleton_length_mm(line, (5.0, 5.0, 0.5)) == 15 * 0.5


def test_a_diagonal_takes_the_diagonal_step():
    stairs = np.zeros((6, 6, 6), bool)
    stairs[np.arange(6), np.arange(6), np.arange(6)] = True
    assert skeleton_length_mm(stairs, (3.0, 2.0, 1.0)) == pytest.approx(5 * np.sqrt(14))


def test_a_corner_takes_the_two_short_steps():
    corner = np.zeros((5, 5), bool)
    corner[0, :] = corner[:, 0] = True
    assert skeleton_length_mm(corner, (1.0, 1.0)) == 8.0


def test_a_ring_lacks_its_longest_step():
    ring = np.zeros((3, 3), bool)
    ring[[0, 1, 1, 2], [1, 0, 2, 1]] = True
    assert skeleton_length_mm(ring, (1.0, 1.0)) == pytest.approx(3 * np.sqrt(2))


def test_pieces_apart_are_added_and_the_gap_is_not():
    two = np.zeros((1, 12), bool)
    two[0, :4] = two[0, 8:] = True
    assert skeleton_length_mm(two, (1.0, 2.0)) == 2 * 3 * 2.0


def test_a_row_does_not_run_on_into_the_next_one():
    apart = np.zeros((2, 9), bool)
    apart[0, 8] = apart[1, 0] = True
    assert skeleton_length_mm(apart, (1.0, 1.0)) == 0.0


@settings(max_examples=40, deadline=None)
@given(mask=arrays(np.bool_, (4, 5, 3)), axes=st.sampled_from(list(permutations(range(3)))))
def test_turning_an_array_changes_no_length(mask: Mask, axes: tuple[int, ...]):
    spacing = (3.0, 0.7, 1.5)
    turned = np.flip(mask.transpose(axes), axis=1)
    length = skeleton_length_mm(turned, tuple(spacing[axis] for axis in axes))
    assert length == pytest.approx(skeleton_length_mm(mask, spacing))
    double = skeleton_length_mm(mask, tuple(2 * each for each in spacing))
    assert double == pytest.approx(2 * skeleton_length_mm(mask, spacing))


# ---------------------------------------------------------------- refusals


@pytest.mark.parametrize("bad", [np.zeros((3, 3), np.uint8), np.zeros(3, bool), np.zeros((2,) * 4)])
def test_what_is_no_mask_is_refused(bad):
    for call in (
        lambda: skeleton(bad),
        lambda: centreline_dice(bad, bad),
        lambda: skeleton_length_mm(bad, (1.0, 1.0)),
    ):
        with pytest.raises(UsageError, match=r"expected a boolean array .+, got .+\. "):
            call()


def test_masks_of_two_shapes_are_refused():
    with pytest.raises(UsageError, match=r"shape of the reference, \(3, 3\), got \(3, 4\)"):
        centreline_dice(np.zeros((3, 3), bool), np.zeros((3, 4), bool))


@pytest.mark.parametrize("spacing", [(1.0,), (1.0, 0.0), (1.0, float("nan")), (1.0, -1.0)])
def test_a_spacing_that_does_not_fit_is_refused(spacing):
    with pytest.raises(UsageError, match="spacing_mm: expected 2 positive lengths"):
        skeleton_length_mm(np.zeros((3, 3), bool), spacing)
