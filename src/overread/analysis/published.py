"""Published numbers beside our own: each with the interval its own count allows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from overread.records import PublishedValue
from overread.stats.intervals import wilson

__all__ = ["PublishedEstimate", "published_estimates"]

_ROUNDING = 0.0005
"""Half a step of a share printed as a percentage with one decimal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedEstimate:
    """A published number with its interval."""

    row: PublishedValue
    low: float | None
    high: float | None
    level: float
    method: str
    """``wilson`` from the row's count, or ``none``."""
    reason: str | None
    """Why there is no interval, or in what the printed value and the count disagree."""


def published_estimates(
    rows: Iterable[PublishedValue], *, level: float = 0.95
) -> tuple[PublishedEstimate, ...]:
    """Give every published row the Wilson interval of its count.

    Parameters
    ----------
    rows
        Published values, as shares 0..1.
    level
        Coverage.

    Returns
    -------
    tuple of PublishedEstimate
        In the order of `rows`. A row without a count has no interval, only a reason: a percentage
        alone does not say of how many.
    """
    return tuple(_published(row, level) for row in rows)


def _published(row: PublishedValue, level: float) -> PublishedEstimate:
    if row.count is None or row.n is None or not 0 <= row.count <= row.n:
        reason = (
            "the source gives no count"
            if row.count is None or row.n is None
            else f"{row.count} of {row.n} is impossible"
        )
        return PublishedEstimate(
            row=row, low=None, high=None, level=level, method="none", reason=reason
        )
    interval = wilson(row.count, row.n, level=level)
    reason = interval.reason
    if row.n and abs(row.count / row.n - row.value) > _ROUNDING + 1e-12:
        reason = f"the printed value {row.value:.4f} is not {row.count} of {row.n}"
    return PublishedEstimate(
        row=row,
        low=interval.low,
        high=interval.high,
        level=level,
        method=interval.method if interval.defined else "none",
        reason=reason,
    )
