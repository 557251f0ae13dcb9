from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import rankdata, wilcoxon

from overread.errors import UsageError
from overread.stats.signed_rank import signed_rank, signed_rank_draws

# Six cases of three methods.
_A = np.array([0.90, 0.80, 0.95, 0.70, 0.88, 0.77])
_B = np.array([0.85, 0.82, 0.90, 0.65, 0.80, 0.76])
_C = np.array([0.70, 0.75, 0.60, 0.72, 0.66, 0.50])
_A_B = [0.05, -0.02, 0.05, 0.05, 0.08, 0.01]


@pytest.mark.parametrize(
    ("first", "second", "normal", "exact"),
    [(_A, _B, 0.044943, 0.046875), (_A, _C, 0.029586, 0.03125), (_B, _C, 0.036969, 0.046875)],
)
def test_six_cases(first, second, normal: float, exact: float) -> None:
    def p(method) -> float | None:
        return signed_rank(
            first - second, alternative="greater", method=method, tolerance=1e-9
        ).p_value

    # A - B by hand: ranks 4 2 4 4 6 1, W = 19, variance 22.75 - 24/48, z = (19 - 10.5 - .5)/4.717.
    assert p("normal") == pytest.approx(normal, abs=5e-7)
    assert p("exact") == exact
    assert p("auto") == exact


def test_float_noise_parts_three_equal_differences() -> None:
    # .90 - .85, .95 - .90 and .70 - .65 are 0.05 but for 1e-16. Without a tolerance two of them
    # tie, and p is what other programs give for these six cases.
    found = signed_rank(_A - _B, alternative="greater", method="normal")
    assert found.p_value == pytest.approx(0.046296, abs=5e-7)


@pytest.mark.parametrize(
    ("differences", "normal", "exact"),
    [
        ([1, 1, 1, 1], 0.035930, 0.0625),  # all four tied: called significant by the approximation
        ([1, 2, 3, 4], 0.050174, 0.0625),
        ([1, 2, 3, 4, 5], 0.029529, 0.03125),
    ],
)
def test_tiny_samples(differences, normal: float, exact: float) -> None:
    greater = signed_rank(differences, alternative="greater", method="normal").p_value
    assert greater == pytest.approx(normal, abs=5e-7)
    assert signed_rank(differences, alternative="greater").p_value == exact
    assert signed_rank(differences).p_value == 2 * exact


def _by_hand(differences: list[int]) -> tuple[float, float]:
    """Try all sign patterns."""
    kept = [value for value in differences if value]
    ranks = rankdata(np.abs(kept))
    observed = ranks[np.array(kept) > 0].sum()
    sums = [
        sum(rank for rank, up in zip(ranks, pattern, strict=True) if up)
        for pattern in product([False, True], repeat=len(kept))
    ]
    return (
        float(np.mean([one >= observed for one in sums])),
        float(np.mean([one <= observed for one in sums])),
    )


@settings(max_examples=40)
@given(differences=st.lists(st.integers(-4, 4), min_size=1, max_size=8).filter(any))
def test_exact_is_the_share_of_all_sign_patterns(differences: list[int]) -> None:
    greater, less = _by_hand(differences)
    row = [float(each) for each in differences]
    assert signed_rank(row, alternative="greater").p_value == pytest.approx(greater, abs=1e-12)
    assert signed_rank(row, alternative="less").p_value == pytest.approx(less, abs=1e-12)


@settings(max_examples=40)
@given(
    differences=st.lists(st.integers(-9, 9), min_size=2, max_size=40).filter(any),
    alternative=st.sampled_from(["greater", "less"]),
)
def test_approximation_agrees_with_scipy(differences: list[int], alternative) -> None:
    ours = signed_rank(
        [float(each) for each in differences], alternative=alternative, method="normal"
    )
    theirs = wilcoxon(differences, alternative=alternative, correction=True, method="asymptotic")
    assert ours.p_value == pytest.approx(theirs.pvalue, abs=1e-12)


def test_exact_without_ties_agrees_with_scipy() -> None:
    rng = np.random.default_rng(1)
    differences = rng.normal(0.3, 1, size=25)
    for alternative in ("greater", "less", "two-sided"):
        theirs = wilcoxon(differences, alternative=alternative, method="exact").pvalue
        ours = signed_rank(differences, alternative=alternative)
        assert ours.method == "wilcoxon, exact"
        assert ours.p_value == pytest.approx(theirs, rel=1e-9)
    assert signed_rank(rng.normal(size=26)).method == "wilcoxon, normal approximation"


def test_differences_that_float_noise_parts_are_ties() -> None:
    row = [0.9 - 0.8, 0.8 - 0.7, -(0.3 - 0.2)]  # 0.1 each, but for 1e-16
    # All tied: each has rank 2, and 4 of 8 sign patterns reach 4.
    assert signed_rank(row, alternative="greater", tolerance=1e-9).p_value == 0.5
    # By the noise 0.8 - 0.7 is the largest: 4.5, which 3 of 8 reach.
    assert signed_rank(row, alternative="greater").p_value == 0.375
    noise = signed_rank([0.1 + 0.2 - 0.3, 0.5], alternative="greater", tolerance=1e-9)
    assert noise.p_value == 0.5  # one unit is left


def test_undefined_without_a_difference() -> None:
    for row in ([], [0.0, 0.0]):
        result = signed_rank(row)
        assert (result.p_value, result.reason) == (None, "no unit tells the two apart")


def test_a_unit_drawn_twice_is_two_pairs() -> None:
    counts = np.array([[1, 1, 1, 1, 1, 1], [2, 0, 3, 0, 1, 0], [0, 0, 0, 0, 0, 6]], dtype=float)
    drawn = signed_rank_draws(_A_B, counts, tolerance=1e-9)
    for row, count in zip(drawn, counts, strict=True):
        written_out = np.repeat(_A_B, count.astype(int))
        greater = signed_rank(written_out, alternative="greater", tolerance=1e-9).p_value
        less = signed_rank(written_out, alternative="less", tolerance=1e-9).p_value
        assert row.tolist() == pytest.approx([greater, less], abs=1e-12)
    normal = signed_rank_draws(_A_B, counts, method="normal", tolerance=1e-9)
    assert normal[1, 0] == pytest.approx(
        signed_rank(
            np.repeat(_A_B, [2, 0, 3, 0, 1, 0]),
            alternative="greater",
            method="normal",
            tolerance=1e-9,
        ).p_value
    )


@pytest.mark.parametrize("method", ["exact", "normal"])
def test_a_resample_without_any_difference_is_undefined(method) -> None:
    drawn = signed_rank_draws([0.0, 1.0], np.array([[2.0, 0.0], [1.0, 1.0]]), method=method)
    assert np.isnan(drawn[0]).all()
    assert not np.isnan(drawn[1]).any()
    assert np.isnan(signed_rank_draws([0.0], np.array([[1.0]]), method=method)).all()


def test_level_is_kept_when_nothing_differs() -> None:
    rng = np.random.default_rng(5)
    for n, most in ((8, 0.05), (40, 0.065)):
        alarms = [
            signed_rank(rng.normal(size=n), alternative="greater").p_value <= 0.05  # type: ignore[operator]
            for _ in range(1000)
        ]
        assert 0.02 <= np.mean(alarms) <= most


def test_bad_arguments_are_refused() -> None:
    with pytest.raises(UsageError, match="differences: expected a row of finite numbers"):
        signed_rank([1.0, np.nan])
    with pytest.raises(UsageError, match="counts: expected shape"):
        signed_rank_draws([1.0, 2.0], np.ones((3, 3)))
    with pytest.raises(UsageError, match="'exact' for 401"):
        signed_rank(np.arange(1.0, 402.0), method="exact")
