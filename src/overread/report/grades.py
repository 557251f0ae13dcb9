"""The gallery's data on answers that earn a score: its third, its facts, and the errors made."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from overread.contracts import AnalysisPlan
from overread.records import JsonValue, Score
from overread.report.data import ReportData
from overread.report.metric_names import (
    direction_words,
    error_metrics,
    metric_label,
    score_metric,
)

__all__ = ["errors_json", "facts_of", "grade_json", "metric_json", "third"]

_THIRDS = ("low", "middle", "high")
_FACT = re.compile(
    r"(presence|body part|organ|side|site|type|size|attribute) "
    r"(right|wrong|missing|added|invented) \((.*)\)",
    re.DOTALL,
)
"""One verdict of the fact score's reason: ``side wrong (left, not right)``."""


def third(score: float) -> str:
    """Say in which third of 0 to 1 a score lies; what parts two thirds belongs to the upper."""
    return _THIRDS[min(int(3 * score + 1e-9), 2)]  # 1e-9 forgives 2/3 being a little less


def facts_of(summary: str | None) -> list[tuple[str, str, str]]:
    """Take the fact-by-fact verdicts out of a score row's reason.

    Returns
    -------
    list of (fact, verdict, what)
        Empty where any part of the text is something else.

    Examples
    --------
    >>> facts_of("organ right (lung); side wrong (left, not right)")
    [('organ', 'right', 'lung'), ('side', 'wrong', 'left, not right')]
    >>> facts_of("no fact is found")
    []
    """
    found = [_FACT.fullmatch(part) for part in (summary or "").split("; ")]
    facts = [(m[1], m[2], m[3]) for m in found if m is not None]
    return facts if len(facts) == len(found) else []


def metric_json(plan: AnalysisPlan) -> JsonValue:
    """Name the metric by which descriptions are marked; null where no answer earns a score."""
    metric = score_metric(plan)
    if metric is None:
        return None
    return {"label": metric_label(metric), "leads": metric == plan.headline}


def errors_json(data: ReportData) -> list[JsonValue]:
    """Name the errors that answers are filtered by, each with its direction: those measured."""
    measured = {estimate.metric for run in data.runs for estimate in run.estimates}
    return [
        {"key": metric, "label": metric_label(metric), "direction": direction_words(metric)}
        for metric in error_metrics(data.plan)
        if metric in measured
    ]


def grade_json(
    graded: Score, errors: Mapping[str, Score], place: Callable[[str], int]
) -> dict[str, JsonValue]:
    """Write a score, its verdict on every fact, and the errors made (only where one was made)."""
    facts = facts_of(graded.reason) if graded.value is not None else []
    made: list[JsonValue] = [metric for metric, row in errors.items() if row.value == 1]
    return {
        "status": str(graded.status),
        "score": graded.value,
        # Facts that were read are shown one by one instead of as a rule's name.
        "rule": None if facts or graded.reason is None else place(graded.reason),
        **({"facts": [[f, v, place(what)] for f, v, what in facts]} if facts else {}),
        **({"made": made} if made else {}),
    }
