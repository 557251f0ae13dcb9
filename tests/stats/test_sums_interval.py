from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from overread.errors import UsageError
from overread.stats.bootstrap import cluster_bootstrap
from overread.stats.cluster_wilson import between_ends
from overread.stats.sums_interval import sums_interval


def _mean(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    n = sums[..., 1]
    return np.where(n > 0, sums[..., 0] / np.maximum(n, 1), np.nan)


def _two(values: list[float]) -> NDArray[np.float64]:
    return np.stack([np.array(values), np.ones(len(values))], axis=1)


def test_a_mean_as_a_statistic_of_sums_is_the_cluster_bootstrap() -> None:
    rng = np.random.default_rng(1)
    values, codes = rng.random(200), np.arange(200) % 50
    ours = sums_interval(_two(values.tolist()), _mean, codes, rng=np.random.default_rng(7))
    (theirs,) = cluster_bootstrap(values, codes, rng=np.random.default_rng(7))
    assert (ours.value, ours.low, ours.high) == pytest.approx(
        (theirs.value, theirs.low, theirs.high), abs=1e-12
    )
    assert ours.method == theirs.method == "cluster bootstrap"


def test_jackknife_of_a_mean_by_hand() -> None:
    # Values 1, 2, 6: mean 3, variance 7, error √(7/3) = 1.52753; t(2) at 97.5 % is 4.30265.
    found = sums_interval(_two([1, 2, 6]), _mean, np.arange(3), rng=np.random.default_rng())
    assert found.method == "cluster jackknife"
    assert found.low == pytest.approx(3 - 4.30265 * 1.52753, abs=1e-4)
    assert found.high == pytest.approx(3 + 4.30265 * 1.52753, abs=1e-4)


def test_no_items_and_an_undefined_statistic_have_no_value() -> None:
    nothing = sums_interval(
        np.zeros((0, 2)), _mean, np.zeros(0, np.int64), rng=np.random.default_rng()
    )
    assert (nothing.value, nothing.reason) == (None, "no items")
    empty = sums_interval(np.zeros((3, 2)), _mean, np.arange(3), rng=np.random.default_rng())
    assert empty.reason == "the statistic is undefined over these items"


def test_without_a_generator_there_is_the_value_alone() -> None:
    found = sums_interval(_two([1, 2, 6]), _mean, np.arange(3), rng=None)
    assert (found.value, found.low, found.reason) == (3.0, None, None)


def test_a_count_of_draws_below_one_is_refused() -> None:
    with pytest.raises(UsageError, match="draws: expected a count of 1 or more, got 0"):
        sums_interval(_two([1, 2]), _mean, np.arange(2), draws=0, rng=np.random.default_rng())


def test_a_range_keeps_the_bounds_of_few_clusters_within_it() -> None:
    # Shares 1, 1, 1, 0.4 of four patients: mean 0.85, error 0.15, t(3) 3.18245. Unbounded 1.33.
    found = sums_interval(
        _two([1, 1, 1, 0.4]), _mean, np.arange(4), ends=(0.0, 1.0), rng=np.random.default_rng()
    )
    assert found.method == "bounded cluster jackknife"
    bounds = between_ends(0.85, 3.182446 * 0.15, (0.0, 1.0))
    assert (found.low, found.high) == pytest.approx(bounds, abs=1e-6)
    assert found.high is not None
    assert 0.85 < found.high < 1


def test_a_value_at_the_end_of_its_range_has_no_bounds() -> None:
    def best(sums: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.minimum(sums[..., 0] / 3, 1.0)

    found = sums_interval(
        _two([1, 1, 2]), best, np.arange(3), ends=(0.0, 1.0), rng=np.random.default_rng()
    )
    assert (found.value, found.low, found.reason) == (
        1.0,
        None,
        "the value is at the end of its range",
    )


def test_a_ratio_over_few_patients_is_covered_as_often_as_said() -> None:
    rng, held = np.random.default_rng(4), 0
    for _ in range(1500):
        rights = rng.binomial(5, rng.beta(2.3, 1.0, 12))
        table = np.stack([rights.astype(float), np.full(12, 5.0)], axis=1)
        found = sums_interval(table, _mean, np.arange(12), ends=(0.0, 1.0), rng=rng)
        assert found.low is not None
        assert found.high is not None
        held += found.low <= 2.3 / 3.3 <= found.high
    # 1,500 exams: one standard error is 0.6 %.
    assert 0.93 <= held / 1500 <= 0.97


def test_an_infinite_end_is_none_and_the_other_cuts() -> None:
    table = np.array([[1.0, 1.0], [2.0, 1.0], [90.0, 1.0]])
    free, cut = (
        sums_interval(
            table, lambda sums: sums[..., 0] / sums[..., 1], np.arange(3),
            ends=ends, rng=np.random.default_rng(2),
        )
        for ends in (None, (0.0, np.inf))
    )  # fmt: skip
    assert free.low < 0
    assert (cut.low, cut.high, cut.method) == (0.0, free.high, free.method)
