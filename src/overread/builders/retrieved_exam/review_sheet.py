"""The sheet for people: every question once, with room for their answer, and without the key."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from overread.benchmarks.ct_bench import layout
from overread.builders.report_qa.audit_sheet import guarded
from overread.builders.retrieved_exam.draw import Unit
from overread.builders.retrieved_exam.lesions import ExamLesion
from overread.builders.retrieved_exam.unlike import told

__all__ = ["ANSWER_COLUMNS", "SHEET_FILE", "asked", "option_texts", "write_sheet"]

SHEET_FILE: Final = "sheet.csv"
ANSWER_COLUMNS: Final = ("answer", "also_right", "keep", "reviewer", "note")
"""What people fill in: a letter; further letters that are right too; yes or no; who; why."""
_COLUMNS: Final = ("question", "split", "task", "asked", *layout.LETTERS, *ANSWER_COLUMNS)


def option_texts(unit: Unit, lesions: Mapping[int, ExamLesion]) -> tuple[str, ...]:
    """Give what the four choices say; where pictures are the choices, their names."""
    if unit.task in layout.IMAGE_CHOICE_TASKS:
        return tuple(f"Image {letter}" for letter in layout.LETTERS)
    return tuple(told(unit.task, lesions[option.lesion_idx]) for option in unit.options)


def asked(unit: Unit, lesions: Mapping[int, ExamLesion]) -> str:
    """Give the question as chat models get it."""
    text = told(unit.task, lesions[unit.right.lesion_idx])
    return layout.LLM_QUESTIONS[unit.task].replace("{text}", text)


def write_sheet(path: Path, units: Sequence[Unit], lesions: Mapping[int, ExamLesion]) -> None:
    """Write the sheet as CSV with a mark, so that spreadsheets read it as UTF-8."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_COLUMNS)
    for unit in units:
        texts = option_texts(unit, lesions)
        cells = [str(unit.number), unit.split, unit.task, asked(unit, lesions), *texts]
        writer.writerow([guarded(cell) for cell in cells] + [""] * len(ANSWER_COLUMNS))
    path.write_text(text.getvalue(), encoding="utf-8-sig", newline="")
