from __future__ import annotations

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from overread.stats import _special

_PROBABILITY = st.floats(0.001, 0.999)
_DEGREES = st.floats(1, 500)


@given(_PROBABILITY, _DEGREES, st.floats(-6, 6))
def test_normal_and_t_agree_with_scipy(probability: float, degrees: float, at: float) -> None:
    assert _special.normal_cdf(at) == pytest.approx(scipy.stats.norm.cdf(at), rel=1e-10)
    assert _special.normal_quantile(probability) == pytest.approx(
        scipy.stats.norm.ppf(probability), abs=1e-9
    )
    assert _special.t_cdf(degrees, at) == pytest.approx(scipy.stats.t.cdf(at, degrees), rel=1e-8)
    assert _special.t_quantile(degrees, probability) == pytest.approx(
        scipy.stats.t.ppf(probability, degrees), rel=1e-6, abs=1e-9
    )


@given(st.integers(0, 60), st.integers(1, 60), st.floats(0.01, 0.99), _PROBABILITY)
def test_binomial_and_beta_agree_with_scipy(
    successes: int, n: int, chance: float, probability: float
) -> None:
    k = min(successes, n)
    assert _special.binomial_tail(k, n, chance) == pytest.approx(
        scipy.stats.binom.cdf(k, n, chance), abs=1e-12
    )
    counts = np.arange(n + 1)
    masses = _special.binomial_probabilities(counts, n, chance)
    assert masses == pytest.approx(scipy.stats.binom.pmf(counts, n, chance), abs=1e-12)
    tails = _special.binomial_tails(np.array([-1, k]), np.array([n, n]), chance)
    assert tails == pytest.approx([0.0, scipy.stats.binom.cdf(k, n, chance)], abs=1e-12)
    assert _special.beta_quantile(k + 1, n - k + 1, probability) == pytest.approx(
        scipy.stats.beta.ppf(probability, k + 1, n - k + 1), abs=1e-9
    )


@given(st.integers(0, 80), st.sampled_from([0.1, 0.5, 0.9]), st.sampled_from([0.005, 0.025, 0.2]))
def test_the_largest_count_within_a_tail_is_found_by_counting(
    n: int, chance: float, probability: float
) -> None:
    within = [k for k in range(n + 1) if scipy.stats.binom.cdf(k, n, chance) <= probability]
    found = _special.largest_count_within(np.array([n]), chance, probability)
    assert found.tolist() == [max(within, default=-1)]


def test_chi_square_and_factorials_by_hand() -> None:
    assert _special.chi_square_tail(3.841458820694124, 1) == pytest.approx(0.05)
    assert _special.chi_square_tail(5.991464547107979, 2) == pytest.approx(0.05)  # exp(-x/2)
    logs = _special.log_factorial(np.array([0, 1, 5, 10]))
    assert np.exp(logs) == pytest.approx([1, 1, 120, 3_628_800])


@pytest.mark.parametrize(
    ("degrees", "shift", "t"), [(4, 1.0, 2.5), (30, -2.0, -1.0), (9, 3.0, 2.2)]
)
def test_noncentral_t_agrees_with_scipy(degrees: int, shift: float, t: float) -> None:
    theirs = float(scipy.stats.nct.cdf(t, degrees, shift))
    assert _special.noncentral_t_cdf(degrees, shift, t) == pytest.approx(theirs, rel=1e-6)
