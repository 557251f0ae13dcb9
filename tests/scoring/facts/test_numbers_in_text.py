"""A number that is split or spoken is read whole or not at all."""

from __future__ import annotations

import pytest

from overread.scoring.facts.reader import read_facts


@pytest.mark.parametrize(
    "text",
    [
        "1 . 5 cm", "1. 5 cm", "1 .5 cm", "1 point 5 cm", "one point twenty five cm",
        "zero point five cm", "point five cm", "1 200 mm", "1,200 mm", "1'200 mm", "-3 mm",
        "±12 mm", "1e400 mm", "1.5e1 mm", "10^1 mm", "1/2 cm", "1 1/2 cm", "½ cm", "1½ cm",
        "1·5 cm", "two thirds of a cm", "a hundred and twenty mm", "one hundred and five mm",
        "2 . 3 x 1 . 5 cm", "2.3 x 1 . 5 cm", "2 point 3 x 1.5 cm", "12 mm x 8 . 5 mm",
        "1 to 1 . 5 cm", "T12-5 mm",
    ],
)  # fmt: skip
def test_a_part_of_a_number_is_no_size(text: str) -> None:
    facts = read_facts(f"Nodule of {text} in the left lung")
    assert [lesion.size for lesion in facts.lesions] == [None]
    assert facts.unread_sizes


@pytest.mark.parametrize(
    ("text", "longest"),
    [
        ("nodule of one point five centimetres", 15),
        ("nodule of twenty-five millimetres", 25),
        ("nodule of twenty five mm", 25),
        ("nodule of 3 and a half cm", 35),
        ("nodule in segment 7, 12 mm", 12),
        ("in 2019 12 mm nodule", 12),
        ("two 5 mm nodules", 5),
        ("L3 5 mm lesion", 5),
        ("nodule. 5 mm in size", 5),
        ("nodule - 12 mm", 12),
        ("nodule of 2.3cm x1.5cm", 23),
    ],
)
def test_a_whole_number_is(text: str, longest: float) -> None:
    facts = read_facts(text)
    assert [lesion.size.axes_mm[0] for lesion in facts.lesions if lesion.size] == [longest]
    assert facts.unread_sizes == ()
