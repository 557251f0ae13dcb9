"""Every pair of methods: the difference, its interval, tests, and what would settle it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from overread.analysis.ranking.blocks import Block
from overread.analysis.ranking.options import RankingOptions
from overread.analysis.ranking.rules import one_sided
from overread.analysis.ranking.stability import RankStability
from overread.stats import _special
from overread.stats.bootstrap import cluster_sums
from overread.stats.few_clusters import FEW_CLUSTERS, cluster_interval
from overread.stats.multiplicity import holm
from overread.stats.power import clusters_needed

__all__ = ["MethodPair", "better_than", "pairs_by_score", "pairs_by_value"]

_COLUMNS_PER_CHUNK = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodPair:
    """Two methods over the cases that both have."""

    first: str
    """The one before in the table's order of methods."""
    second: str
    what: str
    """What differs: a metric, or ``score`` for a weighted mean of ranks."""
    n: int
    """Cases with a value of both."""
    n_units: int
    difference: float | None
    """Mean of first minus second, as the metric has it."""
    low: float | None
    high: float | None
    method: str
    """How the interval was made."""
    test: str
    p_first: float | None
    """One-sided, that the first is better; None where nothing tells the two apart."""
    p_second: float | None
    p_first_holm: float | None
    """Adjusted after Holm over all ordered pairs."""
    p_second_holm: float | None
    better: Literal["first", "second"] | None
    """Who is significantly better; None: the two cannot be told apart."""
    won: float | None
    """Share of cases in which the first is better."""
    lost: float | None
    ahead: float | None
    """Share of resamples in which the first is before the second in the ranking."""
    behind: float | None
    units_needed: int | None
    """Patients (or cases) in all that would show the difference seen now, at the power asked for
    and corrected for all pairs; None where no number would."""


def pairs_by_value(
    blocks: Sequence[Block],
    methods: Sequence[str],
    options: RankingOptions,
    stable: RankStability | None,
) -> tuple[MethodPair, ...]:
    """Compare all pairs in one metric, over the cases of all its strata together."""
    block = _joined(blocks)
    k = len(methods)
    places = list(combinations(range(k), 2))
    sign = 1.0 if block.metric.larger_is_better else -1.0
    ones = np.ones((1, len(block.rows)))
    pairs: list[MethodPair] = []
    for start in range(0, len(places), _COLUMNS_PER_CHUNK):
        part = places[start : start + _COLUMNS_PER_CHUNK]
        first, second = (np.array(side) for side in zip(*part, strict=True))
        gap = block.goodness[:, first] - block.goodness[:, second]
        there = ~np.isnan(gap)
        gap = np.where(there, gap, 0.0)
        gap[np.abs(gap) <= block.tolerance] = 0.0
        intervals = cluster_interval(
            gap,
            block.units,
            weights=there.astype(np.float64),
            draws=options.draws,
            level=options.level,
            rng=np.random.default_rng(options.seed),
        )
        for column, (i, j) in enumerate(part):
            p_values = one_sided(block, i, j, options, ones)[0]
            found, n = intervals[column], int(there[:, column].sum())
            ends = (found.low, found.high)
            if sign < 0 and found.low is not None and found.high is not None:
                ends = (-found.high, -found.low)
            used = block.units[there[:, column]]
            pairs.append(
                MethodPair(
                    first=methods[i],
                    second=methods[j],
                    what=block.metric.name,
                    n=n,
                    n_units=len(np.unique(used)),
                    difference=None if found.value is None else found.value * sign + 0.0,
                    low=ends[0],
                    high=ends[1],
                    method=found.method if found.defined else "none",
                    test=options.test,
                    p_first=_number(p_values[0]),
                    p_second=_number(p_values[1]),
                    p_first_holm=None,
                    p_second_holm=None,
                    better=None,
                    won=float((gap[:, column] > 0).sum()) / n if n else None,
                    lost=float((gap[:, column] < 0).sum()) / n if n else None,
                    ahead=None if stable is None else stable.ahead[i][j],
                    behind=None if stable is None else stable.ahead[j][i],
                    units_needed=_needed(
                        gap[there[:, column], column], used, options, n_pairs=len(places)
                    ),
                )
            )
    return _adjusted(pairs, options)


def pairs_by_score(
    methods: Sequence[str],
    scores: NDArray[np.float64],
    options: RankingOptions,
    stable: RankStability | None,
    *,
    n_cases: int,
) -> tuple[MethodPair, ...]:
    """Compare all pairs by a score that is a mean of ranks: less is better.

    Notes
    -----
    The score of a method depends on all others, so there is no paired test of cases. The
    difference of two scores is compared with its standard deviation over resamples, as normal; with
    fewer than `FEW_CLUSTERS` units as Student's t. No p is smaller than a permutation of so many
    units could give, one half to their number: nine patients agree by chance once in 512 times.
    """
    places = list(combinations(range(len(methods)), 2))
    n_units = 0 if stable is None else stable.n_units
    few = n_units < FEW_CLUSTERS
    z = _quantile((1 + options.level) / 2, n_units if few else None)
    pairs: list[MethodPair] = []
    for i, j in places:
        gap = float(scores[i] - scores[j])
        error = None if stable is None else stable.score_gap_error[i][j]
        known = error is not None and error > 1e-12 and bool(np.isfinite(gap))
        # No resample changes the difference: it is as sure as so many resamples can say.
        fixed = error is not None and not known and abs(gap) > 1e-12
        least = 0.0 if stable is None or stable.is_exact else 1.0 / (1 + stable.draws)
        least = max(least, 0.5**n_units)
        p_first = p_second = needed = None
        if known and error is not None and stable is not None:
            p_first = max(_below(gap / error, n_units if few else None), least)
            p_second = max(_below(-gap / error, n_units if few else None), least)
            spread = error * float(np.sqrt(stable.n_units))
            needed = _clusters(gap, spread, options, n_pairs=len(places))
        elif fixed:
            p_first, p_second = (least, 1.0) if gap < 0 else (1.0, least)
        pairs.append(
            MethodPair(
                first=methods[i],
                second=methods[j],
                what="score",
                n=n_cases,
                n_units=0 if stable is None else stable.n_units,
                difference=gap if np.isfinite(gap) else None,
                low=gap - z * error if known and error is not None else None,
                high=gap + z * error if known and error is not None else None,
                method=f"bootstrap, {'t' if few else 'normal'}" if known else "none",
                test="bootstrap of the score",
                p_first=p_first,
                p_second=p_second,
                p_first_holm=None,
                p_second_holm=None,
                better=None,
                won=None,
                lost=None,
                ahead=None if stable is None else stable.ahead[i][j],
                behind=None if stable is None else stable.ahead[j][i],
                units_needed=needed,
            )
        )
    return _adjusted(pairs, options)


def _quantile(share: float, n_units: int | None) -> float:
    """Give a quantile of the normal distribution, or of Student's t of so many units."""
    if n_units is None:
        return _special.normal_quantile(share)
    return _special.t_quantile(n_units - 1, share) if n_units > 1 else float("inf")


def _below(value: float, n_units: int | None) -> float:
    """Give the probability of a smaller value in either distribution."""
    if n_units is None:
        return _special.normal_cdf(value)
    return _special.t_cdf(n_units - 1, value) if n_units > 1 else 1.0


def better_than(pairs: Sequence[MethodPair], methods: Sequence[str]) -> NDArray[np.bool_]:
    """Gather the decisions: (k, k) whether the row's method is significantly better."""
    place = {name: number for number, name in enumerate(methods)}
    table = np.zeros((len(methods), len(methods)), dtype=np.bool_)
    for pair in pairs:
        i, j = place[pair.first], place[pair.second]
        table[i, j] = pair.better == "first"
        table[j, i] = pair.better == "second"
    return table


def _joined(blocks: Sequence[Block]) -> Block:
    """Put the strata of one metric together."""
    if len(blocks) == 1:
        return blocks[0]
    return replace(
        blocks[0],
        stratum="",
        rows=np.concatenate([block.rows for block in blocks]),
        goodness=np.concatenate([block.goodness for block in blocks]),
        absent=np.concatenate([block.absent for block in blocks]),
        units=np.concatenate([block.units for block in blocks]),
    )


def _adjusted(pairs: Sequence[MethodPair], options: RankingOptions) -> tuple[MethodPair, ...]:
    """Correct for all ordered pairs, and decide."""
    both = holm([p for pair in pairs for p in (pair.p_first, pair.p_second)])
    alpha = 1.0 - options.level + 1e-12
    decided: list[MethodPair] = []
    for number, pair in enumerate(pairs):
        first, second = both[2 * number], both[2 * number + 1]
        better: Literal["first", "second"] | None = None
        if first is not None and first <= alpha:
            better = "first"
        elif second is not None and second <= alpha:
            better = "second"
        decided.append(replace(pair, p_first_holm=first, p_second_holm=second, better=better))
    return tuple(decided)


def _needed(
    gap: NDArray[np.float64], units: NDArray[np.int64], options: RankingOptions, *, n_pairs: int
) -> int | None:
    sums = cluster_sums(gap, units)
    n, total = sums.n_clusters, float(sums.denominators.sum())
    if n < 2:
        return None
    mean = float(sums.numerators.sum()) / total
    residuals = sums.numerators[:, 0] - mean * sums.denominators[:, 0]
    error = float(np.sqrt(n / (n - 1) * (residuals**2).sum())) / total
    return _clusters(mean, error * float(np.sqrt(n)), options, n_pairs=n_pairs)


def _clusters(
    difference: float, spread: float, options: RankingOptions, *, n_pairs: int
) -> int | None:
    if spread <= 1e-12 * max(1.0, abs(difference)):
        return None
    # The hardest hurdle of Holm: one pair of all has to pass at this level.
    level = 1 - (1 - options.level) / n_pairs
    return clusters_needed(difference, spread, power=options.power, level=level)


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
