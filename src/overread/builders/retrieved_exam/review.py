"""What people said of the questions: their answers, what they strike, how well they agree."""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from overread.benchmarks.ct_bench import layout
from overread.builders.people_shares import NO, YES, Share, name_sheets, share_over_patients
from overread.builders.report_qa.audit_sheet import unguarded
from overread.builders.report_qa.spreadsheet import decode_sheet, read_sheet
from overread.builders.retrieved_exam.draw import Unit
from overread.builders.retrieved_exam.lesions import ExamLesion
from overread.builders.retrieved_exam.review_sheet import asked, option_texts
from overread.errors import UsageError, expected
from overread.records import Finding, Severity
from overread.stats.rater_agreement import cohen_kappa

__all__ = ["Review", "read_reviews"]

_MAX_BYTES: Final = 64 * 2**20


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """What filled-in sheets say."""

    reviewers: tuple[str, ...]
    n_reviewed: int
    """Questions that somebody judged."""
    n_by_two: int
    """Questions that two people or more judged."""
    struck: Mapping[int, str] = field(repr=False)
    """Question → why people struck it."""
    answered_as_key: Share
    """Of people's answers, those that are the key's."""
    error_rate: Share
    """Of the questions reviewed, those that people struck."""
    kappa: float | None
    """Cohen's, between the first two reviewers' keep; None where it is undefined."""
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    unit: Unit
    answer: str
    also_right: str
    keep: bool | None
    reviewer: str

    @property
    def objection(self) -> str | None:
        """Why the question cannot stay; None where it can."""
        others = [letter for letter in self.also_right if letter != self.unit.letter]
        if others:
            return f"{', '.join(others)} may be right too"
        return "not to be kept" if self.keep is False else None


def read_reviews(
    paths: Sequence[Path], units: Sequence[Unit], lesions: Mapping[int, ExamLesion]
) -> Review:
    """Read filled-in sheets, one a person or more.

    A row is taken only where question and choices still are those of its number. A question is
    struck when anybody wants it out or finds a second right choice; that somebody answers
    otherwise than the key strikes nothing: it counts against the key in `answered_as_key`.

    Raises
    ------
    UsageError
        A file is no such sheet, or nobody has filled in a row.
    """
    by_number = {str(unit.number): unit for unit in units}
    faults: dict[str, list[str]] = defaultdict(list)
    rows: list[_Row] = []
    for path, name in name_sheets(paths).items():
        for where, cells in _cells(path):
            row = _row(cells, by_number, lesions, name)
            if isinstance(row, str):
                faults[row].append(f"{name}, {where}")
            elif row is not None:
                rows.append(row)
    if not rows:
        said = "; ".join(f"{fault} ({len(at)} rows)" for fault, at in faults.items())
        raise _no_sheet(paths[0], f"none ({said or 'only empty rows'})")
    return _review(rows, lesions, faults)


def _review(
    rows: Sequence[_Row], lesions: Mapping[int, ExamLesion], faults: Mapping[str, Sequence[str]]
) -> Review:
    by_unit: dict[int, list[_Row]] = defaultdict(list)
    for row in rows:
        by_unit[row.unit.number].append(row)
    struck = {
        number: "; ".join(sorted({one.objection for one in some if one.objection}))
        for number, some in by_unit.items()
        if any(one.objection for one in some)
    }
    firsts = [some[0] for some in by_unit.values()]
    answered = [row for row in rows if row.answer]
    reviewers = tuple(dict.fromkeys(row.reviewer for row in rows))
    return Review(
        reviewers=reviewers,
        n_reviewed=len(by_unit),
        n_by_two=sum(len({one.reviewer for one in some}) > 1 for some in by_unit.values()),
        struck=struck,
        answered_as_key=_share(
            answered, [row.answer == row.unit.letter for row in answered], lesions
        ),
        error_rate=_share(firsts, [row.unit.number in struck for row in firsts], lesions),
        kappa=_kappa(by_unit, reviewers),
        findings=tuple(
            Finding(
                severity=Severity.WARNING,
                code="review-row-unused",
                where=at[0],
                evidence=fault,
                effect="the row counts nowhere and strikes nothing",
                count=len(at),
            )
            for fault, at in faults.items()
        ),
    )


def _kappa(by_unit: Mapping[int, Sequence[_Row]], reviewers: Sequence[str]) -> float | None:
    if len(reviewers) < 2:
        return None
    said = [
        [
            next((one.objection is None for one in some if one.reviewer == reviewer), None)
            for some in by_unit.values()
        ]
        for reviewer in reviewers[:2]
    ]
    return cohen_kappa(said[0], said[1]).value


def _share(rows: Sequence[_Row], hits: Sequence[bool], lesions: Mapping[int, ExamLesion]) -> Share:
    patients = [lesions[row.unit.right.lesion_idx].patient for row in rows]
    return share_over_patients(hits, patients)


# ---------------------------------------------------------------- reading


def _cells(path: Path) -> list[tuple[str, dict[str, str]]]:
    try:
        text, _ = decode_sheet(path, max_bytes=_MAX_BYTES)
        names, rows = read_sheet(text)
    except (OSError, ValueError, csv.Error) as error:
        raise _no_sheet(path, f"something else ({error})") from error
    folded = [name.casefold() for name in names]
    missing = [name for name in ("question", "asked", "answer", "keep") if name not in folded]
    if missing:
        raise _no_sheet(path, f"no column {', '.join(missing)}")
    return [
        (row.where, {name.casefold(): cell for name, cell in row.cells.items()}) for row in rows
    ]


def _row(
    cells: Mapping[str, str],
    by_number: Mapping[str, Unit],
    lesions: Mapping[int, ExamLesion],
    sheet: str,
) -> _Row | str | None:
    """Read a row; None where nobody filled it in, a text where it cannot be used."""
    answer = cells.get("answer", "").upper().rstrip(".)")
    also = "".join(each for each in cells.get("also_right", "").upper() if each.isalpha())
    keep = cells.get("keep", "").casefold()
    if not (answer or also or keep):
        return None
    unit = by_number.get(cells.get("question", ""))
    if unit is None:
        return "its question is none of this exam"
    texts = (asked(unit, lesions), *option_texts(unit, lesions))
    names = ("asked", *(letter.casefold() for letter in layout.LETTERS))
    if not all(_same(cells.get(name, ""), text) for name, text in zip(names, texts, strict=True)):
        return "its texts are not those of its question"
    if answer and answer not in layout.LETTERS:
        return "its answer is no letter from A to D"
    if not set(also) <= set(layout.LETTERS):
        return "also_right holds something else than letters from A to D"
    if keep and keep not in YES | NO:
        return "keep is neither yes nor no"
    return _Row(
        unit=unit,
        answer=answer,
        also_right=also,
        keep=None if not keep else keep in YES,
        reviewer=cells.get("reviewer", "") or sheet,
    )


def _same(cell: str, text: str) -> bool:
    return " ".join(text.split()) in (" ".join(cell.split()), " ".join(unguarded(cell).split()))


def _no_sheet(path: Path, got: str) -> UsageError:
    return UsageError(
        expected(
            "--reviewed",
            rule="a filled-in sheet of this exam, at least one row with answer or keep",
            got=f"{path}: {got}",
            remedy="Fill in review/sheet.csv and keep its other columns.",
        )
    )
