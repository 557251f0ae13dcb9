"""Audit: how far a classifier gets that learns from the words of other patients' questions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from overread.analysis.blind_exam import number_labels, unit_of
from overread.audits.exam_parts import ChoiceQuestion, ExamAudit, SplitPart, choice_questions
from overread.contracts import Audit, ModelOptions, Picture, Query, Release, Training
from overread.models.baselines.text_only import TextOnly
from overread.records import Finding, Media, Severity
from overread.stats.cluster_wilson import DIFFERENCE
from overread.stats.few_clusters import cluster_interval
from overread.stats.intervals import Interval
from overread.stats.paired import sign_flip

__all__ = ["AUDIT", "text_credit"]

_N_FOLDS: Final = 5
_SEED: Final = 20260219
_ALPHA: Final = 0.05
_FEWEST: Final = 50
"""Questions below which nothing is learnt worth telling."""


def text_credit(
    questions: Sequence[ChoiceQuestion], part: SplitPart, units: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Answer every question by a conditional logit that learned from other units' questions.

    Parameters
    ----------
    questions
        Questions of choice.
    part
        Where their references stand.
    units
        (n,) number of the patient (or other unit) of each; all of its questions are in one fold.

    Returns
    -------
    NDArray
        (n,) 1.0 where the answer is right, else 0.0.
    """
    # Units take turns, so that folds are of a size and the same on every machine.
    folds = units % _N_FOLDS
    credit = np.zeros(len(questions))
    for fold in range(_N_FOLDS):
        held_out = np.flatnonzero(folds == fold).tolist()
        taught = [questions[row].item for row in np.flatnonzero(folds != fold).tolist()]
        if not held_out or not taught:
            continue
        reader = TextOnly("", ModelOptions())
        exam = tuple((item, part.references[item.id]) for item in taught)
        reader.learn(Training(exam=exam), _no_pictures)
        for row in held_out:
            one = questions[row]
            chosen = reader.choose(Query(item=one.item), one.options)
            credit[row] = float(chosen == one.options[one.right].letter)
    return credit


def _no_pictures(media: Media) -> tuple[Picture, ...]:
    del media
    return ()


def _look(part: SplitPart, release: Release) -> Iterator[Finding]:
    questions = [
        one
        for one in choice_questions(part)
        if len(one.options) > 1 and any(option.text for option in one.options)
    ]
    cluster = release.plan().cluster
    units = number_labels(unit_of(one.item, cluster) for one in questions)
    if len(questions) < _FEWEST or len(np.unique(units)) < _N_FOLDS:
        return
    credit = text_credit(questions, part, units)
    chance = np.array([1 / len(one.options) for one in questions])
    rng = np.random.default_rng(_SEED)
    (gain,) = cluster_interval(credit - chance, units, ends=(DIFFERENCE,), rng=rng)
    p_value = sign_flip(credit, chance, units, rng=rng).p_value
    if gain.value is None:
        return
    # The test, because units that all gain alike have no interval and are the worst leak of all.
    leaks = p_value is not None and p_value < _ALPHA and gain.value > 0
    yield Finding(
        severity=Severity.WARNING if leaks else Severity.INFO,
        code="text-classifier",
        where=part.split,
        evidence=f"a classifier that learns from words and places of options of other "
        f"{'units' if cluster is None else cluster + 's'} is right in {100 * credit.mean():.1f} % "
        f"of {len(questions):,} questions, {100 * gain.value:+.1f} points from "
        f"chance{_bounds(gain)}{_where_best(questions, credit, chance)}",
        effect=_effect(gain.value, is_settled=p_value is not None and p_value < _ALPHA),
        remedy="Rewrite or rebalance the options of the questions it gets right." if leaks else "",
        count=int(credit.sum()) if leaks else 1,
    )


def _effect(gain: float, *, is_settled: bool) -> str:
    if not is_settled:
        return "no more than luck can be learnt from the wording"
    if gain > 0:
        return "answers can be learnt from wording alone: a trained model may score without looking"
    return (
        "what is learnt points the wrong way: right options of one question are wrong ones of "
        "others, so that a reader who knows those avoids the right one"
    )


def _bounds(gain: Interval) -> str:
    if gain.low is None or gain.high is None:
        return f" (no interval: {gain.reason})"
    return f" (95 % {100 * gain.low:+.1f} to {100 * gain.high:+.1f})"


def _where_best(
    questions: Sequence[ChoiceQuestion], credit: NDArray[np.float64], chance: NDArray[np.float64]
) -> str:
    """Name the task in which it gains most, where there are several."""
    rows: dict[str, list[int]] = {}
    for row, one in enumerate(questions):
        rows.setdefault(one.item.task, []).append(row)
    gains: Mapping[str, float] = {
        task: float((credit[members] - chance[members]).mean()) for task, members in rows.items()
    }
    best = max(gains, key=lambda task: gains[task])
    if len(gains) < 2 or gains[best] <= 0:
        return ""
    return f"; most in {best}: {100 * gains[best]:+.1f}"


AUDIT: Audit = ExamAudit(
    name="text-classifier",
    summary="how far a classifier gets that learns from the words of other patients' questions",
    look_at=_look,
)
