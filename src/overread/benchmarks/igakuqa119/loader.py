"""Opens an IgakuQA119 release: questions, figures, key, and the answers stored with it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Final

from overread.benchmarks.igakuqa119 import layout, protocol
from overread.benchmarks.igakuqa119.findings import look
from overread.benchmarks.igakuqa119.questions import Question, read_question
from overread.benchmarks.igakuqa119.replay import build_replay
from overread.contracts import AnalysisPlan, Card, ExpectedCount, Scorer, Selection, Training
from overread.contracts.replay import Replay
from overread.errors import ReleaseError, expected
from overread.records import (
    Finding,
    Item,
    Media,
    Profile,
    PublishedValue,
    Recipe,
    Reference,
    Severity,
)
from overread.scoring.exam.keys import fit_key
from overread.scoring.exam.limit import evenly
from overread.scoring.exam.passages import linked

__all__ = ["IgakuQa119Release"]

_CONDITION: Final = "as-asked"
_REQUIRED: Final = frozenset("BE")


class IgakuQa119Release:
    """One release folder. ReleaseError when no question file can be read at all."""

    def __init__(self, root: Path) -> None:
        self._root = root
        files = layout.question_files(root)
        self._hash = hashlib.sha256()
        self._questions: dict[str, Question] = {}
        self._read_findings: list[Finding] = []
        for path in files:
            self._read(path)
        if not self._questions:
            raise ReleaseError(
                expected(
                    "RELEASE",
                    rule="a folder with question files (questions/119A_json.json and so on)",
                    got=f"{root}, with {len(files)} such files and no question that can be read",
                    remedy="Clone github.com/docto-rin/IgakuQA119, or make one: "
                    "overread synth igakuqa119 FOLDER.",
                )
            )
        self._key = layout.read_key(root)
        self._hash.update(repr(sorted(self._key.answers.items())).encode())

    def _read(self, path: Path) -> None:
        content, problem = layout.read_json(path, self._root)
        if problem is not None:
            self._read_findings.append(problem)
            return
        where = path.relative_to(self._root).as_posix()
        n_odd = n_rows = 0
        for row in layout.rows_of(content, "questions"):
            n_rows += 1
            asked = read_question(row)
            if asked is None:
                n_odd += 1
                continue
            self._hash.update(repr((asked, row.get("choices"))).encode(errors="replace"))
            # A repeated number keeps its question, under a name of its own: none is dropped.
            again = asked.number in self._questions
            name = f"{asked.number}#{len(self._questions)}" if again else asked.number
            self._questions[name] = asked
        if n_odd or not n_rows:
            self._read_findings.append(_unusable(where, n_odd, n_rows))

    @property
    def root(self) -> Path:
        """The folder."""
        return self._root

    @property
    def media_root(self) -> Path:
        """The same folder: the figures lie in the release."""
        return self._root

    @property
    def card(self) -> Card:
        """The benchmark's card."""
        return protocol.CARD

    @property
    def fingerprint(self) -> str:
        """SHA-256 of what the question files and the key say."""
        return self._hash.hexdigest()

    def findings(self, *, thorough: bool = False) -> Sequence[Finding]:
        """Report missing figures, questions without a usable answer, and contradicting flags."""
        return (
            *self._read_findings,
            *self._key.findings,
            *look(
                self._root,
                self._questions,
                keys=self._key.answers,
                problems={name: self.reference(name).problem for name in self._questions},
                figures={name: self._paths(asked) for name, asked in self._questions.items()},
                drawn=self._figures,
                thorough=thorough,
            ),
        )

    def items(self, selection: Selection) -> Iterator[Item]:
        """Give the questions in the order of the exam."""
        chosen = (
            self._item(name, asked, selection)
            for name, asked in self._questions.items()
            if selection.split in protocol.CARD.splits
            and (selection.tasks is None or asked.kind in selection.tasks)
            and (selection.conditions is None or _CONDITION in selection.conditions)
        )
        if selection.limit is None:
            yield from chosen
        else:
            yield from evenly([(item.task, item) for item in chosen], selection.limit)

    def _item(self, name: str, asked: Question, selection: Selection) -> Item:
        recipe = Recipe(max_side_px=selection.max_side_px)
        media = tuple(Media(paths=(path,), recipe=recipe) for path in self._paths(asked))
        block = layout.block_of(asked.number) or "?"
        space = asked.space
        return Item(
            id=name,
            benchmark=protocol.CARD.name,
            task=asked.kind,
            condition=_CONDITION,
            question=asked.text,
            media=media,
            prompt=protocol.prompt(asked.text, space, asked.options, media),
            answer_space=space,
            groups={"patient": self._cases[name], "case": asked.number},
            strata={
                "task": asked.kind,
                "block": block,
                "section": "required" if block in _REQUIRED else "general",
                "image": protocol.WITH_FIGURE if asked.has_image else protocol.WITHOUT_FIGURE,
                "split": "test",
            },
        )

    def reword(self, item: Item) -> Item:
        """Word the prompt of a question anew, after something in it was changed."""
        worded = protocol.prompt(item.question, item.answer_space, item.options, item.media)
        return replace(item, prompt=worded)

    def reference(self, item_id: str) -> Reference:
        """Give the key's answer, or why it cannot be used."""
        asked = self._questions[item_id]
        key = self._key.answers.get(asked.number)
        if not key:
            return Reference(item=item_id, answer=None, problem="the key has no answer")
        accepted = protocol.ACCEPTED.get(asked.number, ())
        answer = accepted[0] if set(key) == set(accepted) else key
        return _usable(item_id, asked, answer)

    def scorers(self, profile: Profile) -> Sequence[Scorer]:
        """Give the scorers of a profile."""
        return protocol.scorers(profile, self._accepted)

    def plan(self) -> AnalysisPlan:
        """By figure, kind, block and section, clustered by case."""
        return protocol.PLAN

    def notes(self) -> Sequence[str]:
        """Say what a number on this release does not show."""
        return protocol.notes("synthetic" if self._is_synthetic else "published")

    def published(self) -> Sequence[PublishedValue]:
        """Give the leaderboard's counts."""
        return protocol.published_values()

    def expected_counts(self) -> Sequence[ExpectedCount]:
        """Give the counts of the whole exam; a synthetic one has any size."""
        return () if self._is_synthetic else protocol.expected_counts()

    def training(self, selection: Selection) -> Training:
        """Give nothing: the exam has one split."""
        return Training()

    def replay(self) -> Replay:
        """Give the stored answers and the leaderboard as released."""
        return self._replay

    @cached_property
    def _replay(self) -> Replay:
        patients = self._cases
        return build_replay(
            self._root,
            self._questions,
            answers={name: self.reference(name).answer or "" for name in self._questions},
            patients=patients,
        )

    @cached_property
    def _accepted(self) -> Mapping[str, tuple[str, ...]]:
        """Give what the accepted options say, for questions that have several."""
        return {
            name: tuple(
                option.text
                for option in asked.options
                if option.letter in protocol.ACCEPTED[asked.number] and option.text
            )
            for name, asked in self._questions.items()
            if asked.number in protocol.ACCEPTED
        }

    @cached_property
    def _is_synthetic(self) -> bool:
        return (self._root / layout.SYNTHETIC_MARK).is_file()

    @cached_property
    def _figures(self) -> Mapping[str, tuple[str, ...]]:
        return layout.figures_of(self._root)

    def _paths(self, asked: Question) -> tuple[str, ...]:
        """Give the figures that a question has, or should have."""
        if not asked.has_image:
            return ()
        missing = f"{layout.IMAGES_FOLDER}/{asked.number}.png"
        return self._figures.get(asked.number) or (missing,)

    @cached_property
    def _cases(self) -> Mapping[str, str]:
        """Name the case that each question is about: linked questions share their first one's."""
        names = list(self._questions)
        cases = {names[0]: names[0]}
        for before, name in pairwise(names):
            one, two = self._questions[before], self._questions[name]
            same_block = layout.block_of(one.number) == layout.block_of(two.number)
            cases[name] = cases[before] if same_block and linked(one.text, two.text) else name
        return cases


def _usable(item_id: str, asked: Question, answer: str) -> Reference:
    """Hold the key against the question's kind."""
    letters = [each for each in answer.lower() if each not in " ,、"]
    answer, problem = fit_key(answer, letters, asked.space)
    return Reference(item=item_id, answer=answer, problem=problem)


def _unusable(where: str, n_odd: int, n_rows: int) -> Finding:
    return Finding(
        severity=Severity.ERROR,
        code="unusable-rows",
        where=where,
        evidence=f"{n_odd} of {n_rows} entries are no questions with a number"
        if n_rows
        else "no list",
        effect="they are not asked",
        count=max(n_odd, 1),
    )
