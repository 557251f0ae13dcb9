"""Numbers of one case of the segmentation task, by the released rules and by the mended ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from overread.metrics.lits import (
    MOST_COMPONENTS,
    LitsMatch,
    LitsObject,
    LitsTable,
    lits_table,
    match_lits,
)
from overread.metrics.lits_outlines import NO_DISTANCE, LitsScores, score_objects

__all__ = [
    "SIZES",
    "THRESHOLD",
    "CaseMeasures",
    "LesionRow",
    "case_row",
    "lesion_rows",
    "measure_case",
    "size_class",
    "summary",
]

THRESHOLD: Final = 0.5
SIZES: Final = ("under 0.5 ml", "0.5 to 4 ml", "4 ml or more")
"""Classes of a lesion's volume: spheres of 1 cm and 2 cm across have 0.52 and 4.2 ml."""
_EDGES_ML: Final = (0.5, 4.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseMeasures:
    """One case, measured under one profile's rules."""

    table: LitsTable
    half: LitsMatch
    """At an overlap of more than 0.5."""
    any: LitsMatch
    """At any overlap."""
    scored: tuple[LitsScores, ...]
    """The objects of `half` whose outlines are compared."""

    @property
    def reference_voxels(self) -> int:
        """Voxels of lesions in the reference."""
        return int(self.table.reference_voxels.sum())

    @property
    def prediction_voxels(self) -> int:
        """Voxels of lesions in the prediction."""
        return int(self.table.prediction_voxels.sum())

    @property
    def overlap_voxels(self) -> int:
        """Voxels of both."""
        return int(self.table.overlap_voxels.sum())

    @property
    def dice(self) -> float:
        """Dice of the volume as released: 1 where both are empty."""
        total = self.reference_voxels + self.prediction_voxels
        return 2.0 * self.overlap_voxels / float(total) if total else 1.0

    @property
    def is_beyond_released(self) -> bool:
        """Whether a mask has more lesions than the released code can number."""
        return max(self.half.n_reference, self.half.n_prediction) > MOST_COMPONENTS


@dataclass(frozen=True, slots=True, kw_only=True)
class LesionRow:
    """One lesion of the reference."""

    number: int
    volume_ml: float | None
    joined: LitsObject
    """It, the lesions it is merged with, and what was predicted for them."""
    is_found: bool
    """Whether that overlaps by more than 0.5."""
    scores: LitsScores
    """Of `joined`."""


def measure_case(
    reference: NDArray[np.bool_],
    prediction: NDArray[np.bool_],
    spacing_mm: tuple[float, ...] | None,
    *,
    mended: bool,
) -> CaseMeasures:
    """Match the lesions of a case and compare the outlines of those found.

    Parameters
    ----------
    reference, prediction
        Boolean, of one shape and three dimensions.
    spacing_mm
        None leaves distances out.
    mended
        Whether lesions are matched as meant (`metrics.lits.match_lits`).
    """
    table = lits_table(reference, prediction)
    half = match_lits(table, threshold=THRESHOLD, mended=mended)
    if spacing_mm is None:
        scored = tuple(LitsScores(object=one, distances=None) for one in half.scored)
    else:
        scored = score_objects(table, half.scored, spacing_mm)
    return CaseMeasures(
        table=table, half=half, any=match_lits(table, threshold=0.0, mended=mended), scored=scored
    )


def lesion_rows(
    case: CaseMeasures, *, spacing_mm: tuple[float, ...] | None, voxel_ml: float | None
) -> Iterator[LesionRow]:
    """Give every lesion of the reference: its volume, and what became of it."""
    holder = {number: one for one in case.half.paired for number in one.references}
    found = {one.object.number: one for one in case.scored}
    missed = tuple(one for one in case.half.paired if one.number not in found)
    if spacing_mm is not None:
        apart = score_objects(case.table, missed, spacing_mm)
    else:
        apart = tuple(LitsScores(object=one, distances=None) for one in missed)
    scores = found | {one.object.number: one for one in apart}
    for number, joined in sorted(holder.items()):
        voxels = int(case.table.reference_voxels[number - 1])
        yield LesionRow(
            number=number,
            volume_ml=None if voxel_ml is None else voxels * voxel_ml,
            joined=joined,
            is_found=joined.number in found,
            scores=scores[joined.number],
        )


def size_class(volume_ml: float) -> str:
    """Name the class of a lesion's volume.

    Examples
    --------
    >>> size_class(0.49), size_class(4.0)
    ('under 0.5 ml', '4 ml or more')
    """
    return SIZES[sum(volume_ml >= edge for edge in _EDGES_ML)]


def case_row(case: CaseMeasures) -> tuple[float, float, float, float, float]:
    """Give what the released table says of a case: Dice, then precision and recall at both rules.

    Precision and recall are 0 where nothing is there to divide by.
    """
    rates = [
        _rate(match.n_found, of) for match in (case.half, case.any) for of in _denominators(match)
    ]
    return case.dice, rates[0], rates[1], rates[2], rates[3]


def summary(cases: Sequence[CaseMeasures]) -> dict[str, float]:
    """Give the released summary of all cases, under its own names and in its order.

    Parameters
    ----------
    cases
        Measured with ``mended=False``; at least one.

    Notes
    -----
    Means are taken over the values of all found lesions at once, as released: to the last digit a
    sum of sums would differ.
    """
    found: dict[str, float] = {}
    for ending, matches in (
        ("", [case.half for case in cases]),
        ("_greater_zero", [case.any for case in cases]),
    ):
        hits = sum(match.n_found for match in matches)
        found[f"precision{ending}"] = _rate(hits, sum(match.n_prediction for match in matches))
        found[f"recall{ending}"] = _rate(hits, sum(match.n_reference for match in matches))
    scored = [one for case in cases for one in case.scored]
    for name in ("dice", "jaccard", "voe", "rvd"):
        found[name] = _mean([getattr(one, name) for one in scored], name)
    for name in ("assd", "rmsd", "msd"):
        found[name] = _mean([getattr(one.distances, f"{name}_mm", None) for one in scored], name)
    found["dice_per_case"] = float(np.mean([case.dice for case in cases]))
    overlap = sum(case.overlap_voxels for case in cases)
    voxels = sum(case.reference_voxels + case.prediction_voxels for case in cases)
    if voxels:
        found["dice_global"] = 2.0 * overlap / voxels
    return found


def _denominators(match: LitsMatch) -> tuple[int, int]:
    return match.n_prediction, match.n_reference


def _rate(hits: int, of: int) -> float:
    return hits / of if of else 0.0


def _mean(values: Sequence[float | None], name: str) -> float:
    """Average as released, with its stand-ins for what has no value."""
    if not values:
        return {"dice": 0.0, "jaccard": 0.0, "voe": 1.0}.get(name, NO_DISTANCE)
    return float(np.mean([NO_DISTANCE if value is None else value for value in values]))
