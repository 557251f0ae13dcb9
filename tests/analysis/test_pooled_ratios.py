"""Ratios of sums over items, with their intervals."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from overread.analysis.estimates import estimate
from overread.contracts import AlsoMetric, AnalysisPlan, PooledRatio
from overread.errors import UsageError
from overread.records import PlannedItem, Score, Status

DICE = PooledRatio(
    numerator={"overlap_voxels": 2.0},
    denominator={"reference_voxels": 1.0, "prediction_voxels": 1.0},
)
IOU = PooledRatio(
    numerator={"overlap_voxels": 1.0},
    denominator={"reference_voxels": 1.0, "prediction_voxels": 1.0, "overlap_voxels": -1.0},
    targets="mean",
)


def _line(item: str, **strata: str) -> PlannedItem:
    return PlannedItem(
        item=item, request_hash=item, groups={"patient": item}, strata=strata, chance=None
    )


def _row(item: str, metric: str, value: float | None, target: str | None = None) -> Score:
    return Score(
        run="r", item=item, patient=item, metric=metric, metric_version="1", profile="honest",
        target=target, unit="1", value=value,
        status=Status.OK if value is not None else Status.FAILED,
    )  # fmt: skip


def _rows(
    item: str, reference: float, prediction: float | None, overlap: float | None, target=None
):
    return [
        _row(item, "reference_voxels", reference, target),
        _row(item, "prediction_voxels", prediction, target),
        _row(item, "overlap_voxels", overlap, target),
    ]


def _estimate(scores, planned, ratio, strata=((),)):
    plan = AnalysisPlan(
        strata=strata,
        cells=(),
        cluster="patient",
        headline="dice",
        also=(AlsoMetric(metric="pooled", pooled=ratio),),
        bootstrap_draws=200,
    )
    return [row for row in estimate(scores, planned, plan) if row.metric == "pooled"]


def test_dice_of_all_voxels_is_that_of_the_trials_sample() -> None:
    # xmed-lab/TriALS, sample of the scorer: 2 x 43,514 / 98,589.
    scores = _rows("venous_0", 42258, 38351, 35792) + _rows("venous_11", 9406, 8574, 7722)
    (row,) = _estimate(scores, [_line("venous_0"), _line("venous_11")], DICE)
    assert row.value == pytest.approx(0.8827353964438224, abs=1e-15)
    assert (row.profile, row.n, row.n_answered) == ("honest", 2, 2)
    assert row.low <= row.value <= row.high


def test_pooled_iou_is_no_mean_of_images() -> None:
    # WBCAtt+ check 6: TP 90, FP 5, FN 5 and TP 1, FP 4, FN 4 pool to 91/109; the mean is .5056.
    scores = _rows("a", 95, 95, 90, "nucleus") + _rows("b", 5, 5, 1, "nucleus")
    (row,) = _estimate(scores, [_line("a"), _line("b")], IOU)
    assert row.value == pytest.approx(91 / 109)


def test_the_mean_over_targets_leaves_out_those_that_are_nowhere() -> None:
    scores = [
        *_rows("a", 10, 10, 10, "nucleus"), *_rows("a", 4, 4, 1, "vacuole"),
        *_rows("a", 0, 0, 0, "platelet"),
    ]  # fmt: skip
    (row,) = _estimate(scores, [_line("a")], IOU)
    assert row.value == pytest.approx((1 + 1 / 7) / 2)


def test_each_target_can_have_a_ratio_of_its_own() -> None:
    ratio = PooledRatio(
        numerator=DICE.numerator, denominator=DICE.denominator, targets="each",
        only_targets=("liver", "spleen"),
    )  # fmt: skip
    scores = [
        *_rows("a", 10, 10, 5, "liver"), *_rows("a", 1, 1, 1, "spleen"),
        *_rows("a", 9, 9, 9, "body"),
    ]  # fmt: skip
    found = _estimate(scores, [_line("a")], ratio)
    assert [(dict(row.stratum), row.value) for row in found] == [
        ({"target": "liver"}, 0.5), ({"target": "spleen"}, 1.0),
    ]  # fmt: skip


def test_a_case_row_beside_rows_of_labels_does_not_count_twice() -> None:
    scores = [*_rows("a", 10, 10, 5, "liver"), *_rows("a", 10, 10, 5)]
    (row,) = _estimate(scores, [_line("a")], DICE)
    assert row.value == 0.5
    twice = _rows("a", 10, 10, 5) + _rows("b", 10, 10, 10)
    (row,) = _estimate(twice, [_line("a"), _line("b")], DICE)
    assert row.value == 0.75


def test_a_missing_prediction_keeps_its_reference_in_the_denominator() -> None:
    scores = _rows("a", 10, 10, 10) + _rows("b", 30, None, None)
    (row,) = _estimate(scores, [_line("a"), _line("b")], DICE)
    assert row.value == pytest.approx(20 / 50)
    assert (row.n, row.n_answered) == (2, 1)


def test_whoever_fails_n_is_the_same_and_answered_is_what_was_answered() -> None:
    # Of "b" not even the reference has a row with a value: it has nothing to find.
    scores = _rows("a", 10, 10, 10) + _rows("b", None, None, None)  # type: ignore[arg-type]
    (row,) = _estimate(scores, [_line("a"), _line("b")], DICE)
    assert (row.value, row.n, row.n_answered) == (1.0, 2, 1)
    (nobody,) = _estimate(_rows("a", 10, None, None), [_line("a")], DICE)
    assert (nobody.value, nobody.n, nobody.n_answered) == (0.0, 1, 0)


def test_nothing_to_divide_by_is_undefined() -> None:
    (row,) = _estimate(_rows("a", 0, 0, 0), [_line("a")], DICE)
    assert (row.value, row.low, row.status) == (None, None, Status.UNDEFINED)


def test_a_profile_without_rows_has_no_estimate() -> None:
    assert _estimate([_row("a", "dice", 1.0)], [_line("a")], DICE) == []


def test_every_stratum_has_its_own_ratio() -> None:
    scores = _rows("a", 10, 10, 10) + _rows("b", 10, 10, 0)
    planned = [_line("a", centre="x"), _line("b", centre="y")]
    found = _estimate(scores, planned, DICE, strata=((), ("centre",)))
    assert [(dict(row.stratum), row.value) for row in found] == [
        ({}, 0.5), ({"centre": "x"}, 1.0), ({"centre": "y"}, 0.0),
    ]  # fmt: skip


def test_the_interval_resamples_patients() -> None:
    rng = np.random.default_rng(3)
    planned = [_line(str(n)) for n in range(60)]
    scores = [
        row for n in range(60) for row in _rows(str(n), 100, 100, float(rng.integers(60, 100)))
    ]
    (row,) = _estimate(scores, planned, DICE)
    overlaps = np.array([s.value for s in scores if s.metric == "overlap_voxels"]) / 100
    half = 1.96 * overlaps.std(ddof=1) / np.sqrt(60)  # all cases weigh alike here
    assert row.low == pytest.approx(row.value - half, abs=0.006)
    assert row.high == pytest.approx(row.value + half, abs=0.006)


def test_two_rows_of_one_case_are_refused() -> None:
    with pytest.raises(UsageError, match="two of overlap_voxels"):
        _estimate(_rows("a", 1, 1, 1) + _rows("a", 1, 1, 1), [_line("a")], DICE)


def test_a_lost_answer_that_adds_nothing_is_counted_in_the_note() -> None:
    precision = PooledRatio(numerator={"right": 1.0}, denominator={"right": 1.0, "invented": 1.0})
    scores = [
        _row(item, metric, value)
        for item, values in (("a", (3.0, 1.0)), ("b", (None, None)), ("c", (1.0, 0.0)))
        for metric, value in zip(("right", "invented"), values, strict=True)
    ]
    (row,) = _estimate(scores, [_line("a"), _line("b"), _line("c")], precision)
    assert (row.value, row.n_answered) == (0.8, 2)
    assert "1 of 3 items without an answer add nothing on either side" in (row.reason or "")
    # What there was to find is known of a lost answer: it adds to one side.
    lost = _rows("b", 20, None, None)
    (row,) = _estimate(_rows("a", 10, 10, 10) + lost, [_line("a"), _line("b")], DICE)
    assert row.value == 0.5
    assert "without an answer" not in (row.reason or "")


def test_what_a_lost_answer_missed_counts_and_is_no_answer() -> None:
    plan = AnalysisPlan(
        strata=((),),
        cells=(),
        cluster="patient",
        headline="dice",
        also=(AlsoMetric(metric="fnv_ml"),),
        bootstrap_draws=200,
    )
    answered = replace(_row("a", "fnv_ml", 2.0), answer="both present")
    lost = replace(_row("b", "fnv_ml", 10.0), reason="no mask")
    found = estimate([answered, lost], [_line("a"), _line("b")], plan)
    (row,) = (each for each in found if each.metric == "fnv_ml")
    assert (row.value, row.n, row.n_answered) == (6.0, 2, 1)
