"""Tables for people: the score card names its metric and shows a run's five numbers."""

from __future__ import annotations

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


def test_a_run_without_estimates_has_an_empty_card(capsys: pytest.CaptureFixture[str]) -> None:
    show(card_table("chat:m", [], profile="honest"))
    assert "accuracy" in capsys.readouterr().out
