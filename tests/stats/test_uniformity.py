from __future__ import annotations

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from overread.errors import UsageError
from overread.stats.uniformity import chi_square_uniform


def test_equal_counts_are_as_even_as_can_be() -> None:
    assert chi_square_uniform([25, 25, 25, 25]).p_value == pytest.approx(1.0)


@given(st.lists(st.integers(5, 500), min_size=2, max_size=8))
def test_agrees_with_scipy(counts: list[int]) -> None:
    expected = float(scipy.stats.chisquare(counts).pvalue)
    assert chi_square_uniform(counts).p_value == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize(
    ("counts", "reason"),
    [([], "two categories"), ([40], "two categories"), ([3, 2, 4, 5], "five expected")],
)
def test_too_little_is_undefined(counts: list[int], reason: str) -> None:
    result = chi_square_uniform(counts)
    assert result.p_value is None
    assert reason in (result.reason or "")


def test_negative_counts_are_refused() -> None:
    with pytest.raises(UsageError, match="counts: expected 0 or more"):
        chi_square_uniform([5, -1])


def test_keeps_its_level() -> None:
    rng = np.random.default_rng(0)
    counts = rng.multinomial(100, [0.25] * 4, size=3000)
    alarms = [(chi_square_uniform(row.tolist()).p_value or 0) < 0.05 for row in counts]
    assert np.mean(alarms) == pytest.approx(0.05, abs=0.012)
