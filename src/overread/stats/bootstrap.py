"""Bootstrap of means over items that come in clusters, such as several questions a patient.

Whole clusters are drawn with replacement, so that items which share a patient stay together. A
mean is a ratio of sums over the drawn clusters; therefore each cluster is reduced to its two sums
once, and a draw costs one row of a matrix product instead of a pass over the items.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from overread.errors import UsageError, expected
from overread.stats import _special
from overread.stats.intervals import Interval, check_level

__all__ = [
    "ClusterSums",
    "Kind",
    "as_table",
    "cluster_bootstrap",
    "cluster_codes",
    "cluster_draws",
    "cluster_sums",
    "mean_or_reason",
]

Kind: TypeAlias = Literal["percentile", "bca"]

_COUNTS_PER_CHUNK = 250_000
"""Draws × clusters held at once: about 6 MB, small beside what a run holds anyway."""
_MOST_UNDEFINED_DRAWS = 0.01
"""Share of draws with an empty denominator above which an interval is undefined."""
_NO_VARIATION = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterSums:
    """What the bootstrap needs of the items: two sums for each cluster and column.

    Attributes
    ----------
    numerators, denominators
        (clusters, columns) sums of weight × value and of weight. The estimate of a column is the
        ratio of their totals.
    """

    numerators: NDArray[np.float64]
    denominators: NDArray[np.float64]

    @property
    def n_clusters(self) -> int:
        """How many clusters there are."""
        return int(self.numerators.shape[0])


def cluster_codes(labels: Sequence[str]) -> NDArray[np.int64]:
    """Give each distinct label a number from 0, by first appearance; shape (n,)."""
    codes: dict[str, int] = {}
    return np.array([codes.setdefault(label, len(codes)) for label in labels], dtype=np.int64)


def cluster_sums(
    values: ArrayLike, clusters: NDArray[np.int64], *, weights: ArrayLike | None = None
) -> ClusterSums:
    """Reduce items to sums by cluster.

    Parameters
    ----------
    values
        (n,) or (n, columns) one value for each item; columns are models, metrics or both. Finite.
    clusters
        (n,) whole numbers of 0 or more: which cluster an item belongs to (`cluster_codes`).
    weights
        Same shape as `values`: what an item counts in the denominator, 1 or 0 for an item that is
        in or out. None counts every item once.

    Raises
    ------
    UsageError
        Shapes disagree, a number is not finite, or a weight is negative.
    """
    table = as_table("values", values)
    weight = np.ones_like(table) if weights is None else as_table("weights", weights)
    codes = np.asarray(clusters)
    if weight.shape != table.shape or codes.shape != (table.shape[0],):
        raise UsageError(
            expected(
                "values, weights, clusters",
                rule="(n, columns), (n, columns) and (n,)",
                got=f"{table.shape}, {weight.shape} and {codes.shape}",
                remedy="Give one row for each item.",
            )
        )
    if bool(np.any(weight < 0)):
        raise UsageError(
            expected("weights", rule="0 or more", got=float(weight.min()), remedy="Use 0 or 1.")
        )
    used, index = np.unique(codes, return_inverse=True)
    numerators = np.zeros((used.size, table.shape[1]), dtype=np.float64)
    denominators = np.zeros_like(numerators)
    for column in range(table.shape[1]):
        products = table[:, column] * weight[:, column]
        numerators[:, column] = np.bincount(index, weights=products, minlength=used.size)
        denominators[:, column] = np.bincount(index, weights=weight[:, column], minlength=used.size)
    return ClusterSums(numerators=numerators, denominators=denominators)


def cluster_draws(
    sums: ClusterSums, *, draws: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Means over resampled clusters; every column sees the same resamples.

    Parameters
    ----------
    sums
        Items reduced by `cluster_sums`.
    draws
        How many resamples, at least 1.
    rng
        Source of randomness. The same generator state gives the same draws.

    Returns
    -------
    NDArray
        (draws, columns) means; NaN where a resample has an empty denominator.

    Notes
    -----
    Columns share their resamples, so the difference of two columns is a paired draw, and a
    composite of several columns can be formed row by row.
    """
    if draws < 1:
        raise UsageError(
            expected("draws", rule="a count of 1 or more", got=draws, remedy="Use 2000.")
        )
    n_clusters, columns = sums.numerators.shape
    both = np.concatenate([sums.numerators, sums.denominators], axis=1)
    means = np.full((draws, columns), np.nan, dtype=np.float64)
    if n_clusters == 0:
        return means
    chunk = max(1, _COUNTS_PER_CHUNK // n_clusters)
    for start in range(0, draws, chunk):
        stop = min(start + chunk, draws)
        totals = _resample_counts(n_clusters, stop - start, rng) @ both
        np.divide(
            totals[:, :columns],
            totals[:, columns:],
            out=means[start:stop],
            where=totals[:, columns:] > 0,
        )
    return means


def cluster_bootstrap(
    values: ArrayLike,
    clusters: NDArray[np.int64],
    *,
    weights: ArrayLike | None = None,
    draws: int = 2000,
    level: float = 0.95,
    kind: Kind = "percentile",
    rng: np.random.Generator,
) -> tuple[Interval, ...]:
    """Interval of a mean over clustered items, one for each column.

    Parameters
    ----------
    values
        (n,) or (n, columns) one value for each item.
    clusters
        (n,) cluster of each item.
    weights
        Same shape as `values`; what an item counts in the denominator. None counts each once.
    draws
        How many resamples.
    level
        Coverage, between 0 and 1.
    kind
        ``percentile``, or ``bca`` (bias-corrected and accelerated) for skewed statistics.
    rng
        Source of randomness.

    Returns
    -------
    tuple of Interval
        One for each column. Undefined, with a reason, where fewer than two clusters carry weight,
        where all clusters agree (the draws would have no width, which is not certainty), and
        where more than 1 % of the draws have an empty denominator.

    Raises
    ------
    UsageError
        Shapes disagree or an argument is out of range.

    Notes
    -----
    Sources: A. C. Davison and D. V. Hinkley, Bootstrap Methods and their Application (1997),
    3.8 (resampling whole clusters) and 5.3 (BCa, with the acceleration from a jackknife over
    clusters). With few clusters either interval is too narrow: simulated, with patients of one to
    eight questions, a 95 % interval covers 84 % with 5 patients and 90 % with 10; the caller says
    so. For shares of 50 and 80 %, independent or alike by 0.3 within a patient (4,500 exams each,
    so ± 0.7 %), it covers 91 to 94 % with 20 and 30 patients, 93 to 94.5 % with 50 and 93.8 to
    95.2 % with 100 to 300; ``bca`` one point more with 20.
    """
    check_level(level)
    sums = cluster_sums(values, clusters, weights=weights)
    means = cluster_draws(sums, draws=draws, rng=rng)
    return tuple(
        _interval(sums, means[:, column], column, level, kind) for column in range(means.shape[1])
    )


def _interval(
    sums: ClusterSums, drawn: NDArray[np.float64], column: int, level: float, kind: Kind
) -> Interval:
    numerators = sums.numerators[:, column]
    denominators = sums.denominators[:, column]
    value, reason = mean_or_reason(numerators, denominators)
    method = "cluster bootstrap" if kind == "percentile" else "cluster bootstrap, bca"

    def undefined(reason: str) -> Interval:
        return Interval(value=value, low=None, high=None, level=level, method=method, reason=reason)

    if value is None or reason is not None:
        return undefined(reason or "no items")
    kept = drawn[~np.isnan(drawn)]
    if kept.size < (1 - _MOST_UNDEFINED_DRAWS) * drawn.size:
        return undefined("too few clusters carry an answer")
    tail = (1.0 - level) / 2
    ends = (tail, 1 - tail)
    if kind == "bca":
        ends = _bca_ends(numerators, denominators, kept, value, ends)
    low, high = (float(end) for end in np.quantile(kept, ends))
    if not high > low:
        return undefined("the draws do not vary")
    return Interval(value=value, low=low, high=high, level=level, method=method)


def mean_or_reason(
    numerators: NDArray[np.float64], denominators: NDArray[np.float64]
) -> tuple[float | None, str | None]:
    """Mean of one column of cluster sums, and why the clusters allow no interval of it.

    Parameters
    ----------
    numerators, denominators
        (clusters,) one column of `ClusterSums`.

    Returns
    -------
    value, reason
        `value` is None without items; `reason` is None where the clusters differ.
    """
    total = float(denominators.sum())
    if total <= 0:
        return None, "no items"
    value = float(numerators.sum()) / total
    if int(np.count_nonzero(denominators)) < 2:
        return value, "one cluster has no spread"
    residuals = numerators - value * denominators
    if float(np.abs(residuals).max()) <= _NO_VARIATION * max(1.0, float(denominators.max())):
        return value, "all clusters agree: no variation to resample"
    return value, None


def _bca_ends(
    numerators: NDArray[np.float64],
    denominators: NDArray[np.float64],
    drawn: NDArray[np.float64],
    value: float,
    ends: tuple[float, float],
) -> tuple[float, float]:
    # Ties with the estimate count half: accuracies are discrete.
    below = (np.count_nonzero(drawn < value) + np.count_nonzero(drawn <= value)) / 2
    bias = _special.normal_quantile(min(max(below, 0.5), drawn.size - 0.5) / drawn.size)
    left = denominators.sum() - denominators
    kept = left > 0
    without = (numerators.sum() - numerators)[kept] / left[kept]
    spread = without.mean() - without
    scale = float((spread**2).sum()) ** 1.5
    acceleration = float((spread**3).sum()) / (6 * scale) if scale > 0 else 0.0

    def moved(end: float) -> float:
        z = bias + _special.normal_quantile(end)
        return _special.normal_cdf(bias + z / (1 - acceleration * z))

    return moved(ends[0]), moved(ends[1])


def _resample_counts(n_clusters: int, draws: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """How often each cluster is drawn, (draws, n_clusters): one bincount for all draws."""
    picks = rng.integers(0, n_clusters, size=(draws, n_clusters))
    picks += np.arange(draws, dtype=np.int64)[:, np.newaxis] * n_clusters
    counts = np.bincount(picks.ravel(), minlength=draws * n_clusters)
    return counts.reshape(draws, n_clusters).astype(np.float64)


def as_table(name: str, values: ArrayLike) -> NDArray[np.float64]:
    """Read values as a table (n, columns). UsageError for other shapes and for NaN."""
    array = np.asarray(values, dtype=np.float64)
    table = array[:, np.newaxis] if array.ndim == 1 else array
    if table.ndim != 2 or not bool(np.isfinite(table).all()):
        raise UsageError(
            expected(
                name,
                rule="finite numbers of shape (n,) or (n, columns)",
                got=f"shape {array.shape}",
                remedy="Take undefined items out through a weight of 0, never as NaN.",
            )
        )
    return table
