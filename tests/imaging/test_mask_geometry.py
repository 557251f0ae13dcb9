"""The geometry doctor: differences named with both values, the turn that would mend a poor fit."""

from __future__ import annotations

from itertools import permutations, product
from time import perf_counter

import numpy as np
import pytest

from overread.errors import ImageError
from overread.imaging.geometry import geometry_of
from overread.imaging.label_map import LabelMap
from overread.imaging.mask_geometry import examine_geometry, resample_labels
from overread.imaging.mask_turn import Turn, better_turn, foreground_dice
from overread.imaging.reorient import AXES_CODES, reorient

LPS = np.diag([1.0, 2.0, 3.0, 1.0])


def organ(shape=(9, 9, 9)):
    """A lump that no turn leaves as it is: three arms of different length and label."""
    array = np.zeros(shape, np.uint8)
    array[1:8, 1:3, 1:3] = 1
    array[1:3, 3:6, 1:3] = 2
    array[1:3, 1:3, 3:5] = 3
    return array


def placed(array, affine=LPS, source="a.nii") -> LabelMap:
    geometry = None if affine is None else geometry_of(affine, array.shape, source=source)
    spacing_mm = None if geometry is None else geometry.spacing_mm
    return LabelMap(array=array, spacing_mm=spacing_mm, geometry=geometry, source=source)


def changed(place, value):
    affine = LPS.copy()
    affine[place] = value
    return affine


def test_the_same_grid_is_the_same():
    report = examine_geometry(placed(organ()), placed(organ()), known_labels=(1, 2))
    assert report.same
    assert (report.problems, report.notes, report.better_turn) == ((), (), None)
    assert report.stored_dice == 1.0
    assert report.unknown_labels == (3,)
    assert report.advice == ""


def test_rounded_headers_are_the_same():
    near = LPS + 1e-6
    assert examine_geometry(placed(organ()), placed(organ(), near), known_labels=None).same
    # A spacing that is off by 0.01 mm moves the last of nine voxels by 0.08 of the smallest: within
    # a tenth. Of 90 voxels the last one lies almost a voxel off.
    off = changed((0, 0), 1.01)
    assert examine_geometry(placed(organ()), placed(organ(), off), known_labels=None).same
    long = np.zeros((90, 9, 9), np.uint8)
    report = examine_geometry(placed(long), placed(long, off), known_labels=None)
    assert report.problems == (
        "spacing: 1 × 2 × 3 mm in the reference, 1.01 × 2 × 3 mm in the prediction",
    )


@pytest.mark.parametrize(
    ("affine", "problem"),
    [
        (
            changed((2, 2), 5.0),
            "spacing: 1 × 2 × 3 mm in the reference, 1 × 2 × 5 mm in the prediction",
        ),
        (
            changed((0, 3), 7.0),
            "origin: (0, 0, 0) mm in LPS in the reference, (7, 0, 0) mm in LPS in the prediction",
        ),
        (changed((0, 0), -1.0), "direction: LPS in the reference, RPS in the prediction"),
    ],
)
def test_each_difference_is_named_with_both_values(affine, problem):
    report = examine_geometry(placed(organ()), placed(organ(), affine), known_labels=None)
    assert not report.same
    assert report.problems == (problem,)


def test_a_small_turn_is_a_difference():
    angle = np.radians(2.0)
    turn = np.eye(4)
    turn[:2, :2] = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
    report = examine_geometry(placed(organ()), placed(organ(), turn @ LPS), known_labels=None)
    assert report.problems == (
        "direction: LPS in the reference, LPS, turned by 2° in the prediction",
    )


def test_another_size_is_named_with_what_differs_beside():
    report = examine_geometry(
        placed(organ()), placed(organ((9, 9, 10)), changed((2, 2), 2.7)), known_labels=None
    )
    assert report.problems == (
        "size: 9 × 9 × 9 in the reference, 9 × 9 × 10 in the prediction",
        "spacing: 1 × 2 × 3 mm in the reference, 1 × 2 × 2.7 mm in the prediction",
    )
    assert report.stored_dice is None


def test_many_small_differences_are_one_difference():
    """Each is below what is named, and together they move the far corner by half a voxel."""
    affine = LPS.copy()
    affine[0, 0] = 1.00009
    long = np.zeros((3000, 2, 2), np.uint8)
    report = examine_geometry(placed(long), placed(long, affine), known_labels=None)
    assert report.problems == (
        "affine: 1 0 0 0; 0 2 0 0; 0 0 3 0 in the reference, "
        "1.00009 0 0 0; 0 2 0 0; 0 0 3 0 in the prediction",
    )


def test_sizes_and_spacings_are_compared_where_places_are_not_stated():
    one = placed(organ(), None).spaced((1.0, 1.0, 1.0))
    other = placed(organ((9, 9, 10)), None).spaced((1.0, 1.0, 1.5))
    assert [
        each.split(":")[0] for each in examine_geometry(one, other, known_labels=None).problems
    ] == ["size", "spacing"]


def test_what_is_not_stated_is_not_compared():
    report = examine_geometry(placed(organ()), placed(organ(), None), known_labels=None)
    assert report.same
    assert report.notes == (
        "the prediction does not say where it lies: sides and origins were not compared",
    )
    one = placed(organ(), None).spaced((1.0, 1.0, 1.0))
    other = placed(organ(), None).spaced((1.0, 1.0, 1.5))
    assert examine_geometry(one, other, known_labels=None).problems == (
        "spacing: 1 × 1 × 1 mm in the reference, 1 × 1 × 1.5 mm in the prediction",
    )


@pytest.mark.parametrize("code", AXES_CODES)
def test_all_48_turns_are_found(code):
    """A prediction that was written as if it lay another way is told how to be turned back."""
    reference = organ()
    report = examine_geometry(
        placed(reference),
        placed(np.ascontiguousarray(reorient(reference, "LPS", code))),
        known_labels=None,
    )
    assert report.same  # the headers agree: only the labels show it
    if code == "LPS":
        assert report.better_turn is None
        return
    assert report.better_turn is not None
    assert report.better_dice == 1.0
    assert report.better_turn in report.advice
    assert f"as stored: {report.stored_dice:.3f}" in report.advice


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_a_turn_does_what_its_words_say(order):
    reference = organ((8, 9, 10))
    for back in product((False, True), repeat=3):
        turn = Turn(order=order, reversed_axes=back, dice=1.0)
        inverse = np.empty_like(np.transpose(reference, np.argsort(order)))
        turn.of(inverse)[...] = reference
        found = better_turn(reference, inverse, stored=None)
        if order == (0, 1, 2) and not any(back):
            assert turn.words == ""
            continue
        assert found is not None
        assert (found.order, found.reversed_axes, found.dice) == (order, back, 1.0)
        assert turn.words == found.words
    assert Turn(order=(1, 0, 2), reversed_axes=(False, False, True), dice=1.0).words == (
        "axes 1 and 2 swapped, axis 3 reversed afterwards"
    )
    assert Turn(order=(0, 1, 2), reversed_axes=(True, True, False), dice=1.0).words == (
        "axes 1 and 2 reversed"
    )
    assert Turn(order=(2, 0, 1), reversed_axes=(False,) * 3, dice=1.0).words == (
        "axes in the order 3, 1, 2"
    )


def test_a_poor_prediction_is_no_turned_one():
    rng = np.random.default_rng(5)
    reference, prediction = (np.zeros((40, 40, 40), np.uint8) for _ in range(2))
    reference[5:12, 5:12, 5:12] = 1
    prediction[10:19, 9:17, 11:18] = 1
    assert better_turn(reference, prediction, stored=0.05) is None
    noise = (rng.random((40, 40, 40)) < 0.1).astype(np.uint8)
    assert better_turn(reference, noise, stored=0.0) is None
    assert better_turn(reference, np.zeros_like(reference), stored=0.0) is None
    assert better_turn(reference, reference[:, :, 0], stored=None) is None


def test_a_turn_is_found_where_a_large_label_hides_it():
    """A mirror leaves most of a large label in place, and nothing of a small one."""
    reference = np.zeros((20, 20, 20), np.uint8)
    reference[4:14, 4:14, 4:14] = 1
    reference[16:18, 8:12, 8:12] = 2
    prediction = np.ascontiguousarray(reference[::-1])
    # 8 of 10 planes shared; of 2 · (1000 + 32) voxels 2 · 800.
    dice = foreground_dice(reference, prediction)
    assert dice == pytest.approx(800 / 1032)
    found = better_turn(reference, prediction, stored=dice)
    assert found is not None
    assert (found.words, found.dice) == ("axis 1 reversed", 1.0)
    report = examine_geometry(placed(reference), placed(prediction), known_labels=None)
    assert report.better_turn == "axis 1 reversed"
    shifted = np.roll(reference, 1, axis=1)  # 9 and 3 of 10 and 4 planes: no turn mends it
    assert better_turn(reference, shifted, stored=foreground_dice(reference, shifted)) is None


def test_a_symmetric_mask_that_is_shifted_a_little_is_no_turned_one():
    reference = np.zeros((21, 20, 20), np.uint8)
    reference[6:14, 4:14, 4:14] = 1
    prediction = np.roll(reference, 1, axis=0)  # 7 of 8 planes; mirrored all 8
    assert better_turn(reference, prediction, stored=0.875) is not None
    report = examine_geometry(placed(reference), placed(prediction), known_labels=None)
    assert (report.stored_dice, report.better_turn) == (0.875, None)


def test_a_turned_picture_is_found():
    reference = organ()[:, :, 1]
    found = better_turn(reference, reference.T, stored=0.2)
    assert found is not None
    assert found.words == "axes 1 and 2 swapped"


def test_dice_of_all_labels():
    one, other = organ(), organ()
    other[other == 3] = 2
    # 28 + 12 + 8 voxels on both sides, 40 agree.
    assert foreground_dice(one, other) == 2 * 40 / 96
    assert foreground_dice(one, other[1:]) is None
    assert foreground_dice(one * 0, one * 0) is None


@pytest.mark.parametrize("code", AXES_CODES)
def test_a_stored_turn_is_undone_exactly(code):
    """The same masks in another array order, with the header that says so: no voxel is lost."""
    reference = placed(organ((8, 9, 10)))
    array = np.ascontiguousarray(reorient(reference.array, "LPS", code))
    affine = np.asarray(_turned_affine(reference, code))
    prediction = placed(array, affine, "out.nii")
    assert examine_geometry(reference, prediction, known_labels=None).same == (code == "LPS")
    moved = resample_labels(prediction, like=reference)
    np.testing.assert_array_equal(moved.array, reference.array)
    assert examine_geometry(reference, moved, known_labels=None).same


def _turned_affine(reference: LabelMap, code: str):
    """Build the affine of a turned array from where its corner voxels came from."""
    assert reference.geometry is not None
    affine = np.asarray(reference.geometry.affine_lps)
    places = np.stack(np.meshgrid(*(np.arange(n) for n in reference.array.shape), indexing="ij"))
    turned = np.stack([reorient(axis, "LPS", code) for axis in places])
    first = turned[:, 0, 0, 0]
    steps = [turned[:, 1, 0, 0], turned[:, 0, 1, 0], turned[:, 0, 0, 1]]
    result = np.eye(4)
    for column, step in enumerate(steps):
        result[:3, column] = affine[:3, :3] @ (step - first)
    result[:3, 3] = affine[:3, :3] @ first + affine[:3, 3]
    return result


def test_a_cropped_prediction_is_put_back_in_its_place():
    reference = placed(organ((8, 9, 10)))
    affine = LPS.copy()
    affine[:3, 3] = (1.0, 2.0, 0.0)
    cropped = placed(reference.array[1:, 1:7, :5], affine)
    np.testing.assert_array_equal(resample_labels(cropped, like=reference).array, reference.array)
    far = LPS.copy()
    far[0, 3] = 100.0
    assert not resample_labels(placed(organ(), far), like=reference).array.any()


def test_a_coarser_prediction_takes_the_nearest_voxel():
    """By hand: voxels of 2 mm at 0.5, 2.5, 4.5 mm hold those of 1 mm at 0 and 1, 2 and 3, …."""
    coarse = np.zeros((3, 1, 1), np.uint8)
    coarse[:, 0, 0] = (7, 0, 5)
    affine = np.diag([2.0, 1.0, 1.0, 1.0])
    affine[0, 3] = 0.5
    like = placed(np.zeros((6, 1, 1), np.uint8), np.eye(4))
    found = resample_labels(placed(coarse, affine), like=like)
    assert found.array[:, 0, 0].tolist() == [7, 7, 0, 0, 5, 5]


def test_a_grid_turned_at_an_angle_is_looked_up_voxel_by_voxel():
    angle = np.radians(30.0)
    turn = np.eye(4)
    turn[:2, :2] = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
    like = placed(np.zeros((30, 30, 3), np.uint8), np.eye(4))
    turned = np.zeros((40, 40, 3), np.uint8)
    turned[10:20, 5:25, 1] = 4
    found = resample_labels(placed(turned, turn), like=like).array
    for i, j in product(range(30), range(30)):
        place = np.linalg.inv(turn[:2, :2]) @ (i, j)
        x, y = (int(np.floor(each + 0.500001)) for each in place)  # half-way goes up
        inside = 0 <= x < 40 and 0 <= y < 40
        assert found[i, j, 1] == (turned[x, y, 1] if inside else 0)
    assert not found[:, :, (0, 2)].any()


def test_every_voxel_of_a_coarse_grid_becomes_as_wide_as_the_next():
    """Centres that lie half-way between two voxels go one way, as in ITK; not to even numbers."""
    coarse = np.arange(1, 9, dtype=np.uint8).reshape(8, 1, 1)
    fine = placed(np.zeros((16, 1, 1), np.uint8), np.eye(4))
    found = resample_labels(placed(coarse, np.diag([2.0, 1.0, 1.0, 1.0])), like=fine).array
    assert found[:, 0, 0].tolist() == [1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 0]
    moved = np.eye(4)
    moved[0, 3] = 0.5
    like = placed(np.zeros((8, 1, 1), np.uint8), moved)
    assert resample_labels(placed(coarse, np.eye(4)), like=like).array.ravel().tolist() == [
        2, 3, 4, 5, 6, 7, 8, 0,
    ]  # fmt: skip


def test_without_a_place_nothing_is_resampled():
    with pytest.raises(ImageError, match=r"a\.nii: expected a header that says where"):
        resample_labels(placed(organ(), None), like=placed(organ()))


def test_a_large_case_is_looked_at_in_little_time():
    reference = np.zeros((300, 300, 300), np.uint8, order="F")
    reference[40:90, 50:80, 200:260] = 1
    prediction = np.asfortranarray(reference[:, ::-1])
    start = perf_counter()
    report = examine_geometry(placed(reference), placed(prediction), known_labels=(1,))
    assert report.better_turn == "axis 2 reversed"
    assert perf_counter() - start < 2.0
