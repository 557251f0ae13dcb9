"""Further metrics that are no share, such as likeness of texts; the paper's values beside ours."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from overread.records import Estimate, Profile
from overread.report.data import ReportData, run_labels
from overread.report.lookup import EstimateTable
from overread.report.metric_names import is_graded, metric_label, ranges
from overread.report.wording import (
    MISSING,
    Shown,
    count,
    metric_number,
    sentence,
)

__all__ = ["MetricRow", "TextMetrics", "text_metrics"]


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricRow:
    """One run, or one model of the paper; cells in the order of `TextMetrics.metrics`."""

    kind: str
    """``run`` or ``model``."""
    label: str
    colour: int
    profile: str
    n: str
    cells: tuple[Shown, ...]
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TextMetrics:
    """The whole table."""

    heading: str
    lead: str
    """What the numbers are, in a sentence or two."""
    metrics: tuple[str, ...]
    ranges: str
    """Between which values they run, as a sentence."""
    rows: tuple[MetricRow, ...]
    notes: tuple[str, ...]


def text_metrics(data: ReportData) -> TextMetrics | None:
    """Build the table; None where no run has such a metric."""
    metrics = [
        also.metric for also in data.plan.also if not also.is_share and not is_graded(also.metric)
    ]
    tables = [EstimateTable.of(run.estimates, data.plan.headline) for run in data.runs]
    runs = tuple(_run_rows(data, tables, metrics))
    if not runs:
        return None
    heading, lead = _LIKENESS if _are_of_texts(data, metrics) else _OF_ALL
    return TextMetrics(
        heading=heading,
        lead=lead,
        metrics=tuple(map(metric_label, metrics)),
        ranges=ranges(metrics),
        rows=(*runs, *_published(data, metrics)),
        notes=tuple(_notes(data, tables, metrics)),
    )


_LIKENESS: Final = (
    "Likeness of texts",
    "How far the words of replies and references are alike, as the paper measures it. Likeness is "
    "not truth: “left lung” and “right lung” share half their words.",
)
_OF_ALL: Final = (
    "Further metrics",
    "Numbers over all questions together, by each profile's rules.",
)


def _are_of_texts(data: ReportData, metrics: Sequence[str]) -> bool:
    """Tell whether any is a mean over answers and not a number of all of them together."""
    together = {
        also.metric
        for also in data.plan.also
        if also.pooled is not None or also.all_of is not None or also.same_of is not None
    }
    return not together.issuperset(metrics)


def _run_rows(
    data: ReportData, tables: Sequence[EstimateTable], metrics: Sequence[str]
) -> Iterator[MetricRow]:
    profiles: tuple[Profile, ...] = ("published", "honest")
    for number, label in enumerate(run_labels(data.runs).values()):
        for profile in profiles:
            found = [tables[number].get(metric, profile, {}) for metric in metrics]
            known = [estimate for estimate in found if estimate is not None]
            if known:
                yield MetricRow(
                    kind="run",
                    label=label,
                    colour=number % 8,
                    profile=profile,
                    n=count(max(estimate.n for estimate in known)),
                    cells=tuple(map(_cell, found)),
                    source="",
                )


def _cell(estimate: Estimate | None) -> Shown:
    if estimate is None:
        return Shown(value=MISSING, interval="", reason="not measured")
    if estimate.value is None:
        return Shown(value=MISSING, interval="", reason=estimate.reason or str(estimate.status))
    has_interval = estimate.low is not None and estimate.high is not None
    return Shown(
        value=metric_number(estimate.value),
        interval=f"{metric_number(estimate.low)} to {metric_number(estimate.high)}"
        if has_interval
        else "",
        reason=estimate.reason or "",
    )


def _published(data: ReportData, metrics: Sequence[str]) -> Iterator[MetricRow]:
    values: dict[str, dict[str, tuple[float, str]]] = {}
    for run in data.runs:
        for estimate in run.estimates:
            if estimate.metric not in metrics or estimate.stratum:
                continue
            for row in estimate.published:
                if row.metric == estimate.metric and row.kind != "chance":
                    values.setdefault(row.who, {})[row.metric] = (row.value, row.source)
    for who, of_metric in values.items():
        yield MetricRow(
            kind="model",
            label=who,
            colour=0,
            profile="",
            n="",
            cells=tuple(
                Shown(value=metric_number(of_metric[metric][0]), interval="")
                if metric in of_metric
                else Shown(value=MISSING, interval="", reason="the source gives no value")
                for metric in metrics
            ),
            source=next(source for _, source in of_metric.values()),
        )


def _notes(
    data: ReportData, tables: Sequence[EstimateTable], metrics: Sequence[str]
) -> Iterator[str]:
    """Give what the totals ask to mind, each remark once with its metrics."""
    named: dict[str, dict[str, None]] = {}
    for run, table in zip(data.runs, tables, strict=True):
        for metric in metrics:
            for profile in ("published", "honest"):
                estimate = table.get(metric, profile, {})
                if estimate is not None and estimate.reason:
                    reason = run.unmeasured.get(metric, estimate.reason).rstrip(".")
                    named.setdefault(reason, {})[metric_label(metric)] = None
    for reason, of_metrics in named.items():
        names_itself = reason.lower().startswith(tuple(f"{name.lower()}:" for name in of_metrics))
        if len(of_metrics) == len(metrics) or names_itself:
            yield sentence(reason)
        else:
            yield f"{', '.join(of_metrics)}: {reason}."
