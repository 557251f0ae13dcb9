"""Cells that a release computes itself: held against what was printed, with an interval."""

from __future__ import annotations

from typing import Final

import numpy as np

from overread.audits.reproduce.cells import Cell, agrees
from overread.audits.reproduce.samples import MeanSample, intervals_of
from overread.contracts.replay import RebuiltCell
from overread.stats.bootstrap import cluster_codes

__all__ = ["rebuilt"]

_SEED: Final = 20260219
_UNIT_LARGEST: Final = {"share": 1.0, "points": 100.0}


def rebuilt(cell: RebuiltCell) -> Cell:
    """Compare a cell's two numbers within its printed digits; give the corrected one an interval.

    The interval is over the cell's items, clustered as they say; cells that are no mean of items
    have none.
    """
    low = high = None
    if cell.values and cell.corrected is not None:
        values = np.asarray(cell.values, dtype=np.float64)
        sample = MeanSample(
            values=values,
            counts=np.ones(len(values), dtype=np.bool_),
            ends=(0.0, _UNIT_LARGEST.get(cell.unit, float(values.max()))),
        )
        (interval,) = intervals_of(
            [sample], cluster_codes(cell.clusters), rng=np.random.default_rng(_SEED)
        )
        low, high = (interval.low, interval.high) if interval is not None else (None, None)
    differs, faults = False, [cell.fault] if cell.fault else []
    if cell.published is not None and cell.recomputed is not None:
        within = 0.5 * 10.0**-cell.decimals
        differs = not agrees(cell.published, cell.recomputed, within=within)
        if differs:
            faults.insert(0, "not what the files give")
    return Cell(
        row=cell.row,
        column=cell.column,
        unit=cell.unit,
        published=cell.published,
        source=cell.source if cell.published is not None else None,
        recomputed=cell.recomputed,
        corrected=cell.corrected,
        low=low,
        high=high,
        n_published=cell.n_published,
        n_corrected=cell.n_corrected,
        differs=differs,
        fault="; ".join(faults) or None,
    )
