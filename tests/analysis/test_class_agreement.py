"""Macro F1 and kappa of a run, and whether all questions about a case are right."""

from __future__ import annotations

import pytest

from overread.analysis.estimates import estimate
from overread.contracts import AlsoMetric, AnalysisPlan, ClassAgreement
from overread.metrics.classes import class_counts, class_kappa, macro_f1
from overread.records import PlannedItem, Score, Status

GROUPS = {
    "size": [("big", "big"), ("big", "small"), ("small", "small"), ("small", None)],
    "shape": [("round", "round"), ("round", "round"), ("odd", "round"), ("odd", "odd")],
}


def _row(item: str, metric: str, value: float | None, target: str | None = None) -> Score:
    return Score(
        run="r", item=item, patient=None, metric=metric, metric_version="1", profile="honest",
        target=target, unit="1", value=value, answer=None if value is None else "x",
        status=Status.OK if value is not None else Status.UNPARSED,
    )  # fmt: skip


@pytest.fixture
def planned() -> list[PlannedItem]:
    return [
        PlannedItem(item=f"{case}::{task}", request_hash=f"{case}{task}", chance=None,
                    groups={"image": str(case)}, strata={"task": task})
        for case in range(4) for task in GROUPS
    ]  # fmt: skip


@pytest.fixture
def scores() -> list[Score]:
    rows = []
    for task, pairs in GROUPS.items():
        for case, (reference, answer) in enumerate(pairs):
            item = f"{case}::{task}"
            right = None if answer is None else float(answer == reference)
            rows.append(_row(item, "accuracy", right))
            rows.append(_row(item, "class_cases", 1.0, f"{task}: {reference}"))
            if answer is not None:
                rows.append(_row(item, "class_claims", 1.0, f"{task}: {answer}"))
                rows.append(_row(item, "class_hits", right, f"{task}: {answer}"))
    return rows


def _find(scores, planned, also, **stratum):
    plan = AnalysisPlan(
        strata=((), ("task",)), cells=("task",), cluster="image", also=(also,), bootstrap_draws=100
    )
    (found,) = [
        row
        for row in estimate(scores, planned, plan)
        if row.metric == also.metric and dict(row.stratum) == stratum
    ]
    return found


@pytest.mark.parametrize(("statistic", "measure"), [("f1", macro_f1), ("kappa", class_kappa)])
def test_it_is_the_mean_over_groups_of_the_metric_of_each(scores, planned, statistic, measure):
    also = AlsoMetric(metric=statistic, pooled=ClassAgreement(statistic=statistic))
    each = {
        task: float(measure(*class_counts([r for r, _ in pairs], [a for _, a in pairs])[1:]))
        for task, pairs in GROUPS.items()
    }
    for task, value in each.items():
        assert _find(scores, planned, also, task=task).value == pytest.approx(value)
    total = _find(scores, planned, also)
    assert total.value == pytest.approx(sum(each.values()) / 2)
    assert total.n == 8
    assert total.n_clusters == 4


def test_a_case_is_right_where_all_its_questions_are(scores, planned):
    also = AlsoMetric(metric="all_right", all_of="image")
    row = _find(scores, planned, also)
    # Case 0 alone: case 1 has a wrong size, 2 a wrong shape, 3 no size.
    assert (row.value, row.n, row.n_clusters) == (0.25, 8, 4)
    assert _find(scores, planned, also, task="shape").value == 0.25


def test_without_class_rows_there_is_no_estimate(planned):
    also = AlsoMetric(metric="f1", pooled=ClassAgreement(statistic="f1"))
    plan = AnalysisPlan(strata=((),), cells=(), cluster="image", also=(also,))
    rows = estimate([_row("0::size", "accuracy", 1.0)], planned, plan)
    assert {row.metric for row in rows} == {"accuracy", "accuracy_answered", "no_answer"}
