"""What becomes of an order when the patients are drawn again: ranks, winners, correlation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from overread.analysis.ranking.blocks import Block, patient_codes
from overread.analysis.ranking.options import RankingOptions
from overread.analysis.ranking.resamples import pools_of, resamples
from overread.analysis.ranking.rules import standing
from overread.analysis.ranking.table import CaseTable, RankedMetric
from overread.stats.rank_distance import footrule, tau_b

__all__ = ["RankStability", "TauSummary", "stability"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TauSummary:
    """Kendall's tau-b between the order and that of each resample."""

    mean: float | None
    median: float | None
    quartiles: tuple[float, float] | None
    undefined: float
    """Share of resamples in which all methods tie, where tau has no value; they are in none of the
    numbers above."""
    footrule: float | None
    """Mean sum of the absolute differences of ranks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RankStability:
    """The ranks over all resamples; methods in the order of the table."""

    draws: int
    is_exact: bool
    """Whether all resamples there are were listed, each with its probability."""
    n_units: int
    tau: TauSummary
    frequency: tuple[tuple[float, ...], ...]
    """(methods, ranks) share of resamples in which the method has the rank. Less than 1 in sum
    where a method had no rank in some."""
    interval: tuple[tuple[int, int] | None, ...]
    """The central ranks of each method, at the level asked for."""
    median: tuple[int | None, ...]
    first: tuple[float, ...]
    """Share of resamples in which the method is first, others perhaps beside it."""
    best: tuple[float, ...]
    """The same with a shared first place shared out: probabilities of being the best."""
    ahead: tuple[tuple[float, ...], ...]
    """(methods, methods) share of resamples in which the row's method is before the column's."""
    score_gap_error: tuple[tuple[float, ...], ...]
    """(methods, methods) standard deviation of the difference of their scores."""


def stability(
    table: CaseTable,
    blocks: Sequence[Block],
    metrics: Sequence[RankedMetric],
    options: RankingOptions,
    ranks: NDArray[np.float64],
) -> RankStability | str:
    """Draw whole patients again and again, and rank each time.

    Parameters
    ----------
    ranks
        (k,) the order of the whole table.

    Returns
    -------
    RankStability or str
        The reason why there is none: one unit has no spread.
    """
    if table.is_aggregated:
        return "every value stands for many cases already: there is nothing to draw again"
    n_units = len(np.unique(patient_codes(table)))
    if all(pool.units.size < 2 for pool in pools_of(table)):
        return f"one {table.unit if table.patients is not None else 'case'} has no spread"
    chunks, draws, is_exact = resamples(
        table, draws=options.draws, rng=np.random.default_rng(options.seed)
    )
    all_ranks: list[NDArray[np.float64]] = []
    all_weights: list[NDArray[np.float64]] = []
    all_scores: list[NDArray[np.float64]] = []
    for chunk in chunks:
        found = standing(blocks, metrics, options, chunk.counts)
        all_ranks.append(found.ranks)
        all_scores.append(found.scores)
        all_weights.append(chunk.weights)
    drawn, weights = np.concatenate(all_ranks), np.concatenate(all_weights)
    frequency = _frequency(drawn, weights)
    tail = (1 - options.level) / 2
    best = np.where(np.isnan(drawn), np.inf, drawn)
    is_first = (best == best.min(axis=1, keepdims=True)) & np.isfinite(best)
    shared = is_first / np.maximum(is_first.sum(axis=1, keepdims=True), 1)
    return RankStability(
        draws=draws,
        is_exact=is_exact,
        n_units=n_units,
        tau=_tau(ranks, drawn, weights),
        frequency=tuple(_shares(row) for row in frequency),
        interval=tuple(
            None if low is None or high is None else (low, high)
            for low, high in ((_rank_at(r, tail), _rank_at(r, 1 - tail)) for r in frequency)
        ),
        median=tuple(_rank_at(row, 0.5) for row in frequency),
        first=_shares(weights @ is_first),
        best=_shares(weights @ shared),
        ahead=_ahead(best, weights),
        score_gap_error=_gap_errors(np.concatenate(all_scores), weights),
    )


def _frequency(drawn: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    k = drawn.shape[1]
    return np.array(
        [[weights @ (drawn[:, i] == rank) for rank in range(1, k + 1)] for i in range(k)]
    )


def _shares(row: NDArray[np.float64]) -> tuple[float, ...]:
    # A sum of a thousand thousandths may exceed 1 by its rounding.
    return tuple(np.minimum(row, 1.0).tolist())


def _rank_at(shares: NDArray[np.float64], probability: float) -> int | None:
    """Give the least rank that the share of resamples asked for does not exceed."""
    total = float(shares.sum())
    if total <= 0:
        return None
    # The slack keeps a tail that is reached exactly from going one rank further by rounding.
    reached = np.cumsum(shares) / total >= probability - 1e-12
    return int(np.argmax(reached)) + 1


def _tau(
    ranks: NDArray[np.float64], drawn: NDArray[np.float64], weights: NDArray[np.float64]
) -> TauSummary:
    taus = tau_b(ranks, drawn)
    known = ~np.isnan(taus)
    share = float(weights[known].sum())
    distances = footrule(ranks, drawn)
    whole = ~np.isnan(distances)
    apart = float(weights[whole].sum())
    quantiles = _weighted_quantiles(taus[known], weights[known])
    return TauSummary(
        mean=float(weights[known] @ taus[known]) / share if share > 0 else None,
        median=quantiles[1] if quantiles else None,
        quartiles=(quantiles[0], quantiles[2]) if quantiles else None,
        undefined=max(0.0, 1.0 - share) if share < 1 - 1e-12 else 0.0,
        footrule=float(weights[whole] @ distances[whole]) / apart if apart > 0 else None,
    )


def _weighted_quantiles(
    values: NDArray[np.float64], weights: NDArray[np.float64]
) -> list[float] | None:
    if values.size == 0:
        return None
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(weights[order]) / weights.sum()
    return [
        float(values[order[int(np.argmax(reached >= probability - 1e-12))]])
        for probability in (0.25, 0.5, 0.75)
    ]


def _ahead(
    ranks: NDArray[np.float64], weights: NDArray[np.float64]
) -> tuple[tuple[float, ...], ...]:
    return tuple(_shares(weights @ (ranks[:, [i]] < ranks)) for i in range(ranks.shape[1]))


def _gap_errors(
    scores: NDArray[np.float64], weights: NDArray[np.float64]
) -> tuple[tuple[float, ...], ...]:
    rows: list[tuple[float, ...]] = []
    for i in range(scores.shape[1]):
        gaps = scores[:, [i]] - scores
        known = ~np.isnan(gaps)
        share = weights @ known
        safe = np.where(share > 0, share, 1.0)
        mean = (weights @ np.where(known, gaps, 0.0)) / safe
        squares = weights @ np.where(known, (gaps - mean) ** 2, 0.0) / safe
        rows.append(tuple(np.sqrt(squares).tolist()))
    return tuple(rows)
