"""What an exam can show: the power of a comparison, and what it would take to settle it.

Three questions, each answered for any estimate with a standard error (two-sided t test) and for
right or wrong answers to the same questions (McNemar): how likely is a difference found, how small
a difference is still found, and how many independent units (patients) does a difference need.

Items that share a patient are no independent units. For shares, divide items by the design effect
(`spread.cluster_spread`) before asking; for estimates, take a standard error that knows clusters.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

import numpy as np

from overread.errors import UsageError, expected
from overread.stats import _special
from overread.stats.intervals import check_level, two_sided_z

__all__ = [
    "clusters_needed",
    "difference_power",
    "fewest_units",
    "mcnemar_pairs_needed",
    "mcnemar_power",
    "mcnemar_smallest_difference",
    "smallest_difference",
]

_NORMAL_FROM: Final = 1e6
"""Degrees of freedom from which Student's t is the normal distribution to six digits."""
_MOST_CLUSTERS: Final = 10**15
"""A difference that would need more is as good as none."""
_MASS_KEPT: Final = 12.0
"""Standard deviations of the number of discordant pairs that are summed over."""


def difference_power(
    difference: float,
    standard_error: float,
    *,
    degrees: float | None = None,
    level: float = 0.95,
) -> float:
    """Probability that a two-sided t test finds a true difference.

    Parameters
    ----------
    difference
        The true difference, in any unit.
    standard_error
        Of its estimate, in the same unit; above 0. For clustered items the cluster-robust one.
    degrees
        Degrees of freedom of that standard error, 1 or more: clusters less one. None takes it as
        known (normal distribution).
    level
        One less the level of the test, between 0 and 1.

    Returns
    -------
    float
        0..1; at a difference of 0 it is 1 - `level`. A finding of the wrong sign counts, as is
        usual for a two-sided test.

    Raises
    ------
    UsageError
        An argument is out of range.

    Examples
    --------
    >>> f"{difference_power(2.8016, 1.0):.3f}"  # the sum of the quantiles 1.9600 and 0.8416
    '0.800'
    """
    check_level(level)
    _check_positive("standard_error", standard_error)
    _check_degrees(degrees)
    return _power_at(difference / standard_error, degrees, level)


def smallest_difference(
    standard_error: float,
    *,
    degrees: float | None = None,
    power: float = 0.8,
    level: float = 0.95,
) -> float:
    """Give the smallest true difference that a two-sided t test finds with the power asked for.

    Parameters
    ----------
    standard_error, degrees, level
        As in `difference_power`.
    power
        Probability of finding it, above 1 - `level` and below 1.

    Returns
    -------
    float
        In the unit of `standard_error`; about 2.8 of it for 80 % power and many clusters.

    Raises
    ------
    UsageError
        An argument is out of range.

    Notes
    -----
    Exact for normal estimates: the noncentral t distribution, solved by bisection.

    Examples
    --------
    >>> f"{smallest_difference(0.01):.4f}"
    '0.0280'
    """
    check_level(level)
    _check_positive("standard_error", standard_error)
    _check_degrees(degrees)
    _check_power(power, level)

    def is_found(ratio: float) -> bool:
        return _power_at(ratio, degrees, level) >= power

    return _bisect(is_found, _first_true(is_found)) * standard_error


def clusters_needed(
    difference: float, spread: float, *, power: float = 0.8, level: float = 0.95
) -> int | None:
    """How many clusters a two-sided t test needs to find a true difference.

    Parameters
    ----------
    difference
        The true difference, in any unit.
    spread
        Standard error of its estimate × √clusters, in the same unit; above 0. It does not change
        when more clusters of the same kind are added.
    power, level
        As in `smallest_difference`.

    Returns
    -------
    int or None
        Clusters in all, at least 2. None for a difference of 0, which no number of clusters shows.

    Raises
    ------
    UsageError
        An argument is out of range.

    Examples
    --------
    >>> clusters_needed(0.5, 1.0)  # the textbook's 34 pairs for half a standard deviation
    34
    """
    check_level(level)
    _check_positive("spread", spread)
    _check_power(power, level)
    ratio = abs(difference) / spread
    if ratio == 0:
        return None

    def is_found(clusters: int) -> bool:
        return _power_at(ratio * math.sqrt(clusters), clusters - 1, level) >= power

    high = 2
    while not is_found(high):
        high *= 2
        if high > _MOST_CLUSTERS:
            return None
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_found(middle) else (middle, high)
    return high


def fewest_units(level: float) -> int:
    """How many units an exact test needs where all of them favour the same reader.

    Below it neither exact McNemar (units are items) nor a swap of the readers unit by unit can give
    a p of 1 - `level`, whatever comes out: the smallest two-sided p of n units is 2 / 2^n.

    Raises
    ------
    UsageError
        `level` is out of range.

    Examples
    --------
    >>> fewest_units(0.95), fewest_units(0.99)
    (6, 8)
    """
    return math.ceil(1 - math.log2(1 - check_level(level)) - 1e-12)


def mcnemar_power(only_first: float, only_second: float, n: int, *, level: float = 0.95) -> float:
    """Probability that exact McNemar tells two readers apart.

    Parameters
    ----------
    only_first, only_second
        Probability that an item is right by the first reader alone, and by the second alone.
    n
        Number of independent items both are asked, 0 or more.
    level
        One less the level of the test, between 0 and 1.

    Returns
    -------
    float
        Probability of p at or below 1 - `level`, over all that can come out, exact. It can fall by
        a little as `n` grows, because counts are whole.

    Raises
    ------
    UsageError
        A probability is no probability, or the two sum to more than 1; `n` is negative.

    Notes
    -----
    Source: S. W. Duffy, Biometrics 40 (1984) 1005, doi:10.2307/2531151: the power given the number
    of discordant items, weighted by the probability of that number.

    Examples
    --------
    >>> mcnemar_power(1.0, 0.0, 5), mcnemar_power(1.0, 0.0, 6)  # 2 / 2^6 is below 0.05
    (0.0, 1.0)
    """
    check_level(level)
    discordant = only_first + only_second
    if min(only_first, only_second) < 0 or discordant > 1 + 1e-12 or math.isnan(discordant):
        raise UsageError(
            expected(
                "only_first, only_second",
                rule="two probabilities that sum to 1 at most",
                got=f"{only_first} and {only_second}",
                remedy="Divide the counts by the number of items.",
            )
        )
    if n < 0:
        raise UsageError(
            expected("n", rule="a count of 0 or more", got=n, remedy="Give the number of items.")
        )
    discordant = min(discordant, 1.0)
    if discordant == 0 or n == 0:
        return 0.0
    middle, reach = n * discordant, _MASS_KEPT * math.sqrt(n * discordant * (1 - discordant)) + 40
    counts = np.arange(max(0, math.floor(middle - reach)), min(n, math.ceil(middle + reach)) + 1)
    chance = only_first / (only_first + only_second)
    furthest = _special.largest_count_within(counts, 0.5, (1 - level) / 2)
    found = np.where(
        furthest >= 0,
        _special.binomial_tails(furthest, counts, chance)
        + _special.binomial_tails(furthest, counts, 1 - chance),
        0.0,
    )
    return float(min(1.0, _special.binomial_probabilities(counts, n, discordant) @ found))


def mcnemar_pairs_needed(
    difference: float, discordant: float, *, power: float = 0.8, level: float = 0.95
) -> int | None:
    """How many independent items McNemar's test needs to find a true difference of two shares.

    Parameters
    ----------
    difference
        True difference of the two shares, -1..1.
    discordant
        Share of items that exactly one of the two gets right, 0..1; never below the difference.
    power, level
        As in `smallest_difference`.

    Returns
    -------
    int or None
        Items in all; times the design effect where items hang together. None for a difference of
        0, which no number of items shows.

    Raises
    ------
    UsageError
        An argument is out of range, or fewer items are discordant than the difference needs.

    Notes
    -----
    Source: R. J. Connor, Biometrics 43 (1987) 207, doi:10.2307/2531961: the test's variance without
    and with the difference, (z √ψ + z' √(ψ - δ²))² / δ². The exact test needs a few items more
    where few are discordant; `mcnemar_power` says what a number of items gives it.

    Examples
    --------
    >>> mcnemar_pairs_needed(0.15, 0.45)
    155
    """
    check_level(level)
    _check_power(power, level)
    gap = abs(difference)
    if not gap <= discordant <= 1:
        raise UsageError(
            expected(
                "difference, discordant",
                rule="a share of discordant items from the difference to 1",
                got=f"{difference} and {discordant}",
                remedy="Each item that makes a difference is a discordant one.",
            )
        )
    if gap == 0:
        return None
    pairs = max(_connor(gap, discordant, power, level), fewest_units(level))
    return None if pairs > _MOST_CLUSTERS else math.ceil(pairs - 1e-9)


def mcnemar_smallest_difference(
    n: float, discordant: float, *, power: float = 0.8, level: float = 0.95
) -> float | None:
    """Give the smallest true difference of two shares that McNemar's test finds.

    Parameters
    ----------
    n
        Independent items both are asked, above 0; items over design effect where they hang
        together.
    discordant
        Share of items that exactly one of the two gets right, 0..1, as observed. A difference
        beyond it brings its own discordant items.
    power, level
        As in `smallest_difference`.

    Returns
    -------
    float or None
        0..1. None where not even readers who differ on every item would be told apart: below six
        items at a level of 0.95.

    Raises
    ------
    UsageError
        An argument is out of range.

    Notes
    -----
    Connor's formula (see `mcnemar_pairs_needed`) solved for the difference.

    Examples
    --------
    >>> f"{mcnemar_smallest_difference(155, 0.45):.2f}"
    '0.15'
    """
    check_level(level)
    _check_power(power, level)
    _check_positive("n", n)
    if not 0 <= discordant <= 1:
        raise UsageError(
            expected("discordant", rule="a share, 0 to 1", got=discordant, remedy="Divide by n.")
        )

    if n < fewest_units(level):
        return None

    def is_found(gap: float) -> bool:
        return _connor(gap, max(gap, discordant), power, level) <= n

    return _bisect(is_found, 1.0) if is_found(1.0) else None


def _connor(gap: float, discordant: float, power: float, level: float) -> float:
    alone = two_sided_z(level) * math.sqrt(discordant)
    beside = _special.normal_quantile(power) * math.sqrt(max(0.0, discordant - gap**2))
    # Below a power of one half the second term is negative, and may not outweigh the first.
    return (max(0.0, alone + beside) / gap) ** 2


def _power_at(ratio: float, degrees: float | None, level: float) -> float:
    """Power where the difference is `ratio` standard errors."""
    if degrees is None or degrees > _NORMAL_FROM:
        z = two_sided_z(level)
        return _special.normal_cdf(ratio - z) + _special.normal_cdf(-ratio - z)
    edge = _special.t_quantile(degrees, (1 + level) / 2)
    size = abs(ratio)
    below = _special.noncentral_t_cdf(degrees, size, edge)
    return min(1.0, 1.0 - below + _special.noncentral_t_cdf(degrees, size, -edge))


def _first_true(is_found: Callable[[float], bool]) -> float:
    high = 1.0
    while not is_found(high):
        high *= 2
    return high


def _bisect(is_found: Callable[[float], bool], high: float) -> float:
    """Find where a condition that holds from somewhere on begins to; it holds at `high`."""
    low = 0.0
    for _ in range(100):
        middle = (low + high) / 2
        if not low < middle < high:
            break
        low, high = (low, middle) if is_found(middle) else (middle, high)
    return high


def _check_positive(name: str, value: float) -> None:
    if not 0 < value < math.inf:
        raise UsageError(
            expected(
                name,
                rule="a number above 0",
                got=value,
                remedy="Without any variation nothing can be said about more of the same.",
            )
        )


def _check_degrees(degrees: float | None) -> None:
    if degrees is not None and not degrees >= 1:
        raise UsageError(
            expected(
                "degrees",
                rule="1 or more, or None",
                got=degrees,
                remedy="Give the number of clusters less one.",
            )
        )


def _check_power(power: float, level: float) -> None:
    if not 1 - level < power < 1:
        raise UsageError(
            expected(
                "power",
                rule=f"a probability above {1 - level:.3g} and below 1",
                got=power,
                remedy="Use 0.8.",
            )
        )
