"""Intervals over few independent units, where resampling them promises too much."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from overread.stats import _special
from overread.stats.bootstrap import (
    Kind,
    as_table,
    cluster_bootstrap,
    cluster_sums,
    mean_or_reason,
)
from overread.stats.cluster_wilson import Ends, check_ends, clip_to_ends, cluster_wilson
from overread.stats.intervals import Interval, check_level

__all__ = ["FEW_CLUSTERS", "cluster_interval", "cluster_t"]

FEW_CLUSTERS = 20
"""Below this many independent units a percentile bootstrap covers too seldom (84 % with 5)."""


def cluster_interval(
    values: ArrayLike,
    clusters: NDArray[np.int64],
    *,
    ends: Sequence[Ends | None] = (None,),
    weights: ArrayLike | None = None,
    draws: int = 2000,
    level: float = 0.95,
    kind: Kind = "percentile",
    rng: np.random.Generator,
) -> tuple[Interval, ...]:
    """Interval of a mean over clustered items: a bootstrap, or another where units are few.

    Parameters
    ----------
    values, clusters, weights, draws, level, kind, rng
        As in `cluster_bootstrap`.
    ends
        Least and largest possible value (`SHARE`, `DIFFERENCE`), one pair for each column or one
        for all; None where there are none. Where one end is infinite, as of volumes and distances,
        an interval over few units is that of values without ends, cut at the other.

    Returns
    -------
    tuple of Interval
        One for each column, judged by itself: of many patients only a few may carry weight in it.
        Below `FEW_CLUSTERS` clusters that do it is `cluster_wilson` where the values have ends and
        `cluster_t` where they have none; `Interval.method` says which it was.

    Raises
    ------
    UsageError
        As in those; a value beyond its ends is found wherever `cluster_wilson` is asked.
    """
    sums = cluster_sums(values, clusters, weights=weights)
    few = np.count_nonzero(sums.denominators, axis=0) < FEW_CLUSTERS
    each = check_ends(ends, few.size)
    bounded = [is_few and one is not None for is_few, one in zip(few.tolist(), each, strict=True)]
    unbounded = [is_few and one is None for is_few, one in zip(few.tolist(), each, strict=True)]
    within = [one if asked else None for one, asked in zip(each, bounded, strict=True)]
    by_wilson = (
        cluster_wilson(values, clusters, ends=within, weights=weights, level=level)
        if any(bounded)
        else ()
    )
    by_t = cluster_t(values, clusters, weights=weights, level=level) if any(unbounded) else ()
    drawn = (
        cluster_bootstrap(
            values, clusters, weights=weights, draws=draws, level=level, kind=kind, rng=rng
        )
        if not few.all()
        else ()
    )
    stated = tuple(ends) * few.size if len(ends) == 1 else tuple(ends)
    return tuple(
        by_wilson[column]
        if bounded[column]
        else clip_to_ends(by_t[column], stated[column])
        if unbounded[column]
        else drawn[column]
        for column in range(few.size)
    )


def cluster_t(
    values: ArrayLike,
    clusters: NDArray[np.int64],
    *,
    weights: ArrayLike | None = None,
    level: float = 0.95,
) -> tuple[Interval, ...]:
    """Interval of a mean from the spread between clusters, with Student's t for few of them.

    Parameters
    ----------
    values
        (n,) or (n, columns) one value for each item.
    clusters
        (n,) cluster of each item.
    weights
        Same shape as `values`; what an item counts in the denominator. None counts each once.
    level
        Coverage, between 0 and 1.

    Returns
    -------
    tuple of Interval
        One for each column: mean ± t(G − 1) × standard error. Undefined, with a reason, where
        fewer than two clusters carry weight and where all clusters agree. Bounds may leave the
        range of the values: where that is known `cluster_wilson` keeps to it.

    Notes
    -----
    The standard error is the cluster-robust one of a ratio, √(G/(G−1) Σ u²)/Σ w with u the sum of
    w (value − mean) in a cluster, for G clusters (K.-Y. Liang and S. L. Zeger, Biometrika 73 (1986)
    13, doi:10.1093/biomet/73.1.13; t with G − 1 degrees: A. C. Cameron and D. L. Miller, J. Human
    Resources 50 (2015) 317). With a handful of clusters it can come out absurdly small by chance,
    so it is never taken smaller than the one of independent items.
    """
    check_level(level)
    table = as_table("values", values)
    weight = np.ones_like(table) if weights is None else as_table("weights", weights)
    sums = cluster_sums(table, clusters, weights=weight)
    return tuple(
        _interval(
            table[:, column],
            weight[:, column],
            sums.numerators[:, column],
            sums.denominators[:, column],
            level,
        )
        for column in range(table.shape[1])
    )


def _interval(
    values: NDArray[np.float64],
    weights: NDArray[np.float64],
    numerators: NDArray[np.float64],
    denominators: NDArray[np.float64],
    level: float,
) -> Interval:
    mean, reason = mean_or_reason(numerators, denominators)
    if mean is None or reason is not None:
        return Interval(
            value=mean, low=None, high=None, level=level, method="cluster t", reason=reason
        )
    total = float(denominators.sum())
    n_clusters = int(np.count_nonzero(denominators))
    between = numerators - mean * denominators
    error = np.sqrt(n_clusters / (n_clusters - 1) * float((between**2).sum())) / total
    n_items = int(np.count_nonzero(weights))
    within = float(((weights * (values - mean)) ** 2).sum())
    floor = np.sqrt(n_items / (n_items - 1) * within) / total
    half = _special.t_quantile(n_clusters - 1, (1 + level) / 2) * max(error, floor)
    return Interval(
        value=mean, low=mean - float(half), high=mean + float(half), level=level, method="cluster t"
    )
