from __future__ import annotations

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

from overread.errors import UsageError
from overread.stats.intervals import (
    binomial_band,
    binomial_mass,
    clopper_pearson,
    poisson_binomial_band,
    wilson,
)


def test_wilson_of_the_published_gpt4v_total() -> None:
    # CT-Bench, arXiv 2602.14879: 28.4 % of 1,900 test questions, that is 540.
    interval = wilson(540, 1900)
    assert (interval.low, interval.high) == pytest.approx((0.2644, 0.3049), abs=5e-5)
    assert interval.value == pytest.approx(540 / 1900)
    assert interval.defined


def test_wilson_by_hand() -> None:
    # 5 of 10 at z = 1.959964: centre 1/2, half = z sqrt(1/40 + z²/400) / (1 + z²/10).
    interval = wilson(5, 10)
    assert (interval.low, interval.high) == pytest.approx((0.236593, 0.763407), abs=1e-6)


@pytest.mark.parametrize(("count", "n"), [(80, 100), (56, 100), (3, 200), (33, 45)])
def test_wilson_bounds_solve_the_score_equation(count: int, n: int) -> None:
    # A bound is a share from which the observed one is exactly z standard errors away.
    interval = wilson(count, n)
    for bound in (interval.low, interval.high):
        assert abs(count / n - bound) == pytest.approx(1.9599640 * (bound * (1 - bound) / n) ** 0.5)


@given(st.integers(2, 500), st.data(), st.sampled_from([0.5, 0.9, 0.95, 0.99]))
def test_intervals_agree_with_statsmodels(n: int, data: st.DataObject, level: float) -> None:
    count = data.draw(st.integers(0, n))
    for ours, theirs in ((wilson, "wilson"), (clopper_pearson, "beta")):
        interval = ours(count, n, level=level)
        low, high = proportion_confint(count, n, alpha=1 - level, method=theirs)
        assert (interval.low, interval.high) == pytest.approx((low, high), abs=1e-9)
        assert interval.low <= count / n <= interval.high
        assert interval.low < interval.high


@given(st.integers(2, 300), st.data())
def test_wilson_mirrors_success_and_failure(n: int, data: st.DataObject) -> None:
    count = data.draw(st.integers(0, n))
    one, other = wilson(count, n), wilson(n - count, n)
    assert (one.low, one.high) == pytest.approx((1 - other.high, 1 - other.low), abs=1e-12)


@pytest.mark.parametrize("function", [wilson, clopper_pearson])
def test_fewer_than_two_items_have_no_interval(function) -> None:
    empty, single = function(0, 0), function(1, 1)
    assert (empty.value, empty.low, empty.high) == (None, None, None)
    assert empty.reason == "no items"
    assert single.value == 1.0
    assert not single.defined
    assert single.reason == "one item has no spread"


@pytest.mark.parametrize("function", [wilson, clopper_pearson])
@pytest.mark.parametrize(("count", "n"), [(-1, 10), (11, 10), (0, -1)])
def test_impossible_counts_are_refused(function, count: int, n: int) -> None:
    with pytest.raises(UsageError, match="successes: expected a number from 0 to n"):
        function(count, n)


@pytest.mark.parametrize("level", [0.0, 1.0, 95.0, -0.1])
def test_impossible_levels_are_refused(level: float) -> None:
    with pytest.raises(UsageError, match="level: expected a coverage between 0 and 1"):
        wilson(1, 2, level=level)


@pytest.mark.parametrize("share", [0.05, 0.25, 0.5, 0.8])
def test_intervals_cover_as_often_as_they_say(share: float) -> None:
    # Exact coverage at n = 100: sum of the probabilities of the counts whose interval holds the
    # share. Wilson is near 95 % on average over shares, Clopper-Pearson never below.
    counts = np.arange(101)
    mass = scipy.stats.binom.pmf(counts, 100, share)
    for function, least, most in ((wilson, 0.93, 0.98), (clopper_pearson, 0.95, 0.99)):
        holds = [
            (interval := function(int(count), 100)).low <= share <= interval.high
            for count in counts
        ]
        assert least <= float(mass @ np.array(holds)) <= most


def _coverage(function, n: int, shares: np.ndarray) -> np.ndarray:
    """Sum the probabilities of the counts whose 95 % interval holds each share; no simulation."""
    found = [function(count, n) for count in range(n + 1)]
    low, high = (np.array([getattr(one, end) for one in found]) for end in ("low", "high"))
    mass = scipy.stats.binom.pmf(np.arange(n + 1), n, shares[:, np.newaxis])
    inside = (low <= shares[:, np.newaxis]) & (shares[:, np.newaxis] <= high)
    return (mass * inside).sum(axis=1)


@pytest.mark.parametrize("n", [5, 10, 20, 50, 100, 400])
def test_coverage_is_what_the_docstrings_say(n: int) -> None:
    shares = np.linspace(0.05, 0.95, 181)
    covered = _coverage(wilson, n, shares)
    assert 0.949 <= covered.mean() <= 0.958
    assert covered.min() >= (0.927 if n >= 50 else 0.89)
    if n >= 100:
        middle = covered[(shares >= 0.2) & (shares <= 0.8)]
        assert middle.min() >= 0.935
        assert middle.max() <= 0.965
    assert _coverage(clopper_pearson, n, shares).min() >= 0.95


def test_chance_band_of_the_ct_bench_test_exam() -> None:
    # 25.0 ± 1.9 on 1,900 questions (arXiv 2602.14879); 0.75^200 for none right of 200.
    band = binomial_band(1900, 0.25)
    assert band.mean == 0.25
    assert band.low == pytest.approx(0.231, abs=1e-3)
    assert band.high == pytest.approx(0.269, abs=1e-3)
    assert binomial_mass(200, 0.25)[0] == pytest.approx(0.75**200, rel=1e-9)


@given(
    st.integers(1, 400),
    st.sampled_from([0.0, 0.1, 0.2, 0.25, 1 / 3, 0.5, 0.9, 1.0]),
    st.sampled_from([0.8, 0.95, 0.99]),
)
def test_band_agrees_with_scipy(n: int, chance: float, level: float) -> None:
    band = binomial_band(n, chance, level=level)
    tail = (1 - level) / 2
    distribution = scipy.stats.binom(n, chance)
    assert band.low * n == pytest.approx(distribution.ppf(tail), abs=1e-6)
    assert band.high * n == pytest.approx(distribution.ppf(1 - tail), abs=1e-6)
    low, high = round(band.low * n), round(band.high * n)
    inside = distribution.cdf(high) - distribution.cdf(low - 1)
    assert inside >= level - 1e-9


def test_band_of_unequal_chances_by_hand() -> None:
    # Chances 1/2 and 1/4: none right 3/8, one 4/8, both 1/8. The central 50 % runs from none to
    # one; the central 80 % (a tenth on either side) to both.
    half = poisson_binomial_band([0.5, 0.25], level=0.5)
    assert (half.mean, half.low, half.high) == (0.375, 0.0, 0.5)
    wide = poisson_binomial_band([0.25, 0.5], level=0.8)
    assert (wide.low, wide.high) == (0.0, 1.0)


def test_band_of_unequal_chances_holds_simulated_guessing() -> None:
    rng = np.random.default_rng(1)
    chances = np.repeat([0.25, 0.2, 0.5, 1.0], [300, 200, 50, 3])
    band = poisson_binomial_band(chances.tolist())
    shares = (rng.random((4000, chances.size)) < chances).mean(axis=1)
    inside = np.mean((shares >= band.low) & (shares <= band.high))
    assert 0.945 <= inside <= 0.975
    assert shares.mean() == pytest.approx(band.mean, abs=0.002)


@pytest.mark.parametrize("chances", [[], [0.25, 1.5], [-0.1], [float("nan")]])
def test_chances_that_are_no_probabilities_are_refused(chances: list[float]) -> None:
    with pytest.raises(UsageError, match="chances: expected one probability"):
        poisson_binomial_band(chances)


def test_no_items_have_no_band() -> None:
    with pytest.raises(UsageError, match="n: expected a count of 1 or more, got 0"):
        binomial_band(0, 0.25)
