from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.contingency_tables import mcnemar

from overread.errors import UsageError
from overread.stats.paired_shares import mcnemar_corrected, paired_wald

COUNTS = st.integers(min_value=0, max_value=300)


def test_a_worked_example() -> None:
    # 40 right twice, 25 and 10 right once, 25 never. By hand: 0.15 ± 1.959964 * sqrt(35 - 225 /
    # 100) / 100 = 0.15 ± 0.11216; chi-square (|25 - 10| - 1)^2 / 35 = 5.6.
    found = paired_wald(40, 25, 10, 25)
    assert found.value == pytest.approx(0.15)
    assert (found.low, found.high) == (
        pytest.approx(0.0378, abs=5e-5), pytest.approx(0.2622, abs=5e-5),
    )  # fmt: skip
    assert mcnemar_corrected(25, 10).p_value == pytest.approx(0.017960, abs=5e-7)


@given(COUNTS, COUNTS)
def test_the_corrected_test_is_that_of_statsmodels(one: int, two: int) -> None:
    found = mcnemar_corrected(one, two)
    if one + two == 0:
        assert found.p_value is None
        assert found.reason
    elif abs(one - two) >= 1:
        table = [[7, one], [two, 9]]
        theirs = mcnemar(table, exact=False, correction=True).pvalue
        assert found.p_value == pytest.approx(theirs, rel=1e-9, abs=1e-300)
    else:
        assert found.p_value == 1.0  # a difference below the correction is none


@given(COUNTS, COUNTS, COUNTS, COUNTS)
def test_the_other_way_round_it_is_the_mirror_image(a: int, b: int, c: int, d: int) -> None:
    there, back = paired_wald(a, b, c, d), paired_wald(a, c, b, d)
    assert there.defined == back.defined == (b + c > 0)
    if there.low is not None and there.high is not None and there.value is not None:
        assert (back.low, back.high) == (pytest.approx(-there.high), pytest.approx(-there.low))
        assert -1 <= there.low <= there.value <= there.high <= 1


def test_what_says_nothing_has_a_reason() -> None:
    assert paired_wald(0, 0, 0, 0).reason == "no items"
    still = paired_wald(5, 0, 0, 5)
    assert (still.value, still.low) == (0.0, None)
    assert still.reason
    for call in (lambda: paired_wald(-1, 0, 0, 0), lambda: mcnemar_corrected(1, -1)):
        with pytest.raises(UsageError, match="0 or more"):
            call()
