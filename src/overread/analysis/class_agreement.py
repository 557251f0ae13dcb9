"""Macro F1, kappa and their kin over all items, from the class rows of each.

Each item adds its hits, claims and cases class by class, so that any stratum and any resample of
patients has its own value at the cost of adding up.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from overread.analysis.corpus_metrics import CorpusSums
from overread.analysis.pooled_ratios import ScoreRows, line_values
from overread.contracts import ClassAgreement
from overread.metrics.classes import (
    CLASS_CASES,
    CLASS_CLAIMS,
    CLASS_HITS,
    class_kappa,
    macro_f1,
    macro_precision,
    macro_recall,
)
from overread.records import PlannedItem, Profile
from overread.stats.sums_interval import SumsStatistic

__all__ = ["class_sums"]

_PARTS: Final = (CLASS_HITS.name, CLASS_CLAIMS.name, CLASS_CASES.name)
_STATISTICS: Final = {
    "f1": macro_f1,
    "precision": macro_precision,
    "recall": macro_recall,
    "kappa": class_kappa,
}
_GROUP_MARK: Final = ": "


def class_sums(
    agreement: ClassAgreement,
    rows: ScoreRows,
    planned: Sequence[PlannedItem],
    profiles: Sequence[Profile],
) -> dict[Profile, CorpusSums]:
    """Compute what each line of a plan adds, under each profile that has class rows.

    Parameters
    ----------
    agreement
        Which statistic.
    rows
        Score rows of a run.
    planned
        The lines, in order.
    profiles
        Under which it is wanted.

    Returns
    -------
    dict
        Profiles without class rows are left out. The columns of `CorpusSums.table`, shape
        (n, 3 × classes), are hits, claims and cases of each class.
    """
    place = {(line.item, line.draw): number for number, line in enumerate(planned)}
    found: dict[Profile, CorpusSums] = {}
    for profile in profiles:
        parts = [rows.get((part, profile), {}) for part in _PARTS]
        classes = sorted({target for part in parts for target in part if target is not None})
        if not classes:
            continue
        table = np.zeros((len(planned), 3 * len(classes)), dtype=np.float64)
        asked = np.zeros(len(planned), dtype=np.bool_)
        for number, name in enumerate(classes):
            for offset, part in enumerate(parts):
                for line, value in line_values(_PARTS[offset], part.get(name, ()), place):
                    asked[line] = True
                    table[line, 3 * number + offset] = value or 0.0
        found[profile] = CorpusSums(
            table=table,
            asked=asked,
            counts=asked,
            value=_statistic(agreement, classes),
            range=(-1.0 if agreement.statistic == "kappa" else 0.0, 1.0),
        )
    return found


def _statistic(agreement: ClassAgreement, classes: Sequence[str]) -> SumsStatistic:
    names = [name.partition(_GROUP_MARK)[0] for name in classes]
    groups = [np.flatnonzero([name == each for name in names]) for each in dict.fromkeys(names)]
    of_group = _STATISTICS[agreement.statistic]

    def value(sums: NDArray[np.float64]) -> NDArray[np.float64]:
        hits, claims, cases = (sums[..., offset::3] for offset in range(3))
        each = np.stack(
            [of_group(hits[..., g], claims[..., g], cases[..., g]) for g in groups], axis=-1
        )
        known = ~np.isnan(each)
        total, n = np.where(known, each, 0.0).sum(axis=-1), known.sum(axis=-1)
        return np.divide(total, n, out=np.full_like(total, np.nan), where=n > 0)

    return value
