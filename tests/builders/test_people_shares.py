from __future__ import annotations

import pytest

from overread.builders.people_shares import share_over_patients, share_text
from overread.stats.intervals import wilson


def test_one_error_in_six_has_bounds_that_are_shares() -> None:
    found = share_over_patients([True, False, False, False, False, False], list("aabbcc"))
    assert found.method == "cluster wilson"
    assert found.low is not None
    assert found.high is not None
    assert 0 < found.low < 1 / 6 < found.high < 1
    assert share_text(found).startswith("1 of 6, 16.7 % (95 % 0.7 to 85.1")
    assert share_text(found).endswith(", cluster wilson)")


def test_each_of_another_patient_is_the_plain_interval() -> None:
    found, plain = share_over_patients([True, *[False] * 5], list("abcdef")), wilson(1, 6)
    assert (found.low, found.high, found.method) == (plain.low, plain.high, "wilson")
    none = share_over_patients([False] * 6, list("abcdef"))
    assert none.high == pytest.approx(0.3903, abs=1e-4)  # 0 of 6: z² / (6 + z²)


def test_nothing_and_one_patient_have_no_interval() -> None:
    assert share_text(share_over_patients([], [])) == "none"
    assert (
        share_text(share_over_patients([True, False], ["a", "a"])) == "1 of 2, 50.0 % (no interval)"
    )
