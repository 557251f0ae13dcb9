"""The Wilcoxon signed-rank test, exact for few pairs, also over many resamples at once."""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special  # pyright: ignore[reportMissingTypeStubs] - scipy ships none

from overread.errors import UsageError, expected
from overread.stats.results import TestResult

__all__ = ["EXACT_PAIRS", "Alternative", "SignedRankMethod", "signed_rank", "signed_rank_draws"]

Alternative: TypeAlias = Literal["greater", "less", "two-sided"]
SignedRankMethod: TypeAlias = Literal["auto", "exact", "normal"]

EXACT_PAIRS = 25
"""Up to this many pairs that differ ``auto`` is exact: above it the normal approximation is right
to about 0.002, and below ten pairs it calls differences significant that cannot be (four equal
ones: 0.036 for 0.0625)."""
_EXACT_RESAMPLED = 12
"""The same for many resamples at once, which a hundred times as long a list of sums would slow."""
_MOST_EXACT_PAIRS = 400
_CELLS_PER_CHUNK = 1_000_000


def signed_rank(
    differences: ArrayLike,
    *,
    alternative: Alternative = "two-sided",
    method: SignedRankMethod = "auto",
    tolerance: float = 0.0,
) -> TestResult:
    """Test whether paired differences lie around 0 (Wilcoxon).

    Parameters
    ----------
    differences
        (n,) finite, one for each independent unit, such as a patient.
    alternative
        ``greater``: differences tend to be above 0.
    method
        ``exact``: the share of all sign patterns, given the ranks as they are, ties included;
        ``normal``: with corrections for ties and continuity; ``auto``: exact up to `EXACT_PAIRS`
        units that differ.
    tolerance
        Differences up to this are none, and absolute differences that close are ties.

    Returns
    -------
    TestResult
        Units without a difference are left out. Undefined when none differs.

    Raises
    ------
    UsageError
        Differences are no finite row of numbers, or too many for an exact test.

    Notes
    -----
    Source: F. Wilcoxon, Biometrics Bull. 1 (1945) 80, doi:10.2307/3001968. The exact test here
    stays exact with ties, where tables of the plain statistic are not.

    Examples
    --------
    >>> result = signed_rank([0.05, -0.02, 0.05, 0.05, 0.08, 0.01], alternative="greater")
    >>> result.p_value, result.method
    (0.046875, 'wilcoxon, exact')
    """
    row = _row(differences)
    n = int(np.count_nonzero(np.abs(row) > tolerance))
    used = _method(method, n)
    name = "wilcoxon, exact" if used == "exact" else "wilcoxon, normal approximation"
    if n == 0:
        return TestResult(p_value=None, method=name, reason="no unit tells the two apart")
    both = signed_rank_draws(
        row, np.ones((1, row.size), dtype=np.float64), method=used, tolerance=tolerance
    )
    greater, less = float(both[0, 0]), float(both[0, 1])
    p_value = {"greater": greater, "less": less, "two-sided": min(1.0, 2 * min(greater, less))}
    return TestResult(p_value=p_value[alternative], method=name)


def signed_rank_draws(
    differences: ArrayLike,
    counts: NDArray[np.float64],
    *,
    method: SignedRankMethod = "auto",
    tolerance: float = 0.0,
) -> NDArray[np.float64]:
    """Do `signed_rank` in every resample, one-sided either way.

    Parameters
    ----------
    differences
        (n,) finite differences.
    counts
        (draws, n) how often each unit was drawn: a unit drawn m times is m pairs, tied with each
        other.
    method
        As for `signed_rank`; ``auto`` chooses by the number of units that differ, once for all
        resamples: exact up to 12, and up to `EXACT_PAIRS` where there is one row.
    tolerance
        As for `signed_rank`.

    Returns
    -------
    NDArray
        (draws, 2) p of ``greater`` and of ``less``; NaN where no unit drawn differs.
    """
    row = _row(differences)
    if counts.ndim != 2 or counts.shape[1] != row.size:
        raise UsageError(
            expected(
                "counts",
                rule=f"shape (draws, {row.size})",
                got=counts.shape,
                remedy="Count how often each unit was drawn.",
            )
        )
    size = np.abs(row)
    kept = np.flatnonzero(size > tolerance)
    p_values = np.full((counts.shape[0], 2), np.nan, dtype=np.float64)
    if kept.size == 0:
        return p_values
    if method == "auto" and counts.shape[0] > 1 and kept.size > _EXACT_RESAMPLED:
        method = "normal"
    used = _method(method, kept.size)
    order = kept[np.argsort(size[kept], kind="stable")]
    starts = np.flatnonzero(np.diff(size[order], prepend=-np.inf) > tolerance)
    up = (row[order] > 0).astype(np.float64)
    chunk = max(1, _CELLS_PER_CHUNK // max(order.size, 2 * order.size**2 if used == "exact" else 1))
    for start in range(0, counts.shape[0], chunk):
        part = counts[start : start + chunk, order]
        ties = np.add.reduceat(part, starts, axis=1)
        ups = np.add.reduceat(part * up, starts, axis=1)
        doubled = 2 * np.cumsum(ties, axis=1) - ties + 1  # twice the mean rank of each group
        p_values[start : start + chunk] = (
            _exact(ties, ups, doubled) if used == "exact" else _normal(ties, ups, doubled)
        )
    return p_values


def _row(differences: ArrayLike) -> NDArray[np.float64]:
    row = np.asarray(differences, dtype=np.float64)
    if row.ndim != 1 or not bool(np.isfinite(row).all()):
        raise UsageError(
            expected(
                "differences",
                rule="a row of finite numbers, one for each unit",
                got=f"shape {row.shape}",
                remedy="Leave out pairs in which one side has no value.",
            )
        )
    return row


def _method(method: SignedRankMethod, n: int) -> Literal["exact", "normal"]:
    if method == "auto":
        return "exact" if n <= EXACT_PAIRS else "normal"
    if method == "exact" and n > _MOST_EXACT_PAIRS:
        raise UsageError(
            expected(
                "method",
                rule=f"'normal' or 'auto' above {_MOST_EXACT_PAIRS} pairs",
                got=f"'exact' for {n}",
                remedy="The two agree to the fourth digit there.",
            )
        )
    return method


def _normal(
    ties: NDArray[np.float64], ups: NDArray[np.float64], doubled: NDArray[np.float64]
) -> NDArray[np.float64]:
    n = ties.sum(axis=1)
    variance = n * (n + 1) * (2 * n + 1) / 24 - (ties * ties * ties - ties).sum(axis=1) / 48
    off = (ups * doubled).sum(axis=1) / 2 - n * (n + 1) / 4
    error = np.sqrt(np.where(variance > 0, variance, np.nan))
    return np.stack([special.ndtr((0.5 - off) / error), special.ndtr((0.5 + off) / error)], axis=1)


def _exact(
    ties: NDArray[np.float64], ups: NDArray[np.float64], doubled: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Share of sign patterns with a rank sum as far up, and as far down; one row a resample."""
    n = ties.sum(axis=1).astype(np.int64)
    longest = int(n.max())
    draws = ties.shape[0]
    # One rank for each pair, 0 for the places that a smaller resample leaves empty: a rank of 0
    # adds nothing to the sum either way.
    ranks = np.zeros((draws, longest), dtype=np.int64)
    groups = ties.astype(np.int64)
    filled = np.arange(longest) < n[:, np.newaxis]
    ranks[filled] = np.repeat(doubled.astype(np.int64).ravel(), groups.ravel())
    total = longest * (longest + 1)
    share = np.zeros((draws, total + 1), dtype=np.float64)
    share[:, 0] = 1.0
    columns = np.arange(total + 1)
    rows: NDArray[np.int64] = np.arange(draws, dtype=np.int64)[:, np.newaxis]
    for place in range(longest):
        source = columns - ranks[:, place, np.newaxis]
        moved = np.where(source >= 0, share[rows, np.maximum(source, 0)], 0.0)
        share = (share + moved) / 2
    observed = np.rint((ups * doubled).sum(axis=1)).astype(np.int64)
    tails = np.stack(
        [
            np.where(columns >= observed[:, np.newaxis], share, 0.0).sum(axis=1),
            np.where(columns <= observed[:, np.newaxis], share, 0.0).sum(axis=1),
        ],
        axis=1,
    )
    return np.where(n[:, np.newaxis] > 0, np.minimum(tails, 1.0), np.nan)
