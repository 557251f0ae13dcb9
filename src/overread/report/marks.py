"""Where marks stand on a horizontal axis: positions as per cent of the width, ready for SVG.

Positions in per cent let a plot be as wide as its table column on any screen while its text and
marks keep their size.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

__all__ = ["SHARE_AXIS", "Axis", "Mark", "Span", "Tick", "symmetric_axis"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tick:
    """A labelled place on an axis."""

    x: str
    label: str
    is_origin: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A stretch of the axis: an interval's line or a band."""

    x: str
    width: str
    end: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """A value with its interval."""

    x: str
    interval: Span | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Axis:
    """A linear axis from `low` to `high`."""

    low: float
    high: float
    ticks: tuple[Tick, ...] = ()

    def x(self, value: float) -> str:
        """Place a value, held within the axis: ``38.1%``."""
        share = (value - self.low) / (self.high - self.low)
        return f"{100 * min(max(share, 0.0), 1.0):.2f}%"

    def span(self, low: float | None, high: float | None) -> Span | None:
        """Place a stretch; None when one end is missing."""
        if low is None or high is None or not (math.isfinite(low) and math.isfinite(high)):
            return None
        held_low = min(max(low, self.low), self.high)
        held_high = min(max(high, self.low), self.high)
        width = 100 * max(held_high - held_low, 0.0) / (self.high - self.low)
        return Span(x=self.x(held_low), width=f"{width:.2f}%", end=self.x(held_high))

    def mark(self, value: float | None, low: float | None, high: float | None) -> Mark | None:
        """Place a value and its interval; None when there is no value."""
        if value is None or not math.isfinite(value):
            return None
        return Mark(x=self.x(value), interval=self.span(low, high))


def _ticks(low: float, high: float, values: tuple[float, ...], *, signed: bool) -> Axis:
    bare = Axis(low=low, high=high)
    ticks = tuple(
        Tick(x=bare.x(value), label=_label(value, signed=signed), is_origin=value == 0)
        for value in values
    )
    return Axis(low=low, high=high, ticks=ticks)


def _label(value: float, *, signed: bool) -> str:
    text = f"{100 * value:+.0f}" if signed and value else f"{100 * value:.0f}"
    return text.replace("-", "\N{MINUS SIGN}")


SHARE_AXIS = _ticks(0.0, 1.0, (0.0, 0.25, 0.5, 0.75, 1.0), signed=False)
"""From 0 to 100 %: never cut, so that no difference looks larger than it is."""


def symmetric_axis(values: list[float]) -> Axis:
    """Make an axis of differences around 0 that holds all values: ±10, ±20 … ±100 points."""
    largest = max((abs(value) for value in values if math.isfinite(value)), default=0.1)
    half = min(1.0, max(0.1, math.ceil(10 * largest - 1e-9) / 10))
    return _ticks(-half, half, (-half, 0.0, half), signed=True)
