"""The strata of a run's plan: which planned questions are in them, and what belongs to them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from overread.analysis.blind_floor import BlindFloor, find_floor
from overread.analysis.strata import group_rows, label_shares
from overread.analysis.verdicts import Clusters, planned_clusters
from overread.contracts import AnalysisPlan
from overread.records import PlannedItem

__all__ = ["SHARED", "WEIGHTING", "PlanStratum", "narrow", "plan_strata"]

WEIGHTING: Final = "weighting"
"""Key that an estimate's stratum has beside its own where items with several labels weigh less."""
SHARED: Final = "shared among labels"
"""Its value: an item with k labels weighs 1/k in each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanStratum:
    """The rows of one stratum and what belongs to them whoever answers."""

    keys: tuple[str, ...]
    stratum: Mapping[str, str]
    lines: Sequence[PlannedItem]
    rows: NDArray[np.int64]
    """Where they stand in the plan."""
    clusters: Clusters
    """Of the whole plan."""
    codes: NDArray[np.int64]
    """(rows,) the unit of each."""
    shares: NDArray[np.float64]
    """(rows,) 1 over the number of strata of this kind that a row is in."""
    is_shared: bool
    """Whether rows weigh their share, and not 1."""
    repeated: bool
    """Some item was asked more than once, so that rows of one item hang together."""
    floor: BlindFloor | None
    credit: NDArray[np.float64] | None
    """(rows,) credit of the floor's policy; None where it is not known item by item."""

    def weights(self, included: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Give what each row weighs, (rows,), and 0 where it is not included."""
        return np.where(included, self.shares if self.is_shared else 1.0, 0.0)


def plan_strata(
    planned: Sequence[PlannedItem], plan: AnalysisPlan, floors: Sequence[BlindFloor]
) -> Iterator[PlanStratum]:
    """Give every stratum in the plan's order; one with several labels twice.

    Parameters
    ----------
    planned
        A run's plan.
    plan
        Strata, cells, cluster, and the keys under which an item may have several labels. Strata
        of such keys come whole first (an item counts 1 under each of its labels) and then, named
        so under `WEIGHTING`, with its weight shared among them.
    floors
        Blind floors over the same strata.
    """
    clusters = planned_clusters(planned, plan.cluster)
    strata = [line.strata for line in planned]
    every = [*plan.strata, *([plan.cells] if plan.cells not in plan.strata else [])]
    for keys in every:
        groups = group_rows(strata, keys, multi_label=plan.multi_label)
        shares = label_shares(strata, keys, multi_label=plan.multi_label)
        for is_shared in (False, True) if set(keys) & set(plan.multi_label) else (False,):
            for stratum, rows in groups:
                yield _stratum(
                    tuple(keys),
                    {**stratum, WEIGHTING: SHARED} if is_shared else stratum,
                    [planned[row] for row in rows],
                    rows,
                    clusters,
                    clusters.codes[rows],
                    shares[rows],
                    is_shared,
                    find_floor(floors, stratum),
                )


def narrow(stratum: PlanStratum, included: NDArray[np.bool_]) -> PlanStratum | None:
    """Keep some rows of a stratum; None where none are left.

    Parameters
    ----------
    stratum
        From `plan_strata`.
    included
        (n,) for every row of the plan, whether it stays.
    """
    kept = included[stratum.rows]
    if kept.all():
        return stratum
    if not kept.any():
        return None
    return _stratum(
        stratum.keys,
        stratum.stratum,
        [line for line, keep in zip(stratum.lines, kept, strict=True) if keep],
        stratum.rows[kept],
        stratum.clusters,
        stratum.codes[kept],
        stratum.shares[kept],
        stratum.is_shared,
        stratum.floor,
    )


def _stratum(
    keys: tuple[str, ...],
    stratum: Mapping[str, str],
    lines: Sequence[PlannedItem],
    rows: NDArray[np.int64],
    clusters: Clusters,
    codes: NDArray[np.int64],
    shares: NDArray[np.float64],
    is_shared: bool,
    floor: BlindFloor | None,
) -> PlanStratum:
    return PlanStratum(
        keys=keys,
        stratum=stratum,
        lines=lines,
        rows=rows,
        clusters=clusters,
        codes=codes,
        shares=shares,
        is_shared=is_shared,
        repeated=len({line.item for line in lines}) < len(lines),
        floor=floor,
        credit=_credit(floor, lines),
    )


def _credit(floor: BlindFloor | None, lines: Sequence[PlannedItem]) -> NDArray[np.float64] | None:
    """Credit the policy item by item; of what it has no rule for (sets, numbers) it makes a guess.

    So that score and floor are over the same items: a policy of letters says nothing of them.
    """
    if floor is None or not floor.credit:
        return None
    return np.array(
        [floor.credit.get(line.item, line.chance or 0.0) for line in lines], dtype=np.float64
    )
