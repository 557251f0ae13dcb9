"""Which cases a resample holds: whole patients, drawn within the strata they belong to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from overread.analysis.ranking.blocks import patient_codes
from overread.analysis.ranking.table import CaseTable
from overread.stats.resampling import all_resamples, n_resamples, resample_counts

__all__ = ["DrawnTogether", "Resamples", "leave_one_out", "pools_of", "resamples"]

_MOST_LISTED = 25_000
"""Up to this many different resamples all are listed with their probabilities."""
_CELLS_PER_CHUNK = 2_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnTogether:
    """Units that are drawn from one urn: the patients of strata that share patients."""

    strata: tuple[str, ...]
    units: NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Resamples:
    """Resamples in chunks, with the weight of each."""

    counts: NDArray[np.float64]
    """(draws, cases)."""
    weights: NDArray[np.float64]
    """(draws,) that sum to 1 over all chunks."""


def pools_of(table: CaseTable) -> tuple[DrawnTogether, ...]:
    """Find which units are drawn together.

    A stratum keeps its number of patients in every resample, unless its patients have cases in
    other strata: such strata are drawn as one.
    """
    units = patient_codes(table)
    strata = table.strata or ("",) * len(table.cases)
    home: dict[str, str] = {name: name for name in strata}

    def root(name: str) -> str:
        while home[name] != name:
            name = home[name]
        return name

    first: dict[int, str] = {}
    for unit, stratum in zip(units.tolist(), strata, strict=True):
        home[root(stratum)] = root(first.setdefault(unit, stratum))
    pools: dict[str, list[str]] = {}
    for name in home:
        pools.setdefault(root(name), []).append(name)
    names = np.array(strata, dtype=object)
    return tuple(
        DrawnTogether(strata=tuple(members), units=np.unique(units[np.isin(names, members)]))
        for members in pools.values()
    )


def resamples(
    table: CaseTable, *, draws: int, rng: np.random.Generator
) -> tuple[Iterator[Resamples], int, bool]:
    """Draw resamples of whole patients, or list them all where there are few.

    Returns
    -------
    chunks, draws, is_exact
        `is_exact` where every resample was listed with its probability.
    """
    pools = pools_of(table)
    units = patient_codes(table)
    total = 1
    for pool in pools:
        total = min(total * n_resamples(pool.units.size), _MOST_LISTED + 1)
    size = max(1, _CELLS_PER_CHUNK // len(units))
    if total <= _MOST_LISTED:
        return _listed(pools, units, size), total, True
    return _drawn(pools, units, draws, size, rng), draws, False


def leave_one_out(table: CaseTable) -> Iterator[tuple[NDArray[np.int64], NDArray[np.float64]]]:
    """Leave each patient out in turn: (units of the chunk, their (units, cases) counts)."""
    units = patient_codes(table)
    distinct = np.unique(units)
    size = max(1, _CELLS_PER_CHUNK // len(units))
    for start in range(0, distinct.size, size):
        part = distinct[start : start + size]
        yield part, (units[np.newaxis, :] != part[:, np.newaxis]).astype(np.float64)


def _listed(
    pools: tuple[DrawnTogether, ...], units: NDArray[np.int64], size: int
) -> Iterator[Resamples]:
    counts = np.zeros((1, int(units.max()) + 1))
    weights = np.ones(1)
    for pool in pools:
        mine, chances = all_resamples(pool.units.size)
        counts = np.repeat(counts, len(mine), axis=0)
        counts[:, pool.units] = np.tile(mine, (len(weights), 1))
        weights = np.repeat(weights, len(mine)) * np.tile(chances, len(weights))
    for start in range(0, len(weights), size):
        part = slice(start, start + size)
        yield Resamples(counts=counts[part][:, units], weights=weights[part])


def _drawn(
    pools: tuple[DrawnTogether, ...],
    units: NDArray[np.int64],
    draws: int,
    size: int,
    rng: np.random.Generator,
) -> Iterator[Resamples]:
    streams = [
        resample_counts(pool.units.size, draws=draws, rng=one)
        for pool, one in zip(pools, rng.spawn(len(pools)), strict=True)
    ]
    for start in range(0, draws, size):
        n = min(size, draws - start)
        counts = np.zeros((n, int(units.max()) + 1))
        for row in range(n):
            for pool, stream in zip(pools, streams, strict=True):
                counts[row, pool.units] = next(stream)
        yield Resamples(counts=counts[:, units], weights=np.full(n, 1.0 / draws))
