"""Confusion of letters: which option was right against which was picked, and letter habits."""

from __future__ import annotations

from dataclasses import dataclass

from overread.analysis.answers import AnswerSummary
from overread.report.data import ReportData, run_labels
from overread.report.wording import count, p_value, percent

__all__ = ["Cell", "Matrix", "Row", "matrices", "shaded"]

_SHADES = (0.02, 0.12, 0.25, 0.4, 0.6)
"""Shares of a row from which the next darker shade begins."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One count with its share of the row."""

    n: str
    shade: int
    """0 (empty) to 5."""
    is_diagonal: bool
    share: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One reference letter."""

    letter: str
    cells: tuple[Cell, ...]
    total: str
    share: str
    """Of all questions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Matrix:
    """The confusion of one run."""

    label: str
    colour: int
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    picked: tuple[str, ...]
    """Share of all questions, by column."""
    reference_p: str
    answer_p: str
    """Chi-square test that all letters are right, or picked, equally often."""


def matrices(data: ReportData) -> tuple[Matrix, ...]:
    """Build one matrix a run; none for a run whose questions have no letters."""
    labels = run_labels(data.runs).values()
    return tuple(
        _matrix(run.answers, label, number % 8)
        for number, (run, label) in enumerate(zip(data.runs, labels, strict=True))
        if run.answers.confusion.references
    )


def shaded(n: int, total: int) -> int:
    """Choose the shade of a count among so many of its row: 0 (empty) to 5."""
    share = n / total if total else 0.0
    return sum(share >= bound for bound in _SHADES)


def _matrix(answers: AnswerSummary, label: str, colour: int) -> Matrix:
    confusion = answers.confusion
    rows = tuple(
        Row(
            letter=reference,
            cells=tuple(
                _cell(n, sum(counts), reference=reference, answer=answer)
                for answer, n in zip(confusion.answers, counts, strict=True)
            ),
            total=count(sum(counts)),
            share=_share(sum(counts), answers.n),
        )
        for reference, counts in zip(confusion.references, confusion.counts, strict=True)
    )
    picked = [sum(column) for column in zip(*confusion.counts, strict=True)]
    return Matrix(
        label=label,
        colour=colour,
        columns=confusion.answers,
        rows=rows,
        picked=tuple(_share(n, answers.n) for n in picked),
        reference_p=p_value(answers.reference_balance_p),
        answer_p=p_value(answers.answer_balance_p),
    )


def _cell(n: int, total: int, *, reference: str, answer: str) -> Cell:
    # Without a usable reference no pick is right or wrong: such a row has no shade.
    shade = 0 if reference == "none" else shaded(n, total)
    return Cell(
        n=count(n),
        shade=shade,
        is_diagonal=answer == reference != "none",
        share=_share(n, total),
    )


def _share(n: int, of: int) -> str:
    return percent(n / of if of else None)
