"""Which questions hang together: those that share a passage, a figure, or a case in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import pairwise

from overread.benchmarks.jmed48k.layout import Paper
from overread.benchmarks.jmed48k.questions import ExamQuestion
from overread.scoring.exam.passages import linked

__all__ = ["find_cases"]


def find_cases(questions: Mapping[str, tuple[Paper, ExamQuestion]]) -> dict[str, str]:
    """Name each question's case after its first question.

    Parameters
    ----------
    questions
        Item id → paper and question, in the release's order.

    Returns
    -------
    dict
        Item id → item id of the first question of its case. Nothing links papers or sections.
    """
    place = {name: number for number, name in enumerate(questions)}
    before: dict[str, str] = {}

    def first(name: str) -> str:
        while name in before:
            name = before[name]
        return name

    for one, two in _links(questions):
        earlier, later = sorted((first(one), first(two)), key=place.__getitem__)
        if earlier != later:
            before[later] = earlier
    return {name: first(name) for name in questions}


def _links(questions: Mapping[str, tuple[Paper, ExamQuestion]]) -> Iterable[tuple[str, str]]:
    """Give pairs that belong together, the earlier first."""
    holders: dict[tuple[str, str, str], str] = {}
    for name, (paper, asked) in questions.items():
        shared = (asked.passage, *(f"figure\0{each}" for each in asked.shown))
        for each in shared:
            if each:
                earlier = holders.setdefault((paper.where, asked.section, each), name)
                if earlier != name:
                    yield earlier, name
    for one, two in pairwise(questions):
        (paper, before), (other, after) = questions[one], questions[two]
        same = (paper.where, before.section) == (other.where, after.section)
        if same and linked(before.asked, after.asked):
            yield one, two
