"""Writes a built exam: tables, pictures, both question files, then card, licence and hashes."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from overread.benchmarks.ct_bench import layout
from overread.benchmarks.ct_bench.exam_files import Question, write_exam
from overread.builders.retrieved_exam.checks import BlindCheck
from overread.builders.retrieved_exam.croissant import CROISSANT_FILE
from overread.builders.retrieved_exam.draw import Unit
from overread.builders.retrieved_exam.lesions import ExamLesion
from overread.builders.retrieved_exam.pictures import (
    Stacks,
    write_exam_pictures,
    write_lesion_folders,
)
from overread.builders.retrieved_exam.questions import write_out
from overread.store.hashes import file_sha256

__all__ = [
    "BUILD_FILE",
    "CARD_FILE",
    "HASHES_FILE",
    "LICENCE_FILE",
    "OWN_NAMES",
    "REVIEW_FOLDER",
    "write_build_file",
    "write_hashes",
    "write_leaks",
    "write_lesions",
    "write_questions",
    "write_table_of_choices",
]

REVIEW_FOLDER: Final = "review"
"""Work in progress, no part of what is shipped."""
HASHES_FILE: Final = "SHA256SUMS"
CARD_FILE: Final = "CARD.md"
LICENCE_FILE: Final = "LICENSE.txt"
BUILD_FILE: Final = "build.json"
CHOICES_FILE: Final = "choices.csv"
LEAKS_FILE: Final = "leaks.csv"
OWN_NAMES: Final = (
    REVIEW_FOLDER,
    HASHES_FILE,
    CARD_FILE,
    LICENCE_FILE,
    CROISSANT_FILE,
    BUILD_FILE,
    CHOICES_FILE,
    LEAKS_FILE,
)
"""What an exam's folder holds beside a lesion set and its questions."""

_SPLIT_NUMBERS: Final = {"train": "1", "validation": "2", "test": "3"}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Cells:
    """A row of the merged table: the cells of the set, with the split of the exam."""

    lesion: ExamLesion

    def cells(self) -> dict[str, str]:
        return {**self.lesion.cells, "Train_Val_Test": _SPLIT_NUMBERS[self.lesion.split]}


def write_lesions(root: Path, lesions: Sequence[ExamLesion]) -> None:
    """Write the lesion set: its three tables and both picture folders."""
    root.mkdir(parents=True, exist_ok=True)
    rows = [
        layout.LesionRow(
            lesion_idx=lesion.lesion_idx,
            description=lesion.description,
            size=lesion.size,
            dataset=layout.DATASET_SPELLINGS[lesion.split][0],
            deeplesion=_Cells(lesion=lesion),
            lesion_type=lesion.terms.lesion_type or "",
            body_part=lesion.terms.body_part or "",
            imaging_property=lesion.attributes,
        )
        for lesion in lesions
    ]
    layout.write_tables(root, rows)
    write_lesion_folders(root, lesions)


def write_questions(
    root: Path,
    units: Sequence[Unit],
    lesions: Mapping[int, ExamLesion],
    stacks: Stacks,
    *,
    seed: int,
) -> tuple[tuple[Unit, Question], ...]:
    """Write both question files and the pictures that they name; others are taken away."""
    made, views = write_out(units, lesions, seed=seed)
    write_exam(root, [question for _, question in made])
    for form in (layout.CLIP_FOLDER, layout.LLM_FOLDER):
        for path in sorted((root / form).glob("*/*.png")):
            if path.name not in views:
                path.unlink()
    missing = {
        name: view
        for name, view in views.items()
        if not all(
            (root / form / view.split / name).is_file()
            for form in (layout.CLIP_FOLDER, layout.LLM_FOLDER)
        )
    }
    write_exam_pictures(root, missing, lesions, stacks)
    return made


def write_table_of_choices(
    root: Path,
    questions: Sequence[tuple[Unit, Question]],
    chosen: Mapping[int, Mapping[str, str]],
) -> Mapping[str, tuple[int, int]]:
    """Write how often built-in readers fall for each choice.

    Parameters
    ----------
    root
        The release.
    questions
        Each with its unit.
    chosen
        qa_id → reader → letter.

    Returns
    -------
    Mapping
        Reader → (right answers, answers).
    """
    right: Counter[str] = Counter()
    answered: Counter[str] = Counter()
    with (root / CHOICES_FILE).open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(
            (
                "qa_id",
                "split",
                "q_type",
                "bbox_type",
                "choice",
                "is_right",
                "lesion_idx",
                "why_wrong",
                "likeness",
                "readers",
                "chosen_by",
                "names",
                "review_question",
            )
        )
        for unit, question in questions:
            said = chosen.get(question.qa_id, {})
            for reader, letter in said.items():
                answered[reader] += 1
                right[reader] += letter == question.correct_choice
            for letter, option in zip(layout.LETTERS, unit.options, strict=True):
                names = sorted(reader for reader, one in said.items() if one == letter)
                writer.writerow(
                    (
                        question.qa_id,
                        question.split,
                        question.q_type,
                        question.bbox_type,
                        letter,
                        int(option.why_wrong is None),
                        option.lesion_idx,
                        option.why_wrong or "",
                        "" if option.likeness is None else option.likeness,
                        len(said),
                        len(names),
                        " ".join(names),
                        unit.number,
                    )
                )
    return {reader: (right[reader], answered[reader]) for reader in answered}


def write_leaks(root: Path, checks: Sequence[BlindCheck]) -> None:
    """List the questions that leak, with the rule that finds them; no file without any."""
    leaks = [leak for check in checks for leak in (*check.leaks, *check.doubts)]
    path = root / LEAKS_FILE
    path.unlink(missing_ok=True)
    if not leaks:
        return
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("question", "split", "where", "rule"))
        writer.writerows(
            (question, leak.split, leak.where, leak.policy)
            for leak in leaks
            for question in leak.questions
        )


def write_build_file(root: Path, report: object) -> None:
    """Write the report for machines; `report` is a dataclass."""
    text = json.dumps(asdict(report), ensure_ascii=False, indent=1)  # type: ignore[call-overload]
    (root / BUILD_FILE).write_text(text + "\n", encoding="utf-8", newline="\n")


def write_hashes(root: Path) -> None:
    """Write SHA256SUMS over everything that is shipped; ``sha256sum -c`` reads it. Last of all."""
    paths = sorted(
        path.relative_to(root)
        for path in root.rglob("*")
        if path.is_file()
        and path.relative_to(root).parts[0] != REVIEW_FOLDER
        and path.name not in (HASHES_FILE, layout.UNFINISHED_MARK)
    )
    lines = [f"{file_sha256(root / path)}  {path.as_posix()}\n" for path in paths]
    (root / HASHES_FILE).write_text("".join(lines), encoding="utf-8", newline="\n")
