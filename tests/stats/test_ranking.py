from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata

from overread.errors import UsageError
from overread.stats.ranking import rank_values

_ROWS = st.lists(st.integers(-4, 4), min_size=1, max_size=9)


def test_ties_by_hand() -> None:
    values = [3.0, 1.0, 3.0, 2.0, 1.0, 1.0]
    assert rank_values(values).tolist() == [5, 1, 5, 4, 1, 1]
    assert rank_values(values, ties="average").tolist() == [5.5, 2, 5.5, 4, 2, 2]
    assert rank_values(values, ties="max").tolist() == [6, 3, 6, 4, 3, 3]
    assert rank_values(values, larger_is_better=True).tolist() == [1, 4, 1, 3, 4, 4]


@pytest.mark.parametrize("ties", ["min", "average", "max"])
@given(rows=_ROWS)
def test_agrees_with_scipy(ties, rows: list[int]) -> None:
    assert rank_values(rows, ties=ties).tolist() == rankdata(rows, method=ties).tolist()
    turned = rank_values([-value for value in rows], ties=ties, larger_is_better=True)
    assert turned.tolist() == rankdata(rows, method=ties).tolist()


def test_rounding_of_sums_makes_no_places() -> None:
    sums = [0.1 + 0.2 + 0.3, 0.3 + 0.2 + 0.1]
    assert sums[0] != sums[1]
    assert rank_values(sums).tolist() == [2, 1]
    assert rank_values(sums, tolerance=1e-9).tolist() == [1, 1]


def test_close_neighbours_are_equals_wherever_a_grid_of_rounding_would_part_them() -> None:
    # Rounded to 9 digits these two are 0.5 and 0.500000001, though 2e-16 apart.
    values = [0.5000000005 - 1e-16, 0.5000000005 + 2e-16, 0.4]
    assert rank_values(values, tolerance=1e-9).tolist() == [2, 2, 1]


def test_what_has_no_value_is_unranked_or_last() -> None:
    values = [np.nan, 0.8, 0.9, np.nan, 0.8]
    assert np.isnan(rank_values(values)).tolist() == [True, False, False, True, False]
    assert rank_values(values)[[1, 2, 4]].tolist() == [1, 3, 1]
    for ties, last in (("min", 4), ("average", 4.5), ("max", 5)):
        ranks = rank_values(values, ties=ties, absent="last")
        assert ranks[[0, 3]].tolist() == [last, last]
    # 1 2 2 and then 4, not 3.
    assert rank_values([1, 2, 2, np.nan], absent="last").tolist() == [1, 2, 2, 4]


def test_every_row_is_ranked_by_itself() -> None:
    table = np.array([[[1.0, 2.0], [2.0, 1.0]], [[0.0, 0.0], [np.nan, 7.0]]])
    ranks = rank_values(table, absent="last")
    assert ranks.tolist() == [[[1, 2], [2, 1]], [[1, 1], [2, 1]]]
    assert rank_values(np.empty((3, 0))).shape == (3, 0)


@pytest.mark.parametrize(
    ("values", "tolerance"), [([np.inf, 1.0], 0.0), (3.0, 0.0), ([1.0], -1.0), ([1.0], np.nan)]
)
def test_what_cannot_be_ranked_is_refused(values, tolerance) -> None:
    with pytest.raises(UsageError, match="values: expected finite numbers"):
        rank_values(values, tolerance=tolerance)
