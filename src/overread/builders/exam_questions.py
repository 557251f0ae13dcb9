"""Drawn questions as a release holds them: under each setting of their task, with picture names.

The one place where a builder's four options become texts, pictures and a key, whatever the options
were drawn by.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from overread.benchmarks.ct_bench.exam_draws import View, picture_name, slices_of
from overread.benchmarks.ct_bench.exam_files import Question
from overread.benchmarks.ct_bench.layout import (
    IMAGE_CHOICE_TASKS,
    KEY_SLICE,
    LETTERS,
    SETTINGS,
    QuestionSplit,
    Setting,
)
from overread.records import Box

__all__ = ["DrawnQuestion", "in_every_setting"]

Mark = TypeVar("Mark")


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnQuestion(Generic[Mark]):
    """One question before it is asked without and with the box."""

    split: QuestionSplit
    task: str
    letter: str
    """Of the right option."""
    lesions: tuple[int, ...]
    """Of the four options, in letter order; four times one lesion where boxes are the options."""
    told: tuple[str, ...]
    """What is said of each of them."""
    marks: tuple[Mark, ...]
    """The box that each of them bears where it is drawn."""

    @property
    def right(self) -> int:
        """Place of the right option."""
        return LETTERS.index(self.letter)


def in_every_setting(
    drawn: Sequence[DrawnQuestion[Mark]], *, seed: int
) -> tuple[tuple[tuple[int, Question], ...], Mapping[str, View[Mark]]]:
    """Ask every drawn question under each setting of its task.

    Parameters
    ----------
    drawn
        In the exam's order: by split, then by task.
    seed
        Salt of the pictures' names, which must not tell what they show.

    Returns
    -------
    questions, views
        Each with its place in `drawn`, numbered from 1 by split and setting; and what each named
        picture shows.
    """
    made: list[tuple[int, Question]] = []
    views: dict[str, View[Mark]] = {}
    for setting, place in _in_order(drawn):
        one = drawn[place]
        shown = list(_shown(setting, one))
        names = [picture_name(view, _words(view.boxed), seed=seed) for view in shown]
        views.update(zip(names, shown, strict=True))
        is_choice = one.task in IMAGE_CHOICE_TASKS
        question = Question(
            qa_id=len(made) + 1,
            q_type=one.task,
            lesion_idx=one.lesions[one.right],
            split=one.split,
            bbox_type=setting.bbox_type,
            correct_choice=one.letter,
            texts=(one.told[one.right],) if is_choice else one.told,
            image_paths=tuple(names),
        )
        made.append((place, question))
    return tuple(made), views


def _in_order(drawn: Sequence[DrawnQuestion[Mark]]) -> Iterator[tuple[Setting, int]]:
    for split in dict.fromkeys(one.split for one in drawn):
        for setting in SETTINGS:
            for place, one in enumerate(drawn):
                if (one.split, one.task) == (split, setting.task):
                    yield setting, place


def _shown(setting: Setting, one: DrawnQuestion[Mark]) -> Iterator[View[Mark]]:
    is_boxed = setting.bbox_type == "bbox"
    if one.task in IMAGE_CHOICE_TASKS:
        for lesion, mark in zip(one.lesions, one.marks, strict=True):
            yield _view(one.split, lesion, KEY_SLICE, mark if is_boxed else None)
        return
    for index in slices_of(one.task):
        # A table measures the key slice only: on its neighbours a box would be a guess.
        mark = one.marks[one.right] if is_boxed and index == KEY_SLICE else None
        yield _view(one.split, one.lesions[one.right], index, mark)


def _view(split: QuestionSplit, lesion: int, index: int, mark: Mark | None) -> View[Mark]:
    return View(lesion_idx=lesion, split=split, slice_index=index, boxed=mark)


def _words(boxed: object) -> str:
    """Tell a mark so that different ones get different names."""
    if isinstance(boxed, Box):
        return f"{boxed.x_min:g} {boxed.y_min:g} {boxed.x_max:g} {boxed.y_max:g}"
    return "-" if boxed is None else str(boxed)
