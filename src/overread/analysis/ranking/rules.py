"""The ranking rules, applied to many resamples of the cases at once.

A resample is a row of counts over cases, so that a case drawn twice counts twice and is never
ranked against itself. The ranking proper is the resample in which every case stands once: there is
one code for both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from overread.analysis.ranking.blocks import Block
from overread.analysis.ranking.options import RankingOptions
from overread.analysis.ranking.table import RankedMetric
from overread.stats.bootstrap import cluster_sums
from overread.stats.paired import sign_flip
from overread.stats.ranking import rank_values
from overread.stats.signed_rank import signed_rank_draws
from overread.stats.weighted import weighted_means, weighted_quantiles

__all__ = ["Standing", "case_ranks", "one_sided", "standing", "unit_differences"]

_SCORE_TOLERANCE = 1e-9
"""Of scores that are ranks, mean ranks or shares of wins."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What a rule makes of each resample; all (draws, k), NaN for a method without any value."""

    ranks: NDArray[np.float64]
    scores: NDArray[np.float64]
    """What the ranks come from: the mean (or median, or mean rank, or share of wins) where there is
    one metric in one stratum; else the weighted mean of ranks."""
    larger_is_better: bool
    """The direction of `scores`."""
    metric_ranks: Mapping[str, NDArray[np.float64]]


def standing(
    blocks: Sequence[Block],
    metrics: Sequence[RankedMetric],
    options: RankingOptions,
    counts: NDArray[np.float64],
) -> Standing:
    """Rank the methods in every resample.

    Parameters
    ----------
    blocks
        Of every metric and stratum (`blocks_of`).
    metrics
        With their weights.
    options
        The rule and its choices.
    counts
        (draws, cases of the table) how often each case stands in a resample.
    """
    found = [_block_scores(block, options, counts[:, block.rows]) for block in blocks]
    if len(blocks) == 1:
        score, turned = found[0]
        name = blocks[0].metric.name
        ranks = _ranks(blocks[0], options, score, turned, final=True)
        return Standing(
            ranks=ranks, scores=score, larger_is_better=turned, metric_ranks={name: ranks}
        )
    total = sum(metric.weight for metric in metrics)
    metric_ranks: dict[str, NDArray[np.float64]] = {}
    for metric in metrics:
        mine = [
            (block, *each)
            for block, each in zip(blocks, found, strict=True)
            if block.metric == metric
        ]
        metric_ranks[metric.name] = _over_strata(mine, options)
    scores = sum(
        (metric_ranks[metric.name] * (metric.weight / total) for metric in metrics),
        start=np.zeros_like(next(iter(metric_ranks.values()))),
    )
    ranks = rank_values(scores, ties="min", tolerance=_SCORE_TOLERANCE)
    if options.tie_break is not None:
        ranks = _broken(ranks, blocks, options.tie_break, counts)
    return Standing(ranks=ranks, scores=scores, larger_is_better=False, metric_ranks=metric_ranks)


def case_ranks(block: Block, options: RankingOptions) -> NDArray[np.float64]:
    """Rank the methods within each case; (n, k)."""
    return rank_values(
        block.goodness,
        ties=options.ties,
        larger_is_better=True,
        tolerance=block.tolerance,
        absent="last" if block.absent_is_last else "unranked",
    )


def unit_differences(block: Block, first: int, second: int) -> NDArray[np.float64]:
    """Mean difference of two methods over the cases of each patient; above 0 the first is better.

    A case that one of them lacks takes no part, or counts as the largest difference there is where
    what is absent ranks last.

    Returns
    -------
    NDArray
        (units of the block,) in the order of their numbers; NaN where a patient has no case that
        counts.
    """
    difference = block.goodness[:, first] - block.goodness[:, second]
    if block.absent_is_last:
        known = difference[~np.isnan(difference)]
        largest = float(np.abs(known).max(initial=0.0)) or 1.0
        lacks_first, lacks_second = np.isnan(block.goodness[:, [first, second]]).T
        difference = np.where(lacks_first & ~lacks_second, -largest, difference)
        difference = np.where(lacks_second & ~lacks_first, largest, difference)
        difference = np.where(lacks_first & lacks_second, 0.0, difference)
    there = ~np.isnan(difference)
    sums = cluster_sums(np.where(there, difference, 0.0), block.units, weights=there.astype(float))
    means = np.full(sums.n_clusters, np.nan)
    weights = sums.denominators[:, 0]
    np.divide(sums.numerators[:, 0], weights, out=means, where=weights > 0)
    return means


def one_sided(
    block: Block, first: int, second: int, options: RankingOptions, counts: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Test, patient by patient, whether the first is better, and whether the second is.

    Parameters
    ----------
    counts
        (draws, cases of the block).

    Returns
    -------
    NDArray
        (draws, 2) one-sided p; NaN where nothing tells the two apart.
    """
    means = unit_differences(block, first, second)
    used = np.flatnonzero(~np.isnan(means))
    # All cases of a patient are drawn together: any of them tells how often.
    _, place = np.unique(block.units, return_index=True)
    drawn = counts[:, place[used]]
    if options.test != "sign-flip":
        method = "normal" if options.test == "wilcoxon-normal" else "auto"
        return signed_rank_draws(means[used], drawn, method=method, tolerance=block.tolerance)
    return np.array([_flipped(means[used], row, block, options) for row in drawn])


def _flipped(
    means: NDArray[np.float64],
    counts: NDArray[np.float64],
    block: Block,
    options: RankingOptions,
) -> tuple[float, float]:
    drawn = np.repeat(np.where(np.abs(means) > block.tolerance, means, 0.0), counts.astype(int))
    found = sign_flip(
        drawn,
        np.zeros_like(drawn),
        np.arange(drawn.size, dtype=np.int64),
        rng=np.random.default_rng(options.seed),
    )
    if found.p_value is None:
        return np.nan, np.nan
    total = float(drawn.sum())
    if abs(total) <= block.tolerance:
        return 0.5, 0.5
    # The distribution under all swaps is symmetric around 0.
    near, far = found.p_value / 2, 1.0 - found.p_value / 2
    return (near, far) if total > 0 else (far, near)


def _block_scores(
    block: Block, options: RankingOptions, counts: NDArray[np.float64]
) -> tuple[NDArray[np.float64], bool]:
    """Score methods in one block: (draws, k), and whether a larger score is better."""
    larger = block.metric.larger_is_better
    sign = 1.0 if larger else -1.0
    rule = options.rule
    if rule == "test-then-rank":
        return _wins(block, options, counts), True
    if rule in ("rank-then-mean", "rank-then-median"):
        ranks = case_ranks(block, options)
        if rule == "rank-then-mean":
            return weighted_means(ranks, counts), False
        return weighted_quantiles(ranks, counts, 0.5), False
    if rule == "mean-then-rank":
        scores = weighted_means(block.goodness, counts)
    else:
        probability = 0.5 if rule == "median-then-rank" else options.quantile
        scores = weighted_quantiles(block.goodness, counts, probability)
    if block.absent_is_last:
        lacks = counts @ block.absent.astype(np.float64) > 0
        scores = np.where(lacks, np.nan, scores)
    return scores * sign, larger


def _wins(
    block: Block, options: RankingOptions, counts: NDArray[np.float64]
) -> NDArray[np.float64]:
    k = block.goodness.shape[1]
    wins = np.zeros((counts.shape[0], k))
    alpha = 1.0 - options.level
    for first, second in combinations(range(k), 2):
        p_values = one_sided(block, first, second, options, counts)
        # NaN, nothing to test, is not significant.
        wins[:, first] += p_values[:, 0] <= alpha
        wins[:, second] += p_values[:, 1] <= alpha
    nowhere = np.isnan(block.goodness).all(axis=0)
    return np.where(nowhere & (not block.absent_is_last), np.nan, wins / (k - 1))


def _ranks(
    block: Block,
    options: RankingOptions,
    scores: NDArray[np.float64],
    larger_is_better: bool,
    *,
    final: bool,
) -> NDArray[np.float64]:
    """Rank the scores of a block; values carry the metric's own tolerance."""
    by_value = options.rule in ("mean-then-rank", "median-then-rank", "quantile-then-rank")
    return rank_values(
        scores,
        ties="min" if final else options.ties,
        larger_is_better=larger_is_better,
        tolerance=block.tolerance if by_value else _SCORE_TOLERANCE,
        absent="last" if block.absent_is_last else "unranked",
    )


def _over_strata(
    mine: Sequence[tuple[Block, NDArray[np.float64], bool]], options: RankingOptions
) -> NDArray[np.float64]:
    """Bring the strata of one metric together: (draws, k) ranks."""
    if options.combine == "values":
        block, _, turned = mine[0]
        scores = _mean_of_strata([each for _, each, _ in mine])
        return _ranks(block, options, scores, turned, final=False)
    return _mean_of_strata(
        [_ranks(block, options, score, turned, final=False) for block, score, turned in mine]
    )


def _mean_of_strata(strata: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    """Average (draws, k) over strata; one without any method's value in a draw takes no part in it.

    A resample may hold no case of a stratum that has a value at all.
    """
    table = np.stack(strata)
    takes_part = ~np.isnan(table).all(axis=2, keepdims=True)
    n = takes_part.sum(axis=0)
    total = np.where(takes_part, table, 0.0).sum(axis=0)
    return np.divide(total, n, out=np.full(total.shape, np.nan), where=n > 0)


def _broken(
    ranks: NDArray[np.float64],
    blocks: Sequence[Block],
    metric: str,
    counts: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Break ties by the mean of one metric: over the cases of each stratum, then over strata."""
    mine = [block for block in blocks if block.metric.name == metric]
    means = _mean_of_strata([weighted_means(b.goodness, counts[:, b.rows]) for b in mine])
    k = ranks.shape[1]
    second = rank_values(means, larger_is_better=True, tolerance=mine[0].tolerance, absent="last")
    return rank_values(ranks * (k + 1) + second, ties="min")
