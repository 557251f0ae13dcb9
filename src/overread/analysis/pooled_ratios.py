"""Ratios of sums over all items: Dice of all voxels, recall of all lesions, pooled IoU, macro F1.

Each item adds its part to a numerator and a denominator, target by target, so that any stratum and
any resample of patients has its own value at the cost of adding up.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from overread.analysis.corpus_metrics import CorpusSums
from overread.contracts import PooledRatio
from overread.errors import UsageError, expected
from overread.records import PlannedItem, Profile, Score, Status
from overread.stats.sums_interval import SumsStatistic

__all__ = ["ScoreRows", "line_values", "pooled_sums"]

_NO_ANSWER: Final = (Status.FAILED, Status.REFUSED, Status.UNPARSED)

ScoreRows: TypeAlias = Mapping[tuple[str, Profile], Mapping[str | None, Sequence[Score]]]
"""Metric and profile → target → Score rows."""


def pooled_sums(
    ratio: PooledRatio,
    rows: ScoreRows,
    planned: Sequence[PlannedItem],
    profiles: Sequence[Profile],
) -> dict[tuple[Profile, str | None], CorpusSums]:
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
        Profile and target → sums; the target is None unless each has a ratio of its own. Profiles
        without a row of any part are left out. In `CorpusSums.table`, shape (n, 2 × k), column 2i
        is the numerator of the i-th target and 2i + 1 its denominator.

    Raises
    ------
    UsageError
        Two score rows for one planned item, metric and target.
    """
    place = {(line.item, line.draw): number for number, line in enumerate(planned)}
    parts = [*dict.fromkeys((*ratio.numerator, *ratio.denominator))]
    found: dict[tuple[Profile, str | None], CorpusSums] = {}
    for profile in profiles:
        by_part = {part: rows.get((part, profile), {}) for part in parts}
        targets = _targets(ratio, by_part)
        if not any(by_part.values()) or not targets:
            continue
        if ratio.targets == "each":
            for target in targets:
                found[profile, target] = _sums(ratio, by_part, [target], place)
        else:
            found[profile, None] = _sums(ratio, by_part, targets, place)
    return found


def _sums(
    ratio: PooledRatio,
    by_part: Mapping[str, Mapping[str | None, Sequence[Score]]],
    targets: Sequence[str | None],
    place: Mapping[tuple[str, int], int],
) -> CorpusSums:
    table = np.zeros((len(place), 2 * len(targets)), dtype=np.float64)
    asked, counts, lacks = (np.zeros(len(place), dtype=np.bool_) for _ in range(3))
    for number, target in enumerate(targets):
        for part, rows in by_part.items():
            for row in rows.get(target, ()):
                line = place.get((row.item, row.draw))
                if line is not None and row.status in _NO_ANSWER:
                    lacks[line] = True
            weights = ratio.numerator.get(part, 0.0), ratio.denominator.get(part, 0.0)
            for line, value in line_values(part, rows.get(target, ()), place):
                asked[line] = True
                if value is not None:
                    counts[line] = True
                    table[line, 2 * number] += weights[0] * value
                    table[line, 2 * number + 1] += weights[1] * value
    return CorpusSums(
        table=table,
        asked=asked,
        # Without an answer it counts too, by what there was to find: none of it, or nothing.
        counts=counts | lacks,
        value=_statistic(ratio),
        range=(ratio.low, ratio.high),
        answered=counts & ~lacks,
    )


def _statistic(ratio: PooledRatio) -> SumsStatistic:
    def value(sums: NDArray[np.float64]) -> NDArray[np.float64]:
        over, under = sums[..., 0::2], sums[..., 1::2]
        if ratio.targets == "mean":
            return _mean(_divide(over, under)) * ratio.scale
        return _divide(over.sum(axis=-1), under.sum(axis=-1)) * ratio.scale

    return value


def _targets(
    ratio: PooledRatio, by_part: Mapping[str, Mapping[str | None, Sequence[Score]]]
) -> list[str | None]:
    named = sorted({target for part in by_part.values() for target in part if target is not None})
    if ratio.only_targets:
        return [target for target in named if target in ratio.only_targets]
    return [*named] if named else [None]


def line_values(
    metric: str, scores: Sequence[Score], place: Mapping[tuple[str, int], int]
) -> list[tuple[int, float | None]]:
    """Give the lines of a plan that rows of one metric and target are about, with their values.

    UsageError where a line has two of them.
    """
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
