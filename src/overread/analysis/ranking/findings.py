"""What makes a ranking doubtful, as findings: choices that decide it, and facts it hides."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations

import numpy as np

from overread.analysis.ranking.ranking import TaskRanking
from overread.analysis.ranking.sentences import plural
from overread.analysis.ranking.table import CaseTable
from overread.records import Finding, Severity
from overread.stats.few_clusters import FEW_CLUSTERS
from overread.stats.rank_distance import tau_b
from overread.stats.weighted import weighted_means

__all__ = ["ranking_findings", "unshared_pairs"]

_ALIKE = 0.9
"""Tau-b between the orders of two metrics above which they count one property twice."""
_FEW_FIRST = 0.5


def ranking_findings(table: CaseTable, ranking: TaskRanking) -> tuple[Finding, ...]:
    """Look at a ranking for what a reader of it should know.

    Parameters
    ----------
    table
        What was ranked.
    ranking
        What came of it.
    """
    where = ranking.task or "ranking"
    return tuple(
        Finding(
            severity=severity,
            code=code,
            where=where,
            evidence=evidence,
            effect=effect,
            remedy=remedy,
            count=count,
        )
        for severity, code, evidence, effect, remedy, count in (
            *_who_is_first(ranking),
            *_choices(ranking),
            *_entrants(ranking),
            *_patients(ranking),
            *_shared(table),
            *_values(table, ranking),
        )
    )


def unshared_pairs(table: CaseTable) -> int:
    """Count the pairs of methods that have a value in no common case, of any metric."""
    there = sum(
        (~np.isnan(values)).astype(np.int64).T @ (~np.isnan(values)).astype(np.int64)
        for values in table.values.values()
    )
    upper = np.triu_indices(len(table.methods), 1)
    return int((np.asarray(there)[upper] == 0).sum())


_Told = tuple[Severity, str, str, str, str, int]


def _who_is_first(ranking: TaskRanking) -> Iterator[_Told]:
    winners = [row for row in ranking.rows if row.rank == 1]
    if len(winners) == 1 and winners[0].best is not None and winners[0].best < _FEW_FIRST:
        yield (
            Severity.WARNING,
            "unsure-winner",
            f"{winners[0].method} is the best in {100 * winners[0].best:.0f} % of resamples",
            f"another draw of {ranking.unit}s would more often than not have another winner",
            "Give rank intervals beside the ranks, or name no single winner.",
            1,
        )
    one = ranking.without_one
    if one is not None and one.n_changed and len(winners) == 1:
        yield (
            Severity.WARNING,
            "one-unit-decides",
            f"leaving out any one of {plural(one.n_changed, ranking.unit)} (of {one.n_units}) "
            "changes who is first: " + "; ".join(one.examples),
            f"the first place hangs on single {ranking.unit}s",
            "Look at these; a rule on ranks or medians is moved less by one value.",
            one.n_changed,
        )


def _choices(ranking: TaskRanking) -> Iterator[_Told]:
    winners = {row.method for row in ranking.rows if row.rank == 1}
    texts: Mapping[str, tuple[str, str]] = {
        "rule": ("rule-decides", "Say before the data are seen which rule holds, and why."),
        "missing": ("missing-policy-decides", "Say why values are missing, and fix one policy."),
        "ties": ("ties-decide", "Say what equals get."),
        "weights": ("weights-decide", "Say where the weights come from."),
        "strata": ("strata-decide", "Give the ranking of each stratum too."),
    }
    for kind, (code, remedy) in texts.items():
        moved = [
            other
            for other in ranking.others
            if other.kind == kind and not other.is_chosen and not winners <= set(other.winners)
        ]
        if moved:
            yield (
                Severity.WARNING,
                code,
                "; ".join(f"{each.name}: {', '.join(each.winners) or 'nobody'}" for each in moved),
                "another choice makes another method first",
                remedy,
                len(moved),
            )


def _entrants(ranking: TaskRanking) -> Iterator[_Told]:
    moved = [other for other in ranking.others if other.kind == "entrants" and other.swapped]
    if moved:
        yield (
            Severity.WARNING,
            "entrants-decide",
            "; ".join(
                f"{each.name}: {plural(each.swapped, 'pair')} the other way" for each in moved[:5]
            )
            + ("; …" if len(moved) > 5 else ""),
            "the order of two methods depends on who else takes part",
            "Compare the methods that matter in pairs.",
            len(moved),
        )


def _patients(ranking: TaskRanking) -> Iterator[_Told]:
    if ranking.stability is not None and ranking.n_units < FEW_CLUSTERS:
        yield (
            Severity.WARNING,
            "few-units",
            f"{plural(ranking.n_units, ranking.unit)}",
            f"a bootstrap of fewer than {FEW_CLUSTERS} promises too much: read rank intervals and "
            "winner shares with care",
            "The rank sets rest on tests that hold for few.",
            1,
        )
    if ranking.options.rule == "test-then-rank" and ranking.pairs:
        told = sum(pair.better is not None for pair in ranking.pairs)
        wins = round(sum(row.score or 0.0 for row in ranking.rows) * (len(ranking.rows) - 1))
        if told < wins:
            yield (
                Severity.WARNING,
                "uncorrected-tests",
                f"the rule counts {wins} significant wins; corrected for the number of pairs "
                f"{told} remain",
                "some places rest on differences that chance explains",
                "Read the significance map beside the ranking.",
                wins - told,
            )


def _shared(table: CaseTable) -> Iterator[_Told]:
    n = unshared_pairs(table)
    if n:
        yield (
            Severity.WARNING,
            "no-shared-cases",
            f"{plural(n, 'pair')} of methods have no case with a value of both"
            if n > 1
            else "two methods have no case with a value of both",
            "their places compare cases as much as methods: who had easier ones comes first",
            "Compare methods over the same cases, called the same for every method.",
            n,
        )


def _values(table: CaseTable, ranking: TaskRanking) -> Iterator[_Told]:
    for metric, n in ranking.n_undefined.items():
        if n:
            yield (
                Severity.INFO,
                "undefined-cases",
                f"{metric}: no method has a value in {plural(n, 'case')}, such as a measure of an "
                "empty reference",
                f"{metric} is ranked over {plural(ranking.n_cases - n, 'case')}",
                "",
                n,
            )
    names = [metric.name for metric in ranking.metrics]
    sides = {metric.name: 1.0 if metric.larger_is_better else -1.0 for metric in ranking.metrics}
    for one, two in combinations(names, 2):
        once = np.ones((1, len(table.cases)))
        means = [weighted_means(table.values[name], once)[0] * sides[name] for name in (one, two)]
        tau = float(tau_b(*means))
        if tau > _ALIKE and len(table.methods) > 3:
            yield (
                Severity.WARNING,
                "metrics-alike",
                f"{one} and {two} order the methods alike (tau-b {tau:.2f})",
                "a sum of ranks counts one property twice",
                "Weigh the two as one.",
                1,
            )
