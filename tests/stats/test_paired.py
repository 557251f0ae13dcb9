from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.contingency_tables import mcnemar

from overread.errors import UsageError
from overread.stats.paired import cluster_paired_difference, mcnemar_exact, sign_flip


def _rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def test_mcnemar_by_hand() -> None:
    # 1 against 5: 2 (1 + 6) / 2^6 = 14/64.
    assert mcnemar_exact(1, 5).p_value == pytest.approx(14 / 64)
    assert mcnemar_exact(5, 1).p_value == pytest.approx(14 / 64)
    assert mcnemar_exact(3, 3).p_value == 1.0
    assert mcnemar_exact(0, 1).p_value == 1.0


@given(st.integers(0, 200), st.integers(0, 200))
def test_mcnemar_agrees_with_statsmodels(one: int, two: int) -> None:
    if one + two == 0:
        return
    theirs = mcnemar([[7, one], [two, 9]], exact=True).pvalue
    assert mcnemar_exact(one, two).p_value == pytest.approx(float(theirs), rel=1e-9)


def test_readers_who_never_differ_have_no_p_value() -> None:
    assert mcnemar_exact(0, 0).p_value is None
    assert mcnemar_exact(0, 0).reason == "no item tells the two apart"
    same = np.array([1.0, 0, 1])
    flipped = sign_flip(same, same, np.arange(3), rng=_rng())
    assert (flipped.p_value, flipped.reason) == (None, "no cluster tells the two apart")


def test_negative_counts_are_refused() -> None:
    with pytest.raises(UsageError, match="expected two counts of 0 or more, got -1 and 4"):
        mcnemar_exact(-1, 4)


def test_sign_flip_by_hand() -> None:
    # Three patients with differences 1, 1, 2: of eight swaps only none and all reach |4|.
    first, second = np.array([1.0, 1, 1, 1]), np.zeros(4)
    result = sign_flip(first, second, np.array([0, 1, 2, 2]), rng=_rng())
    assert result.p_value == pytest.approx(2 / 8)
    assert result.method == "sign flip, all swaps"


def test_sign_flip_tries_all_swaps_of_few_clusters() -> None:
    rng = _rng(8)
    difference = rng.normal(0.4, 1, 10)
    ours = sign_flip(difference, np.zeros(10), np.arange(10), rng=rng).p_value
    sums = [abs(np.dot(signs, difference)) for signs in itertools.product([1, -1], repeat=10)]
    assert ours == pytest.approx(np.mean(np.array(sums) >= abs(difference.sum()) - 1e-9))


def test_random_swaps_approach_the_exact_p_value() -> None:
    # Twenty patients, each with one item that tells the readers apart: 14 for, 6 against. Then
    # the swaps are a fair coin for each patient, and the exact p is McNemar's.
    difference = np.array([1.0] * 14 + [-1.0] * 6)
    result = sign_flip(difference, np.zeros(20), np.arange(20), draws=40_000, rng=_rng())
    assert result.p_value == pytest.approx(mcnemar_exact(14, 6).p_value, abs=0.006)


def test_random_swaps_never_give_zero() -> None:
    result = sign_flip(np.ones(60), np.zeros(60), np.arange(60), draws=500, rng=_rng())
    assert result.p_value == pytest.approx(1 / 501)
    assert result.method == "sign flip, 500 random swaps"


def test_sign_flip_keeps_its_level_where_items_hang_together() -> None:
    # Two readers who are equal, but each patient's six questions go the same way: McNemar takes
    # them for six pieces of evidence, the swap by patient does not.
    by_patient, by_item = [], []
    clusters = np.repeat(np.arange(30), 6)
    for seed in range(300):
        rng = _rng(seed)
        difference = np.repeat(rng.choice([-1.0, 0.0, 1.0], 30), 6)
        first, second = (difference > 0).astype(float), (difference < 0).astype(float)
        flipped = sign_flip(first, second, clusters, draws=400, rng=rng)
        by_patient.append(flipped.p_value is not None and flipped.p_value < 0.05)
        tested = mcnemar_exact(int(first.sum()), int(second.sum()))
        by_item.append(tested.p_value is not None and tested.p_value < 0.05)
    assert np.mean(by_patient) < 0.085
    assert np.mean(by_item) > 0.25


def test_difference_keeps_pairs_together() -> None:
    # The second reader is right wherever the first is, and on one question more a patient in
    # half of the patients: the pairs hardly vary although each reader does.
    rng = _rng(3)
    easy = rng.random(200) < 0.5
    clusters = np.arange(200)
    first, second = easy.astype(float), (easy | (np.arange(200) % 10 == 0)).astype(float)
    paired = cluster_paired_difference(second, first, clusters, rng=rng)
    assert paired.value == pytest.approx(second.mean() - first.mean())
    assert 0 < paired.low < paired.value < paired.high < 0.12
    # Unpaired the standard error alone would be sqrt(2 × 0.25 / 200) = 0.05.
    assert paired.high - paired.low < 2 * 0.05


def test_difference_covers_as_often_as_it_says() -> None:
    holds = []
    for seed in range(300):
        rng = _rng(seed)
        clusters = np.repeat(np.arange(80), 5)
        ease = np.repeat(rng.uniform(0, 0.8, 80), 5)
        luck = rng.random(400)
        first, second = (luck < ease + 0.2).astype(float), (luck < ease).astype(float)
        interval = cluster_paired_difference(first, second, clusters, draws=400, rng=rng)
        holds.append(interval.low <= 0.2 <= interval.high)
    assert 0.90 <= np.mean(holds) <= 0.98


def test_identical_readers_have_no_interval() -> None:
    same = np.array([1.0, 0, 1, 0])
    interval = cluster_paired_difference(same, same, np.array([0, 0, 1, 2]), rng=_rng())
    assert interval.value == 0.0
    assert not interval.defined


@pytest.mark.parametrize("second", [[1.0], [[1.0, 0.0]]])
def test_readers_of_different_items_are_refused(second) -> None:
    with pytest.raises(UsageError, match="two rows of values over the same items"):
        sign_flip([1.0, 0.0], second, np.array([0, 1]), rng=_rng())
