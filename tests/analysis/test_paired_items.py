"""Pairs of items of one run, and groups that are answered alike."""

from __future__ import annotations

import pytest

from overread.analysis.estimates import estimate
from overread.contracts import AlsoMetric, AnalysisPlan, PairedItems
from overread.records import PlannedItem, Score, Status

SIDES = {"first": {"hint": ("none",)}, "second": {"hint": ("adversarial",)}, "join": "case"}


def _line(case: str, hint: str) -> PlannedItem:
    return PlannedItem(
        item=f"{case}-{hint}", request_hash=f"{case}-{hint}", chance=None,
        groups={"case": case, "patient": case}, strata={"hint": hint},
    )  # fmt: skip


def _row(case: str, hint: str, value: float | None, answer: str = "A") -> Score:
    return Score(
        run="r", item=f"{case}-{hint}", patient=None, metric="accuracy", metric_version="1",
        profile="honest", unit="share", value=value, answer=None if value is None else answer,
        status=Status.OK if value is not None else Status.UNPARSED,
    )  # fmt: skip


def _run(states: list[tuple[float | None, float | None]]):
    planned = [_line(str(n), hint) for n in range(len(states)) for hint in ("none", "adversarial")]
    scores = [
        _row(str(n), hint, value)
        for n, both in enumerate(states)
        for hint, value in zip(("none", "adversarial"), both, strict=True)
    ]
    return planned, scores


def _find(planned, scores, also):
    plan = AnalysisPlan(
        strata=((),), cells=("hint",), cluster="patient", also=(also,), bootstrap_draws=300
    )
    (found,) = [
        row
        for row in estimate(scores, planned, plan)
        if row.metric == also.metric and not row.stratum
    ]
    return found


# med_stepbench.md, check 6: 60 of 100 right, 21 of these turn wrong, 3 of the 40 wrong turn right.
HUNDRED = [(1.0, 0.0)] * 21 + [(1.0, 1.0)] * 39 + [(0.0, 1.0)] * 3 + [(0.0, 0.0)] * 37


@pytest.mark.parametrize(
    ("statistic", "value"),
    [("lost", 0.35), ("kept", 0.65), ("gained", 3 / 40), ("effect", 0.42 - 0.60)],
)
def test_what_a_hint_does_to_the_same_questions(statistic, value) -> None:
    pairs = PairedItems(statistic=statistic, **SIDES)
    row = _find(*_run(HUNDRED), AlsoMetric(metric="hint", pooled=pairs))
    assert row.value == pytest.approx(value)
    assert row.low < value < row.high
    assert row.n == 100
    assert "100 pairs: 21 lost, 3 gained; McNemar exact p below 0.001" in row.reason


def test_no_answer_is_not_right() -> None:
    pairs = PairedItems(statistic="lost", **SIDES)
    row = _find(*_run([(1.0, None), (1.0, 1.0)]), AlsoMetric(metric="hint", pooled=pairs))
    assert row.value == 0.5


def test_a_case_that_lacks_a_side_is_no_pair() -> None:
    planned, scores = _run([(1.0, 0.0), (1.0, 1.0)])
    pairs = PairedItems(statistic="lost", **SIDES)
    row = _find(planned[:-1], scores[:-1], AlsoMetric(metric="hint", pooled=pairs))
    assert (row.value, row.n) == (1.0, 1)


def test_nothing_right_before_has_nothing_to_lose() -> None:
    pairs = PairedItems(statistic="lost", **SIDES)
    row = _find(*_run([(0.0, 0.0), (0.0, 1.0)]), AlsoMetric(metric="hint", pooled=pairs))
    assert (row.value, row.status) == (None, Status.UNDEFINED)


def test_a_group_is_consistent_where_all_its_answers_are_the_same() -> None:
    planned, _ = _run([(0, 0)] * 3)
    scores = [
        _row("0", "none", 1.0, "A"), _row("0", "adversarial", 1.0, "A"),
        _row("1", "none", 1.0, "A"), _row("1", "adversarial", 0.0, "B"),
        _row("2", "none", 1.0, "A"), _row("2", "adversarial", None),
    ]  # fmt: skip
    row = _find(planned, scores, AlsoMetric(metric="consistent", same_of="case"))
    assert row.value == pytest.approx(1 / 3)
    only = AlsoMetric(metric="consistent", same_of="case", only={"hint": ("none",)})
    assert _find(planned, scores, only).value == 1.0
