"""A run's plan joined with its scores: one verdict for each planned question, as arrays.

The plan fixes the rows. A question without a score, with an unreadable reply or with an unusable
reference keeps its row and says so; it is never a silent wrong answer.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from overread.contracts import AnalysisPlan
from overread.errors import UsageError, expected
from overread.records import PlannedItem, Profile, Score, Status
from overread.stats.bootstrap import cluster_codes

__all__ = ["Clusters", "Verdicts", "join_scores", "join_verdicts", "planned_clusters"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdicts:
    """One row a planned question, in the plan's order; each array has shape (n,)."""

    value: NDArray[np.float64]
    """The score; 0 where there is none, which `graded` tells apart."""
    graded: NDArray[np.bool_]
    """An answer was read and could be judged."""
    answered: NDArray[np.bool_]
    """An answer was read, even where the reference is unusable."""
    asked: NDArray[np.bool_]
    """There is a score row, whatever it says."""
    ungradable: NDArray[np.bool_]
    """The release has no usable reference, so nobody can be right."""
    dropped: NDArray[np.bool_]
    """The row is not in the denominator: the benchmark's own code leaves it out, or `valueless`."""
    valueless: NDArray[np.bool_]
    """Of `dropped`, where the metric itself has no value whoever answers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Clusters:
    """The independent units behind planned questions."""

    codes: NDArray[np.int64]
    """(n,) number of the unit; questions that name none stand alone."""
    unit: str
    """``patient``, or ``item`` where the release names no unit."""
    named: bool
    """Whether any question names its unit."""
    n_unnamed: int
    """Questions that name no unit while others do."""


def join_verdicts(
    scores: Iterable[Score], planned: Sequence[PlannedItem], plan: AnalysisPlan, *, profile: Profile
) -> Verdicts:
    """Join the headline metric's score rows with the plan by item and draw.

    Parameters
    ----------
    scores
        Score rows of a run; those of other metrics, other profiles, or with a target are left
        out.
    planned
        What was to be asked.
    plan
        Names the headline metric and what the benchmark's own code drops.
    profile
        Whose score rows.

    Raises
    ------
    UsageError
        Two score rows for one planned question: the store holds the latest only.
    """
    return join_scores(
        (score for score in scores if score.target is None),
        planned,
        metric=plan.headline,
        profile=profile,
        drops=plan.published_drops if profile == "published" else (),
        valueless=plan.headline_drops,
    )


def join_scores(
    scores: Iterable[Score],
    planned: Sequence[PlannedItem],
    *,
    metric: str,
    profile: Profile,
    drops: Collection[Status],
    valueless: Collection[Status] = (),
) -> Verdicts:
    """Join the score rows of one metric with planned questions by item and draw.

    Parameters
    ----------
    scores
        Score rows of a run, all of one target; those of other metrics or profiles are left out.
    planned
        What was to be asked.
    metric, profile
        Which score rows.
    drops
        Statuses whose rows leave the denominator.
    valueless
        Likewise, since the metric has no value there whoever answers.

    Raises
    ------
    UsageError
        Two score rows for one planned question: the store holds the latest only.
    """
    rows: dict[tuple[str, int], Score] = {}
    for score in scores:
        if score.metric != metric or score.profile != profile:
            continue
        key = (score.item, score.draw)
        if key in rows:
            raise UsageError(
                expected(
                    "scores",
                    rule="one row for each item, draw, metric and profile",
                    got=f"two of {metric} ({profile}) for item {score.item!r}, draw {score.draw}",
                    remedy="Score the run again: 'overread score RUN'.",
                )
            )
        rows[key] = score
    found = [rows.get((line.item, line.draw)) for line in planned]
    return Verdicts(
        value=np.array([_value(score) for score in found], dtype=np.float64),
        graded=_flags(score is not None and score.value is not None for score in found),
        answered=_flags(_was_answered(score) for score in found),
        asked=_flags(score is not None for score in found),
        ungradable=_flags(
            score is not None and score.status is Status.UNDEFINED for score in found
        ),
        dropped=_flags(
            score is not None and score.status in (*drops, *valueless) for score in found
        ),
        valueless=_flags(score is not None and score.status in valueless for score in found),
    )


def planned_clusters(planned: Sequence[PlannedItem], cluster: str | None) -> Clusters:
    """Give each planned question its independent unit; where none is named, the item itself."""
    names = [line.groups.get(cluster) if cluster is not None else None for line in planned]
    named = any(name is not None for name in names)
    labels = [
        f"item\0{line.item}" if name is None else f"unit\0{name}"
        for line, name in zip(planned, names, strict=True)
    ]
    return Clusters(
        codes=cluster_codes(labels),
        unit=cluster if cluster is not None and named else "item",
        named=named,
        n_unnamed=sum(name is None for name in names) if named else 0,
    )


def _value(score: Score | None) -> float:
    return 0.0 if score is None or score.value is None else score.value


def _was_answered(score: Score | None) -> bool:
    if score is None:
        return False
    return score.value is not None or (
        score.status is Status.UNDEFINED and score.answer is not None
    )


def _flags(values: Iterable[bool]) -> NDArray[np.bool_]:
    return np.fromiter(values, dtype=np.bool_)
