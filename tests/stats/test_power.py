from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.stats import binom
from statsmodels.stats.power import TTestPower

from overread.errors import UsageError
from overread.stats.few_clusters import cluster_t
from overread.stats.paired import mcnemar_exact
from overread.stats.power import (
    clusters_needed,
    difference_power,
    fewest_units,
    mcnemar_pairs_needed,
    mcnemar_power,
    mcnemar_smallest_difference,
    smallest_difference,
)

# ---------------------------------------------------------------- any estimate


@pytest.mark.parametrize("clusters", [2, 3, 5, 12, 40])
@pytest.mark.parametrize("effect", [0.0, 0.1, 0.5, 0.9])
@pytest.mark.parametrize("level", [0.9, 0.95])
def test_power_is_that_of_a_one_sample_t_test(clusters, effect, level) -> None:
    theirs = TTestPower().power(effect, nobs=clusters, alpha=1 - level)
    ours = difference_power(effect, 1 / math.sqrt(clusters), degrees=clusters - 1, level=level)
    assert ours == pytest.approx(float(theirs), abs=1e-8)


@pytest.mark.parametrize("degrees", [1, 4, 59, 5000, 2_000_000, None])
def test_power_of_a_vast_difference_is_one(degrees) -> None:
    assert difference_power(1e6, 1.0, degrees=degrees) == 1.0
    assert difference_power(60.0, 1.0, degrees=degrees) > 0.99


def test_without_a_difference_power_is_the_level_of_the_test() -> None:
    assert difference_power(0.0, 1.0) == pytest.approx(0.05)
    assert difference_power(0.0, 1.0, degrees=4, level=0.9) == pytest.approx(0.1)


def test_direction_does_not_matter() -> None:
    assert difference_power(-0.3, 0.1, degrees=7) == difference_power(0.3, 0.1, degrees=7)


def test_smallest_difference_is_the_sum_of_two_quantiles() -> None:
    # 1.959964 + 0.841621 standard errors; for 90 % power 1.959964 + 1.281552.
    assert smallest_difference(1.0) == pytest.approx(2.801585, abs=2e-5)
    assert smallest_difference(0.02, power=0.9) == pytest.approx(0.02 * 3.241516, abs=1e-6)


@example(error=1.0, degrees=1, power=0.5, level=0.96875)  # scipy's far tail is NaN there
@given(st.floats(1e-6, 1e3), st.integers(1, 5000), st.floats(0.06, 0.999), st.floats(0.95, 0.999))
@settings(max_examples=60, deadline=None)
def test_the_smallest_difference_has_the_power_asked_for(error, degrees, power, level) -> None:
    found = smallest_difference(error, degrees=degrees, power=power, level=level)
    there = difference_power(found, error, degrees=degrees, level=level)
    assert there == pytest.approx(power, abs=1e-6)
    assert difference_power(0.99 * found, error, degrees=degrees, level=level) < power


@pytest.mark.parametrize("effect", [0.05, 0.2, 0.5, 1.0, 3.0])
@pytest.mark.parametrize("power", [0.8, 0.9])
def test_clusters_needed_are_those_of_a_one_sample_t_test(effect, power) -> None:
    theirs = TTestPower().solve_power(effect_size=effect, alpha=0.05, power=power)
    needed = clusters_needed(effect * 7, 7.0, power=power)
    assert needed == math.ceil(float(theirs) - 1e-9)


def test_clusters_needed_by_hand() -> None:
    # Half a standard deviation: (1.96 + 0.84)² · 4 = 31.4 and two to three more for t: 34
    # (J. Cohen's tables). A twentieth: (1.96 + 0.84)² · 400 = 3140, and two more.
    assert clusters_needed(0.5, 1.0) == 34
    assert clusters_needed(-0.05, 1.0) == 3142
    assert clusters_needed(1000.0, 1.0) == 2


def test_no_number_of_clusters_shows_no_difference() -> None:
    assert clusters_needed(0.0, 1.0) is None
    assert clusters_needed(1e-9, 1.0) is None
    assert clusters_needed(1e-6, 1.0) == pytest.approx(2.801585**2 * 1e12, rel=1e-5)


def test_power_of_clustered_answers_comes_out_in_a_simulation() -> None:
    # 60 patients with 1 to 6 questions each; the difference of two readers varies by patient.
    rng = np.random.default_rng(5)
    sizes = np.resize(np.arange(1, 7), 60)
    clusters = np.repeat(np.arange(60), sizes)
    mean, found, errors = 0.12, [], []
    for _ in range(500):
        values = mean + rng.normal(0, 0.25, 60)[clusters] + rng.normal(0, 0.3, clusters.size)
        (interval,) = cluster_t(values, clusters)
        found.append(not interval.low <= 0 <= interval.high)
        errors.append((interval.high - interval.low) / 2 / 2.001)  # t(59) at 0.975
    told = difference_power(mean, float(np.mean(errors)), degrees=59)
    assert 0.7 < told < 0.95
    assert np.mean(found) == pytest.approx(told, abs=0.04)


# ---------------------------------------------------------------- right or wrong


def test_exact_power_by_hand() -> None:
    # Six items, each discordant: p = 2/64 only when all go one way: 0.7^6 + 0.3^6.
    assert mcnemar_power(0.7, 0.3, 6) == pytest.approx(0.7**6 + 0.3**6)
    # Seven items, of which 0 to 7 are discordant; 6 or 7 all one way are found (2/64, 2/128),
    # while 6 of 7 are not (16/128).
    p10, p01 = 0.5, 0.1
    same = 1 - p10 - p01
    six = 7 * same * (p10**6 + p01**6)
    assert mcnemar_power(p10, p01, 7) == pytest.approx(six + p10**7 + p01**7)
    assert mcnemar_power(0.5, 0.1, 5) == 0.0
    assert mcnemar_power(0.0, 0.0, 100) == 0.0
    assert mcnemar_power(0.5, 0.1, 0) == 0.0


@pytest.mark.parametrize(("p10", "p01", "n"), [(0.2, 0.1, 40), (0.4, 0.6, 25), (0.07, 0.0, 90)])
def test_exact_power_agrees_with_a_sum_over_all_tables(p10, p01, n) -> None:
    total = 0.0
    for first in range(n + 1):
        for second in range(n + 1 - first):
            if first + second and mcnemar_exact(first, second).p_value <= 0.05:
                share = p01 / (1 - p10)
                total += binom.pmf(first, n, p10) * binom.pmf(second, n - first, share)
    assert mcnemar_power(p10, p01, n) == pytest.approx(total, abs=1e-9)


def test_exact_power_keeps_the_level_where_nobody_is_better() -> None:
    for n in (10, 50, 400, 20_000):
        assert mcnemar_power(0.1, 0.1, n) <= 0.05
    assert mcnemar_power(0.1, 0.1, 200_000) == pytest.approx(0.05, abs=0.003)


def test_exact_power_agrees_with_the_formula_for_many_items() -> None:
    needed = mcnemar_pairs_needed(0.01, 0.2)
    assert needed == pytest.approx(2.801585**2 * 0.2 / 0.01**2, rel=0.001)
    assert mcnemar_power(0.105, 0.095, needed) == pytest.approx(0.8, abs=0.005)


@pytest.mark.parametrize(
    ("p10", "p01", "power", "pairs"),
    [
        # The published worked example of Connor's formula (Biometrics 43, page 209) at
        # powersamplesize.com, "Compare paired proportions: McNemar's Z-test, 2-sided".
        (0.05, 0.45, 0.8, 23),
        # clinicaltrials-tools.vercel.app, "McNemar's test": odds ratio 2, discordant 0.45.
        (0.15, 0.30, 0.8, 155),
        # By hand: (1.959964 √0.3 + 1.281552 √(0.3 - 0.01))² / 0.01 = (1.07352 + 0.69013)² / 0.01.
        (0.2, 0.1, 0.9, 312),
    ],
)
def test_pairs_needed_are_connors(p10, p01, power, pairs) -> None:
    assert mcnemar_pairs_needed(p10 - p01, p10 + p01, power=power) == pairs


def test_pairs_needed_come_close_to_the_exact_power() -> None:
    for p10, p01 in ((0.3, 0.15), (0.2, 0.1), (0.08, 0.04)):
        pairs = mcnemar_pairs_needed(p10 - p01, p10 + p01)
        # The formula knows nothing of whole counts; the exact test loses a few points by them.
        assert 0.74 < mcnemar_power(p10, p01, pairs) < 0.81


@given(st.floats(0, 1), st.integers(10, 100_000))
@settings(max_examples=60, deadline=None)
def test_the_smallest_difference_needs_the_pairs_there_are(discordant, n) -> None:
    gap = mcnemar_smallest_difference(n, discordant)
    assert gap is not None
    assert mcnemar_pairs_needed(gap, max(gap, discordant)) in (n, n + 1, n - 1)


def test_readers_who_never_differ_so_far_need_about_eight_answers_all_one_way() -> None:
    # n δ = (1.959964 + 0.841621 √(1 - δ))²: 7.85 of many.
    assert mcnemar_smallest_difference(10_000, 0.0) == pytest.approx(7.85e-4, rel=0.001)


def test_too_few_items_show_nothing() -> None:
    # Five items all one way give p = 2/32: the exact test needs six, at a level of 99 % eight.
    assert mcnemar_smallest_difference(5.9, 0.2) is None
    assert mcnemar_smallest_difference(6, 0.2) < 1
    assert mcnemar_smallest_difference(7, 0.2, level=0.99) is None
    assert mcnemar_pairs_needed(1.0, 1.0) == 6
    assert mcnemar_power(1.0, 0.0, 6) == 1.0


@pytest.mark.parametrize("level", [0.9, 0.95, 0.99, 0.999])
def test_fewest_units_are_the_first_that_mcnemar_can_tell_apart(level) -> None:
    units = fewest_units(level)
    assert mcnemar_exact(units, 0).p_value <= 1 - level < mcnemar_exact(units - 1, 0).p_value


def test_no_number_of_items_shows_no_difference() -> None:
    assert mcnemar_pairs_needed(0.0, 0.3) is None
    assert mcnemar_pairs_needed(1e-9, 0.3) is None


def test_power_below_one_half_needs_no_negative_number_of_items() -> None:
    assert mcnemar_pairs_needed(0.5, 0.5, power=0.06) >= 1


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: difference_power(1, 0), "standard_error: expected a number above 0, got 0"),
        (lambda: smallest_difference(math.nan), "standard_error: expected a number above 0"),
        (lambda: smallest_difference(1, degrees=0), "degrees: expected 1 or more"),
        (lambda: smallest_difference(1, power=0.04), "power: expected a probability above 0.05"),
        (lambda: smallest_difference(1, power=1), "power: expected a probability above 0.05"),
        (lambda: smallest_difference(1, level=1), "level: expected a coverage between 0 and 1"),
        (lambda: clusters_needed(1, -1), "spread: expected a number above 0"),
        (lambda: mcnemar_power(0.7, 0.4, 5), "two probabilities that sum to 1 at most"),
        (lambda: mcnemar_power(-0.1, 0.4, 5), "two probabilities that sum to 1 at most"),
        (lambda: mcnemar_power(0.1, 0.4, -5), "n: expected a count of 0 or more"),
        (lambda: mcnemar_pairs_needed(0.3, 0.2), "a share of discordant items from the difference"),
        (lambda: mcnemar_pairs_needed(0.3, 1.2), "a share of discordant items from the difference"),
        (lambda: mcnemar_smallest_difference(0, 0.2), "n: expected a number above 0"),
        (lambda: mcnemar_smallest_difference(9, 1.2), "discordant: expected a share, 0 to 1"),
    ],
)
def test_arguments_out_of_range_are_refused(call, message) -> None:
    with pytest.raises(UsageError, match=message):
        call()
