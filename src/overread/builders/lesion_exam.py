"""The exam of a built release: four lesions of one split, then a fair draw of the one asked for.

A rule that treats all four alike chooses them first; which of them is asked for is drawn only
then, uniformly; last the letters, each equally often. So nothing but the picture tells them apart:
a reader who sees only the words is right one time in four. The wrong choices are hard because
four lesions cross two types with two sizes where the split has such four.

The same questions are asked without and with the box, so that the two can be compared in pairs.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from overread.benchmarks.ct_bench.exam_draws import (
    View,
    draw_letters,
    in_letter_order,
    picture_name,
    slices_of,
)
from overread.benchmarks.ct_bench.exam_files import Question
from overread.benchmarks.ct_bench.layout import (
    IMAGE_CHOICE_TASKS,
    KEY_SLICE,
    LETTERS,
    QUESTION_SPLITS,
    SETTINGS,
    STACK_TASKS,
    BboxType,
    QuestionSplit,
    Setting,
)
from overread.builders.lesion_words import SetLesion, description, size_text
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
    views: dict[str, View[Box]]
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """One question before it is worded: four options in letter order."""

    right: SetLesion
    letter: str
    options: tuple[SetLesion, ...]
    boxes: tuple[Box, ...] = ()
    """For txt2bbox: the four boxes on the right lesion's picture, in letter order."""


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
    questions: list[Question] = []
    views: dict[str, View[Box]] = {}
    findings: list[Finding] = []
    for split, task in itertools.product(QUESTION_SPLITS, _tasks()):
        pool = _pool(task, split, lesions, stacks)
        settings = [setting for setting in SETTINGS if setting.task == task]
        most = settings[0].test if split == "test" else settings[0].validation
        rng = np.random.default_rng([seed, QUESTION_SPLITS.index(split), _tasks().index(task)])
        asked = list(_ask(task, pool, min(most, len(pool)), misplace, rng))
        if not asked:
            findings.append(_not_asked(task, split, len(pool)))
        for setting, one in itertools.product(settings, asked):
            shown = _shown(setting, one, split)
            names = [picture_name(view, _corners(view.boxed), seed=seed) for view in shown]
            views.update(zip(names, shown, strict=True))
            questions.append(_question(setting, one, split, names, len(questions) + 1))
    return SetExam(questions=tuple(questions), views=views, findings=tuple(findings))


def _tasks() -> list[str]:
    """List the tasks that a table can feed, in the exam's order."""
    tasks = dict.fromkeys(setting.task for setting in SETTINGS)
    return [task for task in tasks if not task.endswith("attrib")]


def _pool(
    task: str, split: QuestionSplit, lesions: Sequence[SetLesion], stacks: set[int]
) -> list[SetLesion]:
    """Give the lesions of a split that a task can ask about."""
    return [
        lesion
        for lesion in lesions
        if lesion.split == split
        and (lesion.coarse_type > 0 or task == "img2size")
        and (lesion.lesion_idx in stacks or task not in STACK_TASKS)
    ]


def _ask(
    task: str, pool: Sequence[SetLesion], n: int, misplace: Misplace, rng: np.random.Generator
) -> Iterator[_Asked]:
    letters = draw_letters(n, rng)
    if task == "txt2bbox":
        yield from _ask_for_box(pool, letters, misplace, rng)
        return
    done: set[frozenset[int]] = set()
    for letter in letters:
        four = _four(task, pool, done, rng)
        if four is None:
            return
        done.add(frozenset(lesion.lesion_idx for lesion in four))
        right = int(rng.integers(4))
        options = in_letter_order(four, right, letter, rng)
        yield _Asked(right=four[right], letter=letter, options=tuple(options))


def _ask_for_box(
    pool: Sequence[SetLesion], letters: Sequence[str], misplace: Misplace, rng: np.random.Generator
) -> Iterator[_Asked]:
    """Ask for each lesion's box among boxes of its size elsewhere in the same slice."""
    for i, letter in zip(rng.permutation(len(pool)), letters, strict=False):
        lesion = pool[i]
        wrong = misplace(lesion, rng)
        if wrong is None:
            continue
        boxes = list(wrong)
        boxes.insert(LETTERS.index(letter), lesion.box)
        yield _Asked(right=lesion, letter=letter, options=(lesion,) * 4, boxes=tuple(boxes))


# ---------------------------------------------------------------- four lesions


def _four(
    task: str, pool: Sequence[SetLesion], done: set[frozenset[int]], rng: np.random.Generator
) -> list[SetLesion] | None:
    """Draw four lesions that differ in what is told, not asked about together before."""
    kind: _Kind = "sized" if task == "img2size" else "described"
    for _ in range(_TRIES):
        crossing = kind == "described" and rng.uniform() < _CROSSING
        four = _crossing(pool, rng) if crossing else _apart(kind, pool, rng)
        if four and frozenset(lesion.lesion_idx for lesion in four) not in done:
            return four
    return None


def _crossing(pool: Sequence[SetLesion], rng: np.random.Generator) -> list[SetLesion] | None:
    """Cross two types with two sizes: two lesions of one type, and two like them of another."""
    first = pool[int(rng.integers(len(pool)))]
    types = sorted({lesion.coarse_type for lesion in pool} - {first.coarse_type})
    if not types:
        return None
    other_type = types[int(rng.integers(len(types)))]
    same = [one for one in pool if one.coarse_type == first.coarse_type]
    second = _drawn([one for one in same if _differ("described", one, first)], rng)
    if second is None:
        return None
    four = [first, second]
    for like in (first, second):
        others = [
            one
            for one in pool
            if one.coarse_type == other_type
            and all(_differ("described", one, taken) for taken in four)
        ]
        if not others:
            return None
        four.append(min(others, key=lambda one: (abs(_size_gap(one, like)), one.lesion_idx)))
    return four


def _apart(
    kind: _Kind, pool: Sequence[SetLesion], rng: np.random.Generator
) -> list[SetLesion] | None:
    """Take the first four of a random order that all differ."""
    four: list[SetLesion] = []
    for i in rng.permutation(len(pool)):
        if all(_differ(kind, pool[i], taken) for taken in four):
            four.append(pool[i])
            if len(four) == 4:
                return four
    return None


def _differ(kind: _Kind, one: SetLesion, other: SetLesion) -> bool:
    """Say whether two lesions can be options of one question: told apart, and not on one slice."""
    if one.picture == other.picture:
        return False
    if kind == "described" and one.coarse_type != other.coarse_type:
        return True
    in_mm = {one.diameters_mm is None, other.diameters_mm is None}
    return len(in_mm) == 1 and abs(_size_gap(one, other)) >= _APART


def _size_gap(one: SetLesion, other: SetLesion) -> float:
    return math.log(one.long_side / other.long_side)


def _drawn(lesions: Sequence[SetLesion], rng: np.random.Generator) -> SetLesion | None:
    return lesions[int(rng.integers(len(lesions)))] if lesions else None


# ---------------------------------------------------------------- words and pictures


def _question(
    setting: Setting, asked: _Asked, split: QuestionSplit, names: Sequence[str], qa_id: int
) -> Question:
    if setting.task in IMAGE_CHOICE_TASKS:
        texts = (description(asked.right),)
    else:
        tell = size_text if setting.task == "img2size" else description
        texts = tuple(tell(option) for option in asked.options)
    return Question(
        qa_id=qa_id,
        q_type=setting.task,
        lesion_idx=asked.right.lesion_idx,
        split=split,
        bbox_type=setting.bbox_type,
        correct_choice=asked.letter,
        texts=texts,
        image_paths=tuple(names),
    )


def _shown(setting: Setting, asked: _Asked, split: QuestionSplit) -> list[View[Box]]:
    if asked.boxes:
        return [_view(asked.right, split, KEY_SLICE, box) for box in asked.boxes]
    if setting.task in IMAGE_CHOICE_TASKS:
        shown = [(option, KEY_SLICE) for option in asked.options]
    else:
        shown = [(asked.right, index) for index in slices_of(setting.task)]
    return [
        _view(lesion, split, index, _known_box(lesion, index, setting.bbox_type))
        for lesion, index in shown
    ]


def _view(lesion: SetLesion, split: QuestionSplit, index: int, box: Box | None) -> View[Box]:
    return View(lesion_idx=lesion.lesion_idx, split=split, slice_index=index, boxed=box)


def _known_box(lesion: SetLesion, index: int, bbox_type: BboxType) -> Box | None:
    # A table measures the key slice only: on its neighbours a box would be a guess.
    return lesion.box if bbox_type == "bbox" and index == KEY_SLICE else None


def _corners(box: Box | None) -> tuple[float, ...]:
    return (box.x_min, box.y_min, box.x_max, box.y_max) if box else ()


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
