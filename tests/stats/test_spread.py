from __future__ import annotations

import numpy as np
import pytest
import statsmodels.api as sm

from overread.errors import UsageError
from overread.stats.spread import cluster_spread


def test_spread_by_hand() -> None:
    # Two patients with two items each: 1, 1 and 0, 0. Mean 1/2; sums less mean · size: 1 and -1.
    # Robust: 2/1 · 2 / 16 = 1/4. Independent: 4/3 · 1 / 16 = 1/12. Effect 3.
    found = cluster_spread([1.0, 1.0, 0.0, 0.0], np.array([4, 4, 7, 7]))
    assert (found.n, found.n_clusters, found.mean, found.mean_square) == (4, 2, 0.5, 0.5)
    assert found.standard_error == pytest.approx(0.5)
    assert found.design_effect == pytest.approx(3.0)
    assert found.largest_design_effect == 2.0
    assert found.effective_n == pytest.approx(4 / 3)
    assert found.spread == pytest.approx(0.5 * 2**0.5)


def test_independent_items_have_no_design_effect() -> None:
    values = np.array([1.0, 0, 0, -1, 1, 0])
    found = cluster_spread(values, np.arange(6))
    assert found.design_effect == pytest.approx(1.0)
    assert found.standard_error == pytest.approx(values.std(ddof=1) / 6**0.5)
    assert found.largest_design_effect == 1.0
    assert found.effective_n == pytest.approx(6)


def test_standard_error_is_the_robust_one_of_statsmodels() -> None:
    rng = np.random.default_rng(0)
    clusters = np.repeat(np.arange(25), np.resize([1, 4, 7], 25))
    values = rng.normal(size=clusters.size) + rng.normal(size=25)[clusters]
    fit = sm.OLS(values, np.ones_like(values)).fit(
        cov_type="cluster", cov_kwds={"groups": clusters, "use_correction": False}
    )
    assert cluster_spread(values, clusters).standard_error == pytest.approx(
        float(fit.bse[0]) * (25 / 24) ** 0.5
    )


def test_clusters_that_make_up_for_each_other_never_count_as_more_than_their_items() -> None:
    # Each patient has one item for and one against: sums are all 0 but for one patient.
    values, clusters = np.array([1.0, -1] * 9 + [1.0]), np.append(np.repeat(np.arange(9), 2), 9)
    found = cluster_spread(values, clusters)
    assert found.design_effect == 1.0
    assert found.standard_error == pytest.approx(values.std(ddof=1) / 19**0.5)


@pytest.mark.parametrize(
    ("values", "clusters", "reason"),
    [
        ([1.0, 0.0], [0, 0], "one cluster has no spread"),
        ([0.0, 0.0, 0.0], [0, 1, 1], "all clusters agree: no variation to resample"),
    ],
)
def test_without_variation_nothing_is_certain(values, clusters, reason) -> None:
    found = cluster_spread(values, np.array(clusters))
    assert (found.standard_error, found.design_effect, found.spread) == (None, None, None)
    assert found.reason == reason
    assert found.effective_n == pytest.approx(len(values) / found.largest_design_effect)


def test_the_effect_of_one_value_a_patient_is_that_of_the_sizes() -> None:
    rng = np.random.default_rng(1)
    sizes = np.resize([1, 2, 9], 3000)
    clusters = np.repeat(np.arange(3000), sizes)
    found = cluster_spread(rng.choice([-1.0, 0, 1], 3000)[clusters], clusters)
    assert found.largest_design_effect == pytest.approx((1 + 4 + 81) / 12)
    assert found.design_effect == pytest.approx(found.largest_design_effect, rel=0.05)


def test_values_that_are_no_numbers_are_refused() -> None:
    with pytest.raises(UsageError, match="values: expected finite numbers"):
        cluster_spread([1.0, float("nan")], np.array([0, 1]))
