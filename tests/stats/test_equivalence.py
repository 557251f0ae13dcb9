from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import brentq, minimize_scalar
from statsmodels.stats.weightstats import ttost_paired

from overread.errors import UsageError
from overread.stats.equivalence import equivalence, equivalence_units_needed
from overread.stats.paired import mcnemar_exact


def table(both: int, only_first: int, only_second: int, neither: int):
    """Two readers of independent items with these counts."""
    counts = (both, only_first, only_second, neither)
    first = np.repeat([1.0, 1.0, 0.0, 0.0], counts)
    second = np.repeat([1.0, 0.0, 1.0, 0.0], counts)
    return first, second, np.arange(sum(counts))


@pytest.mark.parametrize(
    ("counts", "low", "high"),
    [
        # M. W. Fagerland, S. Lydersen and P. Laake, Stat. Med. 33 (2014) 2850,
        # doi:10.1002/sim.6148: Tango's interval of airway hyper-responsiveness before and after
        # transplantation, and of complete response before and after consolidation therapy.
        ((1, 1, 7, 12), -0.517, -0.026),
        ((59, 6, 16, 80), -0.124, -0.005),
    ],
)
def test_interval_is_tangos(counts, low, high) -> None:
    found = equivalence(*table(*counts), margin=0.02, level=0.975)
    assert found.level == pytest.approx(0.95)
    assert (found.low, found.high) == (pytest.approx(low, abs=6e-4), pytest.approx(high, abs=6e-4))


def score_by_maximum_likelihood(better: int, worse: int, n: int, supposed: float) -> float:
    """Tango's statistic with its constrained maximum found by search instead of by formula."""

    def loss(share: float) -> float:  # of items only the second gets right
        rest = 1 - 2 * share - supposed
        parts = ((better, share + supposed), (worse, share), (n - better - worse, rest))
        return -sum(k * np.log(p) for k, p in parts if k) if min(p for _, p in parts) > 0 else 1e9

    bounds = (max(0.0, -supposed) + 1e-12, (1 - supposed) / 2 - 1e-12)
    share = minimize_scalar(loss, bounds=bounds, method="bounded", options={"xatol": 1e-12}).x
    variance = n * (2 * share + supposed * (1 - supposed))
    return (better - worse - n * supposed) / np.sqrt(variance)


@pytest.mark.parametrize(("better", "worse", "n"), [(9, 4, 60), (3, 12, 80), (20, 18, 300)])
def test_score_is_the_one_under_the_margin(better, worse, n) -> None:
    from scipy.stats import norm

    found = equivalence(*table(n - better - worse - 5, better, worse, 5), margin=0.1)
    low = norm.sf(score_by_maximum_likelihood(better, worse, n, -0.1))
    high = norm.cdf(score_by_maximum_likelihood(better, worse, n, 0.1))
    assert found.p_not_worse == pytest.approx(low, rel=1e-4, abs=1e-7)
    assert found.p_not_better == pytest.approx(high, rel=1e-4, abs=1e-7)
    assert found.p_value == max(found.p_not_worse, found.p_not_better)
    end = brentq(
        lambda value: score_by_maximum_likelihood(better, worse, n, value) - norm.isf(0.05),
        -0.5,
        (better - worse) / n,
    )
    assert found.low == pytest.approx(end, abs=1e-4)


def test_without_a_margin_the_score_is_mcnemars() -> None:
    # At a margin next to nothing the statistic is (b - c) / √(b + c): 12 and 4, z = 2.
    found = equivalence(*table(30, 12, 4, 30), margin=1e-12)
    assert found.p_not_worse == pytest.approx(0.02275, abs=1e-5)
    assert found.p_not_better == pytest.approx(1 - 0.02275, abs=1e-5)


def test_other_scores_are_tested_as_by_statsmodels() -> None:
    rng = np.random.default_rng(2)
    first = rng.random(40)
    second = np.clip(first + rng.normal(0.01, 0.05, 40), 0, 1)
    theirs, lower, upper = ttost_paired(first, second, -0.03, 0.03)
    found = equivalence(first, second, np.arange(40), margin=0.03)
    assert found.method == "cluster t"
    assert found.p_value == pytest.approx(theirs)
    assert (found.p_not_worse, found.p_not_better) == pytest.approx((lower[1], upper[1]))


@pytest.mark.parametrize("level", [0.9, 0.95, 0.99])
@pytest.mark.parametrize("graded", [False, True])
def test_tests_and_interval_say_the_same(level, graded) -> None:
    rng = np.random.default_rng(3)
    clusters = np.repeat(np.arange(40), 5)
    first, second = (rng.random((2, 200)) < 0.5).astype(float)
    if graded:
        first, second = first * 0.7, second * 0.6
    found = equivalence(first, second, clusters, margin=0.05, level=level)
    for margin in (found.high * 0.999, found.high * 1.001, -found.low * 0.999, -found.low * 1.001):
        if margin <= 0:
            continue
        again = equivalence(first, second, clusters, margin=margin, level=level)
        shown = -margin < found.low and found.high < margin
        assert (again.p_value < 1 - level) == shown


def test_readers_who_never_differ_are_as_equal_as_the_exam_is_large() -> None:
    # Were 2 % of items different, none of 200 would be with probability 0.98^200 = 0.0176; the
    # score, -4 / √(200 · 0.02 · 0.98), says 0.0217.
    found = equivalence(*table(120, 0, 0, 80), margin=0.02)
    assert found.p_value == pytest.approx(0.0217, abs=1e-4)
    assert found.low == pytest.approx(-found.high)
    assert equivalence(*table(12, 0, 0, 8), margin=0.02).p_value > 0.2
    # The same 200 items of 20 patients: as much as 20 items.
    first, second, _ = table(120, 0, 0, 80)
    few = equivalence(first, second, np.repeat(np.arange(20), 10), margin=0.02)
    assert few.p_value == pytest.approx(
        equivalence(*table(12, 0, 0, 8), margin=0.02).p_value, abs=0.02
    )


def test_few_disagreements_do_not_look_like_certainty() -> None:
    # One of 200: Wald's t of 3 would give 0.0015. One or none of 200 at 2 %: 0.0894.
    found = equivalence(*table(150, 1, 0, 49), margin=0.02)
    assert 0.05 < found.p_not_better < 0.0894


def test_patients_count_and_not_their_questions() -> None:
    first, second, items = table(60, 40, 36, 64)
    alone = equivalence(first, second, items, margin=0.1)
    rng = np.random.default_rng(0)
    order = rng.permutation(200)
    eight = np.repeat(np.arange(200), 8)
    together = equivalence(first[order][eight], second[order][eight], eight, margin=0.1)
    assert together.difference == pytest.approx(alone.difference)
    assert (together.low, together.high) == pytest.approx((alone.low, alone.high), abs=0.002)


def test_the_error_at_the_margin_is_the_one_stated() -> None:
    rng = np.random.default_rng(11)
    errs, holds = [], []
    for _ in range(400):
        sizes = rng.integers(1, 9, 60)
        clusters = np.repeat(np.arange(60), sizes)
        # Of the items a share of 0.125 is right by the first alone, 0.175 by the second alone; in
        # half of a patient's items one draw decides for all.
        shared = np.where(
            rng.random(clusters.size) < 0.5, rng.random(60)[clusters], rng.random(clusters.size)
        )
        first, second = shared < 0.125, (shared >= 0.125) & (shared < 0.3)
        found = equivalence(first, second, clusters, margin=0.05)
        errs.append(found.p_not_worse < 0.05)
        holds.append(found.low <= -0.05 <= found.high)
    assert np.mean(errs) < 0.08
    assert 0.87 < np.mean(holds) < 0.94


def test_undefined_cases_have_a_reason() -> None:
    one = equivalence([1.0, 0.0], [1.0, 1.0], np.array([0, 0]), margin=0.1)
    assert (one.p_value, one.low, one.method) == (None, None, "none")
    assert one.reason == "one cluster has no spread"
    same = equivalence([0.3, 0.2], [0.3, 0.2], np.array([0, 1]), margin=0.1)
    assert (same.p_value, same.difference) == (None, 0.0)
    assert "all clusters agree" in same.reason


def test_readers_who_always_differ_one_way() -> None:
    found = equivalence([1.0] * 30, [0.0] * 30, np.arange(30), margin=0.1)
    assert (found.difference, found.high) == (1.0, 1.0)
    # Under a difference d the rest is split evenly, so that n (1 - d) / (1 + d) = z².
    assert found.low == pytest.approx((30 - 1.644854**2) / (30 + 1.644854**2))
    assert found.p_not_better > 1 - 1e-6
    assert mcnemar_exact(30, 0).p_value < 1e-6


@pytest.mark.parametrize("margin", [0.0, -0.1, float("nan"), float("inf")])
def test_margins_that_are_none_are_refused(margin) -> None:
    with pytest.raises(UsageError, match="margin: expected a difference above 0"):
        equivalence([1.0, 0.0], [1.0, 1.0], np.array([0, 1]), margin=margin)


# ---------------------------------------------------------------- how many it takes


def test_units_needed_by_hand() -> None:
    # (1.644854 + 1.281552)² · 0.1 / 0.02² = 2140.96
    assert equivalence_units_needed(0.02, 0.1**0.5) == 2141
    # 90 % power: (1.644854 + 1.644854)² · 4 = 43.3
    assert equivalence_units_needed(0.5, 1.0, power=0.9) == 44


def test_a_true_difference_takes_more_and_the_margin_itself_is_never_shown() -> None:
    equal = equivalence_units_needed(0.02, 0.3)
    assert equivalence_units_needed(0.02, 0.3, difference=0.01) > 2 * equal
    assert equivalence_units_needed(0.02, 0.3, difference=-0.01) == equivalence_units_needed(
        0.02, 0.3, difference=0.01
    )
    assert equivalence_units_needed(0.02, 0.3, difference=0.02) is None
    # Far from the one margin only the other counts: (1.644854 + 0.841621)² · 0.09 / 0.01².
    assert equivalence_units_needed(0.02, 0.3, difference=0.01) == pytest.approx(5564, abs=3)


def test_units_needed_have_the_power_in_a_simulation() -> None:
    n = equivalence_units_needed(0.08, 0.2**0.5)
    assert n == 268
    rng = np.random.default_rng(4)
    shown = []
    for _ in range(400):
        luck = rng.random(n)
        found = equivalence(luck < 0.1, (luck >= 0.1) & (luck < 0.2), np.arange(n), margin=0.08)
        shown.append(found.p_value < 0.05)
    assert np.mean(shown) == pytest.approx(0.8, abs=0.06)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"margin": 0, "spread": 1}, "margin: expected a number above 0"),
        ({"margin": 0.1, "spread": 0}, "spread: expected a number above 0"),
        ({"margin": 0.1, "spread": 1, "power": 1}, "power: expected a probability"),
        ({"margin": 0.1, "spread": 1, "level": 1}, "level: expected a coverage"),
    ],
)
def test_arguments_out_of_range_are_refused(arguments, message) -> None:
    with pytest.raises(UsageError, match=message):
        equivalence_units_needed(**arguments)
