"""Draws the questions: four lesions that look alike and exclude each other, then the right one.

Which of the four is asked for is drawn last and fairly, so that neither likeness to the others nor
how often a text turns up tells the answer: whoever does not look is right one time in four.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from overread.benchmarks.ct_bench import layout
from overread.benchmarks.ct_bench.exam_draws import draw_letters, in_letter_order
from overread.builders.retrieved_exam.embeddings import Embeddings
from overread.builders.retrieved_exam.lesions import ExamLesion
from overread.builders.retrieved_exam.neighbours import nearest_neighbours
from overread.builders.retrieved_exam.unlike import Pairs, told
from overread.records import Box, Finding, Severity

__all__ = ["Misplace", "Option", "Unit", "draw_units", "reletter"]

Misplace: TypeAlias = Callable[[ExamLesion, np.random.Generator], tuple[Box, ...] | None]
"""Draws three boxes on a lesion's key slice that mark nothing; None where there is no room."""

_NEIGHBOURS: Final = 64
_LETTER_DRAWS: Final = 97
_MOST_LOOKED_AT: Final = 2000
"""Lesions that one question's wrong choices are looked for among; later ones look nothing alike."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One choice of a question."""

    lesion_idx: int
    why_wrong: str | None
    """The fact that excludes it; None for the right choice."""
    likeness: float | None
    """Cosine to the right choice, -1 to 1; None for itself, and for boxes on one picture."""
    box: Box | None = None
    """On the right lesion's key slice, where boxes are the choices."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """One question, asked without and with the box where its task is asked both ways."""

    number: int
    split: layout.QuestionSplit
    task: str
    letter: str
    options: tuple[Option, ...]
    """Four, in letter order."""

    @property
    def right(self) -> Option:
        """The right choice."""
        return self.options[layout.LETTERS.index(self.letter)]


def draw_units(
    lesions: Sequence[ExamLesion],
    embeddings: Embeddings,
    stacks: frozenset[int],
    misplace: Misplace,
    *,
    seed: int,
    most: int | None,
) -> tuple[tuple[Unit, ...], tuple[Finding, ...]]:
    """Draw the questions of both splits.

    Parameters
    ----------
    lesions
        Those of the question splits, a row of `embeddings` each.
    embeddings
        What looks and reads alike.
    stacks
        Indices of lesions whose nine slices are there.
    misplace
        See `Misplace`.
    seed
        Of every draw.
    most
        At most so many a task and split; None is the count of a complete release.

    Returns
    -------
    units, findings
        Questions, and where fewer could be drawn than lesions would allow.
    """
    units: list[Unit] = []
    findings: list[Finding] = []
    tasks = list(dict.fromkeys(setting.task for setting in layout.SETTINGS))
    for split in layout.QUESTION_SPLITS:
        rows = [row for row, lesion in enumerate(lesions) if lesion.split == split]
        if not rows:
            findings.append(_not_asked(split, "any task", "no lesion is in this split", 0))
            continue
        searched = _Searched(lesions, embeddings, rows)
        for task in tasks:
            rng = np.random.default_rng(
                [seed, layout.QUESTION_SPLITS.index(split), tasks.index(task)]
            )
            setting = next(each for each in layout.SETTINGS if each.task == task)
            count = setting.test if split == "test" else setting.validation
            drawn, short = _draw(
                task, searched, stacks, misplace, count if most is None else min(count, most), rng
            )
            for letter, options in zip(draw_letters(len(drawn), rng), drawn, strict=True):
                ordered = in_letter_order(
                    options,
                    next(i for i, one in enumerate(options) if one.why_wrong is None),
                    letter,
                    rng,
                )
                units.append(
                    Unit(
                        number=len(units) + 1,
                        split=split,
                        task=task,
                        letter=letter,
                        options=tuple(ordered),
                    )
                )
            if short is not None:
                findings.append(_not_asked(split, task, short, len(drawn)))
    return tuple(units), tuple(findings)


def reletter(units: Sequence[Unit], *, seed: int) -> tuple[Unit, ...]:
    """Give letters anew after some questions were struck, so that they are balanced again."""
    found: list[Unit] = []
    rng = np.random.default_rng([seed, _LETTER_DRAWS])
    groups = itertools.groupby(units, key=lambda unit: (unit.split, unit.task))
    for _, some in groups:
        members = list(some)
        for unit, letter in zip(members, draw_letters(len(members), rng), strict=True):
            right = layout.LETTERS.index(unit.letter)
            options = in_letter_order(unit.options, right, letter, rng)
            found.append(
                Unit(
                    number=unit.number,
                    split=unit.split,
                    task=unit.task,
                    letter=letter,
                    options=tuple(options),
                )
            )
    return tuple(found)


class _Searched:
    """The lesions of one split with their neighbours."""

    def __init__(
        self, lesions: Sequence[ExamLesion], embeddings: Embeddings, rows: Sequence[int]
    ) -> None:
        self.lesions = [lesions[row] for row in rows]
        self._own = Embeddings(vectors=embeddings.vectors[list(rows)], label=embeddings.label)
        numbers: dict[str, int] = {}
        groups = np.array(
            [numbers.setdefault(one.patient, len(numbers)) for one in self.lesions], dtype=np.int64
        )
        self._near = nearest_neighbours(self._own.vectors, k=_NEIGHBOURS, groups=groups)
        self._further: dict[int, NDArray[np.int32]] = {}
        self._pairs: dict[tuple[str, bool], Pairs] = {}

    def nearest_first(self, row: int) -> Iterator[int]:
        """Give other patients' lesions, the nearest first; beyond the first 64 on demand."""
        first: list[int] = [int(other) for other in self._near.index[row] if other >= 0]
        yield from first
        done = set(first)
        if row not in self._further:
            self._further[row] = np.array(
                self._own.nearest_first(row)[:_MOST_LOOKED_AT], dtype=np.int32
            )
        for other in self._further[row].tolist():
            if other not in done:
                yield other

    def likeness(self, row: int, other: int) -> float:
        return self._own.similarity(row, other)

    def pairs(self, task: str) -> Pairs:
        """Give the pairs of a task; tasks that tell and show the same share them."""
        telling = "size" if task == "img2size" else "attrib" if task.endswith("attrib") else "text"
        key = telling, task in layout.STACK_TASKS
        if key not in self._pairs:
            self._pairs[key] = Pairs(task, self.lesions)
        return self._pairs[key]


def _draw(
    task: str,
    searched: _Searched,
    stacks: frozenset[int],
    misplace: Misplace,
    count: int,
    rng: np.random.Generator,
) -> tuple[list[tuple[Option, ...]], str | None]:
    """Draw up to `count` questions; say why where not every lesion could be asked about."""
    pool = [
        row
        for row, lesion in enumerate(searched.lesions)
        if (task not in layout.STACK_TASKS or lesion.lesion_idx in stacks)
        and (task == "txt2bbox" or told(task, lesion))
        and lesion.facts.unreadable is None
    ]
    members = frozenset(pool)
    pairs = searched.pairs(task)
    drawn: list[tuple[Option, ...]] = []
    done: set[frozenset[int]] = set()
    failed = repeated = 0
    for place in rng.permutation(len(pool)).tolist():
        if len(drawn) == count:
            return drawn, None
        row = pool[place]
        if task == "txt2bbox":
            options = _boxes(searched.lesions[row], misplace, rng)
        else:
            four = _four(searched, pairs, row, members)
            if four is not None and frozenset(four) in done:
                repeated += 1
                continue
            options = None
            if four is not None:
                done.add(frozenset(four))
                options = _options(searched, pairs, four, int(rng.integers(4)))
        if options is None:
            failed += 1
        else:
            drawn.append(options)
    if not pool:
        return drawn, "no lesion has what it asks about" + (
            ": nine slices a lesion (--slices)" if task in layout.STACK_TASKS else ""
        )
    if not failed and not repeated:
        return drawn, None
    lack = (
        "there is no room for three boxes that mark nothing"
        if task == "txt2bbox"
        else "no three other patients' lesions were found that differ in fact from it and each "
        "other"
    )
    told_all = [f"for {failed} of {len(pool)} lesions {lack}"] if failed else []
    if repeated:
        told_all.append(f"for {repeated} of {len(pool)} the same four had been drawn before")
    return drawn, "; ".join(told_all)


def _four(
    searched: _Searched, pairs: Pairs, anchor: int, members: frozenset[int]
) -> tuple[int, ...] | None:
    """Take the nearest that exclude the anchor and each other; no patient twice."""
    four = [anchor]
    for other in searched.nearest_first(anchor):
        if other in members and all(pairs.are_unlike(taken, other) for taken in four):
            four.append(other)
            if len(four) == len(layout.LETTERS):
                return tuple(four)
    return None


def _options(
    searched: _Searched, pairs: Pairs, four: Sequence[int], right: int
) -> tuple[Option, ...]:
    shown = four[right]
    return tuple(
        Option(
            lesion_idx=searched.lesions[row].lesion_idx,
            why_wrong=None if row == shown else pairs.why_unlike(shown, row),
            likeness=None if row == shown else round(searched.likeness(shown, row), 4),
        )
        for row in four
    )


def _boxes(
    lesion: ExamLesion, misplace: Misplace, rng: np.random.Generator
) -> tuple[Option, ...] | None:
    wrong = misplace(lesion, rng) if lesion.box is not None else None
    if wrong is None:
        return None
    return (
        Option(lesion_idx=lesion.lesion_idx, why_wrong=None, likeness=None, box=lesion.box),
        *(
            Option(
                lesion_idx=lesion.lesion_idx,
                why_wrong="the box marks no lesion of the set",
                likeness=None,
                box=box,
            )
            for box in wrong
        ),
    )


def _not_asked(split: str, task: str, evidence: str, drawn: int) -> Finding:
    return Finding(
        severity=Severity.INFO if drawn else Severity.WARNING,
        code="too-few-wrong-choices" if drawn else "task-not-asked",
        where=f"{split}/{task}",
        evidence=evidence,
        effect=f"{drawn} questions were drawn; none repeats a choice",
    )
