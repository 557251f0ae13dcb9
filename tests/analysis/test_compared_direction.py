"""A comparison by a distance: less is better, in its own unit."""

from __future__ import annotations

import pytest

from overread.analysis.compare import RunScores, compare
from overread.contracts import AlsoMetric, AnalysisPlan
from overread.records import PlannedItem, Score, Status

PLAN = AnalysisPlan(
    strata=((),), cells=(), cluster="patient", headline="dice", bootstrap_draws=200,
    also=(AlsoMetric(metric="hd95_mm"), AlsoMetric(metric="iou", is_share=True)),
)  # fmt: skip


def _run(label: str, distance_mm: float) -> RunScores:
    planned = [
        PlannedItem(item=str(n), request_hash=str(n), groups={"patient": str(n)}, strata={},
                    chance=None) for n in range(30)
    ]  # fmt: skip
    scores = [
        Score(run=label, item=str(n), patient=str(n), metric=metric, metric_version="1",
              profile="honest", unit=unit, value=value + n / 1000, status=Status.OK)
        for n in range(30)
        for metric, unit, value in (("hd95_mm", "mm", distance_mm), ("iou", "share", 0.5))
    ]  # fmt: skip
    return RunScores(label=label, scores=scores, planned=planned)


def test_the_smaller_distance_stands_first_in_its_unit() -> None:
    found = compare([_run("far", 9.0), _run("near", 2.0)], PLAN, metric="hd95_mm")
    assert (found.value_unit, found.smaller_is_better) == ("mm", True)
    assert [each.label for each in found.standings] == ["near", "far"]
    assert found.pairs[0].difference == pytest.approx(7.0)


def test_a_share_keeps_its_order() -> None:
    found = compare([_run("far", 9.0), _run("near", 2.0)], PLAN, metric="iou")
    assert (found.value_unit, found.smaller_is_better) == ("share", False)
