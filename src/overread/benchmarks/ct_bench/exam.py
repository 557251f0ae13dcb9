"""The synthetic exam: four options that cross two facts, then a fair draw of the right one.

Hard wrong choices are lesions of the same split that share facts with the right one. Fairness
comes from the order of the draws: first four lesions, by a rule that treats them alike; only then
which of them is asked for, uniformly and apart from everything else; last the letters, each
equally often in a setting. Whatever does not look at the pictures (length, wording, the odd one
out, counts of words, habits of the letters) is therefore right one time in four.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from overread.benchmarks.ct_bench.cases import Case, questions_per_unit
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
    QUESTION_SPLITS,
    SETTINGS,
    STACK_TASKS,
    QuestionSplit,
    Setting,
)
from overread.benchmarks.ct_bench.lesions import attributes, description, size_text

__all__ = ["Exam", "draw_exam"]

_TRIES = 60
_TRIES_CROSSING = 40
_LARGEST_POOL = 8
"""Lesions to draw from for every question of a smaller setting."""
_DESCRIBED = ("coarse_type", "side", "attenuation", "margin", "core")
_ATTRIBUTES = ("attenuation", "margin", "core")


@dataclass(frozen=True, slots=True, kw_only=True)
class Exam:
    """Questions, and the pictures they show by file name."""

    questions: tuple[Question, ...]
    views: Mapping[str, View[int]]
    """What is boxed is an index into `Case.lesions`."""


def draw_exam(cases: Sequence[Case], *, seed: int, rng: np.random.Generator) -> Exam:
    """Draw the exam of both splits in the 13 settings' proportions.

    Parameters
    ----------
    cases
        All cases of the release.
    seed
        Salt of the pictures' names: a name must not say which lesion it shows.
    rng
        Source of every draw.
    """
    questions: list[Question] = []
    views: dict[str, View[int]] = {}
    for split in QUESTION_SPLITS:
        pool = [case for case in cases if case.split == split]
        unit = questions_per_unit(len(cases), split)
        for setting in SETTINGS:
            n = unit * setting.test // 100
            for case, options, letter in _draw_setting(setting, pool, n, unit, rng):
                shown = _views(setting, case, options)
                names = [picture_name(view, view.boxed, seed=seed) for view in shown]
                views.update(zip(names, shown, strict=True))
                questions.append(
                    Question(
                        qa_id=len(questions) + 1,
                        q_type=setting.task,
                        lesion_idx=case.lesion_idx,
                        split=split,
                        bbox_type=setting.bbox_type,
                        correct_choice=letter,
                        texts=_texts(setting.task, case, options),
                        image_paths=tuple(names),
                    )
                )
    return Exam(questions=tuple(questions), views=views)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Option:
    case: Case
    member: int
    """Index into `Case.lesions`."""


class _Pool:
    """Cases to draw from, with one array per fact."""

    def __init__(self, cases: Sequence[Case]) -> None:
        self.cases = tuple(cases)
        self._columns = {
            name: np.array([str(getattr(case.lesion.facts, name)) for case in cases])
            for name in (*_DESCRIBED, "size_class")
        }
        self._places = np.array([case.lesion.place for case in cases])

    def __getitem__(self, name: str) -> NDArray[np.str_]:
        return self._columns[name]

    def told(self, task: str) -> NDArray[np.str_]:
        """Give what a task's options say of each case, as one value."""
        if task == "img2size":
            return self["size_class"]
        parts = [self[name] for name in _facts_of(task)]
        return np.array([" ".join(row) for row in zip(*parts, strict=True)])

    def shared(self, anchor: int) -> NDArray[np.int64]:
        """Count what each case shares with one of them: facts twice, the exact place once."""
        same = np.stack([column == column[anchor] for column in map(self.__getitem__, _DESCRIBED)])
        return 2 * same.sum(axis=0) + (self._places == self._places[anchor])


def _facts_of(task: str) -> tuple[str, ...]:
    return _ATTRIBUTES if task.endswith("attrib") else _DESCRIBED


def _draw_setting(
    setting: Setting, cases: Sequence[Case], n: int, unit: int, rng: np.random.Generator
) -> Iterator[tuple[Case, list[_Option], str]]:
    """Draw a setting's questions: the right case, the four options in letter order, the letter."""
    crowded = [case for case in cases if case.crowded]
    # a stack costs nine pictures: ask about fewer lesions there
    most = max(12, unit * 3 // 2) if setting.task in STACK_TASKS else _LARGEST_POOL * unit
    pool = _Pool([case for case in cases if not case.crowded][:most])
    letters = draw_letters(n, rng)
    asked: set[frozenset[int]] = set()
    for number, letter in enumerate(letters):
        if setting.task == "txt2bbox":
            case = crowded[number % len(crowded)]
            four = [_Option(case=case, member=member) for member in range(4)]
            right = 0  # drawn among the four when the slice was
        else:
            drawn = _draw_four(setting.task, pool, asked, rng)
            four = [_Option(case=pool.cases[i], member=0) for i in drawn]
            right = int(rng.integers(4))
            case = four[right].case
        yield case, in_letter_order(four, right, letter, rng), letter


# ---------------------------------------------------------------- four options


def _draw_four(
    task: str, pool: _Pool, asked: set[frozenset[int]], rng: np.random.Generator
) -> list[int]:
    """Draw four cases that a setting has not asked about together; treats all four alike."""
    found: list[int] | None = None
    for attempt in range(_TRIES):
        if task == "img2size" or attempt >= _TRIES_CROSSING:
            four = _four_apart(pool.told(task), rng)
        else:
            four = _four_crossing(task, pool, rng)
        found = four or found
        if four and frozenset(four) not in asked:
            break
    if found is None:
        raise RuntimeError(f"{task}: no four unlike lesions among {len(pool.cases)}")
    asked.add(frozenset(found))
    return found


def _four_crossing(task: str, pool: _Pool, rng: np.random.Generator) -> list[int] | None:
    """Cross two facts: four cells, in each the case that shares most with a random anchor."""
    facts = _facts_of(task)
    first, second = (pool[facts[i]] for i in rng.permutation(len(facts))[:2])
    anchor = int(rng.integers(len(pool.cases)))
    near = pool.shared(anchor)
    rows, columns = _two_values(first, anchor, rng), _two_values(second, anchor, rng)
    four: list[int] = []
    for row, column in itertools.product(rows, columns):
        cell = np.flatnonzero((first == row) & (second == column))
        if len(cell) == 0:
            return None
        best = cell[near[cell] == near[cell].max()]
        four.append(int(rng.choice(best)))
    return four or None


def _four_apart(told: NDArray[np.str_], rng: np.random.Generator) -> list[int] | None:
    """Draw four cases of which different things are told; every order is equally likely."""
    found: dict[str, int] = {}
    for i in rng.permutation(len(told)).tolist():
        found.setdefault(str(told[i]), i)
        if len(found) == 4:
            return list(found.values())
    return None


def _two_values(column: NDArray[np.str_], anchor: int, rng: np.random.Generator) -> tuple[str, ...]:
    """Give the anchor's value and another one of the column, if there is another."""
    others = np.unique(column[column != column[anchor]])
    return (str(column[anchor]), str(rng.choice(others))) if len(others) else ()


# ---------------------------------------------------------------- words and pictures


def _texts(task: str, case: Case, options: Sequence[_Option]) -> tuple[str, ...]:
    if task in IMAGE_CHOICE_TASKS:
        return (description(case.lesion),)
    lesions = [option.case.lesions[option.member] for option in options]
    if task == "img2size":
        return tuple(map(size_text, lesions))
    if task.endswith("attrib"):
        return tuple(attributes(lesion.facts) for lesion in lesions)
    return tuple(map(description, lesions))


def _views(setting: Setting, case: Case, options: Sequence[_Option]) -> list[View[int]]:
    boxed = setting.bbox_type == "bbox"
    if setting.task in IMAGE_CHOICE_TASKS:
        return [
            _view(option.case, KEY_SLICE, option.member if boxed else None) for option in options
        ]
    return [_view(case, index, 0 if boxed else None) for index in slices_of(setting.task)]


def _view(case: Case, slice_index: int, boxed: int | None) -> View[int]:
    split: QuestionSplit = "test" if case.split == "test" else "validation"
    return View(lesion_idx=case.lesion_idx, split=split, slice_index=slice_index, boxed=boxed)
