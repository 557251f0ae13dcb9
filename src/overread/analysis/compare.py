"""Two or more runs over the same questions: who is better, and whether it is more than luck.

Every pair is compared item by item over the questions both were asked. The two runs see the same
patients, so a difference is far better known than two separate intervals suggest.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Final, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from overread.analysis.compared_margin import (
    Adjust,
    WithinMargin,
    adjusted_p_values,
    within_margin,
    within_margins,
)
from overread.analysis.compared_metric import compared_metric, run_notes
from overread.analysis.compared_pairs import (
    JoinedPair,
    RunScores,
    join_pair,
    over_the_same,
    unit_notes,
    unshared_questions,
)
from overread.analysis.exam_power import ExamPower, exam_power
from overread.analysis.standings import Standing, standings
from overread.analysis.strata import group_rows, is_within, stratum_generator
from overread.contracts import AnalysisPlan
from overread.errors import UsageError, expected
from overread.records import Profile
from overread.stats.cluster_wilson import SHARE
from overread.stats.few_clusters import FEW_CLUSTERS
from overread.stats.paired import cluster_paired_difference, mcnemar_exact, sign_flip

__all__ = ["Comparison", "PairDifference", "RunScores", "Test", "compare"]

Test: TypeAlias = Literal["mcnemar", "sign flip"]
"""Which p of a pair is adjusted."""

_FEWEST_SWAPS: Final = 10_000
_SWAPS_PER_TEST: Final = 4
"""With fewer random swaps the smallest p they can give, times the number of tests, could never
fall below a quarter of 1 - level, however clear the difference."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PairDifference:
    """Two runs over the questions of one stratum that both were asked."""

    first: str
    second: str
    stratum: Mapping[str, str]
    """Empty for the total."""
    n: int
    """Questions asked of both; an unanswered one counts as not right."""
    n_clusters: int | None
    both: int | None
    only_first: int | None
    only_second: int | None
    neither: int | None
    """Right answers: by both, by one alone, by neither; None where scores are no right or wrong."""
    first_value: float
    second_value: float
    difference: float
    """`first_value` less `second_value`."""
    low: float | None
    high: float | None
    level: float
    method: str
    p_mcnemar: float | None
    """Exact McNemar, which takes items as independent; None where no item tells the two apart, and
    where items were asked several times."""
    p_sign_flip: float | None
    """Permutation by patient: stays right when the items of a patient hang together."""
    adjusted: Test | None
    """Which of the two `p_adjusted` adjusts: the permutation by patient wherever there are fewer
    patients than items, or scores are not right or wrong; McNemar where each item stands alone.
    None where neither is defined."""
    p_adjusted: float | None
    """That p adjusted for all pairs over all strata of this kind, such as every task."""
    exam: ExamPower
    """What these questions could have shown of two such runs."""
    margin: WithinMargin | None
    """Whether they differ by less than a margin; None where none was asked about."""
    reason: str | None
    """Why a number is missing, or what to mind."""

    @property
    def is_told_apart(self) -> bool:
        """Whether the adjusted p falls below 1 - `level`."""
        return self.p_adjusted is not None and self.p_adjusted < 1 - self.level


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """All pairs of runs."""

    metric: str
    profile: Profile
    labels: tuple[str, ...]
    value_unit: str
    """``share`` for values from 0 to 1, else the metric's unit: ``mm``, ``ml``."""
    smaller_is_better: bool
    adjust: Adjust
    """How p values are adjusted."""
    unit: str
    """The independent unit: ``patient``, or ``item`` where none is named."""
    standings: tuple[Standing, ...]
    """The runs in order, with groups of those that cannot be told apart."""
    pairs: tuple[PairDifference, ...]
    """Over all shared questions, one for each pair."""
    by_stratum: tuple[PairDifference, ...]
    """The same for each stratum of the plan, pair by pair."""
    unshared: Mapping[str, int]
    """Run → questions of its plan that not all runs were asked; they take no part in its pairs
    with runs that lack them."""
    notes: tuple[str, ...]
    """What to mind, as sentences."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Question:
    """What is asked of every pair."""

    plan: AnalysisPlan
    adjust: Adjust
    margin: float | None
    power: float
    swaps: int
    level_each: float
    """At which each pair is to be told apart, so that all are at `plan.level`."""


def compare(
    runs: Sequence[RunScores],
    plan: AnalysisPlan,
    *,
    profile: Profile = "honest",
    metric: str | None = None,
    adjust: Adjust = "holm",
    margin: float | None = None,
    power: float = 0.8,
) -> Comparison:
    """Compare runs pair by pair, over the questions that the metric is about.

    Parameters
    ----------
    runs
        Two or more runs with different labels.
    plan
        Headline metric, strata, cluster, level, draws and seed.
    profile
        Whose scores. Under either profile the denominator is the shared plan.
    metric
        One of `plan.also` in the headline's place, such as ``jury_accuracy``. What it drops in
        either run (no verdict of the jury) is left out of the pair; a metric that is no share is
        compared where both runs have a value.
    adjust
        How the p values of all pairs (and, apart from them, of all pairs in strata of one kind) are
        adjusted.
    margin
        The smallest difference that would matter, above 0 and in the metric's own unit (0.02 for 2
        points): tells pairs that differ by less. None does not ask.
    power
        With which probability a difference is to be found, for what the exam can show.

    Returns
    -------
    Comparison
        Differences are undefined in their interval where no patient tells the two apart.

    Raises
    ------
    UsageError
        Fewer than two runs, two runs with one label, or two runs without a common question; a
        metric that is no share or mean of the plan, or that a run was not scored by; a margin or a
        power that is none.
    """
    _check(runs, plan, margin, power)
    chosen = compared_metric(plan, metric=metric, profile=profile)
    runs = [
        replace(run, planned=[line for line in run.planned if is_within(line.strata, chosen.only)])
        for run in runs
    ]
    verdicts = {run.label: chosen.join(run.label, run.scores, run.planned) for run in runs}
    counted = {label: chosen.counted(one) for label, one in verdicts.items()}
    pairs = [
        join_pair(
            first,
            verdicts[first.label].value,
            counted[first.label],
            second,
            verdicts[second.label].value,
            counted[second.label],
            plan.cluster,
        )
        for first, second in combinations(runs, 2)
    ]
    ask = _Question(
        plan=plan, adjust=adjust, margin=margin, power=power, swaps=0, level_each=plan.level
    )
    totals = _family(pairs, (), ask)
    by_stratum = [row for keys in plan.strata if keys for row in _family(pairs, tuple(keys), ask)]
    unshared = unshared_questions(runs)
    apart = {frozenset((row.first, row.second)) for row in totals if row.is_told_apart}
    return Comparison(
        metric=chosen.metric,
        profile=profile,
        labels=tuple(run.label for run in runs),
        value_unit=chosen.value_unit,
        smaller_is_better=chosen.smaller_is_better,
        adjust=adjust,
        unit=pairs[0].unit,
        standings=standings(
            {
                label: (float(values.mean()), len(values))
                for label, values in over_the_same(
                    {run.label: run.planned for run in runs},
                    {label: one.value for label, one in verdicts.items()},
                    counted,
                )
            },
            apart,
            smaller_is_better=chosen.smaller_is_better,
        ),
        pairs=tuple(totals),
        by_stratum=tuple(by_stratum),
        unshared=unshared,
        notes=tuple(
            note
            for run in runs
            for note in run_notes(
                run.label,
                chosen,
                verdicts[run.label],
                n_planned=len(run.planned),
                n_unshared=unshared[run.label],
            )
        )
        + tuple(unit_notes(pairs)),
    )


def _check(
    runs: Sequence[RunScores], plan: AnalysisPlan, margin: float | None, power: float
) -> None:
    if margin is not None and not 0 < margin < math.inf:
        raise UsageError(
            expected(
                "margin",
                rule="a difference above 0",
                got=margin,
                remedy="Give the smallest difference that would matter.",
            )
        )
    if not 1 - plan.level < power < 1:
        raise UsageError(
            expected(
                "power",
                rule=f"a probability above {1 - plan.level:.2g} and below 1",
                got=power,
                remedy="Use 0.8.",
            )
        )
    labels = [run.label for run in runs]
    if len(runs) < 2 or len(set(labels)) < len(labels):
        raise UsageError(
            expected(
                "runs",
                rule="two or more runs with different labels",
                got=labels,
                remedy="Name each run once.",
            )
        )


def _family(
    pairs: Sequence[JoinedPair], keys: tuple[str, ...], ask: _Question
) -> list[PairDifference]:
    """Test every pair in every stratum of one kind, and adjust for all of them together."""
    plan = ask.plan
    tests = [
        (pair, stratum, rows)
        for pair in pairs
        for stratum, rows in group_rows(
            [line.strata for line in pair.planned], keys, multi_label=plan.multi_label
        )
    ]
    # The first step of Holm asks the smallest p for the share of one of all that can be tested.
    n_tested = max(1, sum(_has_difference(pair, rows) for pair, _, rows in tests))
    share = (1 - plan.level) / (n_tested if ask.adjust == "holm" else 1)
    ask = replace(
        ask,
        swaps=max(_FEWEST_SWAPS, math.ceil(_SWAPS_PER_TEST * len(tests) / (1 - plan.level))),
        level_each=round(1 - share, 12),
    )
    found = [_difference(*test, ask) for test in tests]
    adjusted = adjusted_p_values([row.p_adjusted for row in found], adjust=ask.adjust)
    found = [replace(row, p_adjusted=p) for row, p in zip(found, adjusted, strict=True)]
    margins = within_margins([row.margin for row in found if row.margin], adjust=ask.adjust)
    return (
        [replace(row, margin=margin) for row, margin in zip(found, margins, strict=True)]
        if margins
        else found
    )


def _has_difference(pair: JoinedPair, rows: NDArray[np.int64]) -> bool:
    """Tell whether any unit tells the two apart."""
    difference = pair.first_values[rows] - pair.second_values[rows]
    return bool(np.bincount(pair.codes[rows], weights=difference).any())


def _difference(
    pair: JoinedPair,
    stratum: Mapping[str, str],
    rows: NDArray[np.int64],
    ask: _Question,
) -> PairDifference:
    plan = ask.plan
    one, two, codes = pair.first_values[rows], pair.second_values[rows], pair.codes[rows]
    rng = stratum_generator(plan.seed, stratum, pair.first.label, pair.second.label)
    counts = _counts(one, two)
    interval = cluster_paired_difference(
        one,
        two,
        codes,
        ends=None if counts is None else SHARE,
        draws=plan.bootstrap_draws,
        level=plan.level,
        rng=rng,
    )
    flipped = sign_flip(one, two, codes, draws=ask.swaps, rng=rng)
    n_clusters = len(np.unique(codes))
    # Several draws of one item are no independent items: McNemar would count each as one.
    repeated = len({pair.planned[row].item for row in rows}) < len(rows)
    tested = None if counts is None or repeated else mcnemar_exact(counts[1], counts[2])
    # Fewer patients than items: McNemar would count the answers to one patient as independent.
    adjusted: Test = "sign flip" if tested is None or n_clusters < len(rows) else "mcnemar"
    p_value = (flipped if tested is None or adjusted == "sign flip" else tested).p_value
    notes = [interval.reason] if interval.reason else []
    if repeated:
        notes.append("items were asked several times: McNemar's test does not apply")
    if interval.defined and n_clusters < FEW_CLUSTERS:
        notes.append(f"only {n_clusters} {pair.unit}s: read the interval with care")
    both, only_first, only_second, neither = counts or (None, None, None, None)
    return PairDifference(
        first=pair.first.label,
        second=pair.second.label,
        stratum=dict(stratum),
        n=len(rows),
        n_clusters=n_clusters if pair.has_units else None,
        both=both,
        only_first=only_first,
        only_second=only_second,
        neither=neither,
        first_value=float(one.mean()),
        second_value=float(two.mean()),
        difference=float((one - two).mean()),
        low=interval.low,
        high=interval.high,
        level=plan.level,
        method=f"{interval.method} ({pair.unit})" if interval.defined else "none",
        p_mcnemar=None if tested is None else tested.p_value,
        p_sign_flip=flipped.p_value,
        adjusted=None if p_value is None else adjusted,
        p_adjusted=p_value,
        exam=exam_power(
            one - two,
            codes,
            is_right_or_wrong=counts is not None,
            farthest=None
            if interval.low is None or interval.high is None
            else max(interval.low, interval.high, key=abs),
            unit=pair.unit,
            power=ask.power,
            level=ask.level_each,
        ),
        margin=within_margin(one, two, codes, margin=ask.margin, power=ask.power, level=plan.level)
        if ask.margin is not None
        else None,
        reason="; ".join(notes) or None,
    )


def _counts(one: NDArray[np.float64], two: NDArray[np.float64]) -> tuple[int, int, int, int] | None:
    if not bool(np.isin(np.concatenate([one, two]), (0.0, 1.0)).all()):
        return None
    first, second = one == 1.0, two == 1.0
    return (
        int((first & second).sum()),
        int((first & ~second).sum()),
        int((~first & second).sum()),
        int((~first & ~second).sum()),
    )
