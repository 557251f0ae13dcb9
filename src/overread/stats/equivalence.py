"""Equivalence: whether two readers of the same items differ by less than a margin that matters.

"No significant difference" is no proof of sameness: a small exam never finds any. Equivalence is
shown where both one-sided tests reject a difference as large as the margin, or, which is the same,
where the interval of the difference at twice the error lies within the margins.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from overread.errors import UsageError, expected
from overread.stats import _special
from overread.stats.intervals import check_level
from overread.stats.paired import paired_difference
from overread.stats.spread import ClusterSpread, cluster_spread

__all__ = ["Equivalence", "equivalence", "equivalence_units_needed"]

_FEW_APART: Final = 10
"""With fewer clusters that tell the readers apart (and less than half of all), how items hang
together is not known: then those of a patient are taken to agree."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Equivalence:
    """Two one-sided tests of a difference against a margin, first reader minus second."""

    margin: float
    difference: float
    low: float | None
    high: float | None
    """Interval at `level`; equivalent at 5 % where that of 90 % lies within ± `margin`."""
    level: float
    """1 less twice the error of each test: 0.9 for tests at 5 %."""
    p_not_worse: float | None
    """Of "the first is worse by the margin or more" (non-inferiority of the first)."""
    p_not_better: float | None
    """Of "the first is better by the margin or more" (non-inferiority of the second)."""
    method: str
    """``score`` for right or wrong, ``cluster t`` for other scores, ``none``."""
    reason: str | None = None
    """Why nothing can be said, or what makes the interval wide."""

    @property
    def p_value(self) -> float | None:
        """Of equivalence: the larger of the two."""
        if self.p_not_worse is None or self.p_not_better is None:
            return None
        return max(self.p_not_worse, self.p_not_better)


def equivalence(
    first: ArrayLike,
    second: ArrayLike,
    clusters: NDArray[np.int64],
    *,
    margin: float,
    level: float = 0.95,
) -> Equivalence:
    """Test whether two readers differ by less than a margin, clustered by patient.

    Parameters
    ----------
    first, second
        (n,) values of the two readers, item by item; 0 or 1 for right or wrong.
    clusters
        (n,) cluster of each item.
    margin
        The smallest difference that would matter, above 0, in the unit of the values.
    level
        One less the error of each one-sided test.

    Returns
    -------
    Equivalence
        Undefined, with a reason, for one cluster, and for scores that are no right or wrong where
        all clusters agree. Two readers who never differ are as equivalent as their number of
        clusters can show.

    Raises
    ------
    UsageError
        Shapes disagree, or an argument is out of range.

    Notes
    -----
    Two one-sided tests: D. J. Schuirmann, J. Pharmacokin. Biopharm. 15 (1987) 657,
    doi:10.1007/BF01068419. For right or wrong the score test of T. Tango, Stat. Med. 17 (1998) 891,
    which takes the variance under the margin, so that few disagreements do not look like certainty;
    its statistic is divided by the root of the design effect and, where items share clusters, read
    from Student's t with clusters - 1 degrees. Where fewer than 10 clusters, and less than half of
    them, tell the readers apart the design effect is the largest there can be. Other scores have
    `few_clusters.cluster_t`.
    Simulated at the margin, with 5 to 200 patients of one to eight or twenty questions, alike by
    chance or by 80 %: a test at 5 % errs in at most 8 % of exams (in fewer where readers seldom
    differ), and the interval of 90 % holds in 85 % to 99 %.
    """
    check_level(level)
    if not 0 < margin < math.inf:
        raise UsageError(
            expected(
                "margin",
                rule="a difference above 0",
                got=margin,
                remedy="Give the smallest difference that would matter.",
            )
        )
    difference = paired_difference(first, second)
    spread = cluster_spread(difference, clusters)
    right_or_wrong = bool(np.isin(np.asarray([first, second], dtype=np.float64), (0.0, 1.0)).all())
    if spread.n_clusters < 2:
        return _undefined(spread, margin, level)
    if right_or_wrong:
        apart = len(np.unique(np.asarray(clusters)[difference != 0]))
        is_known = spread.design_effect is not None and apart >= min(
            _FEW_APART, spread.n_clusters / 2
        )
        effect = spread.design_effect if is_known else None
        statistic = _score(difference, effect or spread.largest_design_effect)
        degrees = None if spread.n_clusters == spread.n else spread.n_clusters - 1
        found = _tests(
            statistic, degrees, spread, margin, level, method="score", bounds=(-1.0, 1.0)
        )
        if effect is None and spread.largest_design_effect > 1:
            return replace(
                found,
                reason=f"{apart} of {spread.n_clusters} clusters tell the two apart: too few to "
                "know how items of one hang together, which are taken to agree",
            )
        return found
    error = spread.standard_error
    if error is None:
        return _undefined(spread, margin, level)
    half = error * _special.t_quantile(spread.n_clusters - 1, level)
    return _tests(
        lambda value: (spread.mean - value) / error,
        spread.n_clusters - 1,
        spread,
        margin,
        level,
        method="cluster t",
        bounds=(spread.mean - 2 * half, spread.mean + 2 * half),
    )


def equivalence_units_needed(
    margin: float,
    spread: float,
    *,
    difference: float = 0.0,
    power: float = 0.8,
    level: float = 0.95,
) -> int | None:
    """How many units show that two readers differ by less than a margin.

    Parameters
    ----------
    margin
        The smallest difference that would matter, above 0.
    spread
        Standard error of the difference × √units, in the unit of the margin, above 0; for right
        or wrong on independent items √(share of items that tell the readers apart).
    difference
        Their true difference.
    power
        Probability of showing it, above 0 and below 1.
    level
        One less the error of each one-sided test.

    Returns
    -------
    int or None
        Units in all, at least 2. None where the true difference is the margin or more, which no
        number of units shows to be less.

    Raises
    ------
    UsageError
        An argument is out of range.

    Notes
    -----
    For equal readers (z + z((1 + power) / 2))² spread² / margin², with z of `level`; solved for
    others, in the normal approximation.

    Examples
    --------
    >>> equivalence_units_needed(0.02, 0.1**0.5)  # (1.645 + 1.282)² · 0.1 / 0.0004
    2141
    """
    check_level(level)
    for name, value in (("margin", margin), ("spread", spread)):
        if not 0 < value < math.inf:
            raise UsageError(
                expected(name, rule="a number above 0", got=value, remedy="Give it as a share.")
            )
    if not 0 < power < 1:
        raise UsageError(
            expected("power", rule="a probability between 0 and 1", got=power, remedy="Use 0.8.")
        )
    if abs(difference) >= margin:
        return None
    z = _special.normal_quantile(level)

    def is_shown(root: float) -> bool:
        """Tell whether so many units, as their root, have the power."""
        far = (margin + abs(difference)) / spread * root - z
        near = (margin - abs(difference)) / spread * root - z
        return _special.normal_cdf(far) + _special.normal_cdf(near) - 1 >= power

    high = 1.0
    while not is_shown(high):
        high *= 2
    root = _bisect(is_shown, 0.0, high)
    return max(2, math.ceil(root**2 * (1 - 1e-12)))


def _tests(
    statistic: Callable[[float], float],
    degrees: int | None,
    spread: ClusterSpread,
    margin: float,
    level: float,
    *,
    method: str,
    bounds: tuple[float, float],
) -> Equivalence:
    """Run both tests and turn them into an interval; the statistic falls as the value grows."""

    def tail(t: float) -> float:
        return _special.normal_cdf(-t) if degrees is None else _special.t_cdf(degrees, -t)

    edge = (
        _special.normal_quantile(level) if degrees is None else _special.t_quantile(degrees, level)
    )
    return Equivalence(
        margin=margin,
        difference=spread.mean,
        low=_bisect(lambda value: statistic(value) < edge, bounds[0], spread.mean),
        high=_bisect(lambda value: statistic(value) < -edge, spread.mean, bounds[1]),
        level=round(2 * level - 1, 12),
        p_not_worse=tail(statistic(-margin)),
        p_not_better=tail(-statistic(margin)),
        method=method,
    )


def _score(difference: NDArray[np.float64], effect: float) -> Callable[[float], float]:
    """Give Tango's statistic of a supposed difference, slowed by the design effect."""
    n = difference.size
    better, worse = int((difference > 0).sum()), int((difference < 0).sum())

    def statistic(supposed: float) -> float:
        beyond = better - worse - n * supposed
        held = min(max(supposed, -1.0), 1.0)
        b = -better - worse + (2 * n - better + worse) * held
        c = -worse * held * (1 - held)
        least = (math.sqrt(max(0.0, b * b - 8 * n * c)) - b) / (4 * n)
        variance = n * (2 * least + held * (1 - held)) * effect
        if variance <= 1e-12 * n or abs(supposed) >= 1:
            return math.copysign(math.inf, beyond) if beyond else 0.0
        return beyond / math.sqrt(variance)

    return statistic


def _bisect(holds: Callable[[float], bool], low: float, high: float) -> float:
    """Find where a condition that fails at `low` and holds at `high` begins to hold."""
    for _ in range(100):
        middle = (low + high) / 2
        if not low < middle < high:
            break
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def _undefined(spread: ClusterSpread, margin: float, level: float) -> Equivalence:
    return Equivalence(
        margin=margin,
        difference=spread.mean,
        low=None,
        high=None,
        level=round(2 * level - 1, 12),
        p_not_worse=None,
        p_not_better=None,
        method="none",
        reason=spread.reason,
    )
