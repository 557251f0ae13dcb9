"""Which slices are shown, and that they lie as radiologists look at them."""

from __future__ import annotations

import tracemalloc
from typing import Literal

import numpy as np
import pytest
from numpy.typing import NDArray

from overread.imaging.reorient import AXES_CODES, reorient
from overread.report.masks.cuts import cut_plane, find_cuts

SPL_MM = (4.0, 1.0, 1.0)


def body(axes: str) -> tuple[NDArray[np.bool_], NDArray[np.bool_], tuple[float, ...]]:
    """Make a reference and a prediction, drawn along SPL and turned to other axes.

    The reference is a box; the prediction lacks it in slice 7 at the patient's left front.
    """
    reference = np.zeros((20, 60, 80), bool)
    reference[4:12, 20:40, 30:60] = True
    prediction = reference.copy()
    prediction[7, 20:30, 50:60] = False
    prediction[5, 25, 31] = False
    order = [{"S": 0, "I": 0, "P": 1, "A": 1, "L": 2, "R": 2}[letter] for letter in axes]
    turned = [np.ascontiguousarray(reorient(one, "SPL", axes)) for one in (reference, prediction)]
    return turned[0], turned[1], tuple(SPL_MM[axis] for axis in order)


@pytest.mark.parametrize("axes", AXES_CODES)
def test_every_orientation_of_the_file_gives_the_same_pictures(axes: str) -> None:
    reference, prediction, spacing_mm = body(axes)
    cuts = find_cuts(reference, prediction, spacing_mm=spacing_mm, axes=axes)
    told = [(cut.name, cut.place, cut.letters, cut.pixel_mm) for cut in cuts]
    assert told == [
        ("axial", "slice 8 of 20", ("R", "L", "A", "P"), (1.0, 1.0)),
        ("coronal", "slice 26 of 60", ("R", "L", "S", "I"), (4.0, 1.0)),
        ("sagittal", "slice 51 of 80", ("A", "P", "S", "I"), (4.0, 1.0)),
    ]
    expected = find_cuts(*body("SPL")[:2], spacing_mm=SPL_MM, axes="SPL")
    for cut, other in zip(cuts, expected, strict=True):
        assert np.array_equal(cut.reference, other.reference)
        assert np.array_equal(cut.prediction, other.prediction)


def test_front_left_of_the_patient_is_top_right_of_the_axial_picture() -> None:
    reference, prediction, spacing_mm = body("RAS")
    axial, coronal, _ = find_cuts(reference, prediction, spacing_mm=spacing_mm, axes="RAS")
    rows, columns = np.nonzero(axial.reference & ~axial.prediction)
    middle = [side / 2 for side in axial.reference.shape]
    assert rows.mean() < middle[0]
    assert columns.mean() > middle[1]
    # Head up: slices 4 to 11 lie below the middle of 20, and slice 7 above 5.
    differs = np.nonzero(coronal.reference & ~coronal.prediction)[0]
    assert differs.max() - differs.min() == 2


def test_the_slice_with_the_most_disagreement_is_chosen() -> None:
    reference, prediction, spacing_mm = body("SPL")
    axial, *_ = find_cuts(reference, prediction, spacing_mm=spacing_mm, axes="SPL")
    assert axial.n_differing == 100
    assert axial.plane.index == 7


def test_equal_masks_show_their_largest_slice() -> None:
    mask = np.zeros((6, 6, 6), bool)
    mask[2, 2, 2] = mask[4, 1:4, 1:4] = True
    axial, *_ = find_cuts(mask, mask, spacing_mm=(1, 1, 1), axes="SPL")
    assert (axial.plane.index, axial.n_differing) == (4, 0)


def test_without_known_axes_planes_are_named_by_them() -> None:
    mask = np.zeros((4, 5, 6), bool)
    mask[1, 2, 3] = True
    cuts = find_cuts(mask, ~mask & False, spacing_mm=None, axes=None)
    assert [(cut.name, cut.place, cut.letters) for cut in cuts] == [
        ("across axis 3", "slice 4 of 6", None),
        ("across axis 2", "slice 3 of 5", None),
        ("across axis 1", "slice 2 of 4", None),
    ]
    assert [cut.reference.sum() for cut in cuts] == [1, 1, 1]
    assert not any(cut.is_mm for cut in cuts)


def test_a_picture_has_one_plane() -> None:
    mask = np.zeros((300, 200), bool)
    mask[150:160, 100:110] = True
    (cut,) = find_cuts(mask, mask, spacing_mm=None, axes=None)
    assert (cut.name, cut.place, cut.letters) == ("picture", "", None)
    assert cut.reference.shape == (70, 70)
    assert cut.reference.sum() == 100


def test_a_part_of_another_array_is_cut_at_the_same_place() -> None:
    reference, prediction, spacing_mm = body("LAS")
    for cut in find_cuts(reference, prediction, spacing_mm=spacing_mm, axes="LAS"):
        assert np.array_equal(cut_plane(reference, cut.plane), cut.reference)


def test_all_planes_of_a_case_have_one_scale() -> None:
    reference, prediction, spacing_mm = body("SPL")
    cuts = find_cuts(reference, prediction, spacing_mm=spacing_mm, axes="SPL")
    widths = {cut.reference.shape[1] * cut.pixel_mm[1] for cut in cuts[:2]}
    assert len(widths) == 1


def test_a_small_fault_of_a_wide_mask_is_shown_from_near() -> None:
    reference = np.zeros((40, 400, 400), bool)
    reference[5:35, 20:380, 20:380] = True
    reference[20, 100, 100] = True
    prediction = reference.copy()
    prediction[18:22, 300:312, 340:352] = False  # the largest piece
    prediction[20, 30:33, 30:33] = False
    axial, coronal, _ = find_cuts(reference, prediction, spacing_mm=(5, 1, 1), axes="SPL")
    assert axial.reference.shape == (140, 140)
    assert axial.n_differing == 144  # the other fault lies outside
    rows, columns = np.nonzero(axial.reference & ~axial.prediction)
    assert rows.mean() == pytest.approx(69.5, abs=1)
    assert columns.max() < 140
    assert coronal.reference.shape == (28, 140)


@pytest.mark.parametrize("order", ["C", "F"])
def test_a_whole_scan_is_looked_through_without_a_copy(order: Literal["C", "F"]) -> None:
    reference = np.zeros((160, 200, 180), np.uint8, order=order)
    reference[40:60, 50:70, 60:80] = 3
    prediction = np.zeros_like(reference)
    prediction[42:60, 50:70, 60:80] = 3
    tracemalloc.start()
    axial, *_ = find_cuts(reference, prediction, spacing_mm=(1, 1, 1), axes="LPS", values=[3])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < reference.nbytes / 8
    assert axial.place == "slice 61 of 180"
    assert axial.n_differing == 2 * 20


def test_values_that_no_array_has_give_no_picture() -> None:
    mask = np.ones((4, 4, 4), np.uint8)
    assert find_cuts(mask, mask, spacing_mm=None, axes=None, values=[2, 3, 4, 5, 6, 7]) == ()
    assert len(find_cuts(mask, mask, spacing_mm=None, axes=None, values=[1, 3, 4, 5, 6, 7])) == 3


def test_faults_all_over_are_shown_as_a_whole() -> None:
    mask = np.zeros((30, 300, 300), bool)
    mask[10:20, 50:250, 50:250] = True
    axial, *_ = find_cuts(mask, ~mask & False, spacing_mm=(1, 1, 1), axes="SPL")
    assert axial.reference.sum() == 200 * 200
