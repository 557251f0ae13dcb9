"""Axes and numbers of mask metrics: shares from 0 to 1, lengths and volumes from 0 up."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from overread.metrics.spec import MetricSpec
from overread.registry import metric_spec
from overread.report.marks import Mark, Span, Tick
from overread.report.wording import MISSING

__all__ = ["MaskAxis", "axis_of", "is_signed", "larger_is_better", "mask_number", "metric_title"]

_MINUS: Final = "\N{MINUS SIGN}"
_STEPS: Final = (1.0, 2.0, 5.0)
_NEAREST: Final = 0.09
"""Of the axis: ticks that lie closer to the one before are left out."""
_SHORT: Final = {
    "hd_mm": "Hausdorff distance",
    "hd95_mm": "HD95",
    "assd_mm": "ASSD",
    "masd_mm": "MASD",
    "iou": "IoU",
    "cldice": "clDice",
    "volume_difference": "Volume difference",
}
"""Where a paper's table has a name that everybody knows, or a title is too long for a heading."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MaskAxis:
    """Where values of a metric stand, from 0 to 1 of the width."""

    low: float
    high: float
    is_log: bool
    """Equal steps are equal ratios of 1 + value, so that a few far values do not press the rest
    together; 0 keeps its place."""
    ticks: tuple[Tick, ...] = ()

    def share(self, value: float) -> float:
        """Place a value, held within the axis."""
        if self.is_log:
            place = math.log1p(max(value, 0.0)) / math.log1p(self.high)
        else:
            place = (value - self.low) / (self.high - self.low)
        return min(max(place, 0.0), 1.0)

    def x(self, value: float) -> str:
        """Place a value as per cent of the width: ``38.10%``."""
        return f"{100 * self.share(value):.2f}%"

    def mark(self, value: float | None, low: float | None, high: float | None) -> Mark | None:
        """Place a value and its interval; None where there is no value."""
        if value is None or not math.isfinite(value):
            return None
        if low is None or high is None:
            return Mark(x=self.x(value), interval=None)
        width = f"{100 * (self.share(high) - self.share(low)):.2f}%"
        return Mark(x=self.x(value), interval=Span(x=self.x(low), width=width, end=self.x(high)))

    def n_beyond(self, values: Iterable[float]) -> int:
        """Count values that lie beyond an end and are drawn at it."""
        slack = 1e-9 * (self.high - self.low)
        return sum(not self.low - slack <= value <= self.high + slack for value in values)


def axis_of(metric: str, unit: str, values: Iterable[float]) -> MaskAxis:
    """Choose the axis of a metric for all its values.

    Shares run from 0 to 1 and signed ones from -1 to 1, whatever the values, so that no difference
    looks larger than it is. Lengths, volumes and counts run from 0 to the largest value, each step
    of the axis a ratio.
    """
    found = [value for value in values if math.isfinite(value)]
    if is_signed(metric) or any(value < 0 for value in found):
        half = 1.0 if unit == "share" else _nice(max((abs(value) for value in found), default=1.0))
        bare = MaskAxis(low=-half, high=half, is_log=False)
        places = (-half, -half / 2, 0.0, half / 2, half)
        return _with_ticks(bare, places, metric, unit)
    if unit == "share":
        bare = MaskAxis(low=0.0, high=1.0, is_log=False)
        return _with_ticks(bare, (0.0, 0.25, 0.5, 0.75, 1.0), metric, unit)
    high = _nice(max([*found, 1.0]))
    bare = MaskAxis(low=0.0, high=high, is_log=True)
    places = [0.0, high]
    step = 1.0
    while step < high:
        places += [each * step for each in _STEPS if each * step < high]
        step *= 10
    return _with_ticks(bare, sorted(places), metric, unit)


def _with_ticks(bare: MaskAxis, places: Iterable[float], metric: str, unit: str) -> MaskAxis:
    kept: list[float] = []
    ordered = list(places)
    for value in ordered:
        share = bare.share(value)
        far = not kept or share - bare.share(kept[-1]) >= _NEAREST
        fits = value == ordered[-1] or 1.0 - share >= _NEAREST
        if value == ordered[-1] or (far and fits):
            kept.append(value)
    ticks = tuple(
        Tick(x=bare.x(value), label=_tick(value, metric, unit), is_origin=value == 0)
        for value in kept
    )
    return MaskAxis(low=bare.low, high=bare.high, is_log=bare.is_log, ticks=ticks)


def _tick(value: float, metric: str, unit: str) -> str:
    if unit == "share" and is_signed(metric):
        return f"{100 * value:+.0f} %".replace("-", _MINUS) if value else "0"
    return f"{value:g}".replace("-", _MINUS)


def _nice(value: float) -> float:
    """Round up to 1, 2 or 5 times a power of ten."""
    power = 10 ** math.floor(math.log10(max(value, 1e-12)))
    return next(each * power for each in (*_STEPS, 10.0) if each * power >= value * (1 - 1e-12))


def is_signed(metric: str) -> bool:
    """Tell whether a metric has values on both sides of 0."""
    spec = metric_spec(metric)
    return spec is not None and spec.low < 0


def larger_is_better(metric: str) -> bool:
    """Tell whether more is better; a metric that declares nothing is taken for an overlap."""
    spec = metric_spec(metric)
    return spec is None or spec.direction != "down"


def metric_title(metric: str, unit: str) -> str:
    """Name a metric for a heading, with its unit where it has one.

    Examples
    --------
    >>> metric_title("hd95_mm", "mm"), metric_title("dice", "share")
    ('HD95, mm', 'Dice')
    """
    spec: MetricSpec | None = metric_spec(metric)
    bare = metric.removesuffix(f"_{unit}").replace("_", " ")
    title = _SHORT.get(metric) or (bare if spec is None else spec.title)
    if metric.startswith("nsd_"):
        title = f"NSD at {metric.removeprefix('nsd_').removesuffix('mm').replace('_', '.')} mm"
    is_said = unit == "share" or unit.rstrip("s") in title.lower()
    return title if is_said else f"{title}, {unit}"


def mask_number(value: float | None, metric: str, unit: str) -> str:
    """Write a value: shares with three digits, signed ones in per cent; None → a dash.

    Examples
    --------
    >>> mask_number(0.97737, "dice", "share"), mask_number(12.345, "hd95_mm", "mm")
    ('0.977', '12.3')
    """
    if value is None or not math.isfinite(value):
        return MISSING
    if unit == "share":
        text = f"{100 * value:+.1f} %" if is_signed(metric) else f"{value:.3f}"
    elif unit in ("mm", "ml"):
        text = (
            f"{value:.2f}"
            if abs(value) < 10
            else f"{value:.1f}"
            if abs(value) < 1000
            else f"{value:.0f}"
        )
    else:
        text = f"{value:.4g}"
    return text.replace("-", _MINUS)
