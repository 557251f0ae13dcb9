"""Whether two runs differ by less than a margin that matters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from overread.stats.equivalence import Equivalence, equivalence, equivalence_units_needed
from overread.stats.multiplicity import benjamini_hochberg, holm
from overread.stats.spread import cluster_spread

__all__ = ["Adjust", "WithinMargin", "adjusted_p_values", "within_margin", "within_margins"]

Adjust: TypeAlias = Literal["holm", "bh"]
"""How p values of several comparisons are adjusted: Holm, or Benjamini and Hochberg."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WithinMargin:
    """Two one-sided tests of a difference against a margin; p values are adjusted."""

    margin: float
    """As a share: 0.02 for 2 points."""
    low: float | None
    high: float | None
    """Interval of the difference at `level`, before any adjustment."""
    level: float
    p_first_not_worse: float | None
    """Of "the first run is worse by the margin or more"."""
    p_second_not_worse: float | None
    """Of "the second run is worse by the margin or more"."""
    p_equivalent: float | None
    """Of "either is worse by the margin or more": before any adjustment the larger of the two."""
    verdict: Literal["equivalent", "first not worse", "second not worse", "open"]
    """``open`` is no verdict: a difference as large as the margin is neither shown nor ruled out
    either way."""
    units_needed: int | None
    """Patients (or items) in all that show equivalence with the power asked for, were there no
    difference; None where nothing varies yet."""
    method: str
    reason: str | None


def within_margin(
    one: NDArray[np.float64],
    two: NDArray[np.float64],
    codes: NDArray[np.int64],
    *,
    margin: float,
    power: float,
    level: float,
) -> WithinMargin:
    """Test two runs against a margin; p values are not adjusted yet (`within_margins`).

    Parameters
    ----------
    one, two
        (n,) scores of the two runs, item by item.
    codes
        (n,) the unit of each item.
    margin, power, level
        As in `WithinMargin` and `stats.equivalence`.
    """
    tested = equivalence(one, two, codes, margin=margin, level=level)
    spread = cluster_spread(one - two, codes)
    needed = (
        equivalence_units_needed(margin, spread.spread, power=power, level=level)
        if spread.spread
        else None
    )
    return _judged(
        tested, tested.p_not_worse, tested.p_not_better, tested.p_value, needed, 1 - level
    )


def within_margins(found: Sequence[WithinMargin], *, adjust: Adjust) -> list[WithinMargin]:
    """Adjust all p values of one family together.

    Of "worse by the margin" and "better by the margin" at most one is true of a pair. So for Holm
    all are one family in which no more hypotheses than pairs can be true. Benjamini and Hochberg
    bound the share of false claims among claims, so each kind of claim is a family of its own.
    """
    first = [one.p_first_not_worse for one in found]
    second = [one.p_second_not_worse for one in found]
    if adjust == "holm":
        both = holm([*first, *second], most_true=max(1, len(found)))
        first, second = both[: len(found)], both[len(found) :]
        equivalent = [_larger(*pair) for pair in zip(first, second, strict=True)]
    else:
        equivalent = benjamini_hochberg([one.p_equivalent for one in found])
        first, second = benjamini_hochberg(first), benjamini_hochberg(second)
    return [
        _judged(one, p_first, p_second, p_both, one.units_needed, (1 - one.level) / 2)
        for one, p_first, p_second, p_both in zip(found, first, second, equivalent, strict=True)
    ]


def adjusted_p_values(
    p_values: Sequence[float | None], *, adjust: Adjust
) -> tuple[float | None, ...]:
    """Adjust p values of one family in the way named."""
    return holm(p_values) if adjust == "holm" else benjamini_hochberg(p_values)


def _judged(
    tested: Equivalence | WithinMargin,
    first: float | None,
    second: float | None,
    both: float | None,
    needed: int | None,
    error: float,
) -> WithinMargin:
    return WithinMargin(
        margin=tested.margin,
        low=tested.low,
        high=tested.high,
        level=tested.level,
        p_first_not_worse=first,
        p_second_not_worse=second,
        p_equivalent=both,
        verdict=_verdict(first, second, both, error),
        units_needed=needed,
        method=tested.method,
        reason=tested.reason,
    )


def _verdict(
    first: float | None, second: float | None, both: float | None, error: float
) -> Literal["equivalent", "first not worse", "second not worse", "open"]:
    if both is not None and both < error:
        return "equivalent"
    if first is not None and first < error and (second is None or first <= second):
        return "first not worse"
    return "second not worse" if second is not None and second < error else "open"


def _larger(one: float | None, two: float | None) -> float | None:
    return None if one is None or two is None else max(one, two)
