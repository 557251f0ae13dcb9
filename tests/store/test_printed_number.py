from __future__ import annotations

import time
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overread.store.printed_number import LONGEST_NUMBER, read_number, without_markup


@pytest.mark.parametrize(
    ("text", "digits", "decimals"),
    [
        ("24.5", "24.5", 1),
        ("0.50", "0.50", 2),
        (".6619", "0.6619", 4),
        ("−0.5", "-0.5", 1),
        ("1,234.5", "1234.5", 1),
        ("1 234.5", "1234.5", 1),
        ("8'334", "8334", 0),
        ("3.2e2", "320", -1),
        ("1.5e-3", "0.0015", 4),
        ("+3.5", "3.5", 1),
        ("70.0 %", "70.0", 1),
        ("６１．３％", "61.3", 1),
        ("≈ 0.8", "0.8", 1),
        ("61.3↑", "61.3", 1),
    ],
)
def test_reads_a_number_with_its_printed_digits(text: str, digits: str, decimals: int) -> None:
    number = read_number(text)
    assert number.digits == digits
    assert number.decimals == decimals
    assert number.exact == Decimal(digits)
    assert number.value == float(digits)
    assert number.text == text


@pytest.mark.parametrize(
    ("text", "digits"),
    [
        ("0,5", "0.5"),
        ("1.234,5", "1234.5"),
        ("54,55 %", "54.55"),
        ("1 234,5", "1234.5"),
        ("12", "12"),
    ],
)
def test_reads_decimal_commas_when_told(text: str, digits: str) -> None:
    assert read_number(text, decimal=",").digits == digits


@pytest.mark.parametrize("text", ["0,5", "0,512", "12,34", "1,2345", "1.2.3", "12,345,6"])
def test_never_guesses_a_number_that_can_be_two(text: str) -> None:
    number = read_number(text)
    assert number.value is None
    assert not number.is_missing


@pytest.mark.parametrize(
    ("text", "marks"),
    [
        ("**61.3**", ("bold",)),
        (r"\textbf{61.3}", ("bold",)),
        (r"\underline{\textbf{61.3}}", ("bold", "underline")),
        ("<b>61.3</b>", ("bold",)),
        ("$\\mathbf{61.3}$", ("bold",)),
        ("*61.3*", ("italic",)),
        ("61.3*", ("footnote *",)),
        ("61.3†", ("footnote †",)),
        ("61.3<sup>a</sup>", ("footnote a",)),
        ("$61.3^{b}$", ("footnote b",)),
        ("61.3²", ("footnote ²",)),
        ("61.3 ml", ("unit ml",)),
        ("61.3 (2)", ("rank 2",)),
        ("61.3 (1st)", ("rank 1",)),
        ("61.3 (+0.3)", ("(+0.3)",)),
    ],
)
def test_keeps_what_stands_around_a_number(text: str, marks: tuple[str, ...]) -> None:
    number = read_number(text)
    assert number.value == 61.3
    assert set(number.marks) == set(marks)
    assert number.spread is None


def test_rank_is_a_mark() -> None:
    assert read_number("0.6619 (3)").rank == 3
    assert read_number("0.6619").rank is None


@pytest.mark.parametrize("text", ["61.3 ± 1.2", "**61.3±1.2**", "61.3 (1.2)", "61.3 +/- 1.2 %"])
def test_reads_a_spread(text: str) -> None:
    number = read_number(text)
    assert (number.value, number.spread, number.spread_digits) == (61.3, 1.2, "1.2")


@pytest.mark.parametrize(
    "text", ["55.0 [47.6, 61.3]", "55.0 (47.6–61.3)", "55.0 % (95 % CI: 47.6 to 61.3)"]
)
def test_reads_an_interval(text: str) -> None:
    number = read_number(text)
    assert (number.value, number.low, number.high) == (55.0, 47.6, 61.3)
    assert number.interval_digits == ("47.6", "61.3")


def test_reads_counts() -> None:
    alone = read_number("47/55")
    assert (alone.count, alone.n) == (47, 55)
    assert alone.value == 47 / 55
    behind = read_number("28.4 (540/1900)")
    assert (behind.value, behind.count, behind.n) == (28.4, 540, 1900)
    assert read_number("28.4 (n=1900)").n == 1900


@pytest.mark.parametrize("text", ["", "-", "–", "—", "n/a", "NaN", " None ", "**–**"])
def test_tells_missing_cells(text: str) -> None:
    number = read_number(text)
    assert number.value is None
    assert number.is_missing


@pytest.mark.parametrize(
    "text",
    ["<0.001", "4B", "3D vol", "0.5 - 0.6", "57/55", "1/0", "0.5 0.6", "not seen", "1e999", "٣"],
)
def test_gives_no_value_where_there_is_none(text: str) -> None:
    number = read_number(text)
    assert number.value is None
    assert not number.is_missing


def test_a_negative_spread_is_none() -> None:
    assert read_number("1.0 ± -0.2").spread is None


def test_long_cells_are_not_searched() -> None:
    assert read_number("1" * (LONGEST_NUMBER + 1)).value is None


def test_hostile_cells_cost_no_time() -> None:
    started = time.perf_counter()
    for text in ("(" * 200, "1 " * 100, "*" * 200, "{" * 200, "1,111" * 40, "9" * 2_000_000):
        read_number(text)
        read_number(text, decimal=",")
        without_markup(text)
    assert time.perf_counter() - started < 0.5


@given(st.text(max_size=60) | st.text(alphabet="0123456789.,-+±()[]%*e /", max_size=40))
def test_never_raises(text: str) -> None:
    for decimal in (".", ","):
        number = read_number(text, decimal=decimal)
        assert (number.value is None) == (number.digits is None)


@given(st.decimals(min_value=-10000, max_value=10000, places=3))
def test_gives_back_what_was_printed(value: Decimal) -> None:
    assert read_number(str(value)).exact == value
    assert read_number(str(value).replace(".", ","), decimal=",").exact == value


def test_markup_comes_off_names() -> None:
    assert without_markup("**Our**   `model`") == "Our model"
