"""What `overread build lesion-exam` was asked for, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from overread.builders.retrieved_exam.card import ExamReport
from overread.builders.retrieved_exam.difficulty import READERS
from overread.builders.retrieved_exam.embeddings import Embedder

__all__ = ["ExamOutcome", "ExamRequest"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExamRequest:
    """An exam to build.

    Without `reviewed` it is drawn into a new folder; with it, the one in the folder is put in order
    by what people said.
    """

    lesion_set: Path
    out: Path
    embedder: Embedder
    picture_weight: float = 0.5
    """0 to 1: how much likeness of pictures counts; likeness of words counts for the rest."""
    seed: int = 1
    most: int | None = None
    """At most so many questions a task and split; None is the count of a complete release."""
    slices: Path | None = None
    """A folder of slices, for questions on nine of them."""
    reviewed: tuple[Path, ...] = ()
    readers: tuple[str, ...] = READERS
    """Built-in readers that show how hard the questions are."""
    name: str = "Lesion exam"
    licence: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ExamOutcome:
    """What was built."""

    out: Path
    report: ExamReport
    n_units: int
    """Questions, each counted once however many conditions it is asked under."""
    started_over: bool = False
    """Whether a half-built exam lay in the folder and was cleared away first."""
