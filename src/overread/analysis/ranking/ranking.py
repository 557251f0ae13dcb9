"""A ranking of methods with everything that says how far to believe it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from overread.analysis.ranking.blocks import Block, blocks_of, patient_codes
from overread.analysis.ranking.options import RankingOptions
from overread.analysis.ranking.pairs import (
    MethodPair,
    better_than,
    pairs_by_score,
    pairs_by_value,
)
from overread.analysis.ranking.rules import case_ranks, standing
from overread.analysis.ranking.stability import RankStability, stability
from overread.analysis.ranking.sweeps import LeaveOneOut, Other, leave_each_out, other_orders
from overread.analysis.ranking.table import CaseTable, RankedMetric
from overread.errors import UsageError, expected
from overread.stats.friedman import FriedmanTest, friedman
from overread.stats.rank_distance import tau_b
from overread.stats.rank_sets import rank_sets, tied_groups
from overread.stats.ranking import rank_values

__all__ = ["CellMean", "Consensus", "RankRow", "TaskRanking", "consensus", "rank_methods"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CellMean:
    """The mean of one metric in one stratum."""

    metric: str
    stratum: str
    mean: float | None
    n: int
    n_missing: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RankRow:
    """One method of a ranking."""

    method: str
    rank: int | None
    """None where the method has no value at all."""
    score: float | None
    mean_rank: float | None
    """Mean rank within cases, each block (metric and stratum) weighing the same."""
    rank_low: int | None
    """Central interval of its rank over resamples."""
    rank_high: int | None
    set_low: int
    """The ranks that corrected pairwise tests leave possible."""
    set_high: int
    first: float | None
    """Share of resamples in which it is first, perhaps with others."""
    best: float | None
    """Probability of being the best: a shared first place counts in parts."""
    places: tuple[float, ...]
    """Share of cases in which it stands first, second, third …; a shared place counts for each."""
    cells: tuple[CellMean, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskRanking:
    """The ranking of one task."""

    task: str
    options: RankingOptions
    metrics: tuple[RankedMetric, ...]
    strata: tuple[str, ...]
    score: str
    """What the score is, in words."""
    larger_is_better: bool
    """The direction of the score."""
    n_cases: int
    n_units: int
    unit: str
    """``patient``, ``case``, or ``value`` of an aggregated table."""
    n_missing: dict[str, int]
    n_undefined: dict[str, int]
    methods: tuple[str, ...]
    """In the order of the table, which is that of all matrices and sweeps."""
    rows: tuple[RankRow, ...]
    """The ranking, best first."""
    pairs: tuple[MethodPair, ...]
    metric_pairs: dict[str, tuple[MethodPair, ...]]
    """The same for each metric where there are several."""
    groups: tuple[tuple[str, ...], ...]
    """Neighbours in the ranking of whom no two can be told apart."""
    friedman: dict[str, FriedmanTest]
    """Metric → whether the methods differ at all, over units with a value of every one."""
    stability: RankStability | None
    unstable_reason: str | None
    """Why there is no stability."""
    others: tuple[Other, ...]
    without_one: LeaveOneOut | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Consensus:
    """Several tasks brought together by the mean of their ranks."""

    methods: tuple[str, ...]
    """Best first."""
    ranks: tuple[float, ...]
    """Equals share the mean of their places."""
    mean_ranks: tuple[float, ...]
    spread: tuple[tuple[int, int], ...]
    """Best and worst rank over tasks."""
    tau: tuple[tuple[str, str, float | None], ...]
    """Tau-b between each two tasks."""


def rank_methods(
    table: CaseTable, metrics: Sequence[RankedMetric], options: RankingOptions
) -> TaskRanking:
    """Rank the methods of a table.

    Parameters
    ----------
    table
        The values.
    metrics
        Those to rank by, with direction and weight. Several, or one in several strata, are brought
        together as ranks: the mean rank over strata, then the weighted mean over metrics.
    options
        The rule and its choices.

    Raises
    ------
    UsageError
        Values are missing without a policy; a weight is not above 0; a metric is unknown; the
        table is aggregated and the rule ranks cases.

    Notes
    -----
    Source of the rules: M. Wiesenfarth et al., Sci. Rep. 11 (2021) 2369,
    doi:10.1038/s41598-021-82017-6; of sums of ranks by stratum: the autoPET challenges.
    """
    _check(table, metrics, options)
    blocks = blocks_of(table, metrics, options)
    found = standing(blocks, metrics, options, np.ones((1, len(table.cases))))
    ranks, scores = found.ranks[0], found.scores[0]
    stable = stability(table, blocks, metrics, options, ranks)
    known = stable if isinstance(stable, RankStability) else None
    by_metric = {
        metric.name: pairs_by_value(
            [block for block in blocks if block.metric == metric],
            table.methods,
            options,
            known,
        )
        for metric in (() if table.is_aggregated else metrics)
    }
    pairs = _pairs(table, metrics, options, by_metric, scores, known)
    better = better_than(pairs, table.methods)
    order = _order(ranks)
    units = patient_codes(table)
    return TaskRanking(
        task=table.task,
        options=options,
        metrics=tuple(metrics),
        strata=tuple(dict.fromkeys(table.strata or ())),
        score=_score_words(blocks, metrics, options),
        larger_is_better=found.larger_is_better,
        n_cases=len(table.cases),
        n_units=len(np.unique(units)),
        unit=_unit(table),
        n_missing=table.n_missing,
        n_undefined=table.n_undefined,
        methods=table.methods,
        rows=tuple(_rows(table, blocks, options, ranks, scores, better, known, order)),
        pairs=pairs,
        metric_pairs=by_metric if len(metrics) > 1 else {},
        groups=tuple(
            tuple(table.methods[each] for each in group) for group in tied_groups(better, order)
        ),
        friedman={} if table.is_aggregated else _friedman(blocks, metrics),
        stability=known,
        unstable_reason=stable if isinstance(stable, str) else None,
        others=other_orders(table, metrics, options),
        without_one=leave_each_out(table, metrics, options),
    )


def consensus(rankings: Sequence[TaskRanking]) -> Consensus | None:
    """Bring tasks together by mean rank; None below two tasks or where methods differ."""
    methods: tuple[str, ...] = rankings[0].methods if rankings else ()
    if len(rankings) < 2 or any(set(each.methods) != set(methods) for each in rankings):
        return None
    table = [[_rank_of(ranking, name) for name in methods] for ranking in rankings]
    if any(rank is None for row in table for rank in row):
        return None
    ranks = np.array(table, dtype=np.float64)
    means = ranks.mean(axis=0)
    together = rank_values(means, ties="average", tolerance=1e-9)
    order: list[int] = np.argsort(together, kind="stable").tolist()
    return Consensus(
        methods=tuple(methods[each] for each in order),
        ranks=tuple(float(together[each]) for each in order),
        mean_ranks=tuple(float(means[each]) for each in order),
        spread=tuple((int(ranks[:, i].min()), int(ranks[:, i].max())) for i in order),
        tau=tuple(
            (
                rankings[i].task,
                rankings[j].task,
                None if np.isnan(tau := float(tau_b(ranks[i], ranks[j]))) else tau,
            )
            for i, j in combinations(range(len(rankings)), 2)
        ),
    )


def _rank_of(ranking: TaskRanking, method: str) -> int | None:
    return next(row.rank for row in ranking.rows if row.method == method)


def _check(table: CaseTable, metrics: Sequence[RankedMetric], options: RankingOptions) -> None:
    names = [metric.name for metric in metrics]
    named = (*options.worst, *([options.tie_break] if options.tie_break else []))
    unknown = [name for name in names if name not in table.values]
    unknown += [name for name in named if name not in names]
    if not metrics or unknown or len(set(names)) < len(names):
        raise UsageError(
            expected(
                "metrics",
                rule="each one once, of " + ", ".join(table.values),
                got=", ".join(unknown) or names,
                remedy="Name metrics as the table does.",
            )
        )
    for metric in metrics:
        if not (metric.weight > 0 and np.isfinite(metric.weight)):
            raise UsageError(
                expected(
                    f"--weight {metric.name}",
                    rule="a number above 0",
                    got=metric.weight,
                    remedy="Leave a metric out that shall not count.",
                )
            )
        if np.isnan(table.values[metric.name]).all():
            raise UsageError(
                expected(
                    metric.name,
                    rule="a value of some method in some case",
                    got=f"none in {table.task or 'the table'}",
                    remedy="Leave the metric out.",
                )
            )
    if table.is_aggregated and options.rule != "mean-then-rank":
        raise UsageError(
            expected(
                "--rule",
                rule="mean-then-rank for a table without cases",
                got=options.rule,
                remedy="Give the values of single cases, or name their column with --case.",
            )
        )


def _pairs(
    table: CaseTable,
    metrics: Sequence[RankedMetric],
    options: RankingOptions,
    by_metric: dict[str, tuple[MethodPair, ...]],
    scores: NDArray[np.float64],
    known: RankStability | None,
) -> tuple[MethodPair, ...]:
    if table.is_aggregated:
        return ()
    if len(metrics) == 1:
        return by_metric[metrics[0].name]
    return pairs_by_score(table.methods, scores, options, known, n_cases=len(table.cases))


def _order(ranks: NDArray[np.float64]) -> list[int]:
    return np.argsort(np.where(np.isnan(ranks), np.inf, ranks), kind="stable").tolist()


def _unit(table: CaseTable) -> str:
    if table.is_aggregated:
        return "value"
    return "case" if table.patients is None else table.unit


def _score_words(
    blocks: Sequence[Block], metrics: Sequence[RankedMetric], options: RankingOptions
) -> str:
    if len(blocks) > 1:
        over = " over strata" if len(blocks) > len(metrics) else ""
        weighted = "weighted mean" if len({m.weight for m in metrics}) > 1 else "mean"
        return f"{weighted} of ranks{over}"
    name = metrics[0].name
    return {
        "mean-then-rank": f"mean {name}",
        "median-then-rank": f"median {name}",
        "quantile-then-rank": f"{options.quantile:g} quantile of {name}, from its worse end",
        "rank-then-mean": f"mean rank within cases by {name}",
        "rank-then-median": f"median rank within cases by {name}",
        "test-then-rank": f"share of the others it is significantly better than in {name}",
    }[options.rule]


def _rows(
    table: CaseTable,
    blocks: Sequence[Block],
    options: RankingOptions,
    ranks: NDArray[np.float64],
    scores: NDArray[np.float64],
    better: NDArray[np.bool_],
    known: RankStability | None,
    order: Sequence[int],
) -> list[RankRow]:
    sets = rank_sets(better)
    within = [case_ranks(block, options) for block in blocks]
    places = _places(within)
    mean_ranks = [np.nanmean(each, axis=0) if not _empty(each) else None for each in within]
    rows: list[RankRow] = []
    for i in order:
        interval = None if known is None else known.interval[i]
        means = [float(each[i]) for each in mean_ranks if each is not None]
        rows.append(
            RankRow(
                method=table.methods[i],
                rank=None if np.isnan(ranks[i]) else int(ranks[i]),
                score=None if np.isnan(scores[i]) else float(scores[i]),
                mean_rank=float(np.mean(means)) if len(means) == len(blocks) else None,
                rank_low=interval[0] if interval else None,
                rank_high=interval[1] if interval else None,
                set_low=sets[i][0],
                set_high=sets[i][1],
                first=None if known is None else known.first[i],
                best=None if known is None else known.best[i],
                places=tuple(places[i].tolist()),
                cells=tuple(_cell(table, block, i) for block in blocks),
            )
        )
    return rows


def _empty(ranks: NDArray[np.float64]) -> bool:
    """Tell whether some method has no rank in any case of a block."""
    return bool(np.isnan(ranks).all(axis=0).any())


def _places(within: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    """Share of cases in which each method stands at each place; (k, k)."""
    ranks = np.concatenate(within)
    k = ranks.shape[1]
    n = max(1, len(ranks))
    floor = np.floor(ranks)
    return np.array(
        [[(floor[:, i] == place).sum() / n for place in range(1, k + 1)] for i in range(k)]
    )


def _cell(table: CaseTable, block: Block, method: int) -> CellMean:
    values = table.values[block.metric.name][block.rows, method]
    known = values[~np.isnan(values)]
    return CellMean(
        metric=block.metric.name,
        stratum=block.stratum,
        mean=float(known.mean()) if known.size else None,
        n=int(known.size),
        n_missing=int(values.size - known.size),
    )


def _friedman(blocks: Sequence[Block], metrics: Sequence[RankedMetric]) -> dict[str, FriedmanTest]:
    found: dict[str, FriedmanTest] = {}
    for metric in metrics:
        mine = [block for block in blocks if block.metric == metric]
        goodness = np.concatenate([block.goodness for block in mine])
        units = np.concatenate([block.units for block in mine])
        whole = ~np.isnan(goodness).any(axis=1)
        goodness, units = goodness[whole], units[whole]
        means = np.array([goodness[units == unit].mean(axis=0) for unit in np.unique(units)])
        found[metric.name] = friedman(
            means.reshape(-1, goodness.shape[1]), tolerance=mine[0].tolerance
        )
    return found
