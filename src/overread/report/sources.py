"""The published numbers shown anywhere in the report, each with where it stands."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from overread.analysis.published import PublishedEstimate, published_estimates
from overread.records import Estimate, PublishedValue
from overread.report.data import ReportData
from overread.report.metric_names import metric_label
from overread.report.wording import count, metric_number, percent, stratum_label

__all__ = ["SourceRow", "published_rows", "published_sources"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceRow:
    """One published number."""

    who: str
    kind: str
    metric: str
    stratum: str
    value: str
    counts: str
    """``540 of 1 900``; a dash where the source gives no count."""
    interval: str
    source: str
    remark: str


def published_sources(data: ReportData) -> tuple[SourceRow, ...]:
    """List every published number attached to an estimate, once, totals first."""
    found: dict[tuple[str, str, frozenset[tuple[str, str]]], PublishedValue] = {}
    for run in data.runs:
        for estimate in run.estimates:
            for row in estimate.published:
                found.setdefault((row.who, row.metric, frozenset(row.stratum.items())), row)
    numbers = {also.metric for also in data.plan.also if not also.is_share}
    ordered = sorted(found.values(), key=lambda row: len(row.stratum))
    return tuple(
        SourceRow(
            who=one.row.who,
            kind=one.row.kind,
            stratum=stratum_label(one.row.stratum),
            metric=metric_label(one.row.metric),
            value=metric_number(one.row.value)
            if one.row.metric in numbers
            else f"{percent(one.row.value)} %",
            counts="–" if one.row.count is None else f"{one.row.count} of {count(one.row.n)}",
            interval=""
            if one.low is None or one.high is None
            else f"{percent(one.low)} to {percent(one.high)}",
            source=one.row.source,
            remark="" if one.row.kind == "chance" else one.reason or "",
        )
        for one in published_estimates(ordered)
    )


def published_rows(estimates: Iterable[Estimate]) -> tuple[PublishedEstimate, ...]:
    """Gather the published numbers attached to estimates, each once, with their intervals.

    Rows that only state the chance level are left out: the band shows it.
    """
    rows: dict[tuple[str, str], PublishedValue] = {}
    level = 0.95
    for estimate in estimates:
        level = estimate.level
        for row in estimate.published:
            if row.kind != "chance" and row.metric == estimate.metric:
                rows.setdefault((row.kind, row.who), row)
    order = {"model": 0, "reader": 1}
    found = sorted(rows.values(), key=lambda row: order[row.kind])
    return published_estimates(found, level=level)
