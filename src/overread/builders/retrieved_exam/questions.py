"""Words and picture names of the questions, in the form that both files of a release hold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from overread.benchmarks.ct_bench import layout
from overread.benchmarks.ct_bench.exam_draws import View, picture_name, slices_of
from overread.benchmarks.ct_bench.exam_files import Question
from overread.builders.retrieved_exam.draw import Unit
from overread.builders.retrieved_exam.lesions import ExamLesion
from overread.builders.retrieved_exam.pictures import OWN_BOX
from overread.builders.retrieved_exam.unlike import told
from overread.records import Box

__all__ = ["write_out"]


def write_out(
    units: Sequence[Unit], lesions: Mapping[int, ExamLesion], *, seed: int
) -> tuple[tuple[tuple[Unit, Question], ...], Mapping[str, View[str | Box]]]:
    """Make the questions of a release: every unit under each setting of its task.

    Returns
    -------
    questions, views
        Each with its unit; and what each named picture shows.
    """
    made: list[tuple[Unit, Question]] = []
    views: dict[str, View[str | Box]] = {}
    for setting, unit in _in_order(units):
        shown = list(_shown(setting, unit))
        names = [picture_name(view, _mark(view.boxed), seed=seed) for view in shown]
        views.update(zip(names, shown, strict=True))
        question = Question(
            qa_id=len(made) + 1,
            q_type=unit.task,
            lesion_idx=unit.right.lesion_idx,
            split=unit.split,
            bbox_type=setting.bbox_type,
            correct_choice=unit.letter,
            texts=_texts(unit, lesions),
            image_paths=tuple(names),
        )
        made.append((unit, question))
    return tuple(made), views


def _in_order(units: Sequence[Unit]) -> Iterator[tuple[layout.Setting, Unit]]:
    for split in layout.QUESTION_SPLITS:
        for setting in layout.SETTINGS:
            for unit in units:
                if (unit.split, unit.task) == (split, setting.task):
                    yield setting, unit


def _texts(unit: Unit, lesions: Mapping[int, ExamLesion]) -> tuple[str, ...]:
    if unit.task in layout.IMAGE_CHOICE_TASKS:
        return (told(unit.task, lesions[unit.right.lesion_idx]),)
    return tuple(told(unit.task, lesions[option.lesion_idx]) for option in unit.options)


def _shown(setting: layout.Setting, unit: Unit) -> Iterator[View[str | Box]]:
    own = OWN_BOX if setting.bbox_type == "bbox" else None
    if unit.task in layout.IMAGE_CHOICE_TASKS:
        for option in unit.options:
            yield View(
                lesion_idx=option.lesion_idx,
                split=unit.split,
                slice_index=layout.KEY_SLICE,
                boxed=own if option.box is None else option.box,
            )
        return
    for place in slices_of(unit.task):
        yield View(
            lesion_idx=unit.right.lesion_idx,
            split=unit.split,
            slice_index=place,
            # A table measures the key slice only: on its neighbours a box would be a guess.
            boxed=own if place == layout.KEY_SLICE else None,
        )


def _mark(boxed: str | Box | None) -> str:
    if isinstance(boxed, Box):
        return f"{boxed.x_min:g} {boxed.y_min:g} {boxed.x_max:g} {boxed.y_max:g}"
    return boxed or "-"
