"""The order under other choices: rules, policies, weights, strata, entrants, one patient less."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from overread.analysis.ranking.blocks import blocks_of, patient_codes
from overread.analysis.ranking.options import FIVE_RULES, Missing, RankingOptions
from overread.analysis.ranking.resamples import leave_one_out
from overread.analysis.ranking.rules import standing
from overread.analysis.ranking.table import CaseTable, RankedMetric
from overread.stats.rank_distance import tau_b
from overread.stats.ranking import Ties

__all__ = ["Kind", "LeaveOneOut", "Other", "leave_each_out", "order_of", "other_orders"]

Kind: TypeAlias = Literal["rule", "missing", "ties", "weights", "strata", "entrants"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Other:
    """The order under one other choice."""

    kind: Kind
    name: str
    is_chosen: bool
    """Whether it is the choice of the ranking itself."""
    ranks: tuple[float | None, ...]
    """In the order of methods; None for a method left out or without a rank."""
    winners: tuple[str, ...]
    tau: float | None
    """Tau-b to the ranking, over the methods in both; None where undefined."""
    swapped: int
    """Pairs of methods whose order is the other way round."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaveOneOut:
    """The winner without one patient, for each patient in turn."""

    n_units: int
    n_changed: int
    """Patients whose absence changes who is first."""
    examples: tuple[str, ...]
    """Some of them: the patient, and who is first then."""


def order_of(
    table: CaseTable, metrics: Sequence[RankedMetric], options: RankingOptions
) -> NDArray[np.float64]:
    """Rank a table once; (k,)."""
    blocks = blocks_of(table, metrics, options)
    return standing(blocks, metrics, options, np.ones((1, len(table.cases)))).ranks[0]


def other_orders(
    table: CaseTable, metrics: Sequence[RankedMetric], options: RankingOptions
) -> tuple[Other, ...]:
    """Rank again under every other choice that applies to this table.

    Rules always; ties where ranks are averaged; policies for missing values where some are missing;
    weights where there are several metrics; leaving each stratum out, and averaging values before
    ranks, where there are several strata; leaving out each method, and the lower half, where enough
    are left.
    """
    ranks = order_of(table, metrics, options)
    k = len(table.methods)
    rows = [
        *_rules(table, metrics, options),
        *_policies(table, metrics, options),
        *_weights(table, metrics, options),
        *_strata(table, metrics, options),
    ]
    found = [
        _other(kind, name, order_of(*asked), ranks, table.methods, is_chosen=chosen)
        for kind, name, asked, chosen in rows
    ]
    for name, left_out in _entrants(table.methods, ranks):
        kept = tuple(place for place in range(k) if place not in left_out)
        some = np.full(k, np.nan)
        some[list(kept)] = order_of(table.with_methods(kept), metrics, options)
        found.append(_other("entrants", name, some, ranks, table.methods, is_chosen=False))
    return tuple(found)


def leave_each_out(
    table: CaseTable, metrics: Sequence[RankedMetric], options: RankingOptions
) -> LeaveOneOut | None:
    """See whether one patient decides who is first; None where there is only one."""
    units = patient_codes(table)
    n_units = len(np.unique(units))
    if table.is_aggregated or n_units < 2:
        return None
    names: dict[int, str] = {}
    for unit, name in zip(units.tolist(), table.patients or table.cases, strict=True):
        names.setdefault(unit, name)
    blocks = blocks_of(table, metrics, options)
    first = _first(order_of(table, metrics, options))
    changed: list[str] = []
    for part, counts in leave_one_out(table):
        ranks = standing(blocks, metrics, options, counts).ranks
        for unit, row in zip(part.tolist(), ranks, strict=True):
            if _first(row) != first:
                who = ", ".join(table.methods[each] for each in sorted(_first(row))) or "nobody"
                changed.append(f"without {names[unit]}: {who}")
    return LeaveOneOut(n_units=n_units, n_changed=len(changed), examples=tuple(changed[:5]))


_Asked: TypeAlias = tuple[CaseTable, Sequence[RankedMetric], RankingOptions]
_Row: TypeAlias = tuple[Kind, str, _Asked, bool]


def _rules(
    table: CaseTable, metrics: Sequence[RankedMetric], options: RankingOptions
) -> Iterator[_Row]:
    rules = FIVE_RULES if options.rule in FIVE_RULES else (options.rule, *FIVE_RULES)
    for rule in () if table.is_aggregated else rules:
        asked = (table, metrics, replace(options, rule=rule))
        yield "rule", rule, asked, rule == options.rule
    # Elsewhere no rank is averaged, so that equals have one place however they are counted.
    averages = options.rule.startswith("rank-then") or len(metrics) > 1 or len(_names(table)) > 1
    for ties in get_args(Ties) if averages else ():
        asked = (table, metrics, replace(options, ties=ties))
        yield "ties", ties, asked, ties == options.ties


def _policies(
    table: CaseTable, metrics: Sequence[RankedMetric], options: RankingOptions
) -> Iterator[_Row]:
    if not any(table.n_missing.values()):
        return
    for policy in get_args(Missing):
        if policy != "error":
            asked = (table, metrics, replace(options, missing=policy))
            yield "missing", policy, asked, policy == options.missing


def _weights(
    table: CaseTable, metrics: Sequence[RankedMetric], options: RankingOptions
) -> Iterator[_Row]:
    if len(metrics) < 2:
        return
    equal = [replace(metric, weight=1.0) for metric in metrics]
    yield "weights", "equal weights", (table, equal, options), False
    for metric in metrics:
        alone = replace(options, tie_break=None)
        yield "weights", f"{metric.name} alone", (table, [metric], alone), False
    for metric in metrics if len(metrics) > 2 else ():
        rest = [each for each in metrics if each != metric]
        kept = replace(
            options, tie_break=None if options.tie_break == metric.name else options.tie_break
        )
        yield "weights", f"without {metric.name}", (table, rest, kept), False


def _strata(
    table: CaseTable, metrics: Sequence[RankedMetric], options: RankingOptions
) -> Iterator[_Row]:
    strata = _names(table)
    if len(strata) < 2:
        return
    for combine, name in (("ranks", "mean of ranks"), ("values", "mean of values")):
        asked = (table, metrics, replace(options, combine=combine))
        yield "strata", name, asked, combine == options.combine
    for stratum in strata:
        yield (
            "strata",
            f"without {stratum}",
            (table.without_stratum(stratum), metrics, options),
            False,
        )


def _names(table: CaseTable) -> tuple[str, ...]:
    return tuple(dict.fromkeys(table.strata or ()))


def _entrants(
    methods: Sequence[str], ranks: NDArray[np.float64]
) -> Iterator[tuple[str, frozenset[int]]]:
    k = len(methods)
    if k < 3:
        return
    for place in range(k):
        yield f"without {methods[place]}", frozenset((place,))
    order = np.argsort(np.where(np.isnan(ranks), np.inf, ranks), kind="stable")
    if k >= 6:
        yield "without the lower half", frozenset(order[(k + 1) // 2 :].tolist())


def _other(
    kind: Kind,
    name: str,
    some: NDArray[np.float64],
    ranks: NDArray[np.float64],
    methods: Sequence[str],
    *,
    is_chosen: bool,
) -> Other:
    both = ~np.isnan(some) & ~np.isnan(ranks)
    tau = float(tau_b(ranks[both], some[both]))
    one = np.sign(ranks[both][:, np.newaxis] - ranks[both])
    two = np.sign(some[both][:, np.newaxis] - some[both])
    return Other(
        kind=kind,
        name=name,
        is_chosen=is_chosen,
        ranks=tuple(None if np.isnan(rank) else float(rank) for rank in some),
        winners=tuple(methods[each] for each in sorted(_first(some))),
        tau=None if np.isnan(tau) else tau,
        swapped=int((one * two < 0).sum()) // 2,
    )


def _first(ranks: NDArray[np.float64]) -> frozenset[int]:
    known = ranks[~np.isnan(ranks)]
    return frozenset(np.flatnonzero(ranks == known.min()).tolist()) if known.size else frozenset()
