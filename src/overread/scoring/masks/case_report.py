"""What was seen of a case beside its scores: grids, labels, odd headers.

It travels among the case's Score rows, since a process that scores cases gives nothing else back.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any, Final

from overread.records import Item, Response, Score, Status

__all__ = ["CaseReport", "report_row", "take_reports"]

_METRIC: Final = "case_report"


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseReport:
    """The geometry doctor's report in words, and who has which label."""

    problems: tuple[str, ...] = ()
    """How the grids differed, each with both values."""
    advice: str = ""
    """A sentence on the turn that would mend a poor fit."""
    notes: tuple[str, ...] = ()
    """What is odd about either file."""
    renamed: tuple[str, ...] = ()
    """Labels that are one structure under two numbers, a sentence each."""
    remedy: str = ""
    """What was done about the grids."""
    reference_labels: tuple[str, ...] = ()
    """Names (or numbers) of the labels that the reference has."""
    prediction_labels: tuple[str, ...] = ()


def report_row(item: Item, response: Response, report: CaseReport) -> Score:
    """Write a report as a row, to be taken out by `take_reports`: it is no score."""
    return Score(
        run=response.run,
        item=item.id,
        patient=None,
        metric=_METRIC,
        metric_version="1",
        profile="honest",
        unit="",
        value=None,
        status=Status.UNDEFINED,
        reason=json.dumps(asdict(report)),
    )


def take_reports(rows: Iterable[Score]) -> tuple[list[Score], dict[str, CaseReport]]:
    """Part rows into scores and the reports of their cases."""
    scores: list[Score] = []
    reports: dict[str, CaseReport] = {}
    for row in rows:
        if row.metric != _METRIC:
            scores.append(row)
            continue
        held: dict[str, Any] = json.loads(row.reason or "{}")
        for key, value in held.items():
            held[key] = value if isinstance(value, str) else tuple(value)
        reports[row.item] = CaseReport(**held)
    return scores, reports
