"""The Friedman test: whether several methods differ at all over the same cases."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from overread.errors import UsageError, expected
from overread.stats import _special
from overread.stats.ranking import rank_values

__all__ = ["FriedmanTest", "friedman"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FriedmanTest:
    """Chi-square and its p, or the reason why there is none."""

    statistic: float | None
    p_value: float | None
    n: int
    """Units (cases, patients)."""
    k: int
    """Methods."""
    reason: str | None = None


def friedman(table: ArrayLike, *, tolerance: float = 0.0) -> FriedmanTest:
    """Test whether methods share one distribution of ranks over independent units.

    Parameters
    ----------
    table
        (n, k) finite values: units by methods.
    tolerance
        Values of one unit that differ by no more than this are ties.

    Returns
    -------
    FriedmanTest
        With the correction for ties. Undefined below three methods or two units, and where every
        unit ties all methods.

    Raises
    ------
    UsageError
        The table is not two-dimensional or not finite.

    Notes
    -----
    Source: M. Friedman, J. Am. Stat. Assoc. 32 (1937) 675, doi:10.2307/2279372. The chi-square
    distribution is an approximation: below about ten units and four methods it is rough.

    Examples
    --------
    >>> test = friedman([[1, 2, 3], [1, 2, 3], [2, 1, 3], [1, 2, 3]])
    >>> f"{test.statistic:.1f} {test.p_value:.4f}"
    '6.5 0.0388'
    """
    values = np.asarray(table, dtype=np.float64)
    if values.ndim != 2 or not bool(np.isfinite(values).all()):
        raise UsageError(
            expected(
                "table",
                rule="finite values of shape (units, methods)",
                got=f"shape {values.shape}",
                remedy="Leave out units in which a method has no value.",
            )
        )
    n, k = values.shape
    if k < 3 or n < 2:
        reason = "fewer than three methods" if k < 3 else "fewer than two units"
        return FriedmanTest(statistic=None, p_value=None, n=n, k=k, reason=reason)
    ranks = rank_values(values, ties="average", tolerance=tolerance)
    # The variance of the ranks that there are, so that ties need no correction of their own.
    spread = float(((ranks - (k + 1) / 2) ** 2).sum()) / (n * (k - 1))
    if spread <= 0:
        reason = "every unit ties all methods"
        return FriedmanTest(statistic=None, p_value=None, n=n, k=k, reason=reason)
    between = float(((ranks.sum(axis=0) - n * (k + 1) / 2) ** 2).sum())
    statistic = between / (n * spread)
    return FriedmanTest(
        statistic=statistic, p_value=_special.chi_square_tail(statistic, k - 1), n=n, k=k
    )
