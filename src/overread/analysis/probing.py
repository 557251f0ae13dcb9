"""What a model's score rests on: one run as released, others with a part taken away or changed.

Every arm is held against the original question by question, over the questions that both were
asked. An answer that is lost may be a wrong one or none at all: a model that declines once the
picture is gone has not shown that it used the picture, so answers lost to silence are counted.
Where no reply came at all, as from a server that broke down, nothing was said about the change:
such pairs take no part, and are counted apart.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from overread.analysis.four_states import FourStates, paired_effect
from overread.analysis.probe_silence import Failures, Silence
from overread.analysis.strata import group_rows, is_within, stratum_generator
from overread.analysis.verdicts import Verdicts, join_scores, planned_clusters
from overread.contracts import AnalysisPlan
from overread.records import Item, PlannedItem, Reference, Response, Score, Status
from overread.stats.few_clusters import FEW_CLUSTERS
from overread.stats.intervals import Interval
from overread.stats.multiplicity import holm

__all__ = [
    "ArmEffect",
    "ArmExample",
    "ArmRun",
    "Failures",
    "OriginalScore",
    "Probed",
    "Silence",
    "probe_effects",
]

_FEWEST_SWAPS: Final = 10_000
_SWAPS_PER_TEST: Final = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmRun:
    """One run, as far as a probe needs it."""

    name: str
    """``original``, or the perturbation."""
    scores: Sequence[Score]
    planned: Sequence[PlannedItem]
    left_out: Mapping[str, int]
    """Reason → how many of the selected questions the change does not apply to."""
    declined: Set[tuple[str, int]] = frozenset()
    """Item and draw of replies that decline, as far as their scores do not say so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmEffect:
    """One arm against the original, over the questions of one stratum that both were asked."""

    name: str
    stratum: Mapping[str, str]
    """Empty for the total."""
    n: int
    n_clusters: int | None
    """Independent units; None where the release names none."""
    unit: str
    """``patient``, or ``item``."""
    original: float
    changed: float
    """Share right, or the mean of a metric that is no right or wrong."""
    chance: float | None
    """What a blind guess gets on these questions; None where any of them has no chance."""
    states: FourStates | None
    """None for a metric that is no right or wrong."""
    net_effect: float
    """`original` less `changed`: what the change costs."""
    low: float | None
    high: float | None
    level: float
    method: str
    persistence: Interval | None
    """Share of right answers that stay right."""
    p_mcnemar: float | None
    p_sign_flip: float | None
    adjusted: Literal["mcnemar", "sign flip"] | None
    """Which p `p_holm` adjusts: by cluster wherever a cluster has several questions."""
    p_holm: float | None
    """Adjusted after Holm over all arms (and all strata of one kind)."""
    silence: Silence
    failures: Failures | None
    """Questions without a reply, which take no part; of the total only."""
    left_out: Mapping[str, int]
    """Reason → further questions that take no part; of the total only."""
    reason: str | None
    """Why a number is missing, or what to mind."""

    @property
    def falls(self) -> bool:
        """Whether the change costs more than luck would, after adjustment."""
        return self.net_effect > 0 and self.p_holm is not None and self.p_holm < 1 - self.level

    @property
    def rises(self) -> bool:
        """Whether the score goes up by more than luck would."""
        return self.net_effect < 0 and self.p_holm is not None and self.p_holm < 1 - self.level

    @property
    def lost(self) -> int:
        """Right answers that the change costs."""
        return self.states.right_wrong if self.states else 0


@dataclass(frozen=True, slots=True, kw_only=True)
class OriginalScore:
    """The run as released, over all its questions that can be judged."""

    n: int
    value: float
    """What got no reply counts as not right."""
    chance: float | None
    no_answer: int
    """Without a readable answer, for whatever reason."""
    failed: int
    """Of `no_answer`, those to which no reply came."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Probed:
    """All arms of a probe."""

    metric: str
    original: OriginalScore
    arms: tuple[ArmEffect, ...]
    by_stratum: tuple[ArmEffect, ...]
    not_applied: Mapping[str, Mapping[str, int]]
    """Arms that apply to no question: arm → reason → questions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmExample:
    """One question as an arm asked it, with what came back: for people to look at."""

    arm: str
    item: Item
    reference: Reference
    response: Response | None
    score: Score | None
    """Of the headline, under the honest profile."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pairs:
    arm: ArmRun
    planned: Sequence[PlannedItem]
    original: NDArray[np.float64]
    changed: NDArray[np.float64]
    codes: NDArray[np.int64]
    unit: str
    has_units: bool
    silence: NDArray[np.bool_]
    """(n, 4): no answer as released and changed, declined as released and changed."""
    failures: Failures
    left_out: Mapping[str, int]


def probe_effects(
    original: ArmRun,
    arms: Sequence[ArmRun],
    plan: AnalysisPlan,
    *,
    not_applied: Mapping[str, Mapping[str, int]],
) -> Probed:
    """Hold every arm against the original, by the plan's headline under the honest profile.

    Parameters
    ----------
    original
        The run as released.
    arms
        Runs of the same questions, changed. One without a pair is not compared.
    plan
        Headline, strata, cluster, level, draws and seed.
    not_applied
        Arms that apply to nothing, for the record.
    """
    verdicts = _join(original, plan)
    found = {arm.name: _pair(original, verdicts, arm, plan) for arm in arms}
    pairs = [each for each in found.values() if isinstance(each, _Pairs)]
    without = {name: each for name, each in found.items() if not isinstance(each, _Pairs)}
    kinds = [tuple(keys) for keys in plan.strata if keys]
    return Probed(
        metric=plan.headline,
        original=_original(original, verdicts, plan),
        arms=tuple(_family(pairs, (), plan)),
        by_stratum=tuple(row for keys in kinds for row in _family(pairs, keys, plan)),
        not_applied={**not_applied, **without},
    )


def _join(run: ArmRun, plan: AnalysisPlan) -> Verdicts:
    scores = (score for score in run.scores if score.target is None)
    return join_scores(scores, run.planned, metric=plan.headline, profile="honest", drops=())


def _original(run: ArmRun, verdicts: Verdicts, plan: AnalysisPlan) -> OriginalScore:
    within = [is_within(line.strata, plan.headline_only) for line in run.planned]
    counted = np.array(within, dtype=np.bool_) & ~verdicts.ungradable
    rows = np.flatnonzero(counted)
    statuses = _statuses(run, plan)
    return OriginalScore(
        n=len(rows),
        value=float(verdicts.value[rows].mean()) if len(rows) else 0.0,
        chance=_chance([run.planned[row] for row in rows.tolist()]),
        no_answer=int((~verdicts.answered[rows]).sum()),
        failed=sum(_has_failed(statuses.get(_key(run.planned[row]))) for row in rows.tolist()),
    )


def _pair(
    original: ArmRun, verdicts: Verdicts, arm: ArmRun, plan: AnalysisPlan
) -> _Pairs | dict[str, int]:
    """Pair an arm's questions with the original's; where there is no pair, say why."""
    place = {(line.item, line.draw): row for row, line in enumerate(original.planned)}
    changed = _join(arm, plan)
    before, after = _statuses(original, plan), _statuses(arm, plan)
    rows: list[tuple[int, int]] = []
    failed: list[tuple[bool, bool]] = []
    left_out = dict(arm.left_out)

    def leave_out(reason: str) -> None:
        left_out[reason] = left_out.get(reason, 0) + 1

    for two, line in enumerate(arm.planned):
        one = place.get((line.item, line.draw))
        if not is_within(line.strata, plan.headline_only):
            leave_out(f"{plan.headline.replace('_', ' ')} is not about it")
        elif one is None:
            leave_out("it was not asked as released")
        elif verdicts.ungradable[one] or changed.ungradable[two]:
            leave_out("the release has no answer to it that can be used")
        else:
            lost = _has_failed(before.get(_key(line))), _has_failed(after.get(_key(line)))
            if any(lost):
                failed.append(lost)
            else:
                rows.append((one, two))
    failures = _failures(failed)
    if not rows:
        if failed:
            left_out["no reply came to it, as released or changed"] = failures.pairs
        return left_out
    ones, twos = (np.array(side, dtype=np.int64) for side in zip(*rows, strict=True))
    planned = [original.planned[row] for row in ones]
    clusters = planned_clusters(planned, plan.cluster)
    silence = [
        (
            not verdicts.answered[one],
            not changed.answered[two],
            before[key] is Status.REFUSED or key in original.declined,
            after[key] is Status.REFUSED or key in arm.declined,
        )
        for (one, two), key in zip(rows, map(_key, planned), strict=True)
    ]
    return _Pairs(
        arm=arm,
        planned=planned,
        original=verdicts.value[ones],
        changed=changed.value[twos],
        codes=clusters.codes,
        unit=clusters.unit,
        has_units=clusters.named,
        silence=np.array(silence, dtype=np.bool_).reshape(len(rows), 4),
        failures=failures,
        left_out=left_out,
    )


def _failures(failed: Sequence[tuple[bool, bool]]) -> Failures:
    return Failures(
        original=sum(was for was, _ in failed),
        changed=sum(now for _, now in failed),
        pairs=len(failed),
    )


def _key(line: PlannedItem) -> tuple[str, int]:
    return line.item, line.draw


def _has_failed(status: Status | None) -> bool:
    """Tell whether no reply came; a question without a score was not asked to the end."""
    return status is None or status is Status.FAILED


def _statuses(run: ArmRun, plan: AnalysisPlan) -> dict[tuple[str, int], Status]:
    return {
        (score.item, score.draw): score.status
        for score in run.scores
        if score.metric == plan.headline and score.profile == "honest" and score.target is None
    }


def _family(pairs: Sequence[_Pairs], keys: tuple[str, ...], plan: AnalysisPlan) -> list[ArmEffect]:
    """Compare every arm in every stratum of one kind, and adjust for all of them together."""
    tests = [
        (pair, stratum, rows)
        for pair in pairs
        for stratum, rows in group_rows(
            [line.strata for line in pair.planned], keys, multi_label=plan.multi_label
        )
    ]
    swaps = max(_FEWEST_SWAPS, math.ceil(_SWAPS_PER_TEST * len(tests) / (1 - plan.level)))
    found = [_effect(pair, stratum, rows, plan, swaps) for pair, stratum, rows in tests]
    adjusted = holm([effect.p_holm for effect in found])
    return [replace(each, p_holm=p) for each, p in zip(found, adjusted, strict=True)]


def _effect(
    pair: _Pairs,
    stratum: Mapping[str, str],
    rows: NDArray[np.int64],
    plan: AnalysisPlan,
    swaps: int,
) -> ArmEffect:
    planned = [pair.planned[row] for row in rows]
    codes = np.unique(pair.codes[rows], return_inverse=True)[1].astype(np.int64)
    effect = paired_effect(
        pair.original[rows],
        pair.changed[rows],
        codes,
        bootstrap_draws=plan.bootstrap_draws,
        swaps=swaps,
        level=plan.level,
        rng=stratum_generator(plan.seed, stratum, pair.arm.name),
    )
    states, notes = effect.states, []
    # Several draws of one question are no independent questions: McNemar would count each as one.
    repeated = len({line.item for line in planned}) < len(planned)
    mcnemar = None if states is None or repeated else states.mcnemar.p_value
    by_cluster = mcnemar is None or effect.n_clusters < len(planned)
    p_value = effect.sign_flip.p_value if by_cluster else mcnemar
    if states is not None and states.right_wrong == states.wrong_right == 0:
        p_value = 1.0 if p_value is None else p_value
        notes.append("no answer became right or wrong")
    elif effect.net.reason:
        notes.append(effect.net.reason)
    if not pair.has_units:
        notes.append("the release names no patients: the interval takes questions as independent")
    elif effect.net.defined and effect.n_clusters < FEW_CLUSTERS:
        notes.append(f"only {effect.n_clusters} {pair.unit}s: read the interval with care")
    return ArmEffect(
        name=pair.arm.name,
        stratum=dict(stratum),
        n=effect.n,
        n_clusters=effect.n_clusters if pair.has_units else None,
        unit=pair.unit,
        original=effect.original,
        changed=effect.changed,
        chance=_chance(planned),
        states=states,
        net_effect=effect.original - effect.changed,
        low=effect.net.low,
        high=effect.net.high,
        level=plan.level,
        method=f"{effect.net.method} ({pair.unit})" if effect.net.defined else "none",
        persistence=states.persistence if states else None,
        p_mcnemar=mcnemar,
        p_sign_flip=effect.sign_flip.p_value,
        adjusted=None if p_value is None else ("sign flip" if by_cluster else "mcnemar"),
        p_holm=p_value,
        silence=_silence(pair.silence[rows], pair.original[rows]),
        failures=None if stratum else pair.failures,
        left_out={} if stratum else pair.left_out,
        reason="; ".join(notes) or None,
    )


def _silence(flags: NDArray[np.bool_], original: NDArray[np.float64]) -> Silence:
    before, after, refused_before, refused = flags.T
    return Silence(
        original=int(before.sum()),
        changed=int(after.sum()),
        refused_original=int(refused_before.sum()),
        refused=int(refused.sum()),
        lost=int((after & (original > 0)).sum()),
    )


def _chance(planned: Sequence[PlannedItem]) -> float | None:
    chances = [line.chance for line in planned]
    known = [chance for chance in chances if chance is not None]
    return sum(known) / len(known) if known and len(known) == len(chances) else None
