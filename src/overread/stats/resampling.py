"""How often each unit is drawn: resamples as counts, by a seeded stream each, or all of them.

A resample is a row of counts, so that a unit drawn m times weighs m times and is never merged
with itself. Statistics of resamples are then sums weighted by counts.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from overread.errors import UsageError, expected
from overread.stats import _special

__all__ = ["all_resamples", "n_resamples", "resample_counts"]

_MOST_RESAMPLES = 1_000_000


def resample_counts(
    n: int, *, draws: int, rng: np.random.Generator
) -> Iterator[NDArray[np.float64]]:
    """Draw `n` of `n` units with replacement, again and again.

    Parameters
    ----------
    n
        Units, 1 or more.
    draws
        Resamples, 1 or more.
    rng
        Each resample gets a stream of its own that this one spawns: resample number b is the same
        however many are drawn and however they are gathered.

    Yields
    ------
    NDArray
        (n,) counts that sum to `n`.

    Raises
    ------
    UsageError
        `n` or `draws` is below 1.
    """
    if n < 1 or draws < 1:
        raise UsageError(
            expected("n, draws", rule="1 or more", got=f"{n}, {draws}", remedy="Give both.")
        )
    for stream in rng.spawn(draws):
        yield np.bincount(stream.integers(0, n, size=n), minlength=n).astype(np.float64)


def n_resamples(n: int) -> int:
    """How many resamples of `n` units differ: C(2n - 1, n)."""
    return comb(2 * n - 1, n)


def all_resamples(n: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """List every resample of `n` units with its probability: a bootstrap without chance.

    Parameters
    ----------
    n
        Units; 9 have 24,310 resamples, 11 have 352,716.

    Returns
    -------
    counts, probabilities
        (resamples, n) and (resamples,); the probabilities sum to 1.

    Raises
    ------
    UsageError
        Fewer than one unit, or more than a million resamples.

    Notes
    -----
    The multinomial distribution: n! / Π c! / n**n (P. Diaconis and S. Holmes, Statistica Sinica 4
    (1994) 657).

    Examples
    --------
    >>> counts, probabilities = all_resamples(2)
    >>> counts.tolist(), probabilities.tolist()
    ([[2.0, 0.0], [1.0, 1.0], [0.0, 2.0]], [0.25, 0.5, 0.25])
    """
    if n < 1 or n_resamples(n) > _MOST_RESAMPLES:
        raise UsageError(
            expected(
                "n",
                rule=f"1 or more units with at most {_MOST_RESAMPLES:,} resamples",
                got=n,
                remedy="Draw resamples instead.",
            )
        )
    # Stars and bars: n - 1 bars among 2n - 1 places part n stars into n counts.
    bars = np.array(list(combinations(range(2 * n - 1), n - 1)), dtype=np.int64)
    bars = bars.reshape(n_resamples(n), n - 1)
    ends = np.full((len(bars), 1), 2 * n - 1, dtype=np.int64)
    counts = np.diff(np.concatenate([np.full_like(ends, -1), bars, ends], axis=1), axis=1) - 1
    counts = counts[::-1].astype(np.float64)
    logs = _special.log_factorial(np.array([float(n)])) - _special.log_factorial(counts).sum(axis=1)
    probabilities = np.exp(logs - n * np.log(n))
    return counts, probabilities / probabilities.sum()
