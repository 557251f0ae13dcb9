"""Which metric two runs are compared by, over which questions, and what to mind about a run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from overread.analysis.corpus_metrics import CORPUS_METRICS
from overread.analysis.verdicts import Verdicts, join_scores
from overread.contracts import AnalysisPlan
from overread.errors import UsageError, expected
from overread.records import PlannedItem, Profile, Score, Status
from overread.registry import metric_spec

__all__ = ["SHARE_UNIT", "ComparedMetric", "compared_metric", "run_notes"]

SHARE_UNIT: Final = "share"
"""`Comparison.value_unit` of what is written in per cent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedMetric:
    """The headline, or a further metric in its place."""

    metric: str
    profile: Profile
    only: Mapping[str, tuple[str, ...]]
    """Values of `PlannedItem.strata` that a question must have to count."""
    drops: tuple[Status, ...]
    is_headline: bool
    is_share: bool
    """Whether what has no value counts as not right; the headline always is one."""
    valueless: tuple[Status, ...] = ()
    """Of the headline, rows that leave the pairs: it has no value there whoever answers."""

    @property
    def value_unit(self) -> str:
        """``share`` for values from 0 to 1 (or -1 to 1), else the metric's own unit."""
        spec = metric_spec(self.metric)
        return SHARE_UNIT if spec is None or abs(spec.high) <= 1 else spec.unit

    @property
    def smaller_is_better(self) -> bool:
        """Whether less is better, as of distances."""
        spec = metric_spec(self.metric)
        return spec is not None and spec.direction == "down"

    def join(self, label: str, scores: Iterable[Score], planned: Sequence[PlannedItem]) -> Verdicts:
        """Join a run's scores with its planned questions.

        Raises
        ------
        UsageError
            Nothing was answered yet, or the run was not scored by a further metric at all.
        """
        verdicts = join_scores(
            (score for score in scores if score.target is None),
            planned,
            metric=self.metric,
            profile=self.profile,
            drops=self.drops,
            valueless=self.valueless,
        )
        if self.is_headline and len(planned) and not verdicts.asked.any():
            # Zeros all over would make the other run better beyond doubt.
            raise UsageError(
                expected(
                    label,
                    rule="a run with a response to one question at least",
                    got=f"none to any of {len(planned)}",
                    remedy="Start the same 'overread run' again: it asks what is missing.",
                )
            )
        if not self.is_headline and not verdicts.graded.any():
            # Of a jury whose votes could not be read nothing is known: zeros would be made up.
            raise UsageError(
                expected(
                    label,
                    rule=f"a run scored by {self.metric} ({self.profile})",
                    got="a run without any such score"
                    if not verdicts.asked.any()
                    else "a run in which not one question has such a score",
                    remedy="Score it so first: 'overread score --help' tells how.",
                )
            )
        return verdicts

    def counted(self, verdicts: Verdicts) -> NDArray[np.bool_]:
        """Tell which questions take part, (n,): of the headline all that can have a value.

        What the benchmark's own code drops takes part: pairs are of questions, not of replies.
        """
        if self.is_headline:
            return ~verdicts.valueless
        return ~verdicts.dropped if self.is_share else verdicts.graded & ~verdicts.dropped


def compared_metric(plan: AnalysisPlan, *, metric: str | None, profile: Profile) -> ComparedMetric:
    """Find a metric of the plan; the headline for None.

    Raises
    ------
    UsageError
        It is none of the plan's, not of this profile, or no mean over items.
    """
    if metric is None or metric == plan.headline:
        return ComparedMetric(
            metric=plan.headline,
            profile=profile,
            only=plan.headline_only,
            drops=plan.published_drops if profile == "published" else (),
            is_headline=True,
            is_share=True,
            valueless=plan.headline_drops,
        )
    usable = [
        also
        for also in plan.also
        if profile in also.profiles
        and also.metric not in CORPUS_METRICS
        and also.pooled is None
        and also.all_of is None
        and also.same_of is None
    ]
    for also in usable:
        if also.metric == metric:
            return ComparedMetric(
                metric=metric,
                profile=profile,
                only=also.only,
                drops=also.drops,
                is_headline=False,
                is_share=also.is_share,
            )
    raise UsageError(
        expected(
            "metric",
            rule=f"one that is compared item by item under the {profile} profile ("
            + ", ".join([plan.headline, *(also.metric for also in usable)])
            + ")",
            got=metric,
            remedy="Choose one of these, or the other profile.",
        )
    )


def run_notes(
    label: str, metric: ComparedMetric, verdicts: Verdicts, *, n_planned: int, n_unshared: int
) -> Iterator[str]:
    """Say what to mind about one run of a comparison, in sentences."""
    if n_unshared:
        were = "was" if n_unshared == 1 else "were"
        yield (
            f"{n_unshared} of the {n_planned} questions of {label} "
            f"{were} not asked of every other run."
        )
    if waiting := int((~verdicts.asked & metric.counted(verdicts)).sum()):
        has, count = ("has", "it counts") if waiting == 1 else ("have", "they count")
        yield f"{_questions(waiting)} of {label} {has} no response yet; {count} as not right."
    dropped = int((verdicts.dropped & ~verdicts.valueless).sum())
    if metric.is_headline and dropped:
        count = "it counts" if dropped == 1 else "they count"
        yield (
            f"{_questions(dropped)} of {label} would be left out by the benchmark's own "
            f"code; compared item by item {count} as not right."
        )
    if left_out := int((~metric.counted(verdicts)).sum()):
        has, it_is = ("has", "it is") if left_out == 1 else ("have", "they are")
        yield f"{_questions(left_out)} of {label} {has} no value; {it_is} left out of its pairs."


def _questions(n: int) -> str:
    return "1 question" if n == 1 else f"{n} questions"
