from __future__ import annotations

from typing import Any

import pytest

from overread.audits.reproduce.cells import agrees
from overread.audits.reproduce.published_values import PublishedTable, digits_of


@pytest.mark.parametrize(
    ("value", "digits"),
    [
        (0.3455, 4),
        (33.04 / 100, 4),  # 0.33039999999999997 in floating point
        (31.0 / 100, 2),
        (16.45, 2),
        (1.0, 0),
        (0.3057086180295349, 9),
    ],
)
def test_digits_are_those_printed(value: float, digits: int):
    assert digits_of(value) == digits


def test_a_column_has_the_digits_of_its_longest_number(make: Any):
    # 31.20 % and 33.04 % are printed with the same digits, whatever floats say.
    values = [make.published("jury_accuracy", who, x) for who, x in (("a", 0.312), ("b", 0.3304))]
    table = PublishedTable(values)
    assert table.digits(values[0]) == 4


def test_the_source_with_most_digits_speaks_for_a_cell(make: Any):
    table = PublishedTable(
        [
            make.published("bleu", "a", 16.45),
            make.published("bleu", "a", 16.457095166271824, source="file"),
        ]
    )
    found = table.find("bleu", "a", ())
    assert found is not None
    assert found.source == "file"
    assert len(table.all("bleu", "a", ())) == 2
    assert table.find("bleu", "b", ()) is None


def test_agreement_is_to_the_last_digit():
    # CT-SpatialVQA, jury of M3D: 2774 of 9074 by row number is the published 30.57 %.
    assert agrees(0.3057, 2774 / 9074, within=0.00005)
    assert not agrees(0.3057, 2833 / 9074, within=0.00005)
    assert agrees(0.375, 0.37, within=0.005)  # a tie may be rounded either way
