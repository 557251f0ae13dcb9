"""Composites of rates: the headline's share right in each cell, and a formula over them.

Each item adds to the count and to the right answers of its cell, so that the whole formula, clips
and harmonic means among it, goes through every resample of patients.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from overread.analysis.corpus_metrics import CorpusSums
from overread.analysis.verdicts import join_verdicts
from overread.contracts import AnalysisPlan, RateFormula
from overread.records import PlannedItem, Profile, Score
from overread.stats.sums_interval import SumsStatistic

__all__ = ["rate_sums"]


def rate_sums(
    formula: RateFormula,
    scores: Sequence[Score],
    planned: Sequence[PlannedItem],
    plan: AnalysisPlan,
    profiles: Sequence[Profile],
) -> dict[Profile, CorpusSums]:
    """Compute what each line of a plan adds to the rates, under each profile that was scored.

    Parameters
    ----------
    formula
        Cells, and what is made of their rates.
    scores
        Score rows of a run.
    planned, plan
        What was to be asked; names the headline and what leaves its denominator.
    profiles
        Under which it is wanted.

    Returns
    -------
    dict
        In `CorpusSums.table`, shape (n, 2 × cells), column 2i counts the items of the i-th cell and
        2i + 1 those that are right. Lines that lack one of the keys count nowhere.
    """
    names = [tuple(line.strata.get(key, "") for key in formula.by) for line in planned]
    cells = sorted({name for name in names if all(name)})
    place = {name: number for number, name in enumerate(cells)}
    found: dict[Profile, CorpusSums] = {}
    for profile in profiles:
        verdicts = join_verdicts(scores, planned, plan, profile=profile)
        if not verdicts.asked.any() or not cells:
            continue
        table = np.zeros((len(planned), 2 * len(cells)), dtype=np.float64)
        counts = np.zeros(len(planned), dtype=np.bool_)
        for line, name in enumerate(names):
            if name in place and not verdicts.dropped[line]:
                counts[line] = True
                table[line, 2 * place[name]] = 1.0
                table[line, 2 * place[name] + 1] = verdicts.value[line]
        found[profile] = CorpusSums(
            table=table,
            asked=verdicts.asked,
            counts=counts,
            value=_statistic(formula, cells),
            range=(formula.low, formula.high),
        )
    return found


def _statistic(formula: RateFormula, cells: Sequence[tuple[str, ...]]) -> SumsStatistic:
    def value(sums: NDArray[np.float64]) -> NDArray[np.float64]:
        n, right = sums[..., 0::2], sums[..., 1::2]
        rates = np.divide(right, n, out=np.full_like(right, np.nan), where=n > 0)
        by_cell = {cell: rates[..., number] for number, cell in enumerate(cells)}
        return np.asarray(formula.value(by_cell), dtype=np.float64)

    return value
