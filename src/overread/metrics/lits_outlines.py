"""How well the outlines of matched lesions agree, as the LiTS challenge measures it.

The outline of a lesion is what an erosion by the 18 neighbours that share a face or an edge takes
away; a distance is that from the centre of an outline voxel to the nearest one of the other
outline. `overread.metrics.surface` has other definitions; this one gives the released numbers to
the last digit.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, cast

import numpy as np
from numpy.typing import NDArray

from overread.errors import UsageError, expected
from overread.metrics.lits import LitsObject, LitsTable

__all__ = ["NO_DISTANCE", "LitsScores", "OutlineDistances", "outline_distances", "score_objects"]

NO_DISTANCE: Final = 9001.0
"""What the released code puts for a distance (in mm) or a volume difference that has no value. It
averages it with the others; we never do but to repeat its numbers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OutlineDistances:
    """Distances between two outlines, both directions together; in mm."""

    assd_mm: float
    """Mean."""
    rmsd_mm: float
    """Root of the mean square."""
    msd_mm: float
    """Maximum: the Hausdorff distance."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LitsScores:
    """One matched object with its distances."""

    object: LitsObject
    distances: OutlineDistances | None
    """None where one side has no voxel."""

    @property
    def dice(self) -> float:
        """Dice; 0 where one side has no voxel."""
        return self.object.dice

    @property
    def jaccard(self) -> float:
        """Overlap over union, by way of Dice as the challenge has it."""
        return self.dice / (2.0 - self.dice)

    @property
    def voe(self) -> float:
        """Volume overlap error."""
        return 1.0 - self.jaccard

    @property
    def signed_rvd(self) -> float | None:
        """Reference less prediction, over the prediction. None where either has no voxel."""
        if not self.object.reference_voxels or not self.object.prediction_voxels:
            return None
        size = self.object.prediction_voxels
        return (self.object.reference_voxels - size) / float(size)

    @property
    def rvd(self) -> float | None:
        """The same without its sign: what the released code means by it."""
        return None if self.signed_rvd is None else abs(self.signed_rvd)

    @property
    def ravd(self) -> float | None:
        """Difference of the volumes over the reference's. None where that has no voxel."""
        size = self.object.reference_voxels
        return abs(self.object.prediction_voxels - size) / size if size else None


@dataclass(frozen=True)
class _Outline:
    """The outline of a mask within its box."""

    points_mm: NDArray[np.float64]

    @cached_property
    def tree(self) -> Any:
        from scipy import spatial  # pyright: ignore[reportMissingTypeStubs] - scipy ships none

        return cast("Any", spatial).cKDTree(self.points_mm)

    def nearest_mm(self, other: _Outline) -> NDArray[np.float64]:
        """Give the distance of each point of another outline to the nearest of this one."""
        distances, _ = self.tree.query(other.points_mm)
        return distances


def outline_distances(
    reference: NDArray[np.bool_], prediction: NDArray[np.bool_], spacing_mm: tuple[float, ...]
) -> OutlineDistances | None:
    """Measure how far two outlines lie from each other.

    Parameters
    ----------
    reference, prediction
        Boolean, of one shape and three dimensions. What lies outside the array is background.
    spacing_mm
        Distance of voxels along each axis. The released code takes the header's, of single
        precision, and so do digits beyond the seventh.

    Returns
    -------
    OutlineDistances or None
        None where either mask has no voxel.

    Raises
    ------
    UsageError
        There is not one spacing for each axis.

    Examples
    --------
    >>> import numpy as np
    >>> left = np.zeros((3, 1, 1), dtype=np.bool_)
    >>> right = left.copy()
    >>> left[0], right[2] = True, True
    >>> outline_distances(left, right, (2.0, 1.0, 1.0)).msd_mm
    4.0
    """
    if len(spacing_mm) != reference.ndim:
        raise UsageError(
            expected(
                "spacing_mm",
                rule=f"one distance for each of {reference.ndim} axes",
                got=spacing_mm,
                remedy="Give them in the order of the array's axes.",
            )
        )
    if not reference.any() or not prediction.any():
        return None
    spacing = np.asarray(spacing_mm, dtype=np.float64)
    left, right = _outline(reference, spacing), _outline(prediction, spacing)
    to_left = left.nearest_mm(right)
    to_right = right.nearest_mm(left)
    count = to_left.size + to_right.size
    squares = float((to_right * to_right).sum()) + float((to_left * to_left).sum())
    return OutlineDistances(
        assd_mm=1.0 / count * (float(to_right.sum()) + float(to_left.sum())),
        rmsd_mm=math.sqrt(1.0 / count) * math.sqrt(squares),
        msd_mm=max(float(to_right.max()), float(to_left.max())),
    )


def score_objects(
    table: LitsTable, objects: tuple[LitsObject, ...], spacing_mm: tuple[float, ...]
) -> tuple[LitsScores, ...]:
    """Score matched objects, each within the box around both its sides.

    Parameters
    ----------
    table
        That the objects are of.
    objects
        From `match_lits`.
    spacing_mm
        Distance of voxels along each axis.
    """
    if not objects:
        return ()
    left, right = _boxes(table.reference_labels), _boxes(table.prediction_labels)
    scores: list[LitsScores] = []
    for each in objects:
        boxes = [left[number - 1] for number in each.references]
        boxes += [right[number - 1] for number in each.predictions]
        box = tuple(
            slice(min(one[axis].start for one in boxes), max(one[axis].stop for one in boxes))
            for axis in range(table.reference_labels.ndim)
        )
        distances = None
        if each.references and each.predictions:
            distances = outline_distances(
                np.isin(table.reference_labels[box], each.references),
                np.isin(table.prediction_labels[box], each.predictions),
                spacing_mm,
            )
        scores.append(LitsScores(object=each, distances=distances))
    return tuple(scores)


def _boxes(labels: NDArray[np.int32]) -> list[tuple[slice, ...]]:
    """Give the box of lesion 1, 2, …."""
    from scipy import ndimage  # pyright: ignore[reportMissingTypeStubs] - scipy ships none

    return cast("Any", ndimage).find_objects(labels)


def _outline(mask: NDArray[np.bool_], spacing_mm: NDArray[np.float64]) -> _Outline:
    from scipy import ndimage  # pyright: ignore[reportMissingTypeStubs] - scipy ships none

    morphology = cast("Any", ndimage)
    around = morphology.generate_binary_structure(mask.ndim, 2)
    inside = cast("NDArray[np.bool_]", morphology.binary_erosion(mask, around))
    return _Outline(points_mm=np.argwhere(mask & ~inside) * spacing_mm)
