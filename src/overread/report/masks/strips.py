"""Strips: every value of a metric as a point, with quartiles beneath, one row for each group."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from overread.analysis.mask_results import MaskResults, MaskRow
from overread.analysis.mask_summary import MetricSummary, summarise
from overread.records import Status
from overread.report.masks.scales import MaskAxis, mask_number
from overread.report.wording import MISSING, count

__all__ = ["STRIP_HEIGHT", "Strip", "StripBox", "strip_of"]

STRIP_HEIGHT: Final = 30
_WIDTH: Final = 1000
"""Of the points' own coordinates along the axis."""
_BINS: Final = 130
_STEP: Final = 3.4
"""Pixels between points that would lie on each other."""
_MOST_STEPS: Final = 7
"""Points of one place beyond these lie on each other again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StripBox:
    """The quartiles on the axis, in per cent of the width."""

    lowest: str
    lower: str
    width: str
    median: str
    highest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Strip:
    """One metric over one group of rows, ready for the page."""

    points: str
    """An SVG path of dots in a box of 1000 by `STRIP_HEIGHT`."""
    box: StripBox | None
    n_values: int
    n: str
    """``38 of 40``: rows with a value of all rows."""
    median: str
    quarters: str
    """``0.81 to 0.94``; a dash where there is nothing to part."""
    mean: str
    interval: str
    reason: str
    """Why there is no value or no interval."""
    n_missed: str
    n_invented: str
    n_both_empty: str
    n_without: str
    """Rows where no prediction was compared."""
    n_beyond: int
    others: Mapping[str, str]
    """Metric → its median, for columns beside the strip."""


def strip_of(
    rows: Sequence[MaskRow],
    metric: str,
    results: MaskResults,
    axis: MaskAxis,
    *,
    beside: Sequence[str] = (),
) -> Strip:
    """Lay out a metric over rows.

    Parameters
    ----------
    rows
        Some rows of the results.
    metric
        The metric drawn.
    axis
        Of all strips of this metric (`scales.axis_of`).
    beside
        Metrics whose medians stand in columns of their own.
    """
    unit = results.units.get(metric, "")
    summaries = summarise(rows, (metric, *beside), results)
    found = summaries[metric]
    fates = [row.fate for row in rows]
    return Strip(
        points=_points(found.values, axis),
        box=_box(found, axis),
        n_values=len(found.values),
        n=count(len(found.values))
        if len(found.values) == len(rows)
        else f"{count(len(found.values))} of {count(len(rows))}",
        median=mask_number(found.median, metric, unit),
        quarters=_quarters(found, metric, unit),
        mean=mask_number(found.mean, metric, unit),
        interval=_range(found.low, found.high, metric, unit),
        reason=found.reason or "",
        n_missed=count(fates.count("missed")),
        n_invented=count(fates.count("invented")),
        n_both_empty=count(fates.count("both empty")),
        n_without=count(sum(row.status is not Status.OK for row in rows)),
        n_beyond=axis.n_beyond(found.values),
        others={
            other: mask_number(summaries[other].median, other, results.units.get(other, ""))
            for other in beside
        },
    )


def _quarters(found: MetricSummary, metric: str, unit: str) -> str:
    if found.quartiles is None or len(found.values) < 3:
        return MISSING
    return _range(found.quartiles[1], found.quartiles[3], metric, unit)


def _range(low: float | None, high: float | None, metric: str, unit: str) -> str:
    if low is None or high is None:
        return ""
    return f"{mask_number(low, metric, unit)} to {mask_number(high, metric, unit)}"


def _box(found: MetricSummary, axis: MaskAxis) -> StripBox | None:
    if found.quartiles is None or len(found.values) < 3:
        return None
    lowest, lower, median, upper, highest = found.quartiles
    return StripBox(
        lowest=axis.x(lowest),
        lower=axis.x(lower),
        width=f"{100 * (axis.share(upper) - axis.share(lower)):.2f}%",
        median=axis.x(median),
        highest=axis.x(highest),
    )


def _points(values: Sequence[float], axis: MaskAxis) -> str:
    """Write a path of dots; those that would lie on each other step up and down by turns."""
    seen: defaultdict[int, int] = defaultdict(int)
    dots: list[str] = []
    for value in sorted(values):
        share = axis.share(value)
        place = round(share * _BINS)
        nth = seen[place] % (2 * _MOST_STEPS)
        seen[place] += 1
        step = (nth + 1) // 2 * (1 if nth % 2 else -1)
        limit = STRIP_HEIGHT / 2 - 3
        y = STRIP_HEIGHT / 2 + max(-limit, min(limit, step * _STEP * min(1.0, 4 / _MOST_STEPS)))
        dots.append(f"M{share * _WIDTH:.0f} {y:.3g}h0")
    # A dot on the very place of another would not be seen.
    return "".join(dict.fromkeys(dots))
