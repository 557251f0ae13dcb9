from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from overread.report.data import ReportData
from overread.report.markdown import cell, markdown, write_markdown


@given(st.text())
def test_a_cell_is_one_line_that_ends_no_cell(text: str) -> None:
    shown = cell(text)
    assert "\n" not in shown
    assert "\r" not in shown
    assert re.search(r"(?<!\\)(\\\\)*[|<>`]", shown) is None


def test_a_link_stays_text() -> None:
    assert cell("see https://example.org") == "see https&#58;//example.org"
    assert cell("[x](javascript:alert(1))") == r"\[x\](javascript&#58;alert(1))"


def test_long_cells_are_cut() -> None:
    assert len(cell("x" * 5000)) == 301
    assert len(cell("x" * 5000, whole=True)) == 5000


def test_every_table_is_regular(small_report: ReportData) -> None:
    text = markdown(small_report)
    tables = re.findall(r"(?:^\|.*\|\n?)+", text, re.MULTILINE)
    assert len(tables) == 10
    for table in tables:
        columns = {len(re.findall(r"(?<!\\)\|", line)) for line in table.strip().splitlines()}
        assert len(columns) == 1


def test_the_score_card_comes_first(small_report: ReportData, tmp_path: Path) -> None:
    text = write_markdown(small_report, tmp_path / "report.md").read_text(encoding="utf-8")
    headings = re.findall(r"^## (.*)$", text, re.MULTILINE)
    assert headings == [
        "Score card", "Accuracy in every setting", "Side by side",
        "What became of the questions", "Run against run", "Findings", "Published numbers",
        "Manifest",
    ]  # fmt: skip
    assert "<script>" not in text
    assert "What it does not show" in text


def test_a_quiet_report_says_that_nothing_was_found(small_report: ReportData) -> None:
    run = replace(small_report.runs[0], findings=())
    quiet = replace(small_report, findings=(), runs=(run,), comparison=None)
    assert "The checks found nothing to report." in markdown(quiet)


def test_the_p_that_is_adjusted_is_bold(small_report: ReportData) -> None:
    comparison = small_report.comparison
    assert comparison is not None
    row = replace(
        comparison.pairs[0],
        p_mcnemar=0.012,
        p_sign_flip=0.034,
        adjusted="sign flip",
        p_adjusted=0.102,
    )
    changed = replace(comparison, pairs=(row,), by_stratum=())
    text = markdown(replace(small_report, comparison=changed))
    assert "| p, McNemar | p by patient | adjusted p (Holm) |" in text
    assert "| 0.012 | **0.034** | 0.102 |" in text


def test_the_power_of_each_pair_stands_beside_it(small_report: ReportData) -> None:
    comparison = small_report.comparison
    assert comparison is not None
    exam = replace(
        comparison.pairs[0].exam,
        units=76, design_effect=1.25, smallest_difference=0.1234, units_needed=1500,
        units_needed_at_best=300, reason=None,
    )  # fmt: skip
    row = replace(comparison.pairs[0], difference=0.05, p_adjusted=0.3, exam=exam)
    text = markdown(replace(small_report, comparison=replace(comparison, pairs=(row,))))
    head = (
        "| Difference | Shows from | Design effect | Patients asked | Needed | At best | Remark |"
    )
    assert head in text
    assert "| +5.0 | 12.3 | 1.25 | 76 | 1 500 | 300 |" in text
    apart = replace(row, p_adjusted=0.001)
    text = markdown(replace(small_report, comparison=replace(comparison, pairs=(apart,))))
    assert "| 76 | told apart |  |" in text


def test_several_runs_have_groups_and_two_have_none(small_report: ReportData) -> None:
    comparison = small_report.comparison
    assert comparison is not None
    text = markdown(small_report)
    assert len(comparison.labels) == 3
    assert "| Run | Score (%) | Group |" in text
    two = replace(comparison, labels=comparison.labels[:2])
    assert "Group" not in markdown(replace(small_report, comparison=two))
