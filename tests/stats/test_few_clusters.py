import math

import numpy as np
import pytest
import statsmodels.api as sm
from scipy import stats as scipy_stats

from overread.stats.cluster_wilson import DIFFERENCE, SHARE, cluster_wilson
from overread.stats.few_clusters import FEW_CLUSTERS, cluster_interval, cluster_t


def patients(rng, n_patients, spread):
    """Patients of one to eight questions whose ease varies about one half."""
    ease = np.clip(0.5 + spread * rng.standard_normal(n_patients), 0, 1)
    counts = rng.integers(1, 9, n_patients)
    clusters = np.repeat(np.arange(n_patients), counts)
    return (rng.random(clusters.size) < ease[clusters]).astype(float), clusters


def test_one_item_a_cluster_is_the_ordinary_t_interval():
    values = np.array([3.0, 5.0, 8.0, 1.0, 4.0])
    (interval,) = cluster_t(values, np.arange(5))
    low, high = scipy_stats.t.interval(
        0.95, 4, loc=values.mean(), scale=values.std(ddof=1) / np.sqrt(5)
    )
    assert (interval.low, interval.high) == (pytest.approx(low), pytest.approx(high))


def test_by_hand():
    # Two patients of two questions: means 1 and 0, mean 1/2, u = +1 and -1,
    # SE = sqrt(2/1 * 2)/4 = 1/2, t(1, 97.5 %) = 12.706
    (interval,) = cluster_t([1.0, 1.0, 0.0, 0.0], np.array([0, 0, 1, 1]))
    assert interval.high - 0.5 == pytest.approx(12.7062 / 2, abs=1e-3)


def test_the_error_is_the_robust_one_of_statsmodels():
    rng = np.random.default_rng(3)
    clusters = np.repeat(np.arange(12), np.resize([2, 5, 9], 12))
    values = rng.normal(size=clusters.size) + 2 * rng.normal(size=12)[clusters]
    fit = sm.OLS(values, np.ones_like(values)).fit(
        cov_type="cluster", cov_kwds={"groups": clusters, "use_correction": False}
    )
    (interval,) = cluster_t(values, clusters)
    half = float(fit.bse[0]) * (12 / 11) ** 0.5 * scipy_stats.t.ppf(0.975, 11)
    assert interval.high - interval.value == pytest.approx(half)
    assert interval.value - interval.low == pytest.approx(half)


def test_never_narrower_than_independent_items():
    # Every patient has one right and one wrong but the last: clusters nearly agree by chance.
    values = np.array([1.0, 0, 1, 0, 1, 0, 1, 0, 1, 1])
    clusters = np.repeat(np.arange(5), 2)
    (interval,) = cluster_t(values, clusters)
    independent = values.std(ddof=1) / np.sqrt(10) * scipy_stats.t.ppf(0.975, 4)
    assert interval.high - interval.value >= independent - 1e-12


@pytest.mark.parametrize("n_patients", [4, 6, 10, 18])
def test_covers_with_few_patients(n_patients):
    holds = []
    for seed in range(600):
        values, clusters = patients(np.random.default_rng([n_patients, seed]), n_patients, 0.2)
        (interval,) = cluster_t(values, clusters)
        if interval.low is not None:
            holds.append(interval.low <= 0.5 <= interval.high)
    # The percentile bootstrap covers about 80 % with 4 and 84 % with 5 patients.
    assert np.mean(holds) >= 0.93


@pytest.mark.parametrize(
    ("values", "clusters", "reason"),
    [
        ([1.0, 0.0], [0, 0], "one cluster"),
        ([1.0, 1.0, 1.0], [0, 1, 2], "all clusters agree"),
        ([0.5, 0.5], [0, 1], "all clusters agree"),
    ],
)
def test_undefined_is_said(values, clusters, reason):
    (interval,) = cluster_t(values, np.array(clusters))
    assert interval.low is None
    assert reason in interval.reason


def test_weights_leave_items_out():
    values, clusters = np.array([1.0, 0, 1, 0, 1]), np.arange(5)
    (kept,) = cluster_t(values, clusters, weights=[1.0, 1, 1, 0, 0])
    (alone,) = cluster_t(values[:3], clusters[:3])
    assert kept == alone


def test_a_column_that_few_clusters_carry_is_judged_by_itself():
    # 40 patients were asked, 6 answered: accuracy of those answered rests on 6.
    rng = np.random.default_rng(2)
    values = np.repeat(rng.integers(0, 2, 80).astype(float)[:, np.newaxis], 2, axis=1)
    clusters = np.arange(80) % 40
    weights = np.stack([np.ones(80), (clusters < 6).astype(float)], axis=1)
    every, answered = cluster_interval(values, clusters, weights=weights, rng=rng)
    assert (every.method, answered.method) == ("cluster bootstrap", "cluster t")
    kept = clusters < 6
    assert answered == cluster_t(values[kept, 1], clusters[kept])[0]


def test_the_method_follows_the_number_of_clusters():
    rng = np.random.default_rng(1)
    few = rng.integers(0, 2, 40).astype(float), np.arange(40) % (FEW_CLUSTERS - 1)
    many = few[0], np.arange(40) % FEW_CLUSTERS
    assert cluster_interval(*few, rng=rng)[0].method == "cluster t"
    assert cluster_interval(*many, rng=rng)[0].method == "cluster bootstrap"
    assert cluster_interval(*few, ends=(SHARE,), rng=rng) == cluster_wilson(*few)
    assert cluster_interval(*many, ends=(SHARE,), rng=rng)[0].method == "cluster bootstrap"


def test_each_column_has_ends_of_its_own():
    values = np.array([[0.0, 40.0, 0.2], [1, 55, -0.1], [0, 38, 0.6], [0, 61, 0.0]])
    rng = np.random.default_rng(1)
    share, age, gain = cluster_interval(
        values, np.arange(4), ends=(SHARE, None, DIFFERENCE), rng=rng
    )
    assert (share.method, age.method, gain.method) == (
        "cluster wilson",
        "cluster t",
        "cluster wilson",
    )
    assert share == cluster_wilson(values[:, 0], np.arange(4))[0]
    assert age == cluster_t(values[:, 1], np.arange(4))[0]
    assert gain == cluster_wilson(values[:, 2], np.arange(4), ends=(DIFFERENCE,))[0]


@pytest.mark.parametrize("ends", [(0.0, math.inf), (-math.inf, 900.0)])
def test_values_with_one_end_have_an_interval_cut_there(ends) -> None:
    # Volumes of a false positive, 4 patients: mean 250, far from all alike.
    values = np.array([0.0, 0.0, 100.0, 900.0])
    (free,) = cluster_interval(values, np.arange(4), rng=np.random.default_rng(1))
    (cut,) = cluster_interval(values, np.arange(4), ends=[ends], rng=np.random.default_rng(1))
    assert free.low < 0 < free.value == cut.value == 250.0
    assert cut.low == max(free.low, ends[0])
    assert cut.high == min(free.high, ends[1])
    assert cut.method == free.method == "cluster t"
