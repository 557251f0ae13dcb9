"""Whether categories are used equally often."""

from __future__ import annotations

from collections.abc import Sequence

from overread.errors import UsageError, expected
from overread.stats import _special
from overread.stats.results import TestResult

__all__ = ["chi_square_uniform"]

_LEAST_EXPECTED = 5.0


def chi_square_uniform(counts: Sequence[int]) -> TestResult:
    """Test by chi-square whether categories are equally likely.

    Parameters
    ----------
    counts
        How often each category was seen, 0 or more.

    Returns
    -------
    TestResult
        Undefined below two categories, and below five expected in each, where the chi-square
        distribution is no good approximation.

    Raises
    ------
    UsageError
        A count is negative.

    Notes
    -----
    Source: K. Pearson, Phil. Mag. 50 (1900) 157, doi:10.1080/14786440009463897.

    Examples
    --------
    >>> f"{chi_square_uniform([30, 20, 25, 25]).p_value:.4f}"
    '0.5724'
    """
    if any(count < 0 for count in counts):
        raise UsageError(
            expected("counts", rule="0 or more", got=list(counts), remedy="Count occurrences.")
        )
    method = "chi-square"
    if len(counts) < 2:
        return TestResult(p_value=None, method=method, reason="fewer than two categories")
    mean = sum(counts) / len(counts)
    if mean < _LEAST_EXPECTED:
        return TestResult(p_value=None, method=method, reason="fewer than five expected in each")
    statistic = sum((count - mean) ** 2 for count in counts) / mean
    return TestResult(p_value=_special.chi_square_tail(statistic, len(counts) - 1), method=method)
