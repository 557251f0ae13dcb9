from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import friedmanchisquare

from overread.errors import UsageError
from overread.stats.friedman import friedman

# A, B, C over six cases: mean ranks 1.3333, 2, 2.6667.
_SIX = [
    [0.90, 0.85, 0.70],
    [0.80, 0.82, 0.75],
    [0.95, 0.90, 0.60],
    [0.70, 0.65, 0.72],
    [0.88, 0.80, 0.66],
    [0.77, 0.76, 0.50],
]


def test_six_cases() -> None:
    # 12/(6*3*4) * (8² + 12² + 16²) - 3*6*4 = 77.3333 - 72.
    found = friedman(_SIX)
    assert found.statistic == pytest.approx(5.3333, abs=5e-5)
    assert found.p_value == pytest.approx(0.069483, abs=5e-7)
    assert (found.n, found.k) == (6, 3)


@settings(max_examples=40)
@given(
    st.integers(3, 5).flatmap(
        lambda k: st.lists(
            st.lists(st.integers(0, 3), min_size=k, max_size=k), min_size=2, max_size=12
        )
    )
)
def test_agrees_with_scipy(rows: list[list[int]]) -> None:
    table = np.array(rows, dtype=float)
    ours = friedman(table)
    if all(len(set(row)) == 1 for row in rows):
        assert ours.reason == "every unit ties all methods"
        return
    theirs = friedmanchisquare(*table.T)
    assert ours.statistic == pytest.approx(theirs.statistic, abs=1e-9)
    assert ours.p_value == pytest.approx(theirs.pvalue, abs=1e-9)


def test_undefined_with_a_reason() -> None:
    assert friedman([[1, 2], [2, 1]]).reason == "fewer than three methods"
    assert friedman([[1, 2, 3]]).reason == "fewer than two units"
    assert friedman([[1, 1, 1], [2, 2, 2]]).p_value is None


def test_float_noise_is_a_tie() -> None:
    noisy = [[0.1 + 0.2 + 0.3, 0.3 + 0.2 + 0.1, 0.6]] * 3
    assert friedman(noisy).statistic is not None
    assert friedman(noisy, tolerance=1e-9).reason == "every unit ties all methods"


def test_missing_values_are_refused() -> None:
    with pytest.raises(UsageError, match="table: expected finite values"):
        friedman([[1, 2, np.nan], [1, 2, 3]])
