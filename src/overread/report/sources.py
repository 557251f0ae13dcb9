"""The published numbers shown anywhere in the report, each with where it stands."""

from __future__ import annotations

from dataclasses import dataclass

from overread.analysis.published import published_estimates
from overread.records import PublishedValue
from overread.report.data import ReportData
from overread.report.wording import count, percent, stratum_label

__all__ = ["SourceRow", "published_sources"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceRow:
    """One published number."""

    who: str
    kind: str
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
    ordered = sorted(found.values(), key=lambda row: len(row.stratum))
    return tuple(
        SourceRow(
            who=one.row.who,
            kind=one.row.kind,
            stratum=stratum_label(one.row.stratum),
            value=percent(one.row.value),
            counts="–" if one.row.count is None else f"{one.row.count} of {count(one.row.n)}",
            interval=""
            if one.low is None or one.high is None
            else f"{percent(one.low)} to {percent(one.high)}",
            source=one.row.source,
            remark="" if one.row.kind == "chance" else one.reason or "",
        )
        for one in published_estimates(ordered)
    )
