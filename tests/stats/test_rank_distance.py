from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau

from overread.errors import UsageError
from overread.stats.rank_distance import footrule, tau_b, weighted_footrule

_PAIRS = st.integers(2, 9).flatmap(
    lambda k: st.tuples(*[st.lists(st.integers(1, 4), min_size=k, max_size=k)] * 2)
)


def test_tau_b_by_hand() -> None:
    # Six pairs, five concordant and one not: 4/6.
    assert tau_b([1, 2, 3, 4], [1, 2, 4, 3]) == pytest.approx(0.666667, abs=5e-7)
    # Five concordant, one tied in the first: 5 / sqrt(5 * 6).
    assert tau_b([1, 2, 2, 4], [1, 2, 3, 4]) == pytest.approx(0.912871, abs=5e-7)


def test_tau_b_of_full_ties_is_undefined() -> None:
    assert np.isnan(tau_b([1, 1, 1], [1, 2, 3]))
    assert np.isnan(tau_b([1, 2, 3], [2, 2, 2]))
    assert np.isnan(tau_b([1], [1]))


@given(pair=_PAIRS)
def test_tau_b_agrees_with_scipy(pair: tuple[list[int], list[int]]) -> None:
    theirs = kendalltau(*pair, variant="b").statistic
    ours = float(tau_b(*pair))
    assert np.isnan(ours) if np.isnan(theirs) else ours == pytest.approx(theirs, abs=1e-12)


def test_many_orders_at_once() -> None:
    rows = [[1, 2, 3], [3, 2, 1], [1, 1, 1]]
    assert tau_b([1, 2, 3], rows)[:2].tolist() == [1, -1]
    assert np.isnan(tau_b([1, 2, 3], rows)[2])
    assert footrule([1, 2, 3], rows).tolist() == [0, 4, 3]
    # |1-3|/1 + 0 + |3-1|/1, and 0 + 1/1 + 2/1.
    assert weighted_footrule([1, 2, 3], rows).tolist() == [0, 4, 3]


def test_an_unranked_thing_takes_no_part_in_tau() -> None:
    assert tau_b([1, np.nan, 2, 3], [1, 2, 3, 2]) == pytest.approx(
        float(tau_b([1, 2, 3], [1, 3, 2]))
    )


def test_chunks_change_nothing() -> None:
    rng = np.random.default_rng(3)
    rows = rng.integers(1, 40, size=(7000, 30))
    assert tau_b(range(30), rows)[6999] == pytest.approx(
        kendalltau(range(30), rows[6999]).statistic
    )


@pytest.mark.parametrize("function", [tau_b, footrule, weighted_footrule])
def test_orders_of_other_things_are_refused(function) -> None:
    with pytest.raises(UsageError, match="first, second: expected"):
        function([1, 2, 3], [1, 2])
    with pytest.raises(UsageError, match="first, second: expected"):
        function([[1, 2]], [[1, 2]])


def test_ranks_count_from_one() -> None:
    with pytest.raises(UsageError, match="ranks that count from 1, got 0"):
        weighted_footrule([0, 1], [1, 0])
