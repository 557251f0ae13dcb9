from __future__ import annotations

import math

import pytest

from overread.records import Estimate, Status
from overread.report.wording import (
    MISSING,
    count,
    folder_name,
    gain,
    moment,
    p_value,
    percent,
    sentence,
    settings_text,
    show_estimate,
    size,
    stratum_label,
)

THIN = "\N{NARROW NO-BREAK SPACE}"


def make_estimate(value: float | None, low: float | None = None, high: float | None = None):
    return Estimate(
        metric="accuracy", profile="honest", stratum={}, n=10, n_answered=9, n_clusters=5,
        value=value, low=low, high=high, method="wilson",
        status=Status.OK if value is not None else Status.UNDEFINED,
        reason=None if value is not None else "no planned item",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0.3814, "38.1"),
        (0.0, "0.0"),
        (1.0, "100.0"),
        (-0.00001, "0.0"),
        (None, MISSING),
        (math.nan, MISSING),
    ],
)
def test_percent_never_turns_a_missing_number_into_zero(share: float | None, text: str) -> None:
    assert percent(share) == text


@pytest.mark.parametrize(
    ("share", "text"),
    [(0.12, "+12.0"), (-0.034, "\N{MINUS SIGN}3.4"), (0.0001, "0.0"), (None, MISSING)],
)
def test_gain_has_a_sign(share: float | None, text: str) -> None:
    assert gain(share) == text


def test_counts_and_sizes_are_for_people() -> None:
    assert count(20335) == f"20{THIN}335"
    assert count(None) == MISSING
    assert size(999) == f"999{THIN}B"
    assert size(180_000) == f"180{THIN}kB"
    assert size(187_000_000) == f"187{THIN}MB"


def test_p_values() -> None:
    assert [p_value(p) for p in (0.0009, 0.001, 0.5, 1.0, None)] == [
        "< 0.001", "0.001", "0.500", "1.000", MISSING,
    ]  # fmt: skip


def test_an_estimate_without_a_value_says_why() -> None:
    shown = show_estimate(make_estimate(None))
    assert (shown.value, shown.interval, shown.reason) == (MISSING, "", "no planned item")
    assert show_estimate(None).value == MISSING


def test_an_estimate_shows_its_interval() -> None:
    # 540 of 1,900: the known Wilson interval 26.44 to 30.49
    shown = show_estimate(make_estimate(540 / 1900, 0.26438, 0.30492))
    assert (shown.value, shown.interval) == ("28.4", "26.4 to 30.5")
    assert show_estimate(make_estimate(0.4), signed=True).value == "+40.0"


@pytest.mark.parametrize(
    ("stratum", "label"),
    [
        ({}, "All questions"),
        ({"box": "box"}, "with box"),
        ({"box": "no-box"}, "no box"),
        ({"task": "img2txt", "box": "no-box"}, "img2txt · no box"),
        ({"slices": "9"}, "slices 9"),
    ],
)
def test_strata_have_names(stratum: dict[str, str], label: str) -> None:
    assert stratum_label(stratum) == label


def test_times_are_utc_to_the_minute() -> None:
    assert moment("2026-11-30T18:40:59+02:00") == "2026-11-30 16:40 UTC"
    assert moment("yesterday") == "yesterday"


def test_a_sentence_begins_and_ends_as_one() -> None:
    assert sentence("one slice: which size?") == "One slice: which size?"
    assert sentence("no interval, no variation") == "No interval, no variation."
    assert sentence("  ") == ""


def test_settings_on_one_line() -> None:
    assert settings_text({"seed": 0, "form": "chat", "tasks": None}) == (
        "form: chat, seed: 0, tasks: null"
    )
    assert settings_text({}) == "none"


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/home/me/ct-bench", "ct-bench"),
        ("/home/me/ct-bench/", "ct-bench"),
        ("C:\\data\\ct bench\\", "ct bench"),
        ("releases/ct-bench", "ct-bench"),
        ("/", "/"),
    ],
)
def test_a_folder_is_named_without_where_it_lies(path: str, name: str) -> None:
    assert folder_name(path) == name
