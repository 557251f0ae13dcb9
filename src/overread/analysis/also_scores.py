"""Metrics estimated beside the headline: a jury's verdicts, each judge's, similarity of texts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from overread.analysis.class_agreement import class_sums
from overread.analysis.corpus_metrics import CORPUS_METRICS, CorpusSums, TextPairs, corpus_sums
from overread.analysis.paired_items import pair_note, pair_sums
from overread.analysis.plan_strata import PlanStratum
from overread.analysis.pooled_ratios import ScoreRows, pooled_sums
from overread.analysis.rate_formulas import rate_sums
from overread.analysis.reasons import plain_reason
from overread.analysis.score_columns import Column, CorpusTable
from overread.analysis.strata import is_within
from overread.analysis.verdicts import Verdicts, join_scores, join_verdicts
from overread.contracts import (
    AlsoMetric,
    AnalysisPlan,
    ClassAgreement,
    PairedItems,
    PooledRatio,
    RateFormula,
)
from overread.records import PlannedItem, Profile, Score, Status

__all__ = ["AlsoScores", "also_column", "also_scores"]

_TARGET_KEYS: Final[Mapping[str, str]] = {"judge_accuracy": "judge"}
"""What the target of a metric's rows is called in a stratum; ``target`` for any other metric."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AlsoScores:
    """One further metric under one profile and of one target; arrays over the plan, (n,)."""

    also: AlsoMetric
    profile: Profile
    target: str | None
    values: NDArray[np.float64]
    """0 where there is none."""
    graded: NDArray[np.bool_]
    """There is a value."""
    answered: NDArray[np.bool_]
    """There is a value of an answer, and not of the reference alone."""
    asked: NDArray[np.bool_]
    """There is a score row (a response, for a corpus metric), whatever it says."""
    counted: NDArray[np.bool_]
    """The row is in the denominator."""
    corpus: CorpusSums | None
    """Of a corpus metric."""
    trouble: str | None
    """Where no row at all has a value, why most of them have none: what is not installed, say. Rows
    that leave the denominator speak first: an unread vote, before an answer that is empty."""


def also_scores(
    scores: Sequence[Score],
    planned: Sequence[PlannedItem],
    plan: AnalysisPlan,
    texts: TextPairs | None,
) -> tuple[AlsoScores, ...]:
    """Join every further metric of a plan with the planned questions.

    A share counts what has no value as not right, unless its metric drops it; the mean of another
    metric is over the rows that have a value. Where nothing at all was graded a share is undefined
    (`also_column`): answers that never reached a judge do not make it a judge that found none
    right.

    Parameters
    ----------
    scores
        Score rows of a run.
    planned, plan
        What was to be asked and how it is estimated.
    texts
        Predictions and references, for corpus metrics; None leaves these out.

    Returns
    -------
    tuple
        In the plan's order, by profile and target. A metric without any row under a profile has
        not been measured and has no entry: a jury that was never asked has no share of 0.

    Raises
    ------
    UsageError
        Two score rows for one planned question.
    """
    rows: dict[tuple[str, Profile], dict[str | None, list[Score]]] = {}
    for score in scores if plan.also else ():
        of_metric = rows.setdefault((score.metric, score.profile), {})
        of_metric.setdefault(score.target, []).append(score)
    found: list[AlsoScores] = []
    for also in plan.also:
        if also.metric in CORPUS_METRICS:
            if texts:
                corpus = corpus_sums(also.metric, planned, texts)
                found.extend(_of_corpus(also, profile, None, corpus) for profile in also.profiles)
            continue
        if also.pooled is not None:
            found.extend(_pooled(also, also.pooled, scores, rows, planned, plan))
            continue
        if also.all_of is not None or also.same_of is not None:
            found.extend(_of_groups(also, scores, planned, plan))
            continue
        for profile in also.profiles:
            by_target = dict(rows.get((also.metric, profile), {}))
            if also.metric == plan.headline:
                by_target.pop(None, None)  # that is the headline itself
            for target in sorted(by_target, key=lambda one: (one is not None, one or "")):
                verdicts = join_scores(
                    by_target[target],
                    planned,
                    metric=also.metric,
                    profile=profile,
                    drops=also.drops,
                )
                found.append(
                    _of_verdicts(also, profile, target, verdicts, by_target[target], planned)
                )
    return tuple(found)


def _pooled(
    also: AlsoMetric,
    pooled: PooledRatio | ClassAgreement | RateFormula | PairedItems,
    scores: Sequence[Score],
    rows: ScoreRows,
    planned: Sequence[PlannedItem],
    plan: AnalysisPlan,
) -> Iterator[AlsoScores]:
    match pooled:
        case PooledRatio():
            for (profile, target), sums in pooled_sums(
                pooled, rows, planned, also.profiles
            ).items():
                yield _of_corpus(also, profile, target, sums)
            return
        case ClassAgreement():
            found = class_sums(pooled, rows, planned, also.profiles)
        case RateFormula():
            found = rate_sums(pooled, scores, planned, plan, also.profiles)
        case PairedItems():
            found = pair_sums(pooled, scores, planned, plan, also.profiles)
    for profile, sums in found.items():
        yield _of_corpus(also, profile, None, sums)


def _of_groups(
    also: AlsoMetric, scores: Sequence[Score], planned: Sequence[PlannedItem], plan: AnalysisPlan
) -> Iterator[AlsoScores]:
    """Give an item 1 where all of its group is right (`all_of`) or answered alike (`same_of`)."""
    group = also.all_of or also.same_of or ""
    names = [(line.groups.get(group, line.item), line.draw) for line in planned]
    included = [is_within(line.strata, also.only) for line in planned]
    for profile in also.profiles:
        verdicts = join_verdicts(scores, planned, plan, profile=profile)
        if not verdicts.asked.any():
            continue
        if also.all_of is not None:
            fails = ~verdicts.graded | (verdicts.value < 1)
            failed = {name for name, fail, here in zip(names, fails, included, strict=True)
                      if here and fail}  # fmt: skip
        else:
            failed = _unlike(names, included, scores, planned, plan, profile)
        yield AlsoScores(
            also=also,
            profile=profile,
            target=None,
            values=np.array([float(name not in failed) for name in names]),
            graded=verdicts.asked,
            answered=verdicts.asked,
            asked=verdicts.asked,
            counted=np.ones_like(verdicts.asked),
            corpus=None,
            trouble=None,
        )


def _unlike(
    names: Sequence[tuple[str, int]],
    included: Sequence[bool],
    scores: Sequence[Score],
    planned: Sequence[PlannedItem],
    plan: AnalysisPlan,
    profile: Profile,
) -> set[tuple[str, int]]:
    """Give the groups whose items were not all given one and the same answer."""
    answers = {
        (score.item, score.draw): score.answer
        for score in scores
        if (score.metric, score.profile, score.target) == (plan.headline, profile, None)
    }
    seen: dict[tuple[str, int], set[str | None]] = {}
    for name, here, line in zip(names, included, planned, strict=True):
        if here:
            seen.setdefault(name, set()).add(answers.get((line.item, line.draw)))
    return {name for name, given in seen.items() if len(given) > 1 or None in given}


def _of_corpus(
    also: AlsoMetric, profile: Profile, target: str | None, corpus: CorpusSums
) -> AlsoScores:
    return AlsoScores(
        also=also,
        profile=profile,
        target=target,
        values=np.zeros(len(corpus.counts)),
        graded=corpus.counts,
        answered=corpus.counts if corpus.answered is None else corpus.answered,
        asked=corpus.asked,
        counted=corpus.counts,
        corpus=corpus,
        trouble=None,
    )


def _trouble(scores: Sequence[Score], also: AlsoMetric) -> str | None:
    if any(score.value is not None for score in scores):
        return None
    dropped = [score for score in scores if score.status in also.drops]
    reasons = Counter(plain_reason(score.reason) for score in dropped or scores)
    return reasons.most_common(1)[0][0]


def _of_verdicts(
    also: AlsoMetric,
    profile: Profile,
    target: str | None,
    verdicts: Verdicts,
    scores: Sequence[Score],
    planned: Sequence[PlannedItem],
) -> AlsoScores:
    graded = verdicts.graded & ~verdicts.dropped
    # What a lost answer missed is known, with the reason why it is lost: no answer was read.
    lost = {(row.item, row.draw) for row in scores
            if row.value is not None and row.reason is not None and row.answer is None}  # fmt: skip
    unanswered = np.array([(line.item, line.draw) in lost for line in planned], dtype=np.bool_)
    # What was not asked yet is as what failed: where that leaves the denominator, so does this.
    # Of a metric that counts errors it would else pass for an answer without any.
    expected = verdicts.asked if Status.FAILED in also.drops else np.ones_like(verdicts.asked)
    if target is not None and also.metric not in _TARGET_KEYS:
        expected = verdicts.asked  # an item that never has this label does not lack it
    return AlsoScores(
        also=also,
        profile=profile,
        target=target,
        values=verdicts.value,
        graded=graded,
        answered=graded & ~unanswered,
        asked=verdicts.asked,
        counted=~verdicts.dropped & expected if also.is_share else graded,
        corpus=None,
        trouble=_trouble(scores, also),
    )


def also_column(scores: AlsoScores, stratum: PlanStratum) -> Column:
    """Give the column of one further metric over a stratum, and say what is missing in it.

    Undefined, never 0, where no item of the stratum has a value and either some of them left the
    denominator or the whole run has none. Where the metric has values elsewhere and every item
    here is an answer that is plainly not right (empty, refused), the share is 0 and a note says of
    what.
    """
    rows = stratum.rows
    asked, counted, graded = (each[rows] for each in (scores.asked, scores.counted, scores.graded))
    values = scores.values[rows]
    nothing = None
    if not asked.any():
        nothing = f"no response to any of {len(rows)} items"
    elif not graded.any() and not (counted[asked].all() and scores.graded.any()):
        nothing = f"none of {len(rows)} items has a value"
        nothing += f": {scores.trouble.rstrip('.')}" if scores.trouble else ""
    corpus = None
    answered = scores.answered[rows]
    if scores.corpus is not None:
        corpus = CorpusTable(
            table=scores.corpus.table[rows],
            value=scores.corpus.value,
            range=scores.corpus.range,
        )
    key = _TARGET_KEYS.get(scores.also.metric, "target")
    return Column(
        metric=scores.also.metric,
        profile=scores.profile,
        values=values,
        weights=stratum.weights(counted & (nothing is None)),
        n_answered=int((answered & counted).sum()),
        is_share=(scores.also.is_share or scores.also.all_of is not None)
        and bool(np.isin(values, (0.0, 1.0)).all()),
        notes=(
            *_pair_notes(scores, rows),
            *_notes(asked, counted, graded),
            *_unknown_notes(scores, rows),
        ),
        undefined=nothing,
        target={} if scores.target is None else {key: scores.target},
        corpus=corpus,
    )


def _is_of_groups(also: AlsoMetric) -> bool:
    return also.all_of is not None or also.same_of is not None


def _pair_notes(scores: AlsoScores, rows: NDArray[np.int64]) -> Iterator[str]:
    if isinstance(scores.also.pooled, PairedItems) and scores.corpus is not None:
        yield pair_note(scores.corpus.table[rows])


def _unknown_notes(scores: AlsoScores, rows: NDArray[np.int64]) -> Iterator[str]:
    """Say how many lost answers a ratio of sums knows nothing of, neither over nor under."""
    if not isinstance(scores.also.pooled, PooledRatio) or scores.corpus is None:
        return
    silent = ~scores.corpus.table[rows].any(axis=1)
    lost = scores.counted[rows] & ~scores.answered[rows]
    if unknown := int((silent & lost).sum()):
        yield f"{unknown} of {len(rows)} items without an answer add nothing on either side"


def _notes(
    asked: NDArray[np.bool_], counted: NDArray[np.bool_], graded: NDArray[np.bool_]
) -> Iterator[str]:
    n = len(asked)
    if waiting := int((~asked).sum()):
        yield f"{waiting} of {n} items have no response yet"
    if left_out := int((asked & ~counted).sum()):
        yield f"{left_out} of {n} items have no value and are left out"
    if unread := int((asked & counted & ~graded).sum()):
        yield f"{unread} of {n} items have no value and count as not right"
