"""The few special functions that stats needs, typed.

`scipy.special` is taken rather than `scipy.stats`: it holds the same functions and is imported in
a tenth of the time.
"""

from __future__ import annotations

import math
from functools import cache
from typing import cast

import numpy as np
from numpy.typing import NDArray
from scipy import special  # pyright: ignore[reportMissingTypeStubs] - scipy ships none

__all__ = [
    "beta_quantile",
    "binomial_probabilities",
    "binomial_tail",
    "binomial_tails",
    "chi_square_tail",
    "largest_count_within",
    "log_factorial",
    "noncentral_t_cdf",
    "normal_cdf",
    "normal_quantile",
    "t_cdf",
    "t_quantile",
]


def beta_quantile(a: float, b: float, probability: float) -> float:
    """Quantile of the beta distribution."""
    return float(special.betaincinv(a, b, probability))


def binomial_tail(successes: int, n: int, chance: float) -> float:
    """Probability of at most `successes` of `n`."""
    return float(special.bdtr(successes, n, chance))


def binomial_tails(
    successes: NDArray[np.int64], n: NDArray[np.int64], chance: float
) -> NDArray[np.float64]:
    """Probability of at most `successes` of `n`, element by element; 0 for fewer than none."""
    held = np.maximum(successes, 0).astype(np.float64)
    tails = cast("NDArray[np.float64]", special.bdtr(held, n, chance))
    return np.where(successes < 0, 0.0, tails)


def binomial_probabilities(
    successes: NDArray[np.int64], n: int, chance: float
) -> NDArray[np.float64]:
    """Probability of exactly `successes` of `n`, element by element."""
    k = successes.astype(np.float64)
    ways = special.gammaln(n + 1.0) - special.gammaln(k + 1) - special.gammaln(n - k + 1)
    log_chances = special.xlogy(k, chance) + special.xlog1py(n - k, -chance)
    return cast("NDArray[np.float64]", np.exp(ways + log_chances))


def largest_count_within(
    n: NDArray[np.int64], chance: float, probability: float
) -> NDArray[np.int64]:
    """Largest count with at most `probability` at or below it, for each `n`; -1 where none has."""
    guess = np.full(n.shape, np.nan, dtype=np.float64)
    some = n > 0
    guess[some] = special.bdtrik(probability, n[some], chance)
    count = np.floor(np.nan_to_num(guess)).astype(np.int64)
    # The inverse is approximate: step to where the condition holds, and to where it no longer does.
    for _ in range(2):
        count = np.where(binomial_tails(count, n, chance) > probability, count - 1, count)
    count = np.maximum(count, -1)
    for _ in range(2):
        up = binomial_tails(count + 1, n, chance) <= probability
        count = np.where(up & (count < n), count + 1, count)
    return count


def chi_square_tail(statistic: float, degrees: int) -> float:
    """Probability of a chi-square value above `statistic`."""
    return float(special.chdtrc(degrees, statistic))


def log_factorial(n: NDArray[np.float64] | NDArray[np.int64]) -> NDArray[np.float64]:
    """Logarithm of n!, element by element."""
    return cast("NDArray[np.float64]", special.gammaln(np.asarray(n, dtype=np.float64) + 1.0))


def normal_cdf(z: float) -> float:
    """Probability below `z` under the standard normal distribution."""
    return float(special.ndtr(z))


def normal_quantile(probability: float) -> float:
    """Value below which the standard normal distribution has `probability`."""
    return float(special.ndtri(probability))


def t_cdf(degrees: float, t: float) -> float:
    """Probability below `t` under Student's t with `degrees` of freedom."""
    return float(special.stdtr(degrees, t))


def noncentral_t_cdf(degrees: float, shift: float, t: float) -> float:
    """Probability below `t` under the noncentral t with `degrees` of freedom.

    Far out, where next to nothing is left, scipy's series gives NaN: there the definition is
    integrated, over the quantiles of the standard error, to four digits at least.
    """
    value = float(special.nctdtr(degrees, shift, t))
    if not math.isnan(value):
        return value
    probabilities, weights = _quadrature()
    scales = np.sqrt(2 * special.gammaincinv(degrees / 2, probabilities) / degrees)
    return float(weights @ special.ndtr(t * scales - shift))


@cache
def _quadrature() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Nodes between 0 and 1 and their weights, after Gauss and Legendre."""
    nodes, weights = np.polynomial.legendre.leggauss(400)
    return (nodes + 1) / 2, weights / 2


def t_quantile(degrees: float, probability: float) -> float:
    """Value below which Student's t with `degrees` of freedom has `probability`."""
    return float(special.stdtrit(degrees, probability))
