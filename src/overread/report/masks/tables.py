"""Tables of strips: by label, by size, by what cases belong to."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from overread.analysis.mask_results import MaskResults, MaskRow
from overread.analysis.mask_summary import by_size, by_stratum, strata_keys
from overread.report.masks.scales import (
    MaskAxis,
    axis_of,
    larger_is_better,
    metric_title,
)
from overread.report.masks.sides import MaskSide, row_names, shown_metrics, unit_of
from overread.report.masks.strips import Strip, strip_of
from overread.report.wording import count

__all__ = ["StripGroup", "StripLine", "StripTable", "class_tables", "label_tables"]

_MOST_BESIDE: Final = 3
_MOST_CLASSES: Final = 40
_ALL: Final = ""
"""Stands for all labels together: no label has this name."""
_Parts: TypeAlias = Mapping[str, Sequence[MaskRow]]


@dataclass(frozen=True, slots=True, kw_only=True)
class StripLine:
    """One side's strip."""

    label: str
    colour: int
    strip: Strip


@dataclass(frozen=True, slots=True, kw_only=True)
class StripGroup:
    """One label or class with a strip for each side."""

    name: str
    is_all: bool
    lines: tuple[StripLine, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class StripTable:
    """One metric over all groups."""

    title: str
    """Of the section: ``Dice by size of the reference``."""
    metric: str
    heading: str
    """Of the metric's column."""
    direction: str
    axis: MaskAxis
    groups: tuple[StripGroup, ...]
    beside: Mapping[str, str]
    """Metric → heading of its column of medians."""
    fates: Mapping[str, str]
    """Fate → heading of its column; those that no row has are left out."""
    has_means: bool
    """Whether some group of one label has several values, so that a mean says more than they."""
    note: str


def label_tables(sides: Sequence[MaskSide]) -> tuple[StripTable, ...]:
    """Lay out every metric label by label; the headline has the medians of others beside it."""
    names = row_names(sides)
    metrics = shown_metrics(sides)
    beside = [one for one in _beside(metrics) if unit_of(sides, one) in ("mm", "share")]

    def by_label(results: MaskResults) -> _Parts:
        rows = {names[label]: rows for label, rows in results.by_label().items()}
        return {_ALL: results.label_rows, **rows} if len(rows) > 1 else rows

    return tuple(
        _table(
            sides,
            metric,
            by_label,
            title=metric_title(metric, unit_of(sides, metric)),
            beside=beside[:_MOST_BESIDE] if metric == metrics[0] else (),
        )
        for metric in metrics
    )


def class_tables(sides: Sequence[MaskSide]) -> tuple[StripTable, ...]:
    """Lay out the headline by size of the reference and by each stratum that parts the cases."""
    headline = sides[0].results.headline
    named = metric_title(headline, unit_of(sides, headline))
    tables: list[StripTable] = []
    if sum(len(by_size(side.results.label_rows)) > 1 for side in sides):
        tables.append(
            _table(
                sides,
                headline,
                lambda results: by_size(results.label_rows),
                title=f"{named} by volume of the reference",
                beside=(),
            )
        )
    keys = dict.fromkeys(key for side in sides for key in strata_keys(side.results))
    for key in keys:
        parts = {value for side in sides for value in by_stratum(side.results, key)}
        if 1 < len(parts) <= _MOST_CLASSES:
            tables.append(
                _table(sides, headline, _stratum(key), title=f"{named} by {_words(key)}", beside=())
            )
    return tuple(tables)


def _beside(metrics: Sequence[str]) -> list[str]:
    """Choose whose medians stand beside the headline; of one metric's tolerances the widest."""
    last_nsd = next((one for one in reversed(metrics) if one.startswith("nsd_")), None)
    named = [one for one in metrics[1:] if one != "iou"]
    return [one for one in named if not one.startswith("nsd_") or one == last_nsd]


def _stratum(key: str) -> Callable[[MaskResults], _Parts]:
    return lambda results: by_stratum(results, key)


def _words(key: str) -> str:
    return key.replace("_", " ")


def _table(
    sides: Sequence[MaskSide],
    metric: str,
    parted: Callable[[MaskResults], _Parts],
    *,
    title: str,
    beside: Sequence[str],
) -> StripTable:
    unit = unit_of(sides, metric)
    values = [
        value
        for side in sides
        for row in side.results.label_rows
        if (value := row.values.get(metric)) is not None
    ]
    axis = axis_of(metric, unit, values)
    parts = [parted(side.results) for side in sides]
    groups = tuple(
        StripGroup(
            name=name or "All labels",
            is_all=name == _ALL,
            lines=tuple(
                StripLine(
                    label=side.label,
                    colour=side.colour,
                    strip=strip_of(own[name], metric, side.results, axis, beside=beside),
                )
                for side, own in zip(sides, parts, strict=True)
                if name in own
            ),
        )
        for name in dict.fromkeys(name for own in parts for name in own)
    )
    return StripTable(
        title=title,
        metric=metric,
        heading=metric_title(metric, unit),
        direction=_direction(metric),
        axis=axis,
        groups=groups,
        beside={one: metric_title(one, unit_of(sides, one)) for one in beside},
        fates=_fates(groups),
        has_means=any(
            line.strip.n_values > 1 for group in groups if not group.is_all for line in group.lines
        ),
        note=_note(axis, axis.n_beyond(values)),
    )


def _fates(groups: Sequence[StripGroup]) -> dict[str, str]:
    named = {"n_missed": "Missed", "n_invented": "Invented", "n_without": "No mask"}
    strips = [line.strip for group in groups for line in group.lines]
    return {
        fate: name for fate, name in named.items() if any(getattr(s, fate) != "0" for s in strips)
    }


def _direction(metric: str) -> str:
    if metric.startswith(("reference_", "prediction_")) or metric == "volume_difference":
        return ""
    return "more is better" if larger_is_better(metric) else "less is better"


def _note(axis: MaskAxis, n_beyond: int) -> str:
    said = ["The axis is logarithmic in 1 + value."] if axis.is_log else []
    if n_beyond:
        values = "1 value lies" if n_beyond == 1 else f"{count(n_beyond)} values lie"
        said.append(f"{values} beyond the axis and stand at its end.")
    return " ".join(said)
