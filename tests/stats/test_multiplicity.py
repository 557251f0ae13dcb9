from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from overread.errors import UsageError
from overread.stats.multiplicity import benjamini_hochberg, holm

_P_VALUES = st.lists(st.floats(0, 1), min_size=1, max_size=30)


def test_holm_by_hand() -> None:
    # Sorted 0.005, 0.01, 0.03, 0.04 times 4, 3, 2, 1: 0.02, 0.03, 0.06, 0.04 -> 0.06 by step.
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx((0.03, 0.06, 0.06, 0.02))


@pytest.mark.parametrize(("ours", "theirs"), [(holm, "holm"), (benjamini_hochberg, "fdr_bh")])
@settings(max_examples=10)  # statsmodels takes 40 ms a call
@given(p_values=_P_VALUES)
def test_agrees_with_statsmodels(ours, theirs: str, p_values: list[float]) -> None:
    expected = multipletests(p_values, method=theirs)[1]
    assert ours(p_values) == pytest.approx(tuple(expected), abs=1e-12)


@pytest.mark.parametrize("function", [holm, benjamini_hochberg])
def test_undefined_is_no_comparison(function) -> None:
    assert function([0.02, None, 0.04]) == (
        pytest.approx(function([0.02, 0.04])[0]),
        None,
        pytest.approx(function([0.02, 0.04])[1]),
    )
    assert function([None]) == (None,)
    assert function([]) == ()


@pytest.mark.parametrize("function", [holm, benjamini_hochberg])
@pytest.mark.parametrize("p_values", [[1.2], [-0.1], [float("nan")]])
def test_numbers_that_are_no_probability_are_refused(function, p_values) -> None:
    with pytest.raises(UsageError, match="p_values: expected numbers from 0 to 1"):
        function(p_values)


def test_holm_keeps_the_level_over_all_comparisons() -> None:
    rng = np.random.default_rng(0)
    alarms = [min(holm(rng.random(10).tolist())) < 0.05 for _ in range(2000)]
    assert np.mean(alarms) == pytest.approx(0.05, abs=0.015)


def test_hypotheses_that_cannot_all_be_true_cost_less() -> None:
    # Shaffer's first step: of four at most two are true, so the multipliers are 2, 2, 2, 1.
    assert holm([0.01, 0.02, 0.03, 0.04], most_true=2) == pytest.approx((0.02, 0.04, 0.06, 0.06))
    assert holm([0.01, 0.02], most_true=9) == holm([0.01, 0.02])


def test_one_sided_pairs_keep_the_level() -> None:
    # Twenty pairs of one-sided tests of which one each is at its margin, the other far from it.
    rng = np.random.default_rng(0)
    alarms = []
    for _ in range(1000):
        at_margin, far = rng.random(20), rng.random(20) * 1e-6
        adjusted = holm([*at_margin, *far], most_true=20)
        alarms.append(min(adjusted[:20]) < 0.05)
    assert np.mean(alarms) == pytest.approx(0.05, abs=0.02)


def test_no_true_hypothesis_at_all_is_refused() -> None:
    with pytest.raises(UsageError, match="most_true: expected a count of 1 or more, got 0"):
        holm([0.1], most_true=0)
