"""Opens a JMed48k-Eval release: papers, questions, and each with its figures and without them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Final

from overread.benchmarks.jmed48k import layout, protocol
from overread.benchmarks.jmed48k.cases import find_cases
from overread.benchmarks.jmed48k.findings import Exclusion, exclusions, look
from overread.benchmarks.jmed48k.layout import Paper
from overread.benchmarks.jmed48k.plan import (
    AS_ASKED,
    EARLIER,
    IMAGES_REMOVED,
    KINDS,
    LAST_YEAR,
    PLAN,
    WITH_FIGURE,
    WITHOUT_FIGURE,
)
from overread.benchmarks.jmed48k.questions import ExamQuestion, read_question
from overread.contracts import AnalysisPlan, Card, ExpectedCount, Scorer, Selection, Training
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
from overread.scoring.exam.limit import evenly

__all__ = ["JMed48kRelease"]

_MARK: Final = "::"


class JMed48kRelease:
    """One release folder. ReleaseError when not one paper in it can be read."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._papers, unknown = layout.find_papers(root)
        self._read_findings: list[Finding] = list(unknown)
        self._questions: dict[str, tuple[Paper, ExamQuestion]] = {}
        digest = hashlib.sha256()
        for paper in self._papers:
            data, rows, findings = layout.read_rows(paper)
            self._read_findings += findings
            digest.update(f"{paper.profession}\0{paper.year}\0{len(data)}\0".encode())
            digest.update(data)
            self._read(paper, rows)
        if not self._questions:
            raise ReleaseError(
                expected(
                    "RELEASE",
                    rule=f"a folder with {layout.EVAL_FOLDER}/01…/…_2024/….json and so on",
                    got=f"{root}, with {len(self._papers)} such files and no question that can "
                    "be read",
                    remedy="Download JMed48k/JMed48k from Hugging Face, or make one: "
                    "overread synth jmed48k FOLDER.",
                )
            )
        self._fingerprint = digest.hexdigest()

    def _read(self, paper: Paper, rows: Sequence[Mapping[str, object]]) -> None:
        odd = 0
        for row in rows:
            asked = read_question(row)
            if asked is None:
                odd += 1
                continue
            name = f"{paper.profession}/{paper.year}/{asked.section}{asked.number}"
            if name in self._questions:  # none is dropped
                name = f"{name}#{len(self._questions)}"
            self._questions[name] = paper, asked
        if odd:
            self._read_findings.append(_unnumbered(paper, odd, len(rows)))

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
        """SHA-256 of the question files."""
        return self._fingerprint

    @cached_property
    def exclusions(self) -> tuple[Exclusion, ...]:
        """The questions that are not asked, each with its reason."""
        return exclusions(self._questions)

    def findings(self, *, thorough: bool = False) -> Sequence[Finding]:
        """Report what is not asked and why, lost or doubled parts, and missing figures."""
        figures = {name: self._figures(name) for name, (_, asked) in self._asked.items()}
        found = look(self._root, self._papers, self._questions, figures=figures, thorough=thorough)
        return (*self._read_findings, *found)

    def items(self, selection: Selection) -> Iterator[Item]:
        """Give the questions in the release's order, each with figures also without them."""
        chosen = self._selected(selection)
        if selection.limit is None:
            yield from chosen
        else:
            kinds = [((item.task, item.condition), item) for item in chosen]
            yield from evenly(kinds, selection.limit)

    def _selected(self, selection: Selection) -> Iterator[Item]:
        if selection.split not in protocol.CARD.splits:
            return
        for name, (_, asked) in self._asked.items():
            for task in (asked.kind, protocol.ENGLISH):
                if (
                    task == protocol.ENGLISH
                    if selection.tasks is None
                    else task not in selection.tasks
                ):
                    continue
                for condition in self._conditions(asked):
                    if selection.conditions is None or condition in selection.conditions:
                        yield self._item(name, task, condition, selection)

    def _conditions(self, asked: ExamQuestion) -> tuple[str, ...]:
        return (AS_ASKED, IMAGES_REMOVED) if asked.shown else (AS_ASKED,)

    def _item(self, name: str, task: str, condition: str, selection: Selection) -> Item:
        paper, asked = self._questions[name]
        recipe = Recipe(max_side_px=selection.max_side_px)
        is_shown = condition == AS_ASKED
        media = tuple(
            Media(paths=(path,), recipe=recipe) for path in self._figures(name) if is_shown
        )
        pair = f"{name}{_MARK}{task}" if task == protocol.ENGLISH else name
        return Item(
            id=pair if is_shown else f"{pair}{_MARK}{condition}",
            benchmark=protocol.CARD.name,
            task=task,
            condition=condition,
            question=asked.asked,
            media=media,
            prompt=protocol.prompt(
                asked.asked,
                asked.space,
                asked.options,
                media,
                profession=paper.profession,
                english=task == protocol.ENGLISH,
            ),
            answer_space=asked.space,
            groups={"case": self._cases[name], "question": name, "pair": pair},
            strata={
                "task": task,
                "condition": condition,
                "profession": paper.profession,
                "year": paper.year,
                "era": LAST_YEAR if paper.year == self._last_year else EARLIER,
                "section": f"section {asked.section}" if asked.section else "whole paper",
                "image": WITH_FIGURE if asked.shown else WITHOUT_FIGURE,
                "figure_in": _figure_in(asked),
                "kind": KINDS[asked.kind],
                "quality": "flagged" if asked.flags else "clean",
                "split": protocol.CARD.splits[0],
            },
        )

    def reword(self, item: Item) -> Item:
        """Word the prompt of a question anew, after something in it was changed."""
        worded = protocol.prompt(
            item.question,
            item.answer_space,
            item.options,
            item.media,
            profession=item.strata["profession"],
            english=item.task == protocol.ENGLISH,
        )
        return replace(item, prompt=worded)

    def reference(self, item_id: str) -> Reference:
        """Give the key's answer: the same with figures and without."""
        name, *rest = item_id.split(_MARK)
        _, asked = self._asked[name]
        allowed = [[], [protocol.ENGLISH]]
        if asked.shown:
            allowed += [[*each, IMAGES_REMOVED] for each in allowed]
        if rest not in allowed:
            raise KeyError(item_id)
        return Reference(item=item_id, answer=asked.answer)

    def scorers(self, profile: Profile) -> Sequence[Scorer]:
        """Give the scorers of a profile."""
        return protocol.scorers(profile, self._accepted)

    def plan(self) -> AnalysisPlan:
        """By figures, profession, year, section and kind, clustered by case."""
        return PLAN

    def notes(self) -> Sequence[str]:
        """Say what a number on this release does not show, and how much of it is not asked."""
        notes = protocol.notes("synthetic" if self._is_synthetic else "published")
        if not self.exclusions:
            return notes
        n = len(self._questions)
        return (
            *notes,
            f"{len(self.exclusions)} of {n} questions are not asked, for reasons that "
            "'overread check' counts.",
        )

    def published(self) -> Sequence[PublishedValue]:
        """Give the printed net effects of figures."""
        return protocol.published_values()

    def expected_counts(self) -> Sequence[ExpectedCount]:
        """Give the scored questions of all papers; a synthetic release has any size."""
        return () if self._is_synthetic else protocol.expected_counts()

    def training(self, selection: Selection) -> Training:
        """Give nothing: the exams have one split."""
        return Training()

    @cached_property
    def _asked(self) -> Mapping[str, tuple[Paper, ExamQuestion]]:
        return {name: each for name, each in self._questions.items() if each[1].exclusion is None}

    @cached_property
    def _accepted(self) -> Mapping[str, tuple[str, ...]]:
        """Give what the accepted options say, for items that have several."""
        return {
            f"{name}{task}{condition}": tuple(
                option.text
                for option in asked.options
                if option.letter in asked.accepted and option.text
            )
            for name, (_, asked) in self._asked.items()
            if len(asked.accepted) > 1
            for task in ("", f"{_MARK}{protocol.ENGLISH}")
            for condition in ("", f"{_MARK}{IMAGES_REMOVED}")
        }

    @cached_property
    def _is_synthetic(self) -> bool:
        return (self._root / layout.SYNTHETIC_MARK).is_file()

    @cached_property
    def _cases(self) -> Mapping[str, str]:
        return find_cases(self._questions)

    @cached_property
    def _last_year(self) -> str:
        return max(paper.year for paper, _ in self._asked.values())

    def _figures(self, name: str) -> tuple[str, ...]:
        """Give the figures that a question has, or should have."""
        if name not in self._paths:
            paper, asked = self._questions[name]
            found = (layout.picture_path(self._root, paper, each) for each in asked.shown)
            self._paths[name] = tuple(dict.fromkeys(found))
        return self._paths[name]

    @cached_property
    def _paths(self) -> dict[str, tuple[str, ...]]:
        return {}


def _figure_in(asked: ExamQuestion) -> str:
    if not asked.shown:
        return "nowhere"
    if asked.options_are_drawn or asked.option_figures:
        return "in the options"
    return "in the question"


def _unnumbered(paper: Paper, odd: int, n: int) -> Finding:
    return Finding(
        severity=Severity.ERROR,
        code="unusable-rows",
        where=paper.where,
        evidence=f"{odd} of {n} entries are no questions with a number",
        effect="they are not asked",
        count=odd,
    )
