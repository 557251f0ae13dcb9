from __future__ import annotations

import itertools
import time

import numpy as np
import pytest
import scipy.stats

from overread.errors import UsageError
from overread.stats.bootstrap import (
    Kind,
    cluster_bootstrap,
    cluster_codes,
    cluster_draws,
    cluster_sums,
)


def _rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def _patients(
    rng: np.random.Generator, n_patients: int, sd: float
) -> tuple[np.ndarray, np.ndarray]:
    """Right answers of patients with 1 to 8 questions each and an ease of their own."""
    sizes = rng.integers(1, 9, n_patients)
    ease = np.clip(rng.normal(0.5, sd, n_patients), 0, 1)
    clusters = np.repeat(np.arange(n_patients), sizes)
    return (rng.random(clusters.size) < ease[clusters]).astype(float), clusters


def test_labels_are_numbered_by_first_appearance() -> None:
    assert cluster_codes(["b", "a", "b", "c"]).tolist() == [0, 1, 0, 2]


def test_sums_by_hand() -> None:
    sums = cluster_sums([1.0, 0.0, 1.0, 1.0], np.array([7, 3, 7, 3]), weights=[1, 1, 0, 1])
    assert sums.n_clusters == 2
    assert sums.numerators[:, 0].tolist() == [1.0, 1.0]  # cluster 3, then 7
    assert sums.denominators[:, 0].tolist() == [2.0, 1.0]


def test_draws_of_two_clusters_are_the_four_possible_ones() -> None:
    # Patient a: 1 of 1 right; b: 0 of 3. Resamples aa, ab, ba, bb have means 1, 1/4, 1/4, 0.
    sums = cluster_sums([1, 0, 0, 0], np.array([0, 1, 1, 1]))
    drawn = cluster_draws(sums, draws=8000, rng=_rng())[:, 0]
    found, counts = np.unique(drawn, return_counts=True)
    assert found.tolist() == [0.0, 0.25, 1.0]
    assert counts / 8000 == pytest.approx([0.25, 0.5, 0.25], abs=0.02)


def test_draws_follow_the_exact_distribution_of_all_resamples() -> None:
    numerators, denominators = np.array([2.0, 0.0, 1.0, 3.0]), np.array([3.0, 2.0, 1.0, 5.0])
    exact = [
        numerators[list(picks)].sum() / denominators[list(picks)].sum()
        for picks in itertools.product(range(4), repeat=4)
    ]
    values = np.repeat(np.array([1.0, 0, 0, 0, 1, 1, 0]), [2, 1, 1, 1, 1, 3, 2])
    clusters = np.array([0, 0, 0, 1, 1, 2, 3, 3, 3, 3, 3])
    drawn = cluster_draws(cluster_sums(values, clusters), draws=20_000, rng=_rng(5))[:, 0]
    assert drawn.mean() == pytest.approx(np.mean(exact), abs=0.004)
    assert drawn.std() == pytest.approx(np.std(exact), abs=0.004)
    quantiles = (0.025, 0.25, 0.5, 0.75, 0.975)
    assert np.quantile(drawn, quantiles) == pytest.approx(np.quantile(exact, quantiles), abs=0.02)


def test_unclustered_interval_agrees_with_scipy() -> None:
    values = np.random.default_rng(3).normal(2, 1, 150)
    for kind, method in (("percentile", "percentile"), ("bca", "BCa")):
        (ours,) = cluster_bootstrap(values, np.arange(150), draws=20_000, kind=kind, rng=_rng(1))
        theirs = scipy.stats.bootstrap(
            (values,), np.mean, n_resamples=20_000, method=method, rng=_rng(2)
        ).confidence_interval
        assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=0.01)
        assert ours.value == pytest.approx(values.mean())


def test_bca_agrees_with_scipy_on_a_skewed_sample() -> None:
    values = np.random.default_rng(4).exponential(1, 40) ** 2
    (plain,) = cluster_bootstrap(values, np.arange(40), draws=30_000, rng=_rng(1))
    (ours,) = cluster_bootstrap(values, np.arange(40), draws=30_000, kind="bca", rng=_rng(1))
    theirs = scipy.stats.bootstrap(
        (values,), np.mean, n_resamples=30_000, method="BCa", rng=_rng(2)
    ).confidence_interval
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), rel=0.02)
    assert ours.low > plain.low  # skewed to the right: BCa moves both ends up
    assert ours.high > plain.high


def test_questions_that_share_a_patient_widen_the_interval() -> None:
    # 40 patients, 10 questions each, all of a patient alike: 400 items worth 40.
    per_patient = np.tile([0.0, 1.0], 20)
    values, clusters = np.repeat(per_patient, 10), np.repeat(np.arange(40), 10)
    (clustered,) = cluster_bootstrap(values, clusters, rng=_rng())
    (naive,) = cluster_bootstrap(values, np.arange(400), rng=_rng())
    ratio = (clustered.high - clustered.low) / (naive.high - naive.low)
    assert ratio == pytest.approx(np.sqrt(10), rel=0.1)


def _covered(n_patients: int, alike: float, kind: Kind, exams: int) -> float:
    """Share of exams, side by side as columns, whose interval holds the true share of 1/2."""
    rng = _rng(n_patients)
    clusters = np.repeat(np.arange(n_patients), rng.integers(1, 9, n_patients))
    spread = (1 / alike - 1) / 2
    ease = rng.beta(spread, spread, (n_patients, exams))
    right = (rng.random((clusters.size, exams)) < ease[clusters]).astype(float)
    found = cluster_bootstrap(right, clusters, draws=800, kind=kind, rng=rng)
    return float(np.mean([one.low <= 0.5 <= one.high for one in found]))


@pytest.mark.parametrize("kind", ["percentile", "bca"])
def test_interval_covers_as_often_as_it_says(kind: Kind) -> None:
    # Truly 94.9 and 95.2 %. 3,000 exams have a standard error of 0.4 %: 3.5 of them below 95 %.
    assert 0.935 <= _covered(100, 0.3, kind, 3000) <= 0.965


def test_with_few_patients_it_covers_less_as_the_docstring_says() -> None:
    # 1,500 exams: one standard error is 0.9 % with 5 patients and 0.7 % with 20.
    few, some, more = (_covered(n, 0.3, "percentile", 1500) for n in (5, 10, 20))
    assert few < some < more
    assert few < 0.88
    assert 0.91 <= more <= 0.945


def test_ignoring_patients_covers_too_seldom() -> None:
    holds = []
    for seed in range(300):
        values, _ = _patients(_rng(seed), 100, 0.4)
        (interval,) = cluster_bootstrap(values, np.arange(values.size), draws=400, rng=_rng(seed))
        holds.append(interval.low <= 0.5 <= interval.high)
    assert np.mean(holds) < 0.88


def test_columns_share_their_resamples() -> None:
    values = _rng(2).integers(0, 2, (300, 1)).astype(float)
    clusters = _rng(3).integers(0, 60, 300)
    both = cluster_draws(
        cluster_sums(np.hstack([values, 1 - values]), clusters), draws=500, rng=_rng()
    )
    assert both.sum(axis=1) == pytest.approx(np.ones(500))


def test_weights_make_a_ratio_over_answered_items() -> None:
    values, clusters = np.array([1.0, 0, 1, 0, 0, 1]), np.array([0, 0, 1, 1, 2, 2])
    answered = np.array([1.0, 0, 1, 1, 0, 1])
    (interval,) = cluster_bootstrap(values, clusters, weights=answered, rng=_rng())
    assert interval.value == pytest.approx(3 / 4)


def test_same_generator_state_same_interval() -> None:
    values, clusters = _patients(_rng(1), 50, 0.2)
    one = cluster_bootstrap(values, clusters, rng=_rng(9))
    assert one == cluster_bootstrap(values, clusters, rng=_rng(9))
    assert one != cluster_bootstrap(values, clusters, rng=_rng(10))


def test_order_and_names_of_items_do_not_matter() -> None:
    values, clusters = _patients(_rng(1), 50, 0.2)
    order = _rng(4).permutation(values.size)
    (one,) = cluster_bootstrap(values, clusters, rng=_rng(9))
    (two,) = cluster_bootstrap(values[order], 1000 + clusters[order], rng=_rng(9))
    assert (one.low, one.high) == pytest.approx((two.low, two.high), abs=1e-12)


@pytest.mark.parametrize(
    ("values", "clusters", "weights", "value", "reason"),
    [
        ([1, 0, 1], [0, 0, 0], None, 2 / 3, "one cluster"),
        ([1, 0, 1, 1], [0, 0, 1, 1], [1, 1, 0, 0], 0.5, "one cluster"),
        ([1, 1, 1, 1], [0, 0, 1, 1], None, 1.0, "no variation"),
        ([0, 0, 0], [0, 1, 2], None, 0.0, "no variation"),
        ([1, 0, 0, 1], [0, 0, 1, 1], None, 0.5, "no variation"),  # every patient 1 of 2
        ([0.1] * 9, [0, 0, 1, 1, 1, 2, 3, 3, 3], None, 0.1, "no variation"),
        ([1, 0], [0, 1], [0, 0], None, "no items"),
        ([], [], None, None, "no items"),
        ([1, 0, 0, 0], [0, 1, 2, 3], [1, 1, 0, 0], 0.5, "too few clusters"),
    ],
)
def test_undefined_is_said_and_never_of_zero_width(
    values, clusters, weights, value, reason
) -> None:
    (interval,) = cluster_bootstrap(
        values, np.array(clusters, dtype=np.int64), weights=weights, rng=_rng()
    )
    assert not interval.defined
    assert (interval.low, interval.high) == (None, None)
    assert interval.value == (None if value is None else pytest.approx(value))
    assert reason in interval.reason


def test_draws_that_all_agree_are_no_interval() -> None:
    (interval,) = cluster_bootstrap([1, 0], np.array([0, 1]), draws=1, rng=_rng())
    assert interval.reason == "the draws do not vary"


@pytest.mark.parametrize(
    ("values", "clusters", "weights", "match"),
    [
        ([1, 0], [0, 1, 2], None, r"rule|expected \(n, columns\)"),
        ([1, 0], [0, 1], [1], r"expected \(n, columns\)"),
        ([1, float("nan")], [0, 1], None, "expected finite numbers"),
        ([1, 0], [0, 1], [1, -1], "weights: expected 0 or more"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(values, clusters, weights, match) -> None:
    with pytest.raises(UsageError, match=match):
        cluster_bootstrap(values, np.array(clusters), weights=weights, rng=_rng())


def test_no_draws_are_refused() -> None:
    with pytest.raises(UsageError, match="draws: expected a count of 1 or more"):
        cluster_bootstrap([1, 0], np.array([0, 1]), draws=0, rng=_rng())


def test_ten_thousand_draws_of_eight_models_take_less_than_three_seconds() -> None:
    rng = _rng()
    values = rng.integers(0, 2, (9077, 8)).astype(float)
    clusters = rng.integers(0, 1300, 9077)
    start = time.perf_counter()
    intervals = cluster_bootstrap(values, clusters, draws=10_000, rng=rng)
    assert time.perf_counter() - start < 3
    assert len(intervals) == 8
