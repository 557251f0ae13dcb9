"""The values to rank taken from scored runs, by the rule of their benchmark."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from overread.analysis.compared_pairs import RunScores
from overread.analysis.ranking.options import Missing, Rule
from overread.analysis.ranking.table import CaseTable, RankedMetric
from overread.contracts import AnalysisPlan, RankPlan
from overread.errors import UsageError, expected
from overread.metrics.spec import MetricSpec
from overread.records import Finding, PlannedItem, Profile, Severity, Status
from overread.registry import metric_spec

__all__ = ["RankedRuns", "cases_of_runs", "rank_plan_of"]

_JOIN: Final = " · "
_RULES: Final[Mapping[str, Rule]] = {"mean": "mean-then-rank", "median": "median-then-rank"}


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedRuns:
    """What a ranking of runs is made of: everything but the choices of whoever asks."""

    table: CaseTable
    metrics: tuple[RankedMetric, ...]
    rule: Rule
    tie_break: str | None
    missing: Missing
    """What a value that one run lacks and another has is taken for, where nobody says it."""
    worst: Mapping[str, float]
    """Metric → its worst value, for those that have one."""
    findings: tuple[Finding, ...]


def rank_plan_of(plan: AnalysisPlan) -> RankPlan:
    """Give the benchmark's rule, or the mean of its headline where it has none."""
    return plan.ranking or RankPlan(
        weights={plan.headline: 1.0},
        profile="honest",
        source="none: the benchmark has no rule, methods are ranked by the mean of its headline",
    )


def cases_of_runs(runs: Sequence[RunScores], plan: AnalysisPlan) -> RankedRuns:
    """Bring the score rows of runs into one table of cases.

    Parameters
    ----------
    runs
        Scored runs of one release, each under its own label.
    plan
        Of the benchmark: `AnalysisPlan.ranking` and `AnalysisPlan.cluster` are read.

    Returns
    -------
    RankedRuns
        Cases are the items that all runs were asked, in the order of the first; a value is the mean
        over an item's draws. A row without a value is a missing value, whatever its status; one
        that no run has a value of is undefined for all.

    Raises
    ------
    UsageError
        Fewer than two runs, no item in all of them, or a run without rows of a ranked metric.
    """
    rank = rank_plan_of(plan)
    shared = _shared(runs)
    names = tuple(rank.weights)
    values: dict[str, NDArray[np.float64]] = {}
    for name in names:
        columns = [_values(run, name, rank, shared) for run in runs]
        values[name] = np.stack(columns, axis=1)
    planned = {line.item: line for line in reversed(runs[0].planned)}
    lines = [planned[item] for item in shared]
    table = CaseTable(
        methods=tuple(run.label for run in runs),
        cases=tuple(shared),
        values=values,
        patients=_patients(lines, plan.cluster),
        unit=plan.cluster or "case",
        strata=_strata(lines, rank.strata),
    )
    return RankedRuns(
        table=table,
        metrics=tuple(
            RankedMetric(
                name=name,
                larger_is_better=name not in rank.smaller_is_better,
                weight=rank.weights[name],
            )
            for name in names
        ),
        rule=_RULES[rank.aggregate],
        tie_break=rank.tie_break,
        missing="worst-value",
        worst={
            name: worst
            for name in names
            if (worst := _worst(metric_spec(name), name in rank.smaller_is_better)) is not None
        },
        findings=(_source(rank), *_unshared(runs, shared), *_silent(runs, table, rank.profile)),
    )


def _shared(runs: Sequence[RunScores]) -> list[str]:
    """List the items that all runs were asked."""
    if len(runs) < 2:
        raise UsageError(
            expected(
                "RUN RUN...",
                rule="two or more run files",
                got=len(runs),
                remedy="A ranking needs somebody to compare with.",
            )
        )
    asked = [{line.item for line in run.planned} for run in runs]
    in_all = set.intersection(*asked)
    shared = [
        item for item in dict.fromkeys(line.item for line in runs[0].planned) if item in in_all
    ]
    if not shared:
        raise UsageError(
            expected(
                "RUN RUN...",
                rule="runs that share questions",
                got="none that all of them were asked",
                remedy="Run all models over the same split and tasks.",
            )
        )
    return shared


def _values(
    run: RunScores, metric: str, rank: RankPlan, shared: Sequence[str]
) -> NDArray[np.float64]:
    """Give a run's value of each item, the mean over draws; NaN without one."""
    found: dict[str, list[float]] = {}
    n_rows = 0
    for score in run.scores:
        mine = (score.metric, score.profile, score.target) == (metric, rank.profile, None)
        n_rows += mine
        if mine and score.value is not None:
            found.setdefault(score.item, []).append(score.value)
    if not n_rows:
        raise UsageError(
            expected(
                run.label,
                rule=f"score rows of {metric} in the {rank.profile} profile",
                got="none",
                remedy="Score the run again: overread score RUN RELEASE.",
            )
        )
    return np.array([float(np.mean(found[item])) if item in found else np.nan for item in shared])


def _patients(lines: Sequence[PlannedItem], cluster: str | None) -> tuple[str, ...] | None:
    if cluster is None or any(not line.groups.get(cluster) for line in lines):
        return None
    return tuple(line.groups[cluster] for line in lines)


def _strata(lines: Sequence[PlannedItem], keys: Sequence[str]) -> tuple[str, ...] | None:
    if not keys:
        return None
    return tuple(_JOIN.join(line.strata.get(key, "–") for key in keys) for line in lines)


def _worst(spec: MetricSpec | None, smaller_is_better: bool) -> float | None:
    """Give the end of a metric's range that nobody wants; None where it has none."""
    if spec is None:
        return None
    end = spec.high if smaller_is_better else spec.low
    return end if math.isfinite(end) else None


# ---------------------------------------------------------------- what to mind


def _source(rank: RankPlan) -> Finding:
    parts = ", ".join(f"{name} {weight:g}" for name, weight in rank.weights.items())
    strata = f", within each {' and '.join(rank.strata)}" if rank.strata else ""
    return Finding(
        severity=Severity.INFO,
        code="rank-rule",
        where="the benchmark",
        evidence=f"{parts}; the {rank.aggregate} of cases{strata}; {rank.profile} profile",
        effect=f"source: {rank.source}",
    )


def _unshared(runs: Sequence[RunScores], shared: Sequence[str]) -> list[Finding]:
    kept = set(shared)
    left_out = {
        run.label: len({line.item for line in run.planned} - kept)
        for run in runs
        if {line.item for line in run.planned} - kept
    }
    if not left_out:
        return []
    return [
        Finding(
            severity=Severity.WARNING,
            code="unshared-items",
            where=", ".join(left_out),
            evidence="; ".join(f"{label}: {n} items" for label, n in left_out.items()),
            effect="they were not asked of every run, and are left out",
            remedy="Run all models over the same split and tasks.",
            count=sum(left_out.values()),
        )
    ]


def _silent(runs: Sequence[RunScores], table: CaseTable, profile: Profile) -> list[Finding]:
    """Count the cases in which a run has no value and another has one."""
    found: list[Finding] = []
    for place, run in enumerate(runs):
        counts = {
            name: int((np.isnan(each[:, place]) & ~np.isnan(each).all(axis=1)).sum())
            for name, each in table.values.items()
        }
        if not any(counts.values()):
            continue
        kinds = {
            score.status
            for score in run.scores
            if score.metric in counts
            and (score.profile, score.target, score.value) == (profile, None, None)
        }
        why = ", ".join(sorted(kinds - {Status.UNDEFINED})) or "undefined"
        found.append(
            Finding(
                severity=Severity.WARNING,
                code="missing-values",
                where=run.label,
                evidence=", ".join(f"{name}: {n}" for name, n in counts.items() if n)
                + f" of {len(table.cases)} cases ({why})",
                effect="they count as --missing says: without it as the worst value there is",
                count=max(counts.values()),
            )
        )
    return found
