"""How the score of single answers is spread: quartiles and ten bars, for a metric that is a score.

A mean of 60 % may be sixty right of a hundred or all of them middling; this tells the two apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import quantiles

from overread.report.data import ReportData, run_labels
from overread.report.metric_names import metric_label, score_metric
from overread.report.wording import MISSING, count, percent

__all__ = ["Bar", "Spread", "Spreads", "quartiles", "spreads"]

_N_BARS = 10
_HIGHEST_PX = 34
"""Of the fullest bar."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """One bar of a histogram; place and width in per cent of the axis, height in pixels."""

    x: str
    width: str
    y: str
    height: str
    n: int
    shown: str
    """``20 to 30 %: 4``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """One run's scores."""

    label: str
    colour: int
    n: str
    bars: tuple[Bar, ...]
    ends: tuple[str, str, str, str, str]
    """Lowest, lower quarter, median, upper quarter, highest, in per cent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spreads:
    """All runs."""

    metric: str
    rows: tuple[Spread, ...]


def spreads(data: ReportData) -> Spreads | None:
    """Lay out the scores of each run; None where the plan has no graded metric."""
    metric = score_metric(data.plan)
    if metric is None:
        return None
    labels = run_labels(data.runs).values()
    return Spreads(
        metric=metric_label(metric),
        rows=tuple(
            Spread(
                label=label,
                colour=number % 8,
                n=count(len(run.graded)),
                bars=_bars(run.graded),
                ends=_ends(run.graded),
            )
            for number, (run, label) in enumerate(zip(data.runs, labels, strict=True))
        ),
    )


def quartiles(values: Sequence[float]) -> tuple[float, float, float, float, float] | None:
    """Give lowest, lower quarter, median, upper quarter and highest; None without a value.

    Between two values a quarter is interpolated in a straight line.

    Examples
    --------
    >>> quartiles([0.0, 0.5, 0.6, 0.7, 1.0])
    (0.0, 0.5, 0.6, 0.7, 1.0)
    """
    if not values:
        return None
    if len(values) == 1:
        (only,) = values
        return only, only, only, only, only
    lower, median, upper = quantiles(values, n=4, method="inclusive")
    return min(values), lower, median, upper, max(values)


def _ends(values: Sequence[float]) -> tuple[str, str, str, str, str]:
    found = quartiles(values)
    if found is None:
        return MISSING, MISSING, MISSING, MISSING, MISSING
    lowest, lower, median, upper, highest = map(percent, found)
    return lowest, lower, median, upper, highest


def _bars(values: Sequence[float]) -> tuple[Bar, ...]:
    counts = [0] * _N_BARS
    for value in values:
        # The top of the range belongs to the last bar; 1e-9 forgives 0.7 being a little less.
        counts[min(int(value * _N_BARS + 1e-9), _N_BARS - 1)] += 1
    fullest = max(counts)
    bars: list[Bar] = []
    for place, n in enumerate(counts):
        height = max(1.5, _HIGHEST_PX * n / fullest) if n else 0.0
        low, high = (100 * edge // _N_BARS for edge in (place, place + 1))
        bars.append(
            Bar(
                x=f"{low + 0.4:.1f}%",
                width=f"{100 / _N_BARS - 0.8:.1f}%",
                y=f"{_HIGHEST_PX - height:.1f}",
                height=f"{height:.1f}",
                n=n,
                shown=f"{low} to {high} %: {count(n)}",
            )
        )
    return tuple(bars)
