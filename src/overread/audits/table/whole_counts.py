"""Which shares a whole count of so many items can give."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Literal

from overread.audits.table.spans import step_of

__all__ = ["chance_of_fit", "how_possible", "nearest_counts"]


def how_possible(
    value: Fraction, decimals: int, n: int, whole: int
) -> Literal["nearest", "truncated", "none"]:
    """Say how a share can come from a whole count: by rounding, only by cutting digits, or not.

    Parameters
    ----------
    value
        The printed share.
    decimals
        Its digits after the decimal mark.
    n
        How many items it is a share of, at least 1.
    whole
        What all of them are printed as: 100 or 1.

    Returns
    -------
    str
        ``nearest`` when a count of 0 to `n` rounds to it, halves up, to even or down; else
        ``truncated`` when cutting digits off a share gives it; else ``none``.

    Examples
    --------
    >>> how_possible(Fraction("24.5"), 1, 100, 100)
    'none'
    >>> how_possible(Fraction("66.6"), 1, 3, 100)
    'truncated'
    """
    step = step_of(decimals)
    if _has_count(value - step / 2, value + step / 2, n, whole):
        return "nearest"
    # The next higher printed value is not reached by truncation: its end is left out.
    low = math.ceil(value * n / whole)
    if 0 <= low <= n and Fraction(low * whole, n) < value + step:
        return "truncated"
    return "none"


def nearest_counts(value: Fraction, n: int, whole: int) -> tuple[int, ...]:
    """Give the counts just below and above a share, within 0 to `n`."""
    below = math.floor(value * n / whole)
    return tuple(count for count in (below, below + 1) if 0 <= count <= n)


def _has_count(low: Fraction, high: Fraction, n: int, whole: int) -> bool:
    first = max(0, math.ceil(low * n / whole))
    return first <= n and Fraction(first * whole, n) <= high


def chance_of_fit(decimals: int, n: int, whole: int) -> float:
    """Give which part of all printed shares some count of `n` items gives: 1 says nothing.

    Examples
    --------
    >>> chance_of_fit(1, 99, 100), chance_of_fit(0, 2000, 100)
    (0.1, 1.0)
    """
    return min(1.0, float((n + 1) * step_of(decimals) / whole))
