"""What is estimated over a stratum, before its interval: values, weights, and what to mind."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from overread.analysis.plan_strata import PlanStratum
from overread.analysis.verdicts import Verdicts
from overread.records import Profile
from overread.stats.sums_interval import SumsStatistic

__all__ = ["Column", "CorpusTable", "headline_columns"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CorpusTable:
    """What a corpus metric adds up over a stratum."""

    table: NDArray[np.float64]
    """(rows, sums)"""
    value: SumsStatistic
    range: tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One estimate before its interval: a mean of `values` weighted by `weights`."""

    metric: str
    profile: Profile
    values: NDArray[np.float64]
    weights: NDArray[np.float64]
    n_answered: int
    is_share: bool
    """Each value is 0 or 1, so that the mean is a share with a Wilson interval."""
    notes: tuple[str, ...]
    undefined: str | None
    """Why there is no value at all."""
    target: Mapping[str, str] = field(default_factory=dict[str, str])
    """What the stratum is called beside its own keys: the judge, say."""
    corpus: CorpusTable | None = None
    """Of a corpus metric, whose value is no mean of `values`."""


def headline_columns(
    verdicts: Verdicts, stratum: PlanStratum, metric: str, profile: Profile
) -> Iterator[Column]:
    """Give the columns of the score card: over all, over answered, unanswered, gain over blind."""
    rows = stratum.rows
    value, answered = verdicts.value[rows], verdicts.answered[rows]
    every = stratum.weights(~verdicts.dropped[rows])
    is_binary = bool(np.isin(value, (0.0, 1.0)).all())
    nothing = None if verdicts.asked[rows].any() else f"no response to any of {len(rows)} items"
    missing = _missing_notes(verdicts, rows)

    def column(
        name: str,
        values: NDArray[np.float64],
        weights: NDArray[np.float64],
        is_share: bool,
        notes: tuple[str, ...],
    ) -> Column:
        return Column(
            metric=name,
            profile=profile,
            values=values,
            weights=weights,
            n_answered=int(answered.sum()),
            is_share=is_share,
            notes=notes,
            undefined=nothing,
        )

    graded = stratum.weights(verdicts.graded[rows])
    yield column(metric, value, every, is_binary, missing + _unusable_notes(verdicts, rows))
    yield column(f"{metric}_answered", value, graded, is_binary, ())
    yield column("no_answer", (~answered).astype(np.float64), every, True, missing)
    if stratum.floor is not None and stratum.credit is not None:
        yield column("gain_over_blind", value - stratum.credit, every, False, missing)
    elif stratum.floor is not None:
        fixed = ("the blind floor is taken as a fixed number",)
        yield column("gain_over_blind", value - stratum.floor.value, every, False, missing + fixed)


def _missing_notes(verdicts: Verdicts, rows: NDArray[np.int64]) -> tuple[str, ...]:
    notes: list[str] = []
    if unasked := int((~verdicts.asked[rows]).sum()):
        notes.append(f"{unasked} of {len(rows)} items have no response yet")
    valueless = int(verdicts.valueless[rows].sum())
    if dropped := int(verdicts.dropped[rows].sum()) - valueless:
        notes.append(f"{dropped} items are left out, as the benchmark's own code does")
    if valueless:
        have = "1 item has" if valueless == 1 else f"{valueless} items have"
        notes.append(f"{have} no value by the metric's definition, whoever answers")
    return tuple(notes)


def _unusable_notes(verdicts: Verdicts, rows: NDArray[np.int64]) -> tuple[str, ...]:
    ungradable = int((verdicts.ungradable & ~verdicts.dropped)[rows].sum())
    if not ungradable:
        return ()
    items = "1 item has" if ungradable == 1 else f"{ungradable} items have"
    return (f"{items} no usable reference: nobody can be right there",)
