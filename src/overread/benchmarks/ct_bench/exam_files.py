"""The exam as its two files hold it: a question of ours, written in both formats."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from overread.benchmarks.ct_bench.layout import (
    CLIP_FOLDER,
    IMAGE_CHOICE_TASKS,
    LETTERS,
    LLM_FOLDER,
    LLM_QUESTIONS,
    QA_CLIP_FILE,
    QA_LLM_FILE,
    SLICES_PER_STACK,
    STACK_TASKS,
    TASKS,
    BboxType,
    QuestionSplit,
    write_bytes,
)
from overread.errors import UsageError, expected

__all__ = ["Question", "write_exam", "write_exam_picture"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One question of the exam, before it is written in both formats."""

    qa_id: int
    q_type: str
    lesion_idx: int
    split: QuestionSplit
    bbox_type: BboxType
    correct_choice: str
    texts: tuple[str, ...]
    """Four options; for an image-choice task the one description to look for."""
    image_paths: tuple[str, ...]
    """Relative to ``clip/{split}/`` and ``llm/{split}/``: one picture, a stack's slices in order,
    or the four candidates."""

    def __post_init__(self) -> None:
        """Refuse a question that its task cannot have: what we write is valid."""
        n_texts, n_images = 4, SLICES_PER_STACK if self.q_type in STACK_TASKS else 1
        if self.q_type in IMAGE_CHOICE_TASKS:
            n_texts, n_images = 1, 4
        if self.q_type not in TASKS:
            self._refuse("q_type", rule=f"one of {', '.join(TASKS)}", got=self.q_type)
        if len(self.texts) != n_texts:
            self._refuse("texts", rule=f"{n_texts} for {self.q_type}", got=len(self.texts))
        if len(self.image_paths) != n_images:
            self._refuse("image_paths", rule=f"{n_images} for {self.q_type}", got=self.image_paths)
        if self.correct_choice not in LETTERS:
            self._refuse("correct_choice", rule="a letter from A to D", got=self.correct_choice)

    def _refuse(self, field: str, *, rule: str, got: object) -> NoReturn:
        raise UsageError(
            expected(
                f"question {self.qa_id}: {field}",
                rule=rule,
                got=got,
                remedy="Give it what its task asks for; see LLM_QUESTIONS and SETTINGS.",
            )
        )

    def clip_item(self) -> dict[str, Any]:
        """Give the question as it stands in ``qa_clip.json``."""
        item: dict[str, Any] = {
            "qa_id": self.qa_id,
            "q_type": self.q_type,
            "lesion_idx": self.lesion_idx,
            "split": self.split,
            "bbox_type": self.bbox_type,
            "correct_choice": self.correct_choice,
        }
        if len(self.image_paths) == 1:
            item["image_path"] = self.image_paths[0]
        else:
            item["image_paths"] = list(self.image_paths)
        item["text"] = self.texts[0] if len(self.texts) == 1 else list(self.texts)
        return item

    def llm_item(self) -> dict[str, Any]:
        """Give the question as it stands in ``qa_llm.json``."""
        image_choice = self.q_type in IMAGE_CHOICE_TASKS
        options = [f"Image {letter}" for letter in LETTERS] if image_choice else self.texts
        return {
            "lesion_idx": self.lesion_idx,
            "q_type": self.q_type,
            "question": LLM_QUESTIONS[self.q_type].replace("{text}", self.texts[0]),
            "choices": dict(zip(LETTERS, options, strict=True)),
            "correct_choice": self.correct_choice,
            "image_path": (
                self.image_paths[0] if len(self.image_paths) == 1 else list(self.image_paths)
            ),
            "split": self.split,
            "bbox_type": self.bbox_type,
        }


def write_exam_picture(root: Path, split: QuestionSplit, name: str, data: bytes) -> None:
    """Write one picture of the exam under both formats; `name` is what a question calls it."""
    for folder in (CLIP_FOLDER, LLM_FOLDER):
        write_bytes(root / folder / split / name, data)


def write_exam(root: Path, questions: Sequence[Question]) -> None:
    """Write the questions in both formats, in the order given."""
    _write_json(root / QA_CLIP_FILE, [question.clip_item() for question in questions])
    _write_json(root / QA_LLM_FILE, [question.llm_item() for question in questions])


def _write_json(path: Path, value: object) -> None:
    text = json.dumps(value, ensure_ascii=False, indent=1, allow_nan=False)
    path.write_text(text + "\n", encoding="utf-8", newline="\n")
