from __future__ import annotations

from overread.audits.cells import AUDIT, published_findings
from overread.benchmarks.ct_bench import protocol
from overread.records import PublishedValue


def _value(value: float, n: int | None = None, **other) -> PublishedValue:
    fields = {
        "metric": "accuracy",
        "stratum": {},
        "who": "someone",
        "kind": "model",
        "value": value,
        "n": n,
        "source": "table",
    }
    return PublishedValue(**{**fields, **other})


def _found(*rows: PublishedValue) -> list[tuple[str, str]]:
    return [(each.code, each.where) for each in published_findings(rows)]


def test_averages_of_ct_bench_readers_against_their_cells() -> None:
    # Printed 90.0 and 90.5 with a box, 66.0 and 70.5 without; by cases 47/55, 49/55, 33/45, 33/45.
    findings = {
        each.where: each.evidence for each in published_findings(protocol.published_values())
    }
    assert len(findings) == 7
    for where, printed, count in (
        ("senior radiologist 1, accuracy, box", "90.0 %", "47 of 55, 85.5 %"),
        ("senior radiologist 2, accuracy, box", "90.5 %", "49 of 55, 89.1 %"),
        ("senior radiologist 1, accuracy, no-box", "66.0 %", "33 of 45, 73.3 %"),
        ("senior radiologist 2, accuracy, no-box", "70.5 %", "33 of 45, 73.3 %"),
        ("senior radiologist 1, accuracy, total", "79.2 %", "80 of 100, 80.0 %"),
        ("senior radiologist 2, accuracy, total", "81.5 %", "82 of 100, 82.0 %"),
        ("junior doctor, accuracy, total", "58.2 %", "56 of 100, 56.0 %"),
    ):
        assert f"printed {printed}" in findings[where]
        assert f"give {count}" in findings[where]
    # 50.3 pooled from 62.0 and 37.1 is within rounding: no model is among them.
    assert not any("BiomedCLIP" in where for where in findings)


def test_impossible_shares_need_no_count() -> None:
    assert _found(_value(0.245, 100)) == [("impossible-share", "someone, accuracy, total")]
    assert _found(_value(0.245, 200)) == []
    assert _found(_value(0.245, 5000)) == []


def test_digits_are_those_of_the_source() -> None:
    # 0.24 next to 0.245 stands for 0.240: 24 of 100, and not of 99.
    assert _found(_value(0.24, 100), _value(0.245, 200, who="other")) == []
    assert len(_found(_value(0.24, 99), _value(0.245, 200, who="other"))) == 1


def test_counts_beside_a_value() -> None:
    assert _found(_value(0.284, 1900, count=540)) == []
    assert _found(_value(0.284, 1900, count=530)) == [("count-off", "someone, accuracy, total")]
    # A value made of its count is no printed number.
    assert _found(_value(47 / 55, 55, count=47)) == []


def test_totals_are_pooled_from_their_parts() -> None:
    parts = [
        _value(0.62, 1000, stratum={"box": "box"}),
        _value(0.371, 900, stratum={"box": "no-box"}),
    ]
    assert _found(_value(0.503, 1900), *parts) == []
    (finding,) = published_findings([_value(0.496, 1900), *parts])
    assert finding.code == "total-off"
    assert "pooled over box it is 50.21 %" in finding.evidence
    assert finding.evidence.endswith("the plain mean 49.55 % fits")
    # Parts that are not all of it say nothing.
    assert _found(_value(0.4, 2000), *parts) == []


def test_what_is_no_share_of_answers_is_left_alone() -> None:
    assert _found(_value(0.245, 100, metric="bleu1"), _value(0.25, 7, kind="chance")) == []


def test_it_is_an_audit_of_any_release() -> None:
    assert AUDIT.name == "cells"
    assert hasattr(AUDIT, "look")
