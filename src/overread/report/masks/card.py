"""Estimates of runs of masks: every metric over all cases, and the headline in every setting."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Final

from overread.analysis.mask_results import MaskResults
from overread.analysis.published import PublishedEstimate
from overread.records import Estimate
from overread.registry import metric_spec
from overread.report.data import ReportData, run_labels
from overread.report.forest import forest_strata
from overread.report.lookup import EstimateTable
from overread.report.marks import Mark
from overread.report.masks.scales import (
    MaskAxis,
    axis_of,
    larger_is_better,
    mask_number,
    metric_title,
)
from overread.report.sources import published_rows
from overread.report.wording import MISSING, count, sentence, stratum_label

__all__ = ["CardGroup", "CardLine", "SettingGroup", "mask_card", "mask_settings", "setting_axis"]


_MOST_PAPERS: Final = 3
"""Published numbers of one metric that stand one by one on the card."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CardLine:
    """One run, or one published number."""

    label: str
    colour: int
    is_paper: bool
    source: str = ""
    n: str
    value: str
    interval: str
    published: str = ""
    """What the benchmark's own code gives."""
    note: str = ""
    mark: Mark | None = None
    number: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CardGroup:
    """One metric over all cases."""

    title: str
    direction: str
    rows: tuple[CardLine, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingGroup:
    """The headline in one setting."""

    label: str
    rows: tuple[CardLine, ...] = field(default=())


def mask_card(data: ReportData) -> tuple[CardGroup, ...]:
    """Lay out every metric of the plan over all cases, run by run, then published numbers."""
    tables = [EstimateTable.of(run.estimates, data.plan.headline) for run in data.runs]
    metrics = dict.fromkeys((data.plan.headline, *(also.metric for also in data.plan.also)))
    groups: list[CardGroup] = []
    for metric in metrics:
        rows = _in_short(_rows(data, tables, metric, {}, None), metric, _unit(data, metric))
        if any(row.value != MISSING or row.published != MISSING for row in rows):
            groups.append(
                CardGroup(
                    title=metric_title(metric, _unit(data, metric)),
                    direction=_direction(metric),
                    rows=rows,
                )
            )
    return tuple(groups)


def mask_settings(data: ReportData) -> tuple[SettingGroup, ...]:
    """Lay out the headline in every setting; over all cases only beside published numbers."""
    tables = [EstimateTable.of(run.estimates, data.plan.headline) for run in data.runs]
    axis = setting_axis(data)
    groups = tuple(
        SettingGroup(
            label=stratum_label(stratum) if stratum else "All cases",
            rows=_rows(data, tables, data.plan.headline, stratum, axis),
        )
        for stratum in forest_strata(data, tables)
    )
    is_more = len(groups) > 1 or any(row.is_paper for group in groups for row in group.rows)
    return groups if is_more else ()


def _in_short(rows: tuple[CardLine, ...], metric: str, unit: str) -> tuple[CardLine, ...]:
    """Put many published numbers into one line; the headline's stand one by one by setting."""
    papers = [row for row in rows if row.is_paper]
    if len(papers) <= _MOST_PAPERS:
        return rows
    values = sorted(row.number for row in papers if row.number is not None)
    ends = [mask_number(value, metric, unit) for value in (values[0], values[-1])]
    line = CardLine(
        label=f"{len(papers)} published methods",
        colour=0,
        is_paper=True,
        source="; ".join(dict.fromkeys(row.source for row in papers)),
        n=MISSING,
        value=mask_number(median(values), metric, unit),
        interval=f"from {ends[0]} to {ends[1]}",
        note="(the middle one, and the range of all)",
    )
    return (*(row for row in rows if not row.is_paper), line)


def setting_axis(data: ReportData) -> MaskAxis:
    """Choose the axis of the headline in all settings."""
    metric = data.plan.headline
    ends = [
        end
        for run in data.runs
        for one in run.estimates
        if one.metric == metric
        for end in (one.value, one.low, one.high)
        if end is not None
    ]
    return axis_of(metric, _unit(data, metric), ends)


def _rows(
    data: ReportData,
    tables: Sequence[EstimateTable],
    metric: str,
    stratum: Mapping[str, str],
    axis: MaskAxis | None,
) -> tuple[CardLine, ...]:
    unit = _unit(data, metric)
    labels = list(run_labels(data.runs).values())
    rows: list[CardLine] = []
    both: list[Estimate] = []
    for number, table in enumerate(tables):
        honest = table.get(metric, "honest", stratum)
        published = table.get(metric, "published", stratum)
        found = [one for one in (honest, published) if one is not None]
        both += found
        if found:
            rows.append(_run_line(labels[number], number % 8, honest, published, unit, axis))
    rows += [_paper_line(one, metric, unit, axis) for one in published_rows(both)]
    return tuple(rows)


def _run_line(
    label: str,
    colour: int,
    honest: Estimate | None,
    published: Estimate | None,
    unit: str,
    axis: MaskAxis | None,
) -> CardLine:
    shown = honest or published
    reason = "" if shown is None or not shown.reason else sentence(shown.reason)
    return CardLine(
        label=label,
        colour=colour,
        is_paper=False,
        n=MISSING if shown is None else count(shown.n),
        value=MISSING if honest is None else mask_number(honest.value, honest.metric, unit),
        interval="" if honest is None else _between(honest.low, honest.high, honest.metric, unit),
        published=MISSING
        if published is None
        else mask_number(published.value, published.metric, unit),
        note=reason,
        mark=None
        if honest is None or axis is None
        else axis.mark(honest.value, honest.low, honest.high),
    )


def _paper_line(one: PublishedEstimate, metric: str, unit: str, axis: MaskAxis | None) -> CardLine:
    return CardLine(
        label=one.row.who,
        colour=0,
        is_paper=True,
        source=one.row.source,
        n=count(one.row.n),
        value=mask_number(one.row.value, metric, unit),
        interval=_between(one.low, one.high, metric, unit),
        number=one.row.value,
        mark=None if axis is None else axis.mark(one.row.value, one.low, one.high),
    )


def _between(low: float | None, high: float | None, metric: str, unit: str) -> str:
    if low is None or high is None:
        return ""
    return f"{mask_number(low, metric, unit)} to {mask_number(high, metric, unit)}"


def _unit(data: ReportData, metric: str) -> str:
    spec = metric_spec(metric)
    if spec is not None:
        return "share" if spec.unit == "score" else spec.unit
    masks: list[MaskResults] = [run.masks for run in data.runs if run.masks is not None]
    return next((own.units[metric] for own in masks if metric in own.units), "share")


def _direction(metric: str) -> str:
    spec = metric_spec(metric)
    if spec is None or spec.direction == "none":
        return ""
    return "more is better" if larger_is_better(metric) else "less is better"
