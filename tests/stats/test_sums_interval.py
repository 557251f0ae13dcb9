from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from overread.errors import UsageError
from overread.stats.bootstrap import cluster_bootstrap
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
