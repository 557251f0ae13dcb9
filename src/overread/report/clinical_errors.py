"""Clinical errors: shares of descriptions that contradict the reference, each with its direction.

Descriptions that are not counted are told beside each share, by reason: one that names no side is
no proof of care. Where scores of descriptions other than the headline were measured (of a run that
was asked questions too, or as a model reads the facts), they stand here before the errors.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from overread.analysis.strata import is_within
from overread.contracts import AnalysisPlan
from overread.records import Estimate, PlannedItem, Score, Status
from overread.report.data import ReportData, run_labels
from overread.report.lookup import EstimateTable, contrast_key, values_of
from overread.report.marks import SHARE_AXIS, Mark
from overread.report.metric_names import (
    direction_words,
    error_metrics,
    is_graded,
    metric_label,
)
from overread.report.wording import Shown, count, show_estimate, stratum_label
from overread.scoring.facts.scorer import SILENT, UNSTATED

__all__ = ["ErrorGroup", "ErrorRow", "count_left_out", "error_groups", "errors_title"]

_REASONS: Final = (
    "silent on it",
    "without an answer",
    "without it in the reference",
    "that could not be read",
    "not asked yet",
)
"""Why a description is not counted, in the order shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorRow:
    """One run, over all descriptions or in one setting."""

    label: str
    """The run; in the rows of its settings empty."""
    setting: str
    """``with box``; empty over all descriptions."""
    colour: int
    n: str
    """Descriptions counted: read, with the fact named on both sides."""
    left_out: str
    """``not counted: 4 silent on it, 1 without an answer``; empty where all are."""
    shown: Shown
    mark: Mark | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorGroup:
    """One metric."""

    label: str
    direction: str
    """``fewer is better``."""
    rows: tuple[ErrorRow, ...]


def count_left_out(
    scores: Iterable[Score], planned: Sequence[PlannedItem], plan: AnalysisPlan
) -> dict[str, dict[str, dict[str, int]]]:
    """Count why descriptions are not counted in each measure, over all and in each setting.

    Parameters
    ----------
    scores
        Score rows of one run; those of the honest profile count.
    planned, plan
        What was to be asked, and which measures there are.

    Returns
    -------
    dict
        Metric → setting (empty for all) → reason → how many. A metric without any row is absent.
    """
    key = contrast_key(plan.cells)
    shown = {also.metric: also for also in plan.also if also.metric in _measures(plan)}
    rows: dict[str, dict[tuple[str, int], Score]] = {}
    for score in scores:
        if score.metric in shown and score.profile == "honest" and score.target is None:
            rows.setdefault(score.metric, {})[score.item, score.draw] = score
    found: dict[str, dict[str, dict[str, int]]] = {}
    for metric, of_item in rows.items():
        of_metric = found.setdefault(metric, {})
        for line in planned:
            if not is_within(line.strata, shown[metric].only):
                continue
            reason = _reason(of_item.get((line.item, line.draw)), shown[metric].drops)
            for setting in dict.fromkeys(("", line.strata.get(key, "") if key else "")):
                if reason:
                    counts = of_metric.setdefault(setting, {})
                    counts[reason] = counts.get(reason, 0) + 1
    return found


def _measures(plan: AnalysisPlan) -> tuple[str, ...]:
    """Name what is shown here: scores of descriptions beside the headline, then their errors."""
    beside = (also.metric for also in plan.also if is_graded(also.metric))
    return (*(metric for metric in beside if metric != plan.headline), *error_metrics(plan))


def _reason(score: Score | None, drops: Collection[Status]) -> str:
    """Say why a description is not counted; nothing where it is."""
    if score is None:
        return "not asked yet" if Status.FAILED in drops else ""
    if score.value is not None or score.status not in drops:
        return ""
    if (score.reason or "").startswith(SILENT):
        return "silent on it"
    if score.status is not Status.UNDEFINED:
        return "without an answer"
    stated = not (score.reason or "").startswith(UNSTATED)
    return "that could not be read" if stated else "without it in the reference"


def error_groups(data: ReportData) -> tuple[ErrorGroup, ...]:
    """Build one group a metric, a row a run and one for each of its settings.

    Empty where the plan has no such metric.
    """
    tables = [EstimateTable.of(run.estimates, data.plan.headline) for run in data.runs]
    measured = [
        metric
        for metric in _measures(data.plan)
        if any(table.get(metric, "honest", {}) is not None for table in tables)
    ]
    return tuple(
        ErrorGroup(
            label=metric_label(metric),
            direction=direction_words(metric),
            rows=tuple(_rows(data, metric, tables)),
        )
        for metric in measured
    )


def errors_title(data: ReportData) -> str:
    """Name the section: it holds scores of descriptions too where some are not the headline."""
    labels = {group.label for group in error_groups(data)}
    errors = {metric_label(metric) for metric in error_metrics(data.plan)}
    return "Clinical errors" if labels <= errors else "Descriptions and their clinical errors"


def _rows(data: ReportData, metric: str, tables: Sequence[EstimateTable]) -> Iterator[ErrorRow]:
    key = contrast_key(data.plan.cells)
    settings = [{key: value} for value in values_of(tables, key)] if key else []
    for number, label in enumerate(run_labels(data.runs).values()):
        left_out = data.runs[number].left_out.get(metric, {})
        for stratum in ({}, *settings):
            estimate = tables[number].get(metric, "honest", stratum)
            if stratum and estimate is None:
                continue
            yield ErrorRow(
                label="" if stratum else label,
                setting=stratum_label(stratum) if stratum else "",
                colour=number % 8,
                n=count(None if estimate is None else estimate.n),
                left_out=_told(left_out.get(next(iter(stratum.values()), ""), {})),
                shown=show_estimate(estimate),
                mark=_mark(estimate),
            )


def _told(counts: Mapping[str, int]) -> str:
    told = [f"{count(counts[reason])} {reason}" for reason in _REASONS if counts.get(reason)]
    return f"not counted: {', '.join(told)}" if told else ""


def _mark(estimate: Estimate | None) -> Mark | None:
    if estimate is None:
        return None
    return SHARE_AXIS.mark(estimate.value, estimate.low, estimate.high)
