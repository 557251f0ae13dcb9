from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.optimize
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

from overread.errors import UsageError
from overread.stats.cluster_wilson import (
    DIFFERENCE,
    SHARE,
    between_ends,
    check_ends,
    cluster_wilson,
)
from overread.stats.intervals import wilson


def test_one_right_of_six_patients_stays_a_share() -> None:
    # Variance p(1-p)/5 = 1/36, t(5) = 2.5706: s² = 6.6079/36 / (5/36) = 1.32158. Centre
    # (1/6 + 0.66079) / 2.32158, half √(1.32158 · 5/36 + 1.32158²/4) / 2.32158.
    (found,) = cluster_wilson([1, 0, 0, 0, 0, 0], np.arange(6))
    assert (found.value, found.method) == (pytest.approx(1 / 6), "cluster wilson")
    assert (found.low, found.high) == pytest.approx((0.017200, 0.695639), abs=1e-6)


def test_bounds_solve_the_score_equation() -> None:
    # Three patients: 3 of 4, 1 of 5, 2 of 2 right.
    values = np.array([1, 1, 1, 0, 1, 0, 0, 0, 0, 1, 1.0])
    clusters = np.repeat([0, 1, 2], [4, 5, 2])
    (found,) = cluster_wilson(values, clusters)
    assert found.low is not None
    assert found.high is not None
    mean, sizes, rights = 6 / 11, np.array([4, 5, 2]), np.array([3, 1, 2])
    without = (6 - rights) / (11 - sizes)
    variance = 2 / 3 * float(((without - mean) ** 2).sum())
    degrees = 11**2 / float((sizes**2).sum()) - 1
    s = scipy.stats.t.ppf(0.975, degrees) * math.sqrt(variance / (mean * (1 - mean)))

    def off(bound: float) -> float:
        return abs(mean - bound) - s * math.sqrt(bound * (1 - bound))

    low = scipy.optimize.brentq(off, 1e-9, mean - 1e-9)
    high = scipy.optimize.brentq(off, mean + 1e-9, 1 - 1e-9)
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-8)


@given(st.integers(1, 299), st.sampled_from([0.8, 0.95, 0.99]))
def test_with_the_error_of_independent_items_it_is_the_interval_of_wilson(
    count: int, level: float
) -> None:
    share, z = count / 300, scipy.stats.norm.ppf((1 + level) / 2)
    found = between_ends(share, z * math.sqrt(share * (1 - share) / 300), SHARE)
    theirs = proportion_confint(count, 300, alpha=1 - level, method="wilson")
    assert found == pytest.approx(tuple(theirs), abs=1e-9)


@settings(max_examples=60)
@given(
    rows=st.lists(
        st.tuples(st.integers(0, 6), st.sampled_from([0.0, 0.25, 1.0])), min_size=2, max_size=40
    ),
    least=st.sampled_from([0.0, -1.0, 20.0]),
    width=st.sampled_from([1.0, 2.0, 100.0]),
)
def test_bounds_lie_within_the_ends_around_the_mean_and_move_with_them(
    rows: list[tuple[int, float]], least: float, width: float
) -> None:
    clusters, values = np.array([c for c, _ in rows]), np.array([v for _, v in rows])
    (share,) = cluster_wilson(values, clusters)
    (moved,) = cluster_wilson(least + width * values, clusters, ends=((least, least + width),))
    (other,) = cluster_wilson(1 - values, clusters)
    assert share.defined == moved.defined == other.defined
    if share.low is None or share.high is None or share.value is None:
        return
    assert 0 <= share.low < share.value < share.high <= 1
    assert (moved.low, moved.high) == pytest.approx(
        (least + width * share.low, least + width * share.high), abs=1e-6
    )
    assert (other.low, other.high) == pytest.approx((1 - share.high, 1 - share.low), abs=1e-9)


@given(st.lists(st.tuples(st.integers(0, 9), st.booleans()), min_size=4, max_size=60))
def test_never_narrower_than_for_independent_shares(rows: list[tuple[int, bool]]) -> None:
    (found,) = cluster_wilson([float(v) for _, v in rows], np.array([c for c, _ in rows]))
    plain = wilson(sum(v for _, v in rows), len(rows))
    if found.low is None or found.high is None:
        return
    assert plain.low is not None
    assert plain.high is not None
    assert found.low <= plain.low + 1e-9
    assert found.high >= plain.high - 1e-9


def test_a_patient_with_most_of_the_items_does_not_pass_for_many() -> None:
    # Ten patients, of whom one has 91 of 100 items: Kish's number is 1.2, t has one degree.
    sizes = [91, *[1] * 9]
    values = np.concatenate([np.tile([1.0, 0.0, 1.0], 31)[:91], np.tile([1.0, 0, 0], 3)])
    (found,) = cluster_wilson(values, np.repeat(np.arange(10), sizes))
    assert found.low is not None
    assert found.high is not None
    assert found.high - found.low > 0.9


def test_small_spreads_give_mean_and_half() -> None:
    assert between_ends(0.02, 1e-4, DIFFERENCE) == pytest.approx((0.0199, 0.0201), abs=1e-7)


@pytest.mark.parametrize(
    ("values", "clusters", "weights", "value", "reason"),
    [
        ([1, 0], [3, 3], None, 0.5, "one cluster has no spread"),
        ([1, 0, 1], [0, 0, 1], [1, 1, 0], 0.5, "one cluster has no spread"),
        ([1, 1, 1], [0, 1, 2], None, 1.0, "all clusters agree: no variation to resample"),
        ([0, 0], [0, 1], None, 0.0, "all clusters agree: no variation to resample"),
        ([1, 0], [0, 1], [0, 0], None, "no items"),
        ([], [], None, None, "no items"),
    ],
)
def test_undefined_is_said(values, clusters, weights, value, reason) -> None:
    (found,) = cluster_wilson(values, np.array(clusters, dtype=np.int64), weights=weights)
    assert (found.value, found.low, found.high, found.reason) == (value, None, None, reason)


def test_without_ends_there_is_no_such_interval() -> None:
    (found,) = cluster_wilson([3.0, 9.0], np.arange(2), ends=(None,))
    assert (found.value, found.low, found.reason) == (6.0, None, "the values have no known range")


def test_a_value_at_the_end_has_no_width() -> None:
    assert between_ends(1.0, 0.1, SHARE) == (1.0, 1.0)


def test_values_beyond_their_ends_are_refused_where_they_count() -> None:
    with pytest.raises(UsageError, match=r"values: expected numbers from 0 to 1, got -0\.5"):
        cluster_wilson([1.0, -0.5], np.arange(2))
    (left_out,) = cluster_wilson([1.0, 0, -0.5], np.arange(3), weights=[1, 1, 0])
    (rounded,) = cluster_wilson([1.0 + 1e-9, 0], np.arange(2))
    assert left_out.defined
    assert rounded.defined


@pytest.mark.parametrize("ends", [(), (SHARE, SHARE), ((1.0, 0.0),), ((0.5, 0.5),)])
def test_ends_that_fit_no_column_are_refused(ends) -> None:
    with pytest.raises(UsageError, match=r"ends: expected \(least, largest\)"):
        check_ends(ends, 3 if len(ends) == 2 else 1)


# ---------------------------------------------------------------- coverage


def _exam(
    rng: np.random.Generator, exams: int, n: int, items: int, share: float, alike: float
) -> tuple[np.ndarray, np.ndarray]:
    """Exams side by side, as columns: (items, exams) right or wrong, and the patient of each."""
    sizes = np.full(n, items) if items else rng.integers(1, 9, n)
    clusters = np.repeat(np.arange(n), sizes)
    ease = np.full((n, exams), share)
    if alike:
        ease = rng.beta(share * (1 / alike - 1), (1 - share) * (1 / alike - 1), (n, exams))
    return (rng.random((clusters.size, exams)) < ease[clusters]).astype(float), clusters


def _coverage(values: np.ndarray, clusters: np.ndarray, truth: float, ends) -> float:
    found = [one for one in cluster_wilson(values, clusters, ends=(ends,)) if one.defined]
    assert len(found) > 1000
    return float(np.mean([one.low <= truth <= one.high for one in found]))


@pytest.mark.parametrize("share", [0.2, 0.5, 0.8])
@pytest.mark.parametrize("n", [10, 14, 19])
def test_covers_what_it_says_where_items_hang_together(n: int, share: float) -> None:
    values, clusters = _exam(np.random.default_rng([n, int(100 * share)]), 3000, n, 5, share, 0.3)
    # 3,000 exams: one standard error is 0.4 %. Truly 94.4 to 96.3 %.
    assert 0.935 <= _coverage(values, clusters, share, SHARE) <= 0.975


@pytest.mark.parametrize(
    ("n", "items", "share", "alike"),
    [
        (2, 5, 0.5, 0.1), (3, 5, 0.2, 0.3), (5, 0, 0.5, 0.3), (6, 0, 0.1, 0.1), (8, 1, 0.5, 0.0),
        (12, 1, 0.2, 0.0), (19, 0, 0.5, 0.0), (6, 20, 0.3, 0.3),
    ],
)  # fmt: skip
def test_covers_at_least_what_it_says_with_fewer_or_independent_ones(
    n: int, items: int, share: float, alike: float
) -> None:
    values, clusters = _exam(np.random.default_rng([n, items]), 3000, n, items, share, alike)
    assert _coverage(values, clusters, share, SHARE) >= 0.94


@pytest.mark.parametrize(("n", "most"), [(4, 0.998), (10, 0.98), (19, 0.975)])
def test_covers_differences_of_two_readers(n: int, most: float) -> None:
    rng = np.random.default_rng(n)
    clusters = np.repeat(np.arange(n), 4)
    ease = rng.uniform(0.1, 0.7, (n, 3000))[clusters]
    luck = rng.random(ease.shape)
    # The second is right wherever the first is and one time in five elsewhere by 0.2 of luck; one
    # item in ten goes the other way.
    against = rng.random(ease.shape) < 0.1
    difference = ((luck > ease) & (luck < ease + 0.2)).astype(float) * ~against - against
    truth = 0.2 * 0.9 - 0.1
    assert 0.935 <= _coverage(difference, clusters, truth, DIFFERENCE) <= most
