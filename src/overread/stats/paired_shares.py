"""Right and wrong answers to the same items twice: what the four counts alone tell.

These take items as independent and large in number, as papers do; `paired` respects clusters.
"""

from __future__ import annotations

import math
from statistics import NormalDist

from overread.errors import UsageError, expected
from overread.stats.intervals import Interval, check_level
from overread.stats.results import TestResult

__all__ = ["mcnemar_corrected", "paired_wald"]


def paired_wald(
    both: int, only_first: int, only_second: int, neither: int, *, level: float = 0.95
) -> Interval:
    """Wald interval of the difference of two shares of the same items.

    Parameters
    ----------
    both, only_first, only_second, neither
        How many items were right in both, in one alone, in neither.
    level
        Coverage, between 0 and 1.

    Returns
    -------
    Interval
        Of (only_first - only_second) / n, in -1..1. Undefined without an item, and where no item
        tells the two apart: it would have no width.

    Raises
    ------
    UsageError
        A count is negative.

    Notes
    -----
    Standard error √(b + c − (b − c)²/n) / n with b and c the two discordant counts (A. Agresti,
    Categorical Data Analysis, section on matched pairs). It covers its level only where b + c is
    some 20 or more; below that it is too narrow.

    Examples
    --------
    >>> found = paired_wald(40, 25, 10, 25)
    >>> f"{100 * found.value:.0f} ({100 * found.low:.2f} to {100 * found.high:.2f})"
    '15 (3.78 to 26.22)'
    """
    check_level(level)
    n = _total(both, only_first, only_second, neither)
    method = "paired wald"
    if n == 0:
        return Interval(
            value=None, low=None, high=None, level=level, method=method, reason="no items"
        )
    value = (only_first - only_second) / n
    discordant = only_first + only_second
    if discordant == 0:
        reason = "no item tells the two apart"
        return Interval(value=value, low=None, high=None, level=level, method=method, reason=reason)
    error = math.sqrt(discordant - (only_first - only_second) ** 2 / n) / n
    half = NormalDist().inv_cdf((1 + level) / 2) * error
    return Interval(
        value=value,
        low=max(-1.0, value - half),
        high=min(1.0, value + half),
        level=level,
        method=method,
    )


def mcnemar_corrected(only_first: int, only_second: int) -> TestResult:
    """McNemar's chi-square test with Edwards's continuity correction, as many papers print it.

    Parameters
    ----------
    only_first, only_second
        Items that exactly one of the two got right.

    Returns
    -------
    TestResult
        p of ``(|b − c| − 1)² / (b + c)`` with one degree of freedom, 1 where ``|b − c|`` is at
        most 1. Undefined when no item tells the two apart.

    Raises
    ------
    UsageError
        A count is negative.

    Notes
    -----
    Source: A. L. Edwards, Psychometrika 13 (1948) 185, doi:10.1007/BF02289261. `mcnemar_exact` is
    the one to use: it needs no large counts.

    Examples
    --------
    >>> f"{mcnemar_corrected(25, 10).p_value:.6f}"
    '0.017960'
    """
    n = _total(0, only_first, only_second, 0)
    method = "mcnemar with continuity correction"
    if n == 0:
        return TestResult(p_value=None, method=method, reason="no item tells the two apart")
    root = max(0.0, abs(only_first - only_second) - 1) / math.sqrt(n)
    # Chi-square with one degree of freedom is a squared normal: both tails beyond its root.
    return TestResult(p_value=math.erfc(root / math.sqrt(2)), method=method)


def _total(both: int, only_first: int, only_second: int, neither: int) -> int:
    counts = (both, only_first, only_second, neither)
    if min(counts) < 0:
        raise UsageError(
            expected(
                "counts",
                rule="four counts of 0 or more",
                got=counts,
                remedy="Count the items right in both, in one alone, in neither.",
            )
        )
    return sum(counts)
