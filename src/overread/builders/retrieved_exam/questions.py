"""Drawn units as the questions of a release: what each option says, which box it bears."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from overread.benchmarks.ct_bench.exam_draws import View
from overread.benchmarks.ct_bench.exam_files import Question
from overread.builders.exam_questions import DrawnQuestion, in_every_setting
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
    made, views = in_every_setting([_drawn(unit, lesions) for unit in units], seed=seed)
    return tuple((units[place], question) for place, question in made), views


def _drawn(unit: Unit, lesions: Mapping[int, ExamLesion]) -> DrawnQuestion[str | Box]:
    return DrawnQuestion(
        split=unit.split,
        task=unit.task,
        letter=unit.letter,
        lesions=tuple(option.lesion_idx for option in unit.options),
        told=tuple(told(unit.task, lesions[option.lesion_idx]) for option in unit.options),
        marks=tuple(OWN_BOX if option.box is None else option.box for option in unit.options),
    )
