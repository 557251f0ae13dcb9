"""The synthetic exam: four options that cross two facts, then a fair draw of the right one.

Hard wrong choices are lesions of the same split that share facts with the right one. Fairness
comes from the order of the draws: first four lesions, by a rule that treats them alike; only then
which of them is asked for, uniformly and apart from everything else; last the letters, each
equally often in a setting. Whatever does not look at the pictures (length, wording, the odd one
out, counts of words, habits of the letters) is therefore right one time in four.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from overread.benchmarks.ct_bench.cases import Case, questions_per_unit
from overread.benchmarks.ct_bench.layout import (
    IMAGE_CHOICE_TASKS,
    LETTERS,
    QUESTION_SPLITS,
    SETTINGS,
    SLICES_PER_STACK,
    STACK_TASKS,
    Question,
    QuestionSplit,
    Setting,
)
from overread.benchmarks.ct_bench.lesions import attributes, description, size_text

__all__ = ["KEY_SLICE", "Exam", "View", "draw_exam"]

KEY_SLICE = SLICES_PER_STACK // 2
"""Place of the key slice in a stack."""

_TRIES = 60
_DESCRIBED = ("coarse_type", "side", "attenuation", "margin", "core")
_ATTRIBUTES = ("attenuation", "margin", "core")


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """One picture of the exam: which slice of which case, and which lesion's box is drawn."""

    lesion_idx: int
    split: QuestionSplit
    slice_index: int
    boxed: int | None
    """Index into `Case.lesions`; None without a box."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exam:
    """Questions, and the pictures they show by file name."""

    questions: tuple[Question, ...]
    views: Mapping[str, View]


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
    views: dict[str, View] = {}
    for split in QUESTION_SPLITS:
        pool = [case for case in cases if case.split == split]
        unit = questions_per_unit(len(cases), split)
        for setting in SETTINGS:
            n = unit * setting.test // 100
            for case, options, letter in _draw_setting(setting, pool, n, unit, rng):
                shown = _views(setting, case, options)
                names = [_name(view, seed) for view in shown]
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


def _draw_setting(
    setting: Setting, pool: Sequence[Case], n: int, unit: int, rng: np.random.Generator
) -> Iterator[tuple[Case, list[_Option], str]]:
    """Draw a setting's questions: the right case, the four options in letter order, the letter."""
    crowded = [case for case in pool if case.crowded]
    singles = [case for case in pool if not case.crowded]
    if setting.task in STACK_TASKS:  # nine pictures a case: draw from a part of the pool
        singles = singles[: max(8, unit * 3 // 2)]
    order = rng.permutation(len(LETTERS))  # which letters are left over is chance, too
    letters = [LETTERS[order[i % len(LETTERS)]] for i in rng.permutation(n)]
    four: list[_Option]
    asked: set[frozenset[int]] = set()
    for number, letter in enumerate(letters):
        if setting.task == "txt2bbox":
            case = crowded[number % len(crowded)]
            four = [_Option(case=case, member=member) for member in range(4)]
            right = 0  # drawn among the four when the slice was
        else:
            cases = _draw_four(setting.task, singles, asked, rng)
            four = [_Option(case=case, member=0) for case in cases]
            right = int(rng.integers(4))
            case = cases[right]
        others = [four[i] for i in rng.permutation(4) if i != right]
        others.insert(LETTERS.index(letter), four[right])
        yield case, others, letter


# ---------------------------------------------------------------- four options


def _draw_four(
    task: str,
    pool: Sequence[Case],
    asked: set[frozenset[int]],
    rng: np.random.Generator,
) -> list[Case]:
    """Draw four cases that a setting has not asked about together; treats all four alike."""
    fallback: list[Case] | None = None
    for attempt in range(_TRIES):
        if task == "img2size":
            four = _four_apart(pool, _size_class, rng)
        elif attempt < _TRIES * 2 // 3:
            four = _four_crossing(task, pool, rng)
        else:
            four = _four_apart(pool, lambda case: _told(task, case), rng)
        if four is None:
            continue
        fallback = four
        if frozenset(case.lesion_idx for case in four) not in asked:
            break
    if fallback is None:
        raise RuntimeError(f"{task}: no four unlike lesions among {len(pool)}")
    asked.add(frozenset(case.lesion_idx for case in fallback))
    return fallback


def _four_crossing(task: str, pool: Sequence[Case], rng: np.random.Generator) -> list[Case] | None:
    """Cross two facts: four cells, in each the case that shares most with a random anchor."""
    facts = _ATTRIBUTES if task.endswith("attrib") else _DESCRIBED
    first, second = (facts[i] for i in rng.permutation(len(facts))[:2])
    anchor = pool[int(rng.integers(len(pool)))]
    rows, columns = (_two_values(name, anchor, pool, rng) for name in (first, second))
    if rows is None or columns is None:
        return None
    four: list[Case] = []
    for row in rows:
        for column in columns:
            cell = [
                case for case in pool if _fact(case, first) == row and _fact(case, second) == column
            ]
            if not cell:
                return None
            near = [_shared(case, anchor) for case in cell]
            best = [case for case, n in zip(cell, near, strict=True) if n == max(near)]
            four.append(best[int(rng.integers(len(best)))])
    return four


def _four_apart(
    pool: Sequence[Case], key: Callable[[Case], object], rng: np.random.Generator
) -> list[Case] | None:
    """Draw four cases that differ in `key`; every order of the pool is equally likely."""
    found: dict[object, Case] = {}
    for i in rng.permutation(len(pool)):
        found.setdefault(key(pool[i]), pool[i])
        if len(found) == 4:
            return list(found.values())
    return None


def _two_values(
    name: str, anchor: Case, pool: Sequence[Case], rng: np.random.Generator
) -> tuple[object, object] | None:
    mine = _fact(anchor, name)
    others = sorted({_fact(case, name) for case in pool} - {mine}, key=str)
    return (mine, others[int(rng.integers(len(others)))]) if others else None


def _fact(case: Case, name: str) -> object:
    return getattr(case.lesion.facts, name)


def _shared(case: Case, anchor: Case) -> int:
    same = sum(_fact(case, name) == _fact(anchor, name) for name in _DESCRIBED)
    return 2 * same + (case.lesion.place == anchor.lesion.place)


def _size_class(case: Case) -> int:
    return case.lesion.facts.size_class


def _told(task: str, case: Case) -> object:
    facts = case.lesion.facts
    names = _ATTRIBUTES if task.endswith("attrib") else _DESCRIBED
    return tuple(getattr(facts, name) for name in names)


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


def _views(setting: Setting, case: Case, options: Sequence[_Option]) -> list[View]:
    boxed = setting.bbox_type == "bbox"
    if setting.task in IMAGE_CHOICE_TASKS:
        return [
            _view(option.case, KEY_SLICE, option.member if boxed else None) for option in options
        ]
    slices = range(SLICES_PER_STACK) if setting.task in STACK_TASKS else (KEY_SLICE,)
    return [_view(case, index, 0 if boxed else None) for index in slices]


def _view(case: Case, slice_index: int, boxed: int | None) -> View:
    split: QuestionSplit = "test" if case.split == "test" else "validation"
    return View(lesion_idx=case.lesion_idx, split=split, slice_index=slice_index, boxed=boxed)


def _name(view: View, seed: int) -> str:
    text = f"{seed} {view.lesion_idx} {view.slice_index} {view.boxed}"
    return f"{hashlib.sha256(text.encode()).hexdigest()[:16]}.png"
