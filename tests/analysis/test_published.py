from __future__ import annotations

import pytest

from overread.analysis.published import published_estimates
from overread.records import PublishedValue


def _row(value: float, count: int | None, n: int | None) -> PublishedValue:
    return PublishedValue(
        metric="accuracy", stratum={}, who="GPT-4V", kind="model", value=value, count=count, n=n,
        source="arXiv 2602.14879, Table 2",
    )  # fmt: skip


def test_interval_comes_from_the_count() -> None:
    # 28.4 % of 1,900 = 540; 95 % Wilson 26.44 to 30.49.
    (row,) = published_estimates([_row(0.284, 540, 1900)])
    assert (row.low, row.high) == pytest.approx((0.2644, 0.3049), abs=5e-5)
    assert (row.method, row.reason) == ("wilson", None)


def test_a_percentage_without_a_count_has_no_interval() -> None:
    (row,) = published_estimates([_row(0.284, None, 1900)])
    assert (row.low, row.high, row.method) == (None, None, "none")
    assert row.reason == "the source gives no count"


def test_a_printed_value_that_its_count_contradicts_is_told() -> None:
    # CT-Bench prints 90.0 % with box for a senior reader; by cases it is 47 of 55, 85.5 %.
    (row,) = published_estimates([_row(0.900, 47, 55)])
    assert row.low is not None
    assert row.reason == "the printed value 0.9000 is not 47 of 55"


@pytest.mark.parametrize(("count", "n"), [(12, 10), (-1, 10), (1, 0)])
def test_an_impossible_count_has_no_interval(count: int, n: int) -> None:
    (row,) = published_estimates([_row(0.5, count, n)])
    assert (row.low, row.high) == (None, None)
    assert row.reason == f"{count} of {n} is impossible"


@pytest.mark.parametrize(("count", "n", "reason"), [(0, 0, "no items"), (1, 1, "one item")])
def test_too_few_cases_have_no_interval(count: int, n: int, reason: str) -> None:
    (row,) = published_estimates([_row(1.0, count, n)])
    assert (row.low, row.method) == (None, "none")
    assert reason in (row.reason or "")
