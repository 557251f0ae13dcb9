"""Tables for people: the score card names its metric and shows a run's five numbers."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from dataclasses import replace

import pytest

from overread.cli.output import card_table, show, totals_table
from overread.records import Estimate


def make_estimates(headline: str) -> list[Estimate]:
    values = {
        headline: 0.381, f"{headline}_answered": 0.402, "no_answer": 0.0526,
        "gain_over_blind": 0.119,
    }  # fmt: skip
    return [
        Estimate(
            metric=metric, profile="honest", stratum={}, n=1900, n_answered=1800, n_clusters=523,
            value=value, low=value - 0.02, high=value + 0.02, method="cluster bootstrap (patient)",
            chance=0.25, blind_floor=0.262, blind_policy="always A",
        )
        for metric, value in values.items()
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("headline", "column"), [("accuracy", "accuracy"), ("exact_match", "exact match")]
)
def test_the_score_card_is_headed_by_the_plans_metric(
    headline: str, column: str, capsys: pytest.CaptureFixture[str]
) -> None:
    estimates = make_estimates(headline)
    show(card_table("chat:m", estimates, profile="honest"))
    show(totals_table([("one", estimates)], title="Runs", profile="honest"))
    out = capsys.readouterr().out
    heads = [line for line in out.splitlines() if "no answer" in line]
    assert len(heads) == 2
    assert all(column in line for line in heads)
    for first in ("total", "one"):
        row = next(line for line in out.splitlines() if f"│ {first} " in line)
        cells = [cell.strip() for cell in row.strip("│").split("│")]
        assert cells == [
            first, "1900", "38.1", "36.1 to 40.1", "40.2", "5.3", "25.0", "26.2", "+11.9",
        ]  # fmt: skip


def test_a_card_without_a_chance_level_has_no_column_for_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    estimates = [replace(each, chance=None) for each in make_estimates("fact_score")]
    show(card_table("chat:m", estimates, profile="honest"))
    show(totals_table([("one", estimates)], title="Runs", profile="honest"))
    out = capsys.readouterr().out
    assert "blind" in out
    assert "chance" not in out


def test_a_run_without_estimates_has_an_empty_card(capsys: pytest.CaptureFixture[str]) -> None:
    show(card_table("chat:m", [], profile="honest"))
    assert "accuracy" in capsys.readouterr().out


SHOW_FINDINGS = """
from overread.cli.output import findings_table, show
from overread.records import Finding, Severity
show(findings_table([
    Finding(severity=Severity.INFO, code="note", where="questions", evidence="few of them"),
    Finding(
        severity=Severity.ERROR, code="not-shown", where="3 of 24 questions", count=3,
        evidence="1 × expected three axes, got 4. [b]Split it.[/b] " + "word " * 400,
        effect="they count as not right", remedy="Mend the files.",
    ),
]))
"""


def on_a_terminal(code: str, columns: int) -> list[str]:
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=theirs,
        env=os.environ | {"COLUMNS": str(columns), "LINES": "50", "TERM": "xterm"},
    )
    os.close(theirs)
    shown = b""
    while True:
        try:
            shown += os.read(ours, 65536)
        except OSError:  # the other end is closed
            break
    os.close(ours)
    assert process.wait() == 0
    return [line.rstrip() for line in re.sub(r"\x1b\[[0-9;]*m", "", shown.decode()).splitlines()]


@pytest.mark.parametrize("columns", [60, 80, 100])
def test_findings_are_blocks_where_it_is_tight(columns: int) -> None:
    lines = on_a_terminal(SHOW_FINDINGS, columns)
    assert lines[:2] == ["Findings", "error not-shown × 3"]  # the worst first
    assert lines[2].startswith("  3 of 24 questions: 1 × expected three axes, got 4.")
    assert "[b]Split it.[/b]" in " ".join(line.strip() for line in lines)
    assert lines[-4:] == [
        "  They count as not right.",
        "  Mend the files.",
        "info note",
        "  questions: few of them",
    ]
    assert max(map(len, lines)) <= columns
    assert lines[-5].endswith("…")  # cut at its end only
    assert sum(map(len, lines)) < 1100


def test_findings_are_a_table_where_there_is_room() -> None:
    lines = on_a_terminal(SHOW_FINDINGS, 160)
    (first,) = (line for line in lines if "not-shown" in line)
    cells = [cell.strip() for cell in first.strip("│").split("│")]
    assert cells[:3] == ["error", "not-shown", "3"]
    assert cells[3].startswith("3 of 24 questions: 1 × expected three axes, got 4.")
    assert cells[4] == "They count as not right. Mend the files."
    assert max(map(len, lines)) <= 160
