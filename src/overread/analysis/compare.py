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

from overread.analysis.compared_metric import compared_metric, run_notes
from overread.analysis.strata import group_rows, is_within, stratum_generator
from overread.analysis.verdicts import planned_clusters
from overread.contracts import AnalysisPlan
from overread.errors import UsageError, expected
from overread.records import PlannedItem, Profile, Score
from overread.stats.few_clusters import FEW_CLUSTERS
from overread.stats.multiplicity import holm
from overread.stats.paired import cluster_paired_difference, mcnemar_exact, sign_flip

__all__ = ["Comparison", "PairDifference", "RunScores", "Test", "compare"]

Test: TypeAlias = Literal["mcnemar", "sign flip"]
"""Which p of a pair is adjusted."""

_FEWEST_SWAPS: Final = 10_000
_SWAPS_PER_TEST: Final = 4
"""With fewer random swaps the smallest p they can give, times the number of tests, could never
fall below a quarter of 1 - level, however clear the difference."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunScores:
    """One run, as far as a comparison needs it."""

    label: str
    """As shown to people; each run of a comparison has its own."""
    scores: Sequence[Score]
    planned: Sequence[PlannedItem]


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
    """Which of the two `p_holm` adjusts: the permutation by patient wherever there are fewer
    patients than items, or scores are not right or wrong; McNemar where each item stands alone.
    None where neither is defined."""
    p_holm: float | None
    """That p adjusted after Holm for all pairs over all strata of this kind, such as every task."""
    reason: str | None
    """Why a number is missing, or what to mind."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """All pairs of runs."""

    metric: str
    profile: Profile
    labels: tuple[str, ...]
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
class _Pair:
    first: RunScores
    second: RunScores
    planned: Sequence[PlannedItem]
    first_values: NDArray[np.float64]
    second_values: NDArray[np.float64]
    codes: NDArray[np.int64]
    unit: str
    has_units: bool


def compare(
    runs: Sequence[RunScores],
    plan: AnalysisPlan,
    *,
    profile: Profile = "honest",
    metric: str | None = None,
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

    Returns
    -------
    Comparison
        Differences are undefined in their interval where no patient tells the two apart.

    Raises
    ------
    UsageError
        Fewer than two runs, two runs with one label, or two runs without a common question; a
        metric that is no share or mean of the plan, or that a run was not scored by.
    """
    _check(runs)
    chosen = compared_metric(plan, metric=metric, profile=profile)
    runs = [
        replace(run, planned=[line for line in run.planned if is_within(line.strata, chosen.only)])
        for run in runs
    ]
    verdicts = {run.label: chosen.join(run.label, run.scores, run.planned) for run in runs}
    counted = {label: chosen.counted(one) for label, one in verdicts.items()}
    pairs = [
        _pair(
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
    totals = _family(pairs, (), plan)
    by_stratum = [row for keys in plan.strata if keys for row in _family(pairs, tuple(keys), plan)]
    unshared = _unshared(runs)
    return Comparison(
        metric=chosen.metric,
        profile=profile,
        labels=tuple(run.label for run in runs),
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
        ),
    )


def _check(runs: Sequence[RunScores]) -> None:
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


def _key(line: PlannedItem) -> tuple[str, int]:
    return line.item, line.draw


def _pair(
    first: RunScores,
    first_values: NDArray[np.float64],
    first_counted: NDArray[np.bool_],
    second: RunScores,
    second_values: NDArray[np.float64],
    second_counted: NDArray[np.bool_],
    cluster: str | None,
) -> _Pair:
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
    return _Pair(
        first=first,
        second=second,
        planned=planned,
        first_values=first_values[ones],
        second_values=second_values[twos],
        codes=clusters.codes,
        unit=clusters.unit,
        has_units=clusters.named,
    )


def _family(
    pairs: Sequence[_Pair], keys: tuple[str, ...], plan: AnalysisPlan
) -> list[PairDifference]:
    """Test every pair in every stratum of one kind, and adjust for all of them together."""
    tests = [
        (pair, stratum, rows)
        for pair in pairs
        for stratum, rows in group_rows(
            [line.strata for line in pair.planned], keys, multi_label=plan.multi_label
        )
    ]
    swaps = max(_FEWEST_SWAPS, math.ceil(_SWAPS_PER_TEST * len(tests) / (1 - plan.level)))
    return _with_holm([_difference(*test, plan, swaps) for test in tests])


def _difference(
    pair: _Pair,
    stratum: Mapping[str, str],
    rows: NDArray[np.int64],
    plan: AnalysisPlan,
    swaps: int,
) -> PairDifference:
    one, two, codes = pair.first_values[rows], pair.second_values[rows], pair.codes[rows]
    rng = stratum_generator(plan.seed, stratum, pair.first.label, pair.second.label)
    interval = cluster_paired_difference(
        one, two, codes, draws=plan.bootstrap_draws, level=plan.level, rng=rng
    )
    flipped = sign_flip(one, two, codes, draws=swaps, rng=rng)
    n_clusters = len(np.unique(codes))
    counts = _counts(one, two)
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
        p_holm=p_value,
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


def _with_holm(rows: Sequence[PairDifference]) -> list[PairDifference]:
    adjusted = holm([row.p_holm for row in rows])
    return [replace(row, p_holm=p_value) for row, p_value in zip(rows, adjusted, strict=True)]


def _unshared(runs: Sequence[RunScores]) -> dict[str, int]:
    shared = set.intersection(*({_key(line) for line in run.planned} for run in runs))
    return {run.label: len(run.planned) - len(shared) for run in runs}
