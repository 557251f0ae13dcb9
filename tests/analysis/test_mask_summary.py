"""Distributions of mask metrics: quartiles, means with intervals, classes."""

from __future__ import annotations

import math

import pytest

from overread.analysis.mask_results import MaskCase, MaskResults, MaskRow
from overread.analysis.mask_summary import (
    NO_REFERENCE,
    by_size,
    by_stratum,
    strata_keys,
    summarise,
)
from overread.records import Status


def row(case: str, **values: float | None) -> MaskRow:
    return MaskRow(
        case=case, label="liver", status=Status.OK, reason=None, fate=None, values=values
    )


def results(rows: list[MaskRow], **cases: dict[str, str]) -> MaskResults:
    return MaskResults(
        title="t",
        labels={1: "liver"},
        cases=tuple(
            MaskCase(id=case, patient=strata.pop("patient", None), strata=strata)
            for case, strata in cases.items()
        ),
        rows=tuple(rows),
        units={"dice": "share", "hd95_mm": "mm"},
    )


def test_a_summary_has_quartiles_and_a_mean_within_its_interval() -> None:
    rows = [row(c, dice=d) for c, d in zip("abcde", (0.0, 0.5, 0.6, 0.7, 1.0), strict=True)]
    found = summarise(rows, ["dice"], results(rows, a={}, b={}, c={}, d={}, e={}))["dice"]
    assert found.quartiles == (0.0, 0.5, 0.6, 0.7, 1.0)
    assert found.median == 0.6
    assert found.mean == pytest.approx(0.56)
    assert (found.n, found.n_patients) == (5, 5)
    assert found.low is not None
    assert found.high is not None
    assert 0 < found.low < 0.56 < found.high < 1
    assert found.method == "cluster wilson"


def test_a_row_without_a_value_is_counted_and_is_in_no_mean() -> None:
    rows = [row("a", hd95_mm=2.0), row("b", hd95_mm=None), row("c", hd95_mm=4.0), row("d")]
    found = summarise(rows, ["hd95_mm"], results(rows, a={}, b={}, c={}, d={}))["hd95_mm"]
    assert (found.n, found.values, found.cases) == (4, (2.0, 4.0), ("a", "c"))
    assert found.mean == 3.0


def test_cases_of_one_patient_are_one_unit() -> None:
    rows = [row("a", dice=0.5), row("b", dice=0.9)]
    found = summarise(rows, ["dice"], results(rows, a={"patient": "p"}, b={"patient": "p"}))["dice"]
    assert found.n_patients == 1
    assert found.mean == pytest.approx(0.7)
    assert found.low is None
    assert found.reason


def test_no_value_and_an_infinite_value_give_a_reason_and_no_mean() -> None:
    rows = [row("a", dice=None, hd95_mm=math.inf)]
    found = summarise(rows, ["dice", "hd95_mm", "assd_mm"], results(rows, a={}))
    assert {name: (one.mean, one.median, one.reason) for name, one in found.items()} == {
        "dice": (None, None, "no row has a value"),
        "hd95_mm": (None, None, "a value is infinite"),
        "assd_mm": (None, None, "no row has a value"),
    }


def test_size_classes_hold_their_lower_edge_and_empty_references_stand_apart() -> None:
    rows = [
        row("a", reference_ml=0.0),
        row("b", reference_ml=0.05),
        row("c", reference_ml=1.0),
        row("d", reference_ml=9.99),
        row("e", reference_ml=1000.0),
        row("f", reference_ml=None),
    ]
    assert {name: [one.case for one in own] for name, own in by_size(rows).items()} == {
        NO_REFERENCE: ["a"],
        "below 0.1 ml": ["b"],
        "1 to 10 ml": ["c", "d"],
        "1000 ml and more": ["e"],
    }


def test_strata_are_those_that_part_the_cases() -> None:
    rows = [row("a", dice=0.1), row("b", dice=0.2), row("c", dice=0.3)]
    own = results(
        rows,
        a={"centre": "K", "split": "test", "day": "1"},
        b={"centre": "L", "split": "test", "day": "2"},
        c={"centre": "K", "split": "test", "day": "3"},
    )
    assert strata_keys(own) == ("centre",)
    assert {
        value: [one.case for one in part] for value, part in by_stratum(own, "centre").items()
    } == {
        "K": ["a", "c"],
        "L": ["b"],
    }
