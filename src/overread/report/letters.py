"""Confusion of letters: which option was right against which was picked, and letter habits."""

from __future__ import annotations

from dataclasses import dataclass

from overread.analysis.answers import AnswerSummary, LetterShare
from overread.report.data import ReportData, run_labels
from overread.report.wording import count, p_value, percent

__all__ = ["Balance", "Cell", "Matrix", "matrices"]

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
class Balance:
    """How often one letter is right, and how often it was picked."""

    letter: str
    reference: str
    answer: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Matrix:
    """The confusion of one run."""

    label: str
    colour: int
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Cell, ...], str], ...]
    """Reference letter, cells, sum."""
    balance: tuple[Balance, ...]
    reference_p: str
    answer_p: str


def matrices(data: ReportData) -> tuple[Matrix, ...]:
    """Build one matrix a run."""
    labels = run_labels(data.runs).values()
    return tuple(
        _matrix(run.answers, label, number % 8)
        for number, (run, label) in enumerate(zip(data.runs, labels, strict=True))
    )


def _matrix(answers: AnswerSummary, label: str, colour: int) -> Matrix:
    confusion = answers.confusion
    rows: list[tuple[str, tuple[Cell, ...], str]] = []
    for reference, counts in zip(confusion.references, confusion.counts, strict=True):
        total = sum(counts)
        cells = tuple(
            _cell(n, total, is_diagonal=answer == reference != "none")
            for answer, n in zip(confusion.answers, counts, strict=True)
        )
        rows.append((reference, cells, count(total)))
    return Matrix(
        label=label,
        colour=colour,
        columns=confusion.answers,
        rows=tuple(rows),
        balance=tuple(
            Balance(letter=one.letter, reference=_share(one), answer=_share(other))
            for one, other in zip(answers.reference_balance, answers.answer_balance, strict=True)
        ),
        reference_p=p_value(answers.reference_balance_p),
        answer_p=p_value(answers.answer_balance_p),
    )


def _cell(n: int, total: int, *, is_diagonal: bool) -> Cell:
    share = n / total if total else 0.0
    return Cell(
        n=count(n),
        shade=sum(share >= bound for bound in _SHADES),
        is_diagonal=is_diagonal,
        share=percent(n / total if total else None),
    )


def _share(letter: LetterShare) -> str:
    return percent(letter.share)
