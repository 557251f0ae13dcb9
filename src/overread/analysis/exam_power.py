"""What a comparison of two runs could have shown, and what it would take to settle it."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from overread.stats.power import (
    clusters_needed,
    fewest_units,
    mcnemar_pairs_needed,
    mcnemar_smallest_difference,
    smallest_difference,
)
from overread.stats.spread import ClusterSpread, cluster_spread

__all__ = ["ExamPower", "exam_power"]

_NOTHING = 1e-12
"""A mean of differences that is this small is 0 but for rounding."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExamPower:
    """Two runs as seldom or often apart, and as alike within patients, as those compared.

    Units are patients, or items where none are named.
    """

    power: float
    """Probability of telling such runs apart that all counts here are for."""
    level: float
    """Each pair is tested at 1 less this; where many pairs are adjusted after Holm, the level that
    the smallest p of them must reach."""
    units: int
    """Units that were asked."""
    design_effect: float | None
    """By how much patients with several items inflate the variance of the difference; 1 where
    items stand alone. None where nothing varies."""
    smallest_difference: float | None
    """The smallest true difference that this many units show; None, with a reason, if none is."""
    units_needed: int | None
    """Units in all that tell the two apart if the observed difference is the true one."""
    units_needed_at_best: int | None
    """The same if the true difference is the end of its interval farther from 0."""
    reason: str | None = None
    """Why there is no smallest difference, or no number of units."""


def exam_power(
    difference: NDArray[np.float64],
    codes: NDArray[np.int64],
    *,
    is_right_or_wrong: bool,
    farthest: float | None,
    unit: str,
    power: float,
    level: float,
) -> ExamPower:
    """Plan from what was observed.

    Parameters
    ----------
    difference
        (n,) first run less second, item by item.
    codes
        (n,) the unit of each item.
    is_right_or_wrong
        Whether scores are 0 or 1: then McNemar's test is planned for, and it is enough to know how
        often the two are apart.
    farthest
        The end of the difference's interval that is farther from 0, where there is an interval.
    unit
        What a unit is called, in the reason.
    power, level
        As in `ExamPower`.

    Notes
    -----
    What rests on Student's t and what rests on McNemar is computed both ways where both apply; the
    more demanding answer counts.
    """
    spread = cluster_spread(difference, codes)
    mean = 0.0 if abs(spread.mean) < _NOTHING else spread.mean
    least = fewest_units(level)
    smallest, reason = _smallest(spread, is_right_or_wrong, unit, power, level)
    if mean == 0.0:
        tied = f"the two score the same: at this difference no number of {unit}s tells them apart"
        reason = tied if reason is None else f"{reason}; {tied}"

    def needed(gap: float | None) -> int | None:
        return None if not gap else _needed(gap, spread, is_right_or_wrong, least, power, level)

    return ExamPower(
        power=power,
        level=level,
        units=spread.n_clusters,
        design_effect=spread.design_effect,
        smallest_difference=smallest,
        units_needed=needed(mean),
        units_needed_at_best=needed(farthest),
        reason=reason,
    )


def _smallest(
    spread: ClusterSpread, is_right_or_wrong: bool, unit: str, power: float, level: float
) -> tuple[float | None, str | None]:
    """Give the smallest difference that shows, or why none does."""
    n, least = spread.n_clusters, fewest_units(level)
    if n < least:
        return None, f"{_counted(n, unit)}: below {least} no outcome tells two runs apart"
    found: list[float] = []
    if spread.standard_error is not None:
        error = spread.standard_error
        found.append(smallest_difference(error, degrees=n - 1, power=power, level=level))
    if is_right_or_wrong:
        apart = spread.mean_square
        by_counts = mcnemar_smallest_difference(spread.effective_n, apart, power=power, level=level)
        found.append(math.inf if by_counts is None else by_counts)
    if not found:
        return None, spread.reason
    largest = max(found)
    if is_right_or_wrong and largest > 1:
        return None, f"{_counted(n, unit)} would not show even a difference of 100 points"
    return largest, None


def _needed(
    gap: float,
    spread: ClusterSpread,
    is_right_or_wrong: bool,
    least: int,
    power: float,
    level: float,
) -> int | None:
    """Count the units that show a difference."""
    found = [least]
    if spread.spread is not None:
        by_t = clusters_needed(gap, spread.spread, power=power, level=level)
        if by_t is None:
            return None
        found.append(by_t)
    if is_right_or_wrong:
        # Each item of a difference is one that tells the two apart.
        apart = min(1.0, max(abs(gap), spread.mean_square))
        pairs = mcnemar_pairs_needed(min(1.0, abs(gap)), apart, power=power, level=level)
        if pairs is None:
            return None
        found.append(math.ceil(pairs * spread.n_clusters / spread.effective_n))
    return max(found) if len(found) > 1 else None


def _counted(n: int, unit: str) -> str:
    return f"1 {unit}" if n == 1 else f"{n} {unit}s"
