from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from overread.errors import UsageError
from overread.metrics.lits import lits_table, match_lits
from overread.metrics.lits_outlines import score_objects

SHAPE = (26, 10, 10)
FIRST, SECOND = np.s_[5:11, 2:8, 2:8], np.s_[20:26, 2:8, 2:8]
"""Two boxes of 6×6×6 voxels with nine planes between them."""


def mask(*boxes, shape=SHAPE):
    array = np.zeros(shape, dtype=np.bool_)
    for box in boxes:
        array[box] = True
    return array


def counts(reference, prediction, *, threshold=0.5, mended=False):
    match = match_lits(lits_table(reference, prediction), threshold=threshold, mended=mended)
    return match.n_found, match.n_invented, match.n_missed


# ---------------------------------------------------------------- cases to check by eye


def test_a_false_blob_that_comes_first_costs_the_released_code_a_perfect_lesion():
    blob = np.s_[0:3, 0:3, 0:3]
    reference, prediction = mask(FIRST, SECOND), mask(blob, FIRST, SECOND)
    # The blob is predicted lesion 1, so the boxes are 2 and 3 there and 1 and 2 in the reference:
    # the union is taken of box 1 and of what bears number 2, which is box 2.
    assert counts(reference, prediction) == (1, 2, 1)
    assert counts(reference, prediction, mended=True) == (2, 1, 0)
    assert counts(reference, prediction, threshold=0.0) == (2, 1, 0)


def test_a_false_blob_that_comes_last_costs_nothing():
    shape = (40, 10, 10)
    reference = mask(FIRST, SECOND, shape=shape)
    prediction = mask(FIRST, SECOND, np.s_[30:33, 0:3, 0:3], shape=shape)
    assert counts(reference, prediction) == counts(reference, prediction, mended=True) == (2, 1, 0)


@pytest.mark.parametrize("mended", [False, True])
def test_one_prediction_over_two_lesions_joins_them(mended):
    # 21×6×6 = 756 voxels over 2 × 216: Dice 2·432 / (756 + 432), one found, one missed.
    reference, prediction = mask(FIRST, SECOND), mask(np.s_[5:26, 2:8, 2:8])
    match = match_lits(lits_table(reference, prediction), threshold=0.5, mended=mended)
    assert (match.n_found, match.n_invented, match.n_missed) == (1, 0, 1)
    (joined,) = match.scored
    assert joined.references == (1, 2)
    assert joined.dice == pytest.approx(0.727273, abs=5e-7)
    assert joined.iou == pytest.approx(432 / 756)


def test_two_predictions_in_one_lesion_are_joined():
    reference = mask(np.s_[5:17, 2:8, 2:8])
    prediction = mask(np.s_[5:10, 2:8, 2:8], np.s_[11:17, 2:8, 2:8])
    match = match_lits(lits_table(reference, prediction), threshold=0.5, mended=True)
    (joined,) = match.scored
    assert joined.predictions == (1, 2)
    assert joined.iou == pytest.approx(11 / 12)
    assert (match.n_found, match.n_invented, match.n_missed) == (1, 1, 0)


def test_a_missed_lesion_keeps_what_was_predicted_for_it():
    reference, prediction = mask(FIRST), mask(np.s_[5:7, 2:8, 2:8])  # a third of it
    match = match_lits(lits_table(reference, prediction), threshold=0.5, mended=True)
    assert match.scored == ()
    (pair,) = match.paired
    assert (pair.predictions, pair.iou) == ((1,), pytest.approx(1 / 3))
    assert pair.dice == pytest.approx(0.5)


def test_an_overlap_of_exactly_the_threshold_is_not_enough():
    reference, prediction = mask(FIRST), mask(np.s_[5:8, 2:8, 2:8])
    assert counts(reference, prediction, mended=True) == (0, 1, 1)
    assert counts(reference, prediction, threshold=0.499, mended=True) == (1, 0, 0)


@pytest.mark.parametrize("mended", [False, True])
@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [((), (), (0, 0, 0)), ((FIRST,), (), (0, 0, 1)), ((), (FIRST, SECOND), (0, 2, 0))],
    ids=["both empty", "missed", "invented"],
)
def test_empty_sides(left, right, expected, mended):
    assert counts(mask(*left), mask(*right), mended=mended) == expected


def test_the_released_code_keeps_numbers_in_eight_bits():
    # 300 single voxels, all found perfectly: number 256 becomes 0, 257 becomes 1 and so on.
    dots = np.zeros((600, 1, 1), dtype=np.bool_)
    dots[::2] = True
    table = lits_table(dots, dots)
    assert match_lits(table, threshold=0.5, mended=True).n_found == 300
    released = match_lits(table, threshold=0.5, mended=False)
    # Run on the released code: 256 counted, 211 objects left to compare.
    assert (released.n_found, len(released.scored)) == (256, 211)
    assert max(one.number for one in released.scored) <= 255


def test_lesions_are_numbered_as_a_scan_along_the_last_axis_meets_them():
    array = np.zeros((3, 3, 3), dtype=np.bool_)
    array[0, 0, 2] = array[0, 2, 0] = array[2, 0, 0] = True
    for order in "CF":
        labels = lits_table(np.asarray(array, order=order), array).reference_labels
        assert [labels[0, 0, 2], labels[0, 2, 0], labels[2, 0, 0]] == [1, 2, 3]


def test_masks_of_two_shapes_are_refused():
    with pytest.raises(UsageError, match=r"prediction: expected a mask of shape \(26, 10, 10\)"):
        lits_table(mask(FIRST), mask(np.s_[0:2, 0:2, 0:2], shape=(4, 4, 4)))


def test_a_threshold_of_one_is_refused():
    with pytest.raises(UsageError, match="threshold"):
        match_lits(lits_table(mask(FIRST), mask(FIRST)), threshold=1.0, mended=True)


# ---------------------------------------------------------------- facts of every pair


PAIRS = arrays(np.bool_, st.tuples(st.just(2), *[st.integers(1, 5)] * 3))


@settings(max_examples=60, deadline=None)
@given(pair=PAIRS, threshold=st.sampled_from([0.0, 0.3, 0.5]), mended=st.booleans())
def test_sizes_and_counts_add_up(pair, threshold, mended):
    table = lits_table(*pair)
    match = match_lits(table, threshold=threshold, mended=mended)
    assert table.reference_voxels.sum() == pair[0].sum()
    assert table.prediction_voxels.sum() == pair[1].sum()
    assert table.overlap_voxels.sum() == (pair[0] & pair[1]).sum()
    assert 0 <= match.n_found <= min(match.n_reference, match.n_prediction)
    # Every reference lesion is in exactly one pair.
    held = sorted(number for one in match.paired for number in one.references)
    assert held == list(range(1, match.n_reference + 1))


@settings(max_examples=60, deadline=None)
@given(pair=PAIRS)
def test_what_is_mended_counts_voxels_of_the_very_pair(pair):
    table = lits_table(*pair)
    match = match_lits(table, threshold=0.5, mended=True)
    assert match.n_found == len(match.scored)
    for one in match.scored:
        left = np.isin(table.reference_labels, one.references)
        right = np.isin(table.prediction_labels, one.predictions)
        assert one.union_voxels == (left | right).sum()
        assert one.iou > 0.5
    found = {one.number for one in match.scored}
    assert all(one.iou <= 0.5 for one in match.paired if one.number not in found)


@settings(max_examples=40, deadline=None)
@given(pair=PAIRS)
def test_a_mask_finds_itself(pair):
    for mended in (False, True):
        found, invented, missed = counts(pair[0], pair[0], mended=mended)
        assert (invented, missed) == (0, 0)
        assert found == lits_table(pair[0], pair[0]).reference_voxels.size


# ---------------------------------------------------------------- the released sample


SAMPLE = {
    # Per lesion: reference, prediction, overlap, overlap over union (computed from the masks).
    "venous_0": [
        (1474, 716, 685, 0.455150),
        (9756, 9782, 8822, 0.823255),
        (31028, 27853, 26285, 0.806387),
    ],
    "venous_11": [(4179, 3658, 3251, 0.708897), (5227, 4916, 4471, 0.788258)],
}
STORED = {
    # xmed-lab/TriALS, eval_scripts/metrics/team-check/metrics.csv
    "dice": 0.8767814601809033,
    "jaccard": 0.7816992461567145,
    "voe": 0.2183007538432856,
    "signed_rvd": 0.07925593492650387,
    "assd_mm": 0.5891962909208087,
    "rmsd_mm": 0.9451723162962817,
    "msd_mm": 5.4471563162678365,
}


@pytest.mark.data
def test_the_released_sample_gives_the_stored_numbers_to_the_last_digit():
    nibabel = pytest.importorskip("nibabel")
    if not os.environ.get("OVERREAD_DATA"):
        pytest.skip("OVERREAD_DATA names no folder of released files")
    folder = Path(os.environ["OVERREAD_DATA"]) / "trials/docker/template/sample-test-data"
    if not folder.is_dir():
        pytest.skip(f"no {folder}")
    scored, missed = [], []
    for case, lesions in SAMPLE.items():
        reference = nibabel.load(folder / "ground_truth" / f"{case}.nii.gz")
        prediction = nibabel.load(folder / "team-check/predictions" / f"{case}.nii.gz")
        table = lits_table(*(np.asanyarray(one.dataobj) == 1 for one in (reference, prediction)))
        match = match_lits(table, threshold=0.5, mended=False)
        found = [
            (one.reference_voxels, one.prediction_voxels, one.overlap_voxels, one.iou)
            for one in match.paired
        ]
        assert found == [pytest.approx(lesion, abs=5e-7) for lesion in lesions]
        spacing = tuple(float(one) for one in reference.header.get_zooms()[:3])
        scored += score_objects(table, match.scored, spacing)
        missed += [one for one in match.paired if one.iou <= 0.5]
    for name, stored in STORED.items():
        holders = [one.distances if name.endswith("_mm") else one for one in scored]
        assert float(np.mean([getattr(one, name) for one in holders])) == stored
    # The thirteenth stored number keeps its sign; the code's head drops it, a textbook divides by
    # the reference.
    assert np.mean([one.rvd for one in scored]) == pytest.approx(0.080585, abs=5e-7)
    assert np.mean([one.ravd for one in scored]) == pytest.approx(0.072290, abs=5e-7)
    # What leaving the missed lesion out does: of four, of five at its own Dice, of five at 0.
    dice = [one.dice for one in scored]
    assert len(dice) == 4
    assert [one.dice for one in missed] == [pytest.approx(0.625571, abs=5e-7)]
    assert np.mean([*dice, missed[0].dice]) == pytest.approx(0.826539, abs=5e-7)
    assert np.mean([*dice, 0.0]) == pytest.approx(0.701425, abs=5e-7)
