"""Interval of a statistic that is made of sums over items: a kappa, a corpus BLEU.

Such a statistic is no mean of items, yet a resample of whole clusters still costs one row of a
matrix product: each cluster is reduced to its sums once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from overread.errors import UsageError, expected
from overread.stats import _special
from overread.stats.bootstrap import ClusterSums, as_table, cluster_draws, cluster_sums
from overread.stats.cluster_wilson import Ends, between_ends, check_ends, clip_to_ends
from overread.stats.few_clusters import FEW_CLUSTERS
from overread.stats.intervals import Interval, check_level

__all__ = ["SumsStatistic", "sums_interval"]

SumsStatistic: TypeAlias = Callable[[NDArray[np.float64]], NDArray[np.float64]]
"""(…, sums) → (…): vectorised over leading axes, NaN where undefined."""

_ROUNDING = 1e-12
_MOST_UNDEFINED_DRAWS = 0.01


def sums_interval(
    table: ArrayLike,
    statistic: SumsStatistic,
    clusters: NDArray[np.int64],
    *,
    ends: Ends | None = None,
    draws: int = 2000,
    level: float = 0.95,
    rng: np.random.Generator | None,
) -> Interval:
    """Evaluate a statistic of the column sums of `table`, with an interval clustered by patient.

    Parameters
    ----------
    table
        (n, sums) what each item adds to each sum; an item that does not count is left out before.
    statistic
        What the sums are turned into.
    clusters
        (n,) cluster of each item.
    ends
        Least and largest value that the statistic can have; None where it has none.
    draws, level
        Of the interval.
    rng
        Source of randomness; None gives the value alone, without a reason.

    Returns
    -------
    Interval
        Percentiles over resampled clusters (``cluster bootstrap``); below `FEW_CLUSTERS` clusters
        value ± t(G − 1) × the error of a jackknife that leaves out one cluster at a time
        (``cluster jackknife``), or with `ends` the bounds of `cluster_wilson.between_ends` for that
        error (``bounded cluster jackknife``). The value is None where the statistic is NaN. No
        interval, with a reason, for one cluster, where leaving clusters out or resampling them
        changes nothing, and where more than 1 % of the resamples leave the statistic undefined;
        with few clusters also where the value is one of the ends.

    Raises
    ------
    UsageError
        Shapes disagree or an argument is out of range.

    Notes
    -----
    Source of both: A. C. Davison and D. V. Hinkley, Bootstrap Methods and their Application
    (1997), 2.7 (jackknife) and 3.8 (clusters).
    """
    check_level(level)
    (both,) = check_ends((ends,), 1)
    if draws < 1:
        raise UsageError(
            expected("draws", rule="a count of 1 or more", got=draws, remedy="Use 2000.")
        )
    sums = cluster_sums(as_table("table", table), clusters).numerators
    value = float(statistic(sums.sum(axis=0))) if len(sums) else np.nan
    few = len(sums) < FEW_CLUSTERS
    method = "cluster bootstrap"
    if few:
        method = "cluster jackknife" if both is None else "bounded cluster jackknife"
    if np.isnan(value):
        reason = "the statistic is undefined over these items" if len(sums) else "no items"
        return _without(None, level, method, reason)
    if rng is None:
        return _without(value, level, method, None)
    if len(sums) < 2:
        return _without(value, level, method, "one cluster has no spread")
    bounds = (
        _jackknife_bounds(sums, statistic, value, both, level)
        if few
        else _bootstrap_bounds(sums, statistic, draws, level, rng)
    )
    if isinstance(bounds, str):
        return _without(value, level, method, bounds)
    found = Interval(value=value, low=bounds[0], high=bounds[1], level=level, method=method)
    return clip_to_ends(found, ends)


def _without(value: float | None, level: float, method: str, reason: str | None) -> Interval:
    return Interval(value=value, low=None, high=None, level=level, method=method, reason=reason)


def _bootstrap_bounds(
    sums: NDArray[np.float64],
    statistic: SumsStatistic,
    draws: int,
    level: float,
    rng: np.random.Generator,
) -> tuple[float, float] | str:
    # Means over the clusters drawn, times their number, are the sums: one routine draws for all.
    each = ClusterSums(numerators=sums, denominators=np.ones_like(sums))
    drawn = statistic(cluster_draws(each, draws=draws, rng=rng) * len(sums))
    kept = drawn[~np.isnan(drawn)]
    if kept.size < (1 - _MOST_UNDEFINED_DRAWS) * drawn.size:
        return "too few clusters make the statistic defined"
    tail = (1.0 - level) / 2
    low, high = (float(end) for end in np.quantile(kept, (tail, 1 - tail)))
    return (low, high) if high - low > _ROUNDING else "the draws do not vary"


def _jackknife_bounds(
    sums: NDArray[np.float64],
    statistic: SumsStatistic,
    value: float,
    ends: Ends | None,
    level: float,
) -> tuple[float, float] | str:
    without = statistic(sums.sum(axis=0) - sums)
    if bool(np.isnan(without).any()):
        return "without one of the clusters the statistic is undefined"
    n = len(sums)
    error = float(np.sqrt((n - 1) / n * ((without - without.mean()) ** 2).sum()))
    if error <= _ROUNDING:
        return "all clusters agree: no variation to resample"
    half = _special.t_quantile(n - 1, (1 + level) / 2) * error
    if ends is None:
        return value - half, value + half
    low, high = between_ends(value, half, ends)
    return (low, high) if high > low else "the value is at the end of its range"
