from __future__ import annotations

import math

import pytest

from overread.report.marks import SHARE_AXIS, symmetric_axis


def test_the_share_axis_shows_all_of_0_to_100() -> None:
    assert [tick.label for tick in SHARE_AXIS.ticks] == ["0", "25", "50", "75", "100"]
    assert [tick.x for tick in SHARE_AXIS.ticks] == [
        "0.00%", "25.00%", "50.00%", "75.00%", "100.00%",
    ]  # fmt: skip


def test_a_mark_stands_at_its_value() -> None:
    mark = SHARE_AXIS.mark(0.381, 0.35, 0.4)
    assert mark is not None
    assert mark.x == "38.10%"
    assert mark.interval is not None
    assert (mark.interval.x, mark.interval.width, mark.interval.end) == (
        "35.00%", "5.00%", "40.00%",
    )  # fmt: skip


def test_no_value_no_mark() -> None:
    assert SHARE_AXIS.mark(None, 0.1, 0.2) is None
    assert SHARE_AXIS.mark(math.nan, None, None) is None
    without_interval = SHARE_AXIS.mark(0.5, None, None)
    assert without_interval is not None
    assert without_interval.interval is None


def test_marks_stay_on_the_axis() -> None:
    span = SHARE_AXIS.span(-0.5, 1.5)
    assert span is not None
    assert (span.x, span.width, span.end) == ("0.00%", "100.00%", "100.00%")


@pytest.mark.parametrize(
    ("values", "half"), [([0.01], 0.1), ([0.1], 0.1), ([-0.23, 0.1], 0.3), ([], 0.1), ([2.0], 1.0)]
)
def test_the_axis_of_differences_holds_them_all(values: list[float], half: float) -> None:
    axis = symmetric_axis(values)
    assert axis.high == pytest.approx(half)
    assert axis.low == -axis.high
    assert axis.x(0.0) == "50.00%"
    assert [tick.is_origin for tick in axis.ticks] == [False, True, False]
