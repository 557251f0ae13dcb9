"""The forest plot's rows: total, circumstances, then every cell; runs, then paper and readers.

Estimates arrive finished; this module only sorts them into groups and places their marks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from overread.analysis.plan_strata import SHARED, WEIGHTING
from overread.analysis.published import PublishedEstimate
from overread.records import Estimate
from overread.report.data import ReportData, run_labels, setting_label
from overread.report.lookup import EstimateTable, contrast_key
from overread.report.marks import SHARE_AXIS, Mark, Span
from overread.report.scorecard import chance_band, floor_x
from overread.report.sources import published_rows
from overread.report.wording import (
    MISSING,
    Shown,
    count,
    percent,
    sentence,
    show_estimate,
)

__all__ = ["ForestGroup", "ForestRow", "forest_groups", "forest_strata"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ForestRow:
    """One line of the plot."""

    kind: str
    """``run``, ``model`` (of the paper) or ``reader``."""
    key: str
    """What the page's tick boxes call it: ``run-0``, ``model``, ``reader``."""
    label: str
    colour: int
    n: str
    shown: Shown
    mark: Mark | None
    published_x: str | None
    """Where the published profile puts a run, if elsewhere."""
    source: str
    """Where a published number stands."""
    shared: str = ""
    """The value where an item with several labels shares its weight among them."""
    shared_x: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ForestGroup:
    """All lines of one stratum."""

    label: str
    asks: str
    """What the stratum's task asks."""
    starts_level: bool
    """Whether a new kind of stratum begins: circumstances after the total, then the cells."""
    chance_band: Span | None
    floor_x: str | None
    floor: str
    """The blind floor in words."""
    rows: tuple[ForestRow, ...]


def forest_groups(data: ReportData) -> tuple[ForestGroup, ...]:
    """Build the groups of the plot: the total, each circumstance, each cell, each label."""
    tables = [EstimateTable.of(run.estimates, data.plan.headline) for run in data.runs]
    groups: list[ForestGroup] = []
    keys: set[str] = set()
    for stratum in forest_strata(data, tables):
        groups.append(_group(stratum, tables, data, starts_level=set(stratum) != keys))
        keys = set(stratum)
    return tuple(groups)


def forest_strata(data: ReportData, tables: Sequence[EstimateTable]) -> Iterator[dict[str, str]]:
    """List the strata shown, over all runs, in the order of the estimates."""
    contrast = contrast_key(data.plan.cells)
    labels = [keys for keys in data.plan.strata if set(keys) & set(data.plan.multi_label)]
    levels: list[tuple[str, ...]] = [
        (),
        *([(contrast,)] if contrast else []),
        data.plan.cells,
        *labels,
    ]
    for keys in dict.fromkeys(levels):
        seen: set[frozenset[tuple[str, str]]] = set()
        for table in tables:
            for stratum in table.strata(keys):
                name = frozenset(stratum.items())
                if name not in seen:
                    seen.add(name)
                    yield stratum


def _group(
    stratum: Mapping[str, str],
    tables: Sequence[EstimateTable],
    data: ReportData,
    *,
    starts_level: bool,
) -> ForestGroup:
    labels = list(run_labels(data.runs).values())
    honest = [table.score("honest", stratum) for table in tables]
    published = [table.score("published", stratum) for table in tables]
    shared = [table.score("honest", {**stratum, WEIGHTING: SHARED}) for table in tables]
    rows = [
        _run_row(number, labels[number], estimate, published[number], shared[number])
        for number, estimate in enumerate(honest)
        if estimate is not None
    ]
    both = [estimate for estimate in (*honest, *published) if estimate is not None]
    rows.extend(_published_row(row) for row in published_rows(both))
    fullest = max((estimate for estimate in honest if estimate), key=lambda e: e.n, default=None)
    return ForestGroup(
        label=setting_label(stratum, data),
        asks=sentence(data.card.tasks.get(stratum.get("task", ""), "")),
        starts_level=starts_level,
        chance_band=chance_band(fullest),
        floor_x=floor_x(fullest),
        floor=_floor_words(fullest),
        rows=tuple(rows),
    )


def _run_row(
    number: int,
    label: str,
    estimate: Estimate,
    published: Estimate | None,
    shared: Estimate | None,
) -> ForestRow:
    elsewhere = (
        published is not None
        and published.value is not None
        and percent(published.value) != percent(estimate.value)
    )
    return ForestRow(
        kind="run",
        key=f"run-{number}",
        label=label,
        colour=number % 8,
        n=count(estimate.n),
        shown=show_estimate(estimate),
        mark=SHARE_AXIS.mark(estimate.value, estimate.low, estimate.high),
        published_x=SHARE_AXIS.x(published.value)
        if elsewhere and published and published.value is not None
        else None,
        source="",
        shared="" if shared is None else percent(shared.value),
        shared_x=None if shared is None or shared.value is None else SHARE_AXIS.x(shared.value),
    )


def _published_row(row: PublishedEstimate) -> ForestRow:
    interval = (
        f"{percent(row.low)} to {percent(row.high)}"
        if row.low is not None and row.high is not None
        else ""
    )
    return ForestRow(
        kind=row.row.kind,
        key=row.row.kind,
        label=row.row.who,
        colour=0,
        n=count(row.row.n),
        shown=Shown(value=percent(row.row.value), interval=interval, reason=row.reason or ""),
        mark=SHARE_AXIS.mark(row.row.value, row.low, row.high),
        published_x=None,
        source=row.row.source,
    )


def _floor_words(estimate: Estimate | None) -> str:
    if estimate is None or estimate.blind_floor is None:
        return MISSING
    policy = f", {estimate.blind_policy}" if estimate.blind_policy else ""
    return f"{percent(estimate.blind_floor)} %{policy}"
