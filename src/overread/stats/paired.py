"""Two readers of the same items: tests and intervals that keep the pairs together."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from overread.errors import UsageError, expected
from overread.stats import _special
from overread.stats.bootstrap import Kind, cluster_sums
from overread.stats.cluster_wilson import Ends
from overread.stats.few_clusters import cluster_interval
from overread.stats.intervals import Interval
from overread.stats.results import TestResult

__all__ = ["cluster_paired_difference", "mcnemar_exact", "paired_difference", "sign_flip"]

_EXACT_CLUSTERS = 14
"""Up to this many clusters all 2^clusters sign patterns are tried instead of drawn."""
_FLIPS_PER_CHUNK = 2_000_000


def mcnemar_exact(only_first: int, only_second: int) -> TestResult:
    """Test by exact McNemar whether two readers are right equally often on the same items.

    Parameters
    ----------
    only_first
        Items that only the first got right.
    only_second
        Items that only the second got right.

    Returns
    -------
    TestResult
        Twice the smaller binomial tail at one half, at most 1. Undefined when no item tells the
        two apart.

    Raises
    ------
    UsageError
        A count is negative.

    Notes
    -----
    Source: Q. McNemar, Psychometrika 12 (1947) 153, doi:10.1007/BF02295996, in its exact binomial
    form. It takes items as independent; `sign_flip` respects clusters.

    Examples
    --------
    >>> result = mcnemar_exact(10, 2)
    >>> f"{result.p_value:.4f}"
    '0.0386'
    """
    if only_first < 0 or only_second < 0:
        raise UsageError(
            expected(
                "only_first, only_second",
                rule="two counts of 0 or more",
                got=f"{only_first} and {only_second}",
                remedy="Count the items that exactly one of the two got right.",
            )
        )
    n = only_first + only_second
    if n == 0:
        return TestResult(
            p_value=None, method="mcnemar exact", reason="no item tells the two apart"
        )
    tail = _special.binomial_tail(min(only_first, only_second), n, 0.5)
    return TestResult(p_value=min(1.0, 2 * tail), method="mcnemar exact")


def cluster_paired_difference(
    first: ArrayLike,
    second: ArrayLike,
    clusters: NDArray[np.int64],
    *,
    ends: Ends | None = None,
    draws: int = 2000,
    level: float = 0.95,
    kind: Kind = "percentile",
    rng: np.random.Generator,
) -> Interval:
    """Mean difference of two readers over the same items, with an interval clustered by patient.

    Parameters
    ----------
    first, second
        (n,) values of the two readers, item by item.
    clusters
        (n,) cluster of each item.
    ends
        Least and largest value that a reader can have, such as `SHARE` for right or wrong; the
        difference then lies between (least - largest) and (largest - least). None where there are
        none.
    draws, level, kind, rng
        As in `cluster_bootstrap`; below `FEW_CLUSTERS` clusters the interval is `cluster_wilson`
        where there are ends, else `cluster_t`.

    Returns
    -------
    Interval
        Of mean(first - second). Undefined where `cluster_interval` is, for instance when all
        clusters show the same difference.

    Raises
    ------
    UsageError
        The two have different shapes.
    """
    difference = paired_difference(first, second)
    intervals = cluster_interval(
        difference,
        clusters,
        ends=(None if ends is None else (ends[0] - ends[1], ends[1] - ends[0]),),
        draws=draws,
        level=level,
        kind=kind,
        rng=rng,
    )
    return intervals[0]


def sign_flip(
    first: ArrayLike,
    second: ArrayLike,
    clusters: NDArray[np.int64],
    *,
    draws: int = 10_000,
    rng: np.random.Generator,
) -> TestResult:
    """Permutation test of a paired difference that swaps the two readers patient by patient.

    Parameters
    ----------
    first, second
        (n,) values of the two readers, item by item.
    clusters
        (n,) cluster of each item.
    draws
        How many random swaps; up to 14 clusters that differ all swaps are tried instead.
    rng
        Source of randomness.

    Returns
    -------
    TestResult
        Share of swaps whose summed difference is at least as large, either way; with random swaps
        the observed one counts among them, so p is never 0. Undefined when no cluster tells the
        two apart.

    Raises
    ------
    UsageError
        The two have different shapes.

    Notes
    -----
    Source: B. Phipson and G. K. Smyth, Stat. Appl. Genet. Mol. Biol. 9 (2010) 39,
    doi:10.2202/1544-6115.1585 (counting the observed arrangement).
    """
    sums = cluster_sums(paired_difference(first, second), clusters).numerators[:, 0]
    moving = sums[np.abs(sums) > 0]
    if moving.size == 0:
        return TestResult(p_value=None, method="sign flip", reason="no cluster tells the two apart")
    # Slack for sums that are equal but for rounding: an arrangement as extreme must count.
    total = float(moving.sum())
    observed = abs(total) - 1e-9 * float(np.abs(moving).sum())
    if moving.size <= _EXACT_CLUSTERS:
        numbers = np.arange(2**moving.size, dtype=np.int64)[:, np.newaxis]
        bits = np.left_shift(1, np.arange(moving.size, dtype=np.int64))
        patterns = (np.bitwise_and(numbers, bits) > 0).astype(np.float64)
        flipped = np.abs((1 - 2 * patterns) @ moving)
        return TestResult(
            p_value=float(np.mean(flipped >= observed)), method="sign flip, all swaps"
        )
    chunk = max(1, _FLIPS_PER_CHUNK // moving.size)
    as_large = 0
    for start in range(0, draws, chunk):
        signs = rng.integers(0, 2, size=(min(chunk, draws - start), moving.size), dtype=np.int8)
        flipped = np.abs(total - 2 * (signs.astype(np.float64) @ moving))
        as_large += int(np.count_nonzero(flipped >= observed))
    return TestResult(
        p_value=(1 + as_large) / (1 + draws), method=f"sign flip, {draws} random swaps"
    )


def paired_difference(first: ArrayLike, second: ArrayLike) -> NDArray[np.float64]:
    """Subtract the second reader's values from the first's, item by item; shape (n,).

    Raises
    ------
    UsageError
        The two have different shapes, or no shape (n,).
    """
    one, two = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if one.shape != two.shape or one.ndim != 1:
        raise UsageError(
            expected(
                "first, second",
                rule="two rows of values over the same items, each of shape (n,)",
                got=f"{one.shape} and {two.shape}",
                remedy="Join the two readers by item first.",
            )
        )
    return one - two
