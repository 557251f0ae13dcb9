"""Clinical errors: shares of descriptions that contradict the reference, each with its direction.

Where the headline is another metric (a run that was asked questions too), the score of the
descriptions stands here before them.
"""

from __future__ import annotations

from dataclasses import dataclass

from overread.records import Estimate
from overread.report.data import ReportData, run_labels
from overread.report.lookup import EstimateTable
from overread.report.marks import SHARE_AXIS, Mark
from overread.report.metric_names import (
    direction_words,
    error_metrics,
    metric_label,
    score_metric,
)
from overread.report.wording import Shown, count, show_estimate

__all__ = ["ErrorGroup", "ErrorRow", "error_groups", "errors_title"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorRow:
    """One run."""

    label: str
    colour: int
    n: str
    """Descriptions read whose reference states the fact."""
    shown: Shown
    mark: Mark | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorGroup:
    """One metric."""

    label: str
    direction: str
    """``fewer is better``."""
    rows: tuple[ErrorRow, ...]


def error_groups(data: ReportData) -> tuple[ErrorGroup, ...]:
    """Build one group a metric, one row a run; empty where the plan has no such metric."""
    graded = score_metric(data.plan)
    beside = () if graded in (None, data.plan.headline) else (graded,)
    labels = list(run_labels(data.runs).values())
    tables = [EstimateTable.of(run.estimates, data.plan.headline) for run in data.runs]
    groups: list[ErrorGroup] = []
    for metric in (*beside, *error_metrics(data.plan)):
        found = [table.get(metric, "honest", {}) for table in tables]
        if any(estimate is not None for estimate in found):
            groups.append(
                ErrorGroup(
                    label=metric_label(metric),
                    direction=direction_words(metric),
                    rows=tuple(map(_row, range(len(labels)), labels, found)),
                )
            )
    return tuple(groups)


def errors_title(data: ReportData) -> str:
    """Name the section: it holds the descriptions' score too where that is not the headline."""
    leads = score_metric(data.plan) in (None, data.plan.headline)
    return "Clinical errors" if leads else "Descriptions and their clinical errors"


def _row(number: int, label: str, estimate: Estimate | None) -> ErrorRow:
    return ErrorRow(
        label=label,
        colour=number % 8,
        n=count(None if estimate is None else estimate.n),
        shown=show_estimate(estimate),
        mark=None
        if estimate is None
        else SHARE_AXIS.mark(estimate.value, estimate.low, estimate.high),
    )
