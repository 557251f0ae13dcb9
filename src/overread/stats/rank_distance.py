"""How far two orders of the same things are from each other."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from overread.errors import UsageError, expected

__all__ = ["footrule", "tau_b", "weighted_footrule"]

_PAIRS_PER_CHUNK = 2_000_000


def tau_b(first: ArrayLike, second: ArrayLike) -> NDArray[np.float64]:
    """Kendall's tau-b, the rank correlation that allows for ties.

    Parameters
    ----------
    first
        (k,) ranks or values.
    second
        (k,) or (draws, k) ranks or values of the same k things.

    Returns
    -------
    NDArray
        () or (draws,) values from -1 to 1: (concordant - discordant) pairs over the root of the
        pairs untied in `first` times those untied in `second`. NaN, which stands for undefined,
        where either is all ties. A thing that is NaN in either takes no part.

    Raises
    ------
    UsageError
        Shapes disagree.

    Notes
    -----
    Source: M. G. Kendall, Biometrika 33 (1945) 239, doi:10.1093/biomet/33.3.239.

    Examples
    --------
    >>> f"{float(tau_b([1, 2, 2, 4], [1, 2, 3, 4])):.6f}"
    '0.912871'
    """
    one, rows, shape = _aligned(first, second)
    k = one.size
    upper = np.triu_indices(k, 1)
    found = np.full(rows.shape[0], np.nan, dtype=np.float64)
    chunk = max(1, _PAIRS_PER_CHUNK // max(1, upper[0].size))
    signs = _signs(one[np.newaxis, :], upper)
    for start in range(0, rows.shape[0], chunk):
        part = rows[start : start + chunk]
        other = _signs(part, upper)
        known = ~np.isnan(signs) & ~np.isnan(other)
        mine, theirs = np.where(known, signs, 0.0), np.where(known, other, 0.0)
        untied = (mine * mine).sum(axis=1) * (theirs * theirs).sum(axis=1)
        np.divide(
            (mine * theirs).sum(axis=1),
            np.sqrt(untied),
            out=found[start : start + chunk],
            where=untied > 0,
        )
    return np.clip(found, -1.0, 1.0).reshape(shape)


def footrule(first: ArrayLike, second: ArrayLike) -> NDArray[np.float64]:
    """Spearman's footrule: the sum of the absolute differences of ranks.

    Parameters and shapes are those of `tau_b`; 0 for equal ranks. NaN where any rank is NaN.

    Notes
    -----
    Source: C. Spearman, Br. J. Psychol. 2 (1906) 89, doi:10.1111/j.2044-8295.1906.tb00174.x.

    Examples
    --------
    >>> float(footrule([1, 2, 3, 4], [1, 2, 4, 3]))
    2.0
    """
    one, rows, shape = _aligned(first, second)
    return np.abs(rows - one).sum(axis=1).reshape(shape)


def weighted_footrule(first: ArrayLike, second: ArrayLike) -> NDArray[np.float64]:
    """Footrule in which moves near the top weigh more: the sum of ``|a - b| / min(a, b)``.

    Parameters and shapes are those of `tau_b`; ranks count from 1.

    Examples
    --------
    >>> float(weighted_footrule([1, 2, 3, 4], [2, 1, 3, 4]))
    2.0
    """
    one, rows, shape = _aligned(first, second)
    if bool((one < 1).any() or (rows < 1).any()):
        raise UsageError(
            expected(
                "first, second",
                rule="ranks that count from 1",
                got=float(min(one.min(), rows.min())),
                remedy="Rank the values first.",
            )
        )
    return (np.abs(rows - one) / np.minimum(rows, one)).sum(axis=1).reshape(shape)


def _aligned(
    first: ArrayLike, second: ArrayLike
) -> tuple[NDArray[np.float64], NDArray[np.float64], tuple[int, ...]]:
    """Give (k,), (draws, k) and the shape of the answer."""
    one, two = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if one.ndim != 1 or two.ndim not in (1, 2) or two.shape[-1:] != one.shape:
        raise UsageError(
            expected(
                "first, second",
                rule="(k,) and (k,) or (draws, k)",
                got=f"{one.shape} and {two.shape}",
                remedy="Rank the same things in both.",
            )
        )
    return one, np.atleast_2d(two), two.shape[:-1]


def _signs(
    rows: NDArray[np.float64], pairs: tuple[NDArray[np.intp], NDArray[np.intp]]
) -> NDArray[np.float64]:
    return np.sign(rows[:, pairs[0]] - rows[:, pairs[1]])
