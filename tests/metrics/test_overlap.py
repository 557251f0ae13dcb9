from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from numpy.typing import NDArray

from overread.errors import UsageError
from overread.metrics.overlap import (
    DICE,
    IOU,
    OVERLAP_METRICS,
    Overlap,
    joint_counts,
    labels_in,
    overlap_table,
)
from overread.registry import metric_specs

SHAPES = st.sampled_from([(7,), (3, 4), (2, 3, 4), (1, 1, 1), (2, 1, 3, 2)])


@st.composite
def pairs(draw: st.DrawFn) -> tuple[NDArray[np.integer], NDArray[np.integer]]:
    """Two label maps of one shape, each of its own type, some with negative labels."""
    shape = draw(SHAPES)

    def one() -> NDArray[np.integer]:
        dtype = draw(st.sampled_from(["u1", "i2", "<u4", ">i4", "i8"]))
        low = 0 if "u" in dtype else -3
        return draw(arrays.arrays(dtype, shape, elements=st.integers(low, 4)))

    return one(), one()


def test_specs_are_in_the_registry() -> None:
    assert set(OVERLAP_METRICS) <= set(metric_specs())


def test_a_pair_counted_by_eye() -> None:
    reference = np.array([[1, 1, 2, 0], [1, 0, 2, 0]])
    prediction = np.array([[1, 0, 2, 0], [1, 1, 3, 0]])
    table = overlap_table(reference, prediction, (3, 1, 2, 9))
    assert list(table) == [3, 1, 2, 9]
    assert table[1] == Overlap(3, 3, 2)
    assert table[1].dice == pytest.approx(4 / 6)
    assert table[1].iou == pytest.approx(2 / 4)
    assert table[2] == Overlap(2, 1, 1)
    assert table[2].precision == 1.0
    assert table[2].recall == 0.5
    assert table[2].volume_difference == -0.5


@pytest.mark.parametrize(
    ("counts", "fate", "dice", "iou", "precision", "recall", "difference"),
    [
        (Overlap(4, 4, 4), "both present", 1.0, 1.0, 1.0, 1.0, 0.0),
        (Overlap(4, 6, 0), "both present", 0.0, 0.0, 0.0, 0.0, 0.5),
        (Overlap(4, 0, 0), "missed", 0.0, 0.0, None, 0.0, -1.0),
        (Overlap(0, 4, 0), "invented", 0.0, 0.0, 0.0, None, None),
        (Overlap(0, 0, 0), "both empty", None, None, None, None, None),
    ],
)
def test_each_fate_has_its_values(
    counts: Overlap,
    fate: str,
    dice: float | None,
    iou: float | None,
    precision: float | None,
    recall: float | None,
    difference: float | None,
) -> None:
    assert counts.fate == fate
    assert (counts.dice, counts.iou) == (dice, iou)
    assert (counts.precision, counts.recall) == (precision, recall)
    assert counts.volume_difference == difference


@given(pairs())
@settings(deadline=None)
def test_counts_are_those_of_a_plain_comparison(
    pair: tuple[NDArray[np.integer], NDArray[np.integer]],
) -> None:
    reference, prediction = pair
    labels = range(-3, 6)
    for label, found in overlap_table(reference, prediction, labels).items():
        ours, theirs = reference == label, prediction == label
        assert found == Overlap(int(ours.sum()), int(theirs.sum()), int((ours & theirs).sum()))


@given(pairs())
@settings(deadline=None)
def test_sides_may_change_places(pair: tuple[NDArray[np.integer], NDArray[np.integer]]) -> None:
    assert all("symmetric" in spec.properties for spec in (DICE, IOU))
    one = overlap_table(*pair, (1, 2))
    other = overlap_table(*pair[::-1], (1, 2))
    for label in (1, 2):
        assert one[label].dice == other[label].dice
        assert one[label].iou == other[label].iou


@given(pairs())
@settings(deadline=None)
def test_dice_and_iou_say_the_same(pair: tuple[NDArray[np.integer], NDArray[np.integer]]) -> None:
    for found in overlap_table(*pair, (1, 2, 3)).values():
        if found.iou is None:
            assert found.dice is None
        else:
            assert found.dice == pytest.approx(2 * found.iou / (1 + found.iou))


@given(pairs())
@settings(deadline=None)
def test_memory_order_changes_nothing(
    pair: tuple[NDArray[np.integer], NDArray[np.integer]],
) -> None:
    reference, prediction = pair
    turned = np.asfortranarray(reference), prediction[::-1].copy()[::-1]
    assert joint_counts(*turned) == joint_counts(reference, prediction)


def test_a_map_read_in_several_parts_is_whole() -> None:
    rng = np.random.default_rng(6)
    reference = rng.integers(0, 5, (70, 80, 90)).astype(np.uint8)
    prediction = np.asfortranarray(rng.integers(0, 5, (70, 80, 90)).astype(np.int16))
    counts = joint_counts(reference, prediction)
    assert sum(counts.values()) == 70 * 80 * 90
    assert counts[3, 4] == int(((reference == 3) & (prediction == 4)).sum())
    assert labels_in(prediction) == (1, 2, 3, 4)


@pytest.mark.parametrize(
    ("dtype", "label"),
    [
        ("u1", 255),
        ("u2", 65_535),
        ("i4", -2_000_000_000),
        ("u4", 4_000_000_000),
        ("u8", 2**64 - 1),
        ("i8", -(2**63)),
    ],
)
def test_a_label_at_the_end_of_its_type_is_counted(dtype: str, label: int) -> None:
    array = np.array([0, label, label, 1], dtype)
    other = np.array([0, label, 1, label], dtype)
    assert overlap_table(array, other, (label,))[label] == Overlap(2, 2, 1)
    assert set(labels_in(array)) == {label, 1}


def test_many_labels_are_counted_like_few() -> None:
    rng = np.random.default_rng(7)
    reference, prediction = rng.integers(0, 3, (2, 500))
    few = joint_counts(reference, prediction)
    many = joint_counts(reference * 1_000, prediction * 1_000)
    assert many == {(one * 1_000, other * 1_000): count for (one, other), count in few.items()}


def test_booleans_are_label_1() -> None:
    mask = np.array([True, False, True])
    assert overlap_table(mask, mask, (1,))[1] == Overlap(2, 2, 2)
    assert labels_in(mask) == (1,)


def test_a_map_without_voxels_has_no_labels() -> None:
    nothing = np.zeros((0, 4), np.uint8)
    assert labels_in(nothing) == ()
    assert overlap_table(nothing, nothing, (1,))[1].fate == "both empty"


@pytest.mark.parametrize("values", [np.array([0.0, 1.0]), np.array([0.0, math.nan])])
def test_an_image_is_refused(values: NDArray[np.float64]) -> None:
    whole = np.array([0, 1])
    with pytest.raises(UsageError, match=r"prediction: expected whole numbers .* got float64"):
        overlap_table(whole, values, (1,))  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="reference: expected whole numbers"):
        labels_in(values)  # type: ignore[arg-type]


def test_two_shapes_are_refused() -> None:
    with pytest.raises(UsageError, match=r"\(2, 3\) and \(3, 2\)"):
        overlap_table(np.zeros((2, 3), int), np.zeros((3, 2), int), (1,))
