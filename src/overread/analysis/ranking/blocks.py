"""The values of one metric in one stratum, made ready for every rule."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from overread.analysis.ranking.options import RankingOptions
from overread.analysis.ranking.table import CaseTable, RankedMetric
from overread.errors import UsageError, expected
from overread.stats.bootstrap import cluster_codes

__all__ = ["Block", "blocks_of", "patient_codes"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """One metric in one stratum."""

    stratum: str
    metric: RankedMetric
    rows: NDArray[np.int64]
    """(n,) the cases of the table that are in it: those in which some method has a value."""
    goodness: NDArray[np.float64]
    """(n, k) values turned so that more is better; NaN where absent and not filled in."""
    absent: NDArray[np.bool_]
    """(n, k) what had no value, whatever stands there now."""
    units: NDArray[np.int64]
    """(n,) the patient of each case, as a number."""
    tolerance: float
    absent_is_last: bool
    """Whether what is absent ranks last; else it takes no part."""


def blocks_of(
    table: CaseTable, metrics: Sequence[RankedMetric], options: RankingOptions
) -> tuple[Block, ...]:
    """Part a table into blocks, under a policy for missing values.

    A stratum in which no method has a value of a metric (Dice where no case has a lesion) ranks
    nobody by it, and has no block; a metric without any value has one that is empty.

    Raises
    ------
    UsageError
        Values are missing and the policy is ``error``.
    """
    units = patient_codes(table)
    strata = np.array(table.strata or ("",) * len(table.cases), dtype=object)
    found: list[Block] = []
    for metric in metrics:
        blocks = [
            _block(table, metric, stratum, np.flatnonzero(strata == stratum), units, options)
            for stratum in dict.fromkeys(strata.tolist())
        ]
        found += [block for block in blocks if block.rows.size] or blocks[:1]
    return tuple(found)


def patient_codes(table: CaseTable) -> NDArray[np.int64]:
    """Give each case the number of its unit: its patient, or itself where none is named."""
    if table.patients is None:
        return np.arange(len(table.cases), dtype=np.int64)
    return cluster_codes(table.patients)


def _block(
    table: CaseTable,
    metric: RankedMetric,
    stratum: str,
    rows: NDArray[np.int64],
    units: NDArray[np.int64],
    options: RankingOptions,
) -> Block:
    whole = table.values[metric.name] * (1.0 if metric.larger_is_better else -1.0)
    rows = rows[~np.isnan(whole[rows]).all(axis=1)]
    goodness = whole[rows]
    absent = np.isnan(goodness)
    if absent.any() and options.missing == "error":
        raise _missing(table, metric, rows, absent)
    if absent.any() and options.missing == "worst-value":
        filled = options.worst.get(metric.name)
        sign = 1.0 if metric.larger_is_better else -1.0
        # Without a stated one: the worst that any method has anywhere in the table.
        worst = float(np.nanmin(whole)) if filled is None else filled * sign
        goodness = np.where(absent, worst, goodness)
    return Block(
        stratum=stratum,
        metric=metric,
        rows=rows,
        goodness=goodness,
        absent=absent,
        units=units[rows],
        tolerance=table.tolerance(metric.name),
        absent_is_last=options.missing == "worst-rank",
    )


def _missing(
    table: CaseTable, metric: RankedMetric, rows: NDArray[np.int64], absent: NDArray[np.bool_]
) -> UsageError:
    case, method = (int(each[0]) for each in np.nonzero(absent))
    n = table.n_missing[metric.name]
    return UsageError(
        expected(
            metric.name,
            rule="a value of every method in every case",
            got=f"{n} missing, the first of {table.methods[method]!r} in case "
            f"{table.cases[rows[case]]!r}",
            remedy="Choose what a missing value means: --missing drop, worst-value or "
            "worst-rank; the result shows the order under the others too.",
        )
    )
