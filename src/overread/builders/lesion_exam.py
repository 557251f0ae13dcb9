"""The exam of a built release: four lesions of one split, then a fair draw of the one asked for.

A rule that treats all four alike chooses them first; which of them is asked for is drawn only
then, uniformly; last the letters, each equally often. So nothing but the picture tells them apart:
a reader who sees only the words is right one time in four. The wrong choices are hard because
four lesions cross two types with two sizes where the split has such four.

The same questions are asked without and with the box, so that the two can be compared in pairs.
Without it nobody can tell which lesion of a picture is meant: a wrong choice must be wrong for
every lesion known in what is shown.
"""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from overread.benchmarks.ct_bench.exam_draws import View, draw_letters, in_letter_order
from overread.benchmarks.ct_bench.exam_files import Question
from overread.benchmarks.ct_bench.layout import (
    LETTERS,
    QUESTION_SPLITS,
    SETTINGS,
    STACK_TASKS,
    QuestionSplit,
)
from overread.builders.exam_questions import DrawnQuestion, in_every_setting
from overread.builders.lesion_words import SetLesion, description, size_text
from overread.builders.shown_together import shows_also
from overread.records import Box, Finding, Severity

__all__ = ["Misplace", "SetExam", "draw_set_exam"]

Misplace: TypeAlias = Callable[[SetLesion, np.random.Generator], tuple[Box, ...] | None]
"""Draws three boxes on a lesion's key slice that mark nothing; None where there is no room."""

_Kind: TypeAlias = Literal["described", "sized"]

_TRIES = 80
_CROSSING = 0.75
"""Share of questions that cross two types with two sizes; the others reach rare types too."""
_APART = math.log(1.25)
"""Sizes differ when one is a quarter larger than the other."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SetExam:
    """Questions, the pictures they show by file name, and what could not be asked."""

    questions: tuple[Question, ...]
    views: Mapping[str, View[Box]]
    findings: tuple[Finding, ...]


class _Pool:
    """The lesions of a split that a task can ask about, and what each of their pictures shows."""

    def __init__(
        self,
        task: str,
        split: QuestionSplit,
        lesions: Sequence[SetLesion],
        stacks: set[int],
    ) -> None:
        self.kind: _Kind = "sized" if task == "img2size" else "described"
        self.lesions = [
            lesion
            for lesion in lesions
            if lesion.split == split
            and (lesion.coarse_type > 0 or self.kind == "sized")
            and (lesion.lesion_idx in stacks or task not in STACK_TASKS)
        ]
        by_patient: dict[str, list[SetLesion]] = defaultdict(list)
        for lesion in lesions:
            by_patient[_patient(lesion)].append(lesion)
        self._shown = {
            lesion.lesion_idx: [
                other
                for other in by_patient[_patient(lesion)]
                if shows_also(task, lesion.picture, other.picture)
            ]
            for lesion in self.lesions
        }

    def differ(self, one: SetLesion, other: SetLesion) -> bool:
        """Say whether two lesions can be options of one question.

        Not on one slice, and what is told of each is wrong for all that is shown with the other.
        """
        if one.picture == other.picture:
            return False
        return all(
            _told_apart(self.kind, shown, told)
            for told, seen in ((one, other), (other, one))
            for shown in self._shown[seen.lesion_idx]
        )


def draw_set_exam(
    lesions: Sequence[SetLesion],
    stacks: set[int],
    misplace: Misplace,
    *,
    seed: int,
) -> SetExam:
    """Draw the exam of both question splits.

    As many questions a setting as the split has usable lesions, up to a complete release's count.
    Attributes are not asked: a lesion table says nothing about them.

    Parameters
    ----------
    lesions
        All lesions of the release.
    stacks
        Indices of those whose nine slices are there.
    misplace
        See `Misplace`.
    seed
        Of every draw, and salt of the pictures' names, which must not tell what they show.
    """
    drawn: list[DrawnQuestion[Box]] = []
    findings: list[Finding] = []
    for split, task in itertools.product(QUESTION_SPLITS, _tasks()):
        pool = _Pool(task, split, lesions, stacks)
        setting = next(each for each in SETTINGS if each.task == task)
        most = setting.test if split == "test" else setting.validation
        rng = np.random.default_rng([seed, QUESTION_SPLITS.index(split), _tasks().index(task)])
        asked = list(_ask(task, split, pool, min(most, len(pool.lesions)), misplace, rng))
        if not asked:
            findings.append(_not_asked(task, split, len(pool.lesions)))
        drawn.extend(asked)
    questions, views = in_every_setting(drawn, seed=seed)
    return SetExam(
        questions=tuple(question for _, question in questions),
        views=views,
        findings=tuple(findings),
    )


def _tasks() -> list[str]:
    """List the tasks that a table can feed, in the exam's order."""
    tasks = dict.fromkeys(setting.task for setting in SETTINGS)
    return [task for task in tasks if not task.endswith("attrib")]


def _patient(lesion: SetLesion) -> str:
    return lesion.picture.partition("_")[0]


def _ask(
    task: str,
    split: QuestionSplit,
    pool: _Pool,
    n: int,
    misplace: Misplace,
    rng: np.random.Generator,
) -> Iterator[DrawnQuestion[Box]]:
    letters = draw_letters(n, rng)
    if task == "txt2bbox":
        yield from _ask_for_box(split, pool, letters, misplace, rng)
        return
    tell = size_text if pool.kind == "sized" else description
    done: set[frozenset[int]] = set()
    for letter in letters:
        four = _four(pool, done, rng)
        if four is None:
            return
        done.add(frozenset(lesion.lesion_idx for lesion in four))
        options = in_letter_order(four, int(rng.integers(4)), letter, rng)
        yield DrawnQuestion(
            split=split,
            task=task,
            letter=letter,
            lesions=tuple(lesion.lesion_idx for lesion in options),
            told=tuple(tell(lesion) for lesion in options),
            marks=tuple(lesion.box for lesion in options),
        )


def _ask_for_box(
    split: QuestionSplit,
    pool: _Pool,
    letters: Sequence[str],
    misplace: Misplace,
    rng: np.random.Generator,
) -> Iterator[DrawnQuestion[Box]]:
    """Ask for each lesion's box among boxes of its size elsewhere in the same slice."""
    for i, letter in zip(rng.permutation(len(pool.lesions)), letters, strict=False):
        lesion = pool.lesions[i]
        wrong = misplace(lesion, rng)
        if wrong is None:
            continue
        boxes = list(wrong)
        boxes.insert(LETTERS.index(letter), lesion.box)
        yield DrawnQuestion(
            split=split,
            task="txt2bbox",
            letter=letter,
            lesions=(lesion.lesion_idx,) * len(boxes),
            told=(description(lesion),) * len(boxes),
            marks=tuple(boxes),
        )


# ---------------------------------------------------------------- four lesions


def _four(
    pool: _Pool, done: set[frozenset[int]], rng: np.random.Generator
) -> list[SetLesion] | None:
    """Draw four lesions that differ in what is told, not asked about together before."""
    for _ in range(_TRIES):
        crossing = pool.kind == "described" and rng.uniform() < _CROSSING
        four = _crossing(pool, rng) if crossing else _apart(pool, rng)
        if four and frozenset(lesion.lesion_idx for lesion in four) not in done:
            return four
    return None


def _crossing(pool: _Pool, rng: np.random.Generator) -> list[SetLesion] | None:
    """Cross two types with two sizes: two lesions of one type, and two like them of another."""
    first = pool.lesions[int(rng.integers(len(pool.lesions)))]
    types = sorted({lesion.coarse_type for lesion in pool.lesions} - {first.coarse_type})
    if not types:
        return None
    other_type = types[int(rng.integers(len(types)))]
    same = [one for one in pool.lesions if one.coarse_type == first.coarse_type]
    second = _drawn([one for one in same if pool.differ(one, first)], rng)
    if second is None:
        return None
    four = [first, second]
    for like in (first, second):
        others = [
            one
            for one in pool.lesions
            if one.coarse_type == other_type and all(pool.differ(one, taken) for taken in four)
        ]
        if not others:
            return None
        four.append(min(others, key=lambda one: (abs(_size_gap(one, like)), one.lesion_idx)))
    return four


def _apart(pool: _Pool, rng: np.random.Generator) -> list[SetLesion] | None:
    """Take the first four of a random order that all differ."""
    four: list[SetLesion] = []
    for i in rng.permutation(len(pool.lesions)):
        if all(pool.differ(pool.lesions[i], taken) for taken in four):
            four.append(pool.lesions[i])
            if len(four) == 4:
                return four
    return None


def _told_apart(kind: _Kind, shown: SetLesion, told: SetLesion) -> bool:
    """Say whether what is told of one lesion is wrong for another: doubt is no difference."""
    types = {shown.coarse_type, told.coarse_type}
    if kind == "described" and len(types) == 2 and min(types) > 0:
        return True
    in_mm = {shown.diameters_mm is None, told.diameters_mm is None}
    return len(in_mm) == 1 and abs(_size_gap(shown, told)) >= _APART


def _size_gap(one: SetLesion, other: SetLesion) -> float:
    return math.log(one.long_side / other.long_side)


def _drawn(lesions: Sequence[SetLesion], rng: np.random.Generator) -> SetLesion | None:
    return lesions[int(rng.integers(len(lesions)))] if lesions else None


def _not_asked(task: str, split: str, n_usable: int) -> Finding:
    needs = {
        "txt2bbox": "room in a slice for three boxes that mark nothing",
        "ct2txt": "the nine slices around key slices of four unlike lesions",
    }.get(task, "four unlike lesions on four slices")
    return Finding(
        severity=Severity.INFO,
        code="task-not-asked",
        where=f"{split}/{task}",
        evidence=f"needs {needs}; {n_usable} lesions of the split can be asked about",
        effect="the exam has no such questions",
    )
