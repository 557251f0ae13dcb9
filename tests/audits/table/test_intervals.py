from __future__ import annotations

import math

import pytest

from overread.stats.intervals import wilson


def of(audit, code):
    return [each.finding for each in audit.flaws if each.finding.code == code]


# The senior reader of DeepTumorVQA: 109 of 200, Wilson 47.6 to 61.3.
def test_a_right_interval_is_right(audit) -> None:
    found = audit('reader,accuracy\nsenior,"54.5 [47.6, 61.3]"\n', "n = 200")
    assert found.flaws == ()
    (check,) = [each for each in found.checks if each.name == "intervals"]
    assert (check.tried, check.note) == (1, "1 of them against their number of items")


def test_an_interval_too_narrow_for_its_items(audit) -> None:
    found = audit('reader,accuracy\nsenior,"54.5 [51.0, 58.0]"\n', "n = 200")
    (finding,) = of(found, "interval-too-narrow")
    assert finding.severity == "error"
    assert "7 wide for 200 items" in finding.evidence
    # The narrowest usual interval is Wilson's, 13.7 wide: (13.7 / 7)² of the items.
    interval = wilson(109, 200)
    ratio = ((interval.high - interval.low) * 100 / 7) ** 2
    assert f"takes {ratio:.1f} times as many items" in finding.effect


def test_a_wide_interval_is_a_note_on_clusters(audit) -> None:
    (finding,) = of(
        audit('reader,accuracy\nsenior,"54.5 [40.0, 69.0]"\n', "n = 200"), "interval-wide"
    )
    assert finding.severity == "info"
    assert "independent items" in finding.effect


@pytest.mark.parametrize(
    ("cell", "code"),
    [
        ("54.5 [55.0, 61.3]", "value-outside-interval"),
        ("54.5 [61.3, 47.6]", "interval-reversed"),
        ("99.0 [96.5, 101.5]", "interval-outside-range"),
    ],
)
def test_intervals_that_contradict_themselves(audit, cell: str, code: str) -> None:
    (finding,) = of(audit(f'reader,accuracy\nsenior,"{cell}"\n'), code)
    assert finding.where == "senior, accuracy (line 2)"


def test_rounding_alone_never_puts_a_value_outside(audit) -> None:
    assert audit('m,accuracy\na,"50.0 [50.0, 61.3]"\nb,"0 [0, 4]"\n').flaws == ()


def test_ends_in_columns_of_their_own(audit) -> None:
    claims = '[[interval]]\nvalue="acc"\nlow="lower"\nhigh="upper"\n'
    found = audit("m,acc,lower,upper\na,54.5,47.6,61.3\nb,54.5,55.1,61.3\n", claims)
    assert [each.where for each in of(found, "value-outside-interval")] == ["b, acc (line 3)"]
    assert set(found.flaws[0].cells) == {(1, 1), (1, 2), (1, 3)}


def test_spreads_that_no_values_have(audit) -> None:
    # Values from 0 to 100 with the mean 90: the widest two are 80 and 100 around 90 ... at most
    # sqrt(2 × 0.9 × 0.1) = 42.4 even for two values of any kind.
    found = audit("m,accuracy\na,90.0 ± 45.0\nb,90.0 ± 42.0\nc,50.0 ± 50.0\n")
    assert [each.where for each in of(found, "spread-too-wide")] == ["a, accuracy (line 2)"]
    assert math.sqrt(2 * 0.9 * 0.1) == pytest.approx(0.4243, abs=1e-4)


def test_volumes_may_spread_more_than_their_mean(audit) -> None:
    assert audit("m,volume ml\na,3.1 ± 9.4\nb,0.7 ± 4.4\nc,12.0 ± 80.3\n").flaws == ()


def test_a_standard_error_too_small_for_its_items(audit) -> None:
    claims = 'n = 200\n[[interval]]\nvalue="accuracy"\nspread="{}"\n'
    table = "m,accuracy\na,54.5 ± 3.5\nb,54.5 ± 1.0\n"
    # sqrt(.545 × .455 / 200) = 3.52 points.
    narrow = of(audit(table, claims.format("se")), "spread-too-narrow")
    assert [each.where for each in narrow] == ["b, accuracy (line 3)"]
    assert "3.52 if they are independent" in narrow[0].evidence
    half = of(audit(table, claims.format("half-width")), "spread-too-narrow")
    assert len(half) == 2
    assert of(audit(table, claims.format("sd")), "spread-too-narrow") == []
