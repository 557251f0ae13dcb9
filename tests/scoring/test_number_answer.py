"""Numbers in replies: spellings of one number, and what is none."""

from __future__ import annotations

import time
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from overread.records import Status
from overread.scoring.number_answer import as_decimal, read_number_answer


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("600", "600"),
        ("６００ mL", "600"),
        ("約600mLです", "600"),
        ("answer: 600\nconfidence: 1.0\nexplanation: 15 × 50 = 750", "600"),
        ("600.0", "600"),
        ("1,200", "1200"),
        ("answer: 1,234.5 cm³", "1234.5"),
        (".5", "0.5"),
        ("3.2e2", "320"),
        ("5 x 10^2", "500"),
        ("-35 HU", "-35"),
        ("−35 HU", "-35"),
        ("20 × 30 = 600", "600"),
        ("27%", "27"),
        ("27% (小数第1位を四捨五入)", "27"),
        ("答え（27）", "27"),
        ("36.4 ≒ 36", "36"),
        ("answer: 36.4 → 36", "36"),
        ("600 mL/日（2日なら1,200 mL）", "600"),
        ("＋600", "600"),
        ("HCO3 は 24 mEq/L", "24"),
        ("計算する。\n20 × 30\n600", "600"),
        ("答えは 60 です。", "60"),
        ("- 600", "600"),
        ('{"answer": 36}', "36"),
        (r"\boxed{36}", "36"),
        ("<think>35</think>36", "36"),
        ("0", "0"),
        ("-0.0", "0"),
        ("036", "36"),
    ],
)
def test_numbers_are_read(text, answer):
    reading = read_number_answer(text)
    assert (reading.answer, reading.status) == (answer, Status.OK), reading


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        (None, "empty"),
        ("", "empty"),
        ("10-20", "several-numbers"),
        ("answer: 27 または 28", "several-numbers"),
        ("0,5", "several-numbers"),
        ("1,234,5", "several-numbers"),
        ("HCO3", "no-number"),
        ("NaN", "no-number"),
        ("二十七", "no-number"),
        ("1.2.3", "no-number"),
        ("9" * 100, "no-number"),
        ("answer: [数値]", "placeholder"),
        ("分かりません", "abstention"),
    ],
)
def test_what_is_no_number_has_its_kind(text, rule):
    reading = read_number_answer(text)
    assert (reading.answer, reading.rule) == (None, rule)
    assert reading.status in (Status.UNPARSED, Status.REFUSED)


def test_decimals_are_exact_and_bounded():
    assert as_decimal("0.1") == Decimal("0.1")
    assert as_decimal("１２".translate({0xFF11: "1", 0xFF12: "2"})) == 12
    assert [as_decimal(each) for each in (None, "", "a", "1e999999999", "9" * 50)] == [None] * 5


@settings(max_examples=200)
@given(st.text())
def test_nothing_raises(text):
    reading = read_number_answer(text)
    assert (reading.answer is None) == (reading.status is not Status.OK)
    assert reading.answer is None or as_decimal(reading.answer) is not None


@given(st.integers(min_value=-(10**9), max_value=10**9))
def test_what_is_written_is_read(number):
    assert read_number_answer(f"answer: {number:,}").answer == str(number)


@pytest.mark.parametrize("piece", ["1", "1.", "1,", "=", "-", "e9"])
def test_a_hostile_reply_takes_no_time(piece):
    start = time.perf_counter()
    read_number_answer(piece * 100_000)
    assert time.perf_counter() - start < 1.8
