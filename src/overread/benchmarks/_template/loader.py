"""Opens a template release: ``questions.csv`` and the pictures it names."""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Final

from overread.benchmarks._template import protocol
from overread.contracts import AnalysisPlan, Card, ExpectedCount, Scorer, Selection, Training
from overread.errors import ImageError, ReleaseError, UnsafePathError, expected
from overread.imaging.read import read_slice
from overread.imaging.safe_path import resolve_inside
from overread.records import (
    Choice,
    Finding,
    Item,
    Media,
    Option,
    Profile,
    PublishedValue,
    Recipe,
    Reference,
    Severity,
)

__all__ = ["COLUMNS", "LETTERS", "QUESTION_FILE", "TemplateRelease"]

QUESTION_FILE: Final = "questions.csv"
LETTERS: Final = ("A", "B", "C", "D")
COLUMNS: Final = ("id", "patient", "split", "task", "picture", "question", *LETTERS, "answer")


class TemplateRelease:
    """One release folder. ReleaseError when its question file cannot be read at all."""

    def __init__(self, root: Path) -> None:
        self._root = root
        try:
            self._bytes = (root / QUESTION_FILE).read_bytes()
            rows = list(csv.DictReader(io.StringIO(self._bytes.decode("utf-8-sig")), restval=""))
        except (OSError, UnicodeDecodeError, csv.Error) as error:
            raise _no_release(root, str(error)) from error
        if not rows or not set(COLUMNS) <= rows[0].keys():
            raise _no_release(root, f"columns {', '.join(rows[0]) if rows else 'none'}")
        # A repeated id keeps its question, under a name of its own: no question is dropped.
        self._rows = {}
        for row in rows:
            again = f"{row['split']}/{row['task']}/{row['id']}"
            self._rows[again if again not in self._rows else f"{again}#{len(self._rows)}"] = row

    @property
    def root(self) -> Path:
        """The folder."""
        return self._root

    @property
    def media_root(self) -> Path:
        """The same folder: the pictures lie in the release."""
        return self._root

    @property
    def card(self) -> Card:
        """The benchmark's card."""
        return protocol.CARD

    @property
    def fingerprint(self) -> str:
        """SHA-256 of the question file."""
        return hashlib.sha256(self._bytes).hexdigest()

    def findings(self, *, thorough: bool = False) -> Sequence[Finding]:
        """Report questions without a picture or a usable answer, and repeated ids."""
        return tuple(self._findings(thorough=thorough))

    def _findings(self, *, thorough: bool) -> Iterator[Finding]:
        for item_id, row in self._rows.items():
            if problem := self.reference(item_id).problem:
                yield _finding("unusable-answer", item_id, problem, "undefined: no score")
            if "#" in item_id:
                yield _finding("repeated-id", item_id, row["id"], "asked under a name of its own")
            try:
                file = resolve_inside(self._root, row["picture"])
                if not file.is_file():
                    yield _finding("missing-image", item_id, row["picture"], "counted as failed")
                elif thorough:
                    read_slice(file)
            except UnsafePathError as error:
                yield _finding("unsafe-path", item_id, str(error), "counted as failed")
            except ImageError as error:
                yield _finding("unreadable-image", item_id, str(error), "counted as failed")

    def items(self, selection: Selection) -> Iterator[Item]:
        """Give the selected questions in file order."""
        chosen = (
            self._item(item_id, row, selection)
            for item_id, row in self._rows.items()
            if row["split"] == selection.split
            and (selection.tasks is None or row["task"] in selection.tasks)
            and (selection.conditions is None or "plain" in selection.conditions)
        )
        return islice(chosen, selection.limit)

    def _item(self, item_id: str, row: dict[str, str], selection: Selection) -> Item:
        options = tuple(Option(letter=letter, text=row[letter]) for letter in LETTERS)
        recipe = Recipe(max_side_px=selection.max_side_px)
        media = Media(paths=(row["picture"],), recipe=recipe)
        return Item(
            id=item_id,
            benchmark=protocol.CARD.name,
            task=row["task"],
            condition="plain",
            question=row["question"],
            media=(media,),
            prompt=protocol.prompt(row["question"], options, (media,)),
            answer_space=Choice(options=options),
            groups={"patient": row["patient"]},
            strata={"task": row["task"], "split": row["split"]},
        )

    def reword(self, item: Item) -> Item:
        """Word the prompt of a question anew, after something in it was changed."""
        return replace(item, prompt=protocol.prompt(item.question, item.options, item.media))

    def reference(self, item_id: str) -> Reference:
        """Give the stated answer, or why it cannot be used."""
        answer = self._rows[item_id]["answer"]
        problem = None if answer in LETTERS else f"answer {answer!r} is none of the options"
        return Reference(item=item_id, answer=answer, problem=problem)

    def scorers(self, profile: Profile) -> Sequence[Scorer]:
        """Give the scorers of a profile."""
        return protocol.scorers(profile)

    def plan(self) -> AnalysisPlan:
        """Total and by task, clustered by patient."""
        return protocol.PLAN

    def notes(self) -> Sequence[str]:
        """Say what a number on this release does not show."""
        return ("Shapes on a dark ground say nothing about reading medical pictures.",)

    def published(self) -> Sequence[PublishedValue]:
        """Give the printed numbers: there are none."""
        return ()

    def expected_counts(self) -> Sequence[ExpectedCount]:
        """Give the counts of a complete release: synthetic ones have any size."""
        return ()

    def training(self, selection: Selection) -> Training:
        """Give the solved questions of the other split."""
        other = "validation" if selection.split == "test" else "test"
        solved = self.items(Selection(split=other, max_side_px=selection.max_side_px))
        return Training(exam=tuple((item, self.reference(item.id)) for item in solved))


def _no_release(root: Path, got: str) -> ReleaseError:
    return ReleaseError(
        expected(
            "RELEASE",
            rule=f"a folder with {QUESTION_FILE} of the columns {', '.join(COLUMNS)}",
            got=f"{root}: {got}",
            remedy="'synthesise' of the benchmark writes one.",
        )
    )


def _finding(code: str, where: str, evidence: str, effect: str) -> Finding:
    return Finding(
        severity=Severity.ERROR, code=code, where=where, evidence=evidence, effect=effect
    )
