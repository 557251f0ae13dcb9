"""Runs brought together: which questions two of them share, and which all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from overread.analysis.verdicts import planned_clusters
from overread.errors import UsageError, expected
from overread.records import PlannedItem, Score

__all__ = [
    "JoinedPair",
    "RunScores",
    "join_pair",
    "over_the_same",
    "unit_notes",
    "unshared_questions",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunScores:
    """One run, as far as a comparison needs it."""

    label: str
    """As shown to people; each run of a comparison has its own."""
    scores: Sequence[Score]
    planned: Sequence[PlannedItem]


@dataclass(frozen=True, slots=True, kw_only=True)
class JoinedPair:
    """Two runs over the questions both were asked, row by row."""

    first: RunScores
    second: RunScores
    planned: Sequence[PlannedItem]
    first_values: NDArray[np.float64]
    second_values: NDArray[np.float64]
    codes: NDArray[np.int64]
    """(n,) number of the independent unit."""
    unit: str
    """``patient``, or ``item`` where none is named."""
    has_units: bool
    n_unnamed: int
    """Questions that name no unit while others do."""


def join_pair(
    first: RunScores,
    first_values: NDArray[np.float64],
    first_counted: NDArray[np.bool_],
    second: RunScores,
    second_values: NDArray[np.float64],
    second_counted: NDArray[np.bool_],
    cluster: str | None,
) -> JoinedPair:
    """Join two runs by item and draw.

    Parameters
    ----------
    first_values, second_values
        Scores in the order of each run's plan.
    first_counted, second_counted
        Which of them take part.
    cluster
        The key of the independent unit, as in `AnalysisPlan.cluster`.

    Raises
    ------
    UsageError
        No question takes part in both.
    """
    place = {_key(line): row for row, line in enumerate(second.planned)}
    shared = [
        (row, place[_key(line)]) for row, line in enumerate(first.planned) if _key(line) in place
    ]
    rows = [(one, two) for one, two in shared if first_counted[one] and second_counted[two]]
    if not rows:
        raise UsageError(
            expected(
                f"{first.label} and {second.label}",
                rule="two runs that share questions",
                got=f"{len(first.planned)} and {len(second.planned)} questions, "
                + ("none with a value in both" if shared else "none in both"),
                remedy="Run both over the same release, split, tasks and conditions.",
            )
        )
    ones, twos = (np.array(side, dtype=np.int64) for side in zip(*rows, strict=True))
    planned = [first.planned[row] for row in ones]
    clusters = planned_clusters(planned, cluster)
    return JoinedPair(
        first=first,
        second=second,
        planned=planned,
        first_values=first_values[ones],
        second_values=second_values[twos],
        codes=clusters.codes,
        unit=clusters.unit,
        has_units=clusters.named,
        n_unnamed=clusters.n_unnamed,
    )


def over_the_same(
    planned: Mapping[str, Sequence[PlannedItem]],
    values: Mapping[str, NDArray[np.float64]],
    counted: Mapping[str, NDArray[np.bool_]],
) -> Iterator[tuple[str, NDArray[np.float64]]]:
    """Give each run's values over the questions that count in all runs; over its own if none do."""
    keys = {
        label: {_key(line) for line, counts in zip(lines, counted[label], strict=True) if counts}
        for label, lines in planned.items()
    }
    shared = set.intersection(*keys.values())
    for label, lines in planned.items():
        kept = shared or keys[label]
        yield label, values[label][[_key(line) in kept for line in lines]]


def unit_notes(pairs: Sequence[JoinedPair]) -> Iterator[str]:
    """Say where patients are not known."""
    if not all(pair.has_units for pair in pairs):
        yield (
            "No patients are named: every question counts as independent. Where several share a "
            "patient, the intervals here are too narrow and the p values too small."
        )
    elif unnamed := max(pair.n_unnamed for pair in pairs):
        questions = "1 question names" if unnamed == 1 else f"{unnamed} questions name"
        yield (
            f"{questions} no {pairs[0].unit} and stand{'s' * (unnamed == 1)} alone: intervals are "
            "too narrow if some belong together."
        )


def unshared_questions(runs: Sequence[RunScores]) -> dict[str, int]:
    """Count the questions of each run that not all runs were asked."""
    shared = set.intersection(*({_key(line) for line in run.planned} for run in runs))
    return {run.label: len(run.planned) - len(shared) for run in runs}


def _key(line: PlannedItem) -> tuple[str, int]:
    return line.item, line.draw
