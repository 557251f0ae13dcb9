"""Pairs of items within one run: a question with a hint and without, a claim and its twin."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from overread.analysis.corpus_metrics import CorpusSums
from overread.analysis.strata import is_within
from overread.analysis.verdicts import join_verdicts
from overread.contracts import AnalysisPlan, PairedItems
from overread.records import PlannedItem, Profile, Score
from overread.stats.paired import mcnemar_exact
from overread.stats.sums_interval import SumsStatistic

__all__ = ["pair_note", "pair_sums"]

_BOTH, _LOST, _GAINED, _NEITHER = range(4)
_PARTS: Final[Mapping[str, tuple[tuple[int, ...], tuple[int, ...]]]] = {
    "lost": ((_LOST,), (_BOTH, _LOST)),
    "kept": ((_BOTH,), (_BOTH, _LOST)),
    "gained": ((_GAINED,), (_GAINED, _NEITHER)),
}
"""Statistic → states in its numerator and in its denominator."""


def pair_sums(
    pairs: PairedItems,
    scores: Sequence[Score],
    planned: Sequence[PlannedItem],
    plan: AnalysisPlan,
    profiles: Sequence[Profile],
) -> dict[Profile, CorpusSums]:
    """Compute which state each pair is in, under each profile that was scored.

    Parameters
    ----------
    pairs
        Which items make a pair.
    scores
        Score rows of a run.
    planned, plan
        What was to be asked; names the headline.
    profiles
        Under which it is wanted.

    Returns
    -------
    dict
        In `CorpusSums.table`, shape (n, 4), a pair stands on the line of its first item: right in
        both, in the first alone, in the second alone, in neither. All else is 0 and does not count,
        pairs among it that lack a side or have not been asked yet.
    """
    found: dict[Profile, CorpusSums] = {}
    lines = _paired_lines(pairs, planned)
    for profile in profiles:
        verdicts = join_verdicts(scores, planned, plan, profile=profile)
        if not verdicts.asked.any():
            continue
        table = np.zeros((len(planned), 4), dtype=np.float64)
        counts = np.zeros(len(planned), dtype=np.bool_)
        for one, two in lines:
            if not (verdicts.asked[one] and verdicts.asked[two]):
                continue
            first, second = verdicts.value[one] == 1, verdicts.value[two] == 1
            state = (_BOTH if second else _LOST) if first else (_GAINED if second else _NEITHER)
            table[one, state], counts[one] = 1.0, True
        found[profile] = CorpusSums(
            table=table,
            asked=verdicts.asked,
            counts=counts,
            value=_statistic(pairs),
            range=(-1.0 if pairs.statistic == "effect" else 0.0, 1.0),
        )
    return found


def pair_note(table: NDArray[np.float64]) -> str:
    """Tell McNemar's exact test of pairs, (n, 4) as `pair_sums` has them."""
    both, lost, gained, neither = (int(each) for each in table.sum(axis=0))
    n = both + lost + gained + neither
    p_value = 1.0 if lost == gained == 0 else mcnemar_exact(lost, gained).p_value
    shown = "below 0.001" if p_value is not None and p_value < 0.001 else f"{p_value:.3g}"
    return f"{n} pairs: {lost} lost, {gained} gained; McNemar exact p {shown}"


def _paired_lines(pairs: PairedItems, planned: Sequence[PlannedItem]) -> list[tuple[int, int]]:
    sides: tuple[dict[tuple[str, int], list[int]], dict[tuple[str, int], list[int]]] = ({}, {})
    for number, line in enumerate(planned):
        name = line.groups.get(pairs.join)
        if name is None:
            continue
        for side, wanted in zip(sides, (pairs.first, pairs.second), strict=True):
            if is_within(line.strata, wanted):
                side.setdefault((name, line.draw), []).append(number)
    first, second = sides
    return [
        (ones[0], second[name][0])
        for name, ones in first.items()
        if len(ones) == 1 and len(second.get(name, ())) == 1
    ]


def _statistic(pairs: PairedItems) -> SumsStatistic:
    def value(sums: NDArray[np.float64]) -> NDArray[np.float64]:
        if pairs.statistic == "effect":
            over, under = sums[..., _GAINED] - sums[..., _LOST], sums.sum(axis=-1)
        else:
            above, below = _PARTS[pairs.statistic]
            over, under = sums[..., above].sum(axis=-1), sums[..., below].sum(axis=-1)
        return np.divide(over, under, out=np.full_like(over, np.nan), where=under > 0)

    return value
