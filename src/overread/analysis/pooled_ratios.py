"""Ratios of sums over all items: Dice of all voxels, recall of all lesions, pooled IoU, macro F1.

Each item adds its part to a numerator and a denominator, target by target, so that any stratum and
any resample of patients has its own value at the cost of adding up.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from overread.analysis.corpus_metrics import CorpusSums
from overread.contracts import PooledRatio
from overread.errors import UsageError, expected
from overread.records import PlannedItem, Profile, Score
from overread.stats.sums_interval import SumsStatistic

__all__ = ["ScoreRows", "pooled_sums", "ratio_of_sums"]

ScoreRows: TypeAlias = Mapping[tuple[str, Profile], Mapping[str | None, Sequence[Score]]]
"""Metric and profile → target → Score rows."""

_GROUP_MARK = ": "
"""Parts the group from the class in a target: ``granule_type: round``."""


def pooled_sums(
    ratio: PooledRatio,
    rows: ScoreRows,
    planned: Sequence[PlannedItem],
    profiles: Sequence[Profile],
) -> dict[Profile, CorpusSums]:
    """Compute what each line of a plan adds to a pooled ratio, under each profile that has rows.

    Where a metric has rows of named targets, those without a target repeat them as one number a
    case and are left out.

    Parameters
    ----------
    ratio
        Which rows make it.
    rows
        Score rows of a run.
    planned
        The lines, in order.
    profiles
        Under which it is wanted.

    Returns
    -------
    dict
        Profiles without a row of any part are left out. In `CorpusSums.table`, shape (n, 2 × k),
        column 2i is the numerator of the i-th target and 2i + 1 its denominator.

    Raises
    ------
    UsageError
        Two score rows for one planned item, metric and target.
    """
    place = {(line.item, line.draw): number for number, line in enumerate(planned)}
    found: dict[Profile, CorpusSums] = {}
    for profile in profiles:
        parts = [*dict.fromkeys((*ratio.numerator, *ratio.denominator))]
        by_part = {part: rows.get((part, profile), {}) for part in parts}
        if not any(by_part.values()):
            continue
        targets = _targets(ratio, by_part)
        table = np.zeros((len(planned), 2 * len(targets)), dtype=np.float64)
        asked, counts = (np.zeros(len(planned), dtype=np.bool_) for _ in range(2))
        for number, target in enumerate(targets):
            for part in parts:
                weights = ratio.numerator.get(part, 0.0), ratio.denominator.get(part, 0.0)
                for line, value in _values(part, by_part[part].get(target, ()), place):
                    asked[line] = True
                    if value is None:
                        continue
                    counts[line] = True
                    table[line, 2 * number] += weights[0] * value
                    table[line, 2 * number + 1] += weights[1] * value
        found[profile] = CorpusSums(
            table=table,
            asked=asked,
            counts=counts,
            value=ratio_of_sums(ratio, targets),
            range=(ratio.low, ratio.high),
        )
    return found


def ratio_of_sums(ratio: PooledRatio, targets: Sequence[str | None]) -> SumsStatistic:
    """Give the function from the sums of `pooled_sums` to the ratio, NaN where undefined.

    Parameters
    ----------
    ratio
        How targets are brought together.
    targets
        Of the columns, in order.
    """
    names = [(target or "").partition(_GROUP_MARK)[0] for target in targets]
    groups = [np.flatnonzero([name == each for name in names]) for each in dict.fromkeys(names)]

    def value(sums: NDArray[np.float64]) -> NDArray[np.float64]:
        over, under = sums[..., 0::2], sums[..., 1::2]
        if ratio.targets == "pooled":
            return _divide(over.sum(axis=-1), under.sum(axis=-1)) * ratio.scale
        each = _divide(over, under)
        if ratio.targets == "mean of groups":
            each = np.stack([_mean(each[..., group]) for group in groups], axis=-1)
        return _mean(each) * ratio.scale

    return value


def _targets(
    ratio: PooledRatio, by_part: Mapping[str, Mapping[str | None, Sequence[Score]]]
) -> list[str | None]:
    named = sorted({target for part in by_part.values() for target in part if target is not None})
    if ratio.only_targets:
        return [target for target in named if target in ratio.only_targets]
    return [*named] if named else [None]


def _values(
    metric: str, scores: Sequence[Score], place: Mapping[tuple[str, int], int]
) -> list[tuple[int, float | None]]:
    found: dict[int, float | None] = {}
    for score in scores:
        line = place.get((score.item, score.draw))
        if line is None:
            continue
        if line in found:
            raise UsageError(
                expected(
                    "scores",
                    rule="one row for each item, draw, metric, target and profile",
                    got=f"two of {metric} for item {score.item!r}, draw {score.draw}",
                    remedy="Score the run again: 'overread score RUN'.",
                )
            )
        found[line] = score.value
    return list(found.items())


def _divide(over: NDArray[np.float64], under: NDArray[np.float64]) -> NDArray[np.float64]:
    """Divide; NaN where there is nothing to divide by."""
    return np.divide(over, under, out=np.full_like(over, np.nan), where=under != 0)


def _mean(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give the mean of what is defined along the last axis; NaN where nothing is."""
    known = ~np.isnan(values)
    return _divide(np.where(known, values, 0.0).sum(axis=-1), known.sum(axis=-1).astype(np.float64))
