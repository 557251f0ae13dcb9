"""The drawn questions as a file, so that people can strike some without anything drawn anew."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from overread.benchmarks.ct_bench import layout
from overread.builders.retrieved_exam.draw import Option, Unit
from overread.builders.retrieved_exam.lesions import ExamLesion
from overread.errors import ReleaseError, expected
from overread.records import Box
from overread.store.hashes import canonical_json, sha256_text

__all__ = ["DRAFT_FILE", "Draft", "check_same_set", "fingerprint_of", "read_draft", "write_draft"]

DRAFT_FILE: Final = "draft.json"
_FORMAT: Final = 1
_MAX_BYTES: Final = 512 * 2**20


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """Drawn questions, and what they were drawn from."""

    fingerprint: str
    """Of the lesion set they were drawn from."""
    seed: int
    embedding: str
    """Label of the embedder."""
    units: tuple[Unit, ...]


def fingerprint_of(lesions: Sequence[ExamLesion]) -> str:
    """Hash what questions are made of: words, patients, splits, pictures."""
    lines = [
        {
            "id": one.lesion_idx,
            "patient": one.patient,
            "split": one.split,
            "picture": one.picture_sha256,
            "texts": [one.description, one.size, one.attributes],
            "terms": [one.terms.lesion_type, one.terms.body_part],
        }
        for one in lesions
    ]
    return sha256_text(canonical_json(lines))


def write_draft(folder: Path, draft: Draft) -> None:
    """Write the draft beside the review sheet."""
    text = json.dumps({"format": _FORMAT, **asdict(draft)}, ensure_ascii=False, indent=1)
    (folder / DRAFT_FILE).write_text(text + "\n", encoding="utf-8", newline="\n")


def read_draft(folder: Path) -> Draft:
    """Read a draft.

    Raises
    ------
    ReleaseError
        There is none, or it cannot be read.
    """
    path = folder / DRAFT_FILE
    try:
        if path.stat().st_size > _MAX_BYTES:
            raise ValueError("too large")
        held: Any = json.loads(path.read_text("utf-8"))
        if held["format"] != _FORMAT:
            raise ValueError(f"format {held['format']}")
        return Draft(
            fingerprint=str(held["fingerprint"]),
            seed=int(held["seed"]),
            embedding=str(held["embedding"]),
            units=tuple(_unit(one) for one in held["units"]),
        )
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise _no_draft(path, f"none that can be read ({error})") from error


def check_same_set(draft: Draft, lesions: Sequence[ExamLesion], folder: Path) -> None:
    """Refuse (ReleaseError) to go on with a draft of other lesions."""
    if draft.fingerprint != fingerprint_of(lesions):
        raise _no_draft(
            folder / DRAFT_FILE, "one of another lesion set, or of this one before it was changed"
        )


def _unit(held: Any) -> Unit:
    options = tuple(
        Option(
            lesion_idx=int(one["lesion_idx"]),
            why_wrong=None if one["why_wrong"] is None else str(one["why_wrong"]),
            likeness=None if one["likeness"] is None else float(one["likeness"]),
            box=None if one["box"] is None else Box(**{k: float(v) for k, v in one["box"].items()}),
        )
        for one in held["options"]
    )
    unit = Unit(
        number=int(held["number"]),
        split=held["split"],
        task=str(held["task"]),
        letter=str(held["letter"]),
        options=options,
    )
    known = unit.split in layout.QUESTION_SPLITS and unit.task in layout.TASKS
    if not known or len(options) != len(layout.LETTERS) or unit.letter not in layout.LETTERS:
        raise ValueError(f"question {unit.number} is none")
    return unit


def _no_draft(path: Path, got: str) -> ReleaseError:
    return ReleaseError(
        expected(
            "OUT",
            rule="the folder in which this lesion set's exam was drawn",
            got=f"{path}: {got}",
            remedy="Draw the exam again without --reviewed, and have that one reviewed.",
        )
    )
