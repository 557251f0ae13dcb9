"""Lesions of two masks held against each other: one table of sizes and overlaps, read many ways.

The table is made once by histograms over labelled components; volumes of false components, matches
(`metrics.lesion_matching`) and panoptic quality (`metrics.panoptic`) are read from it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from overread.errors import UsageError, expected
from overread.metrics.components import (
    Connectivity,
    check_connectivity,
    checked_mask,
    foreground_box,
    numbered,
)
from overread.metrics.spec import MetricSpec

__all__ = [
    "FNV_ML",
    "FPV_ML",
    "LesionOverlap",
    "false_negative_volume_ml",
    "false_positive_volume_ml",
    "lesion_overlap",
]

FPV_ML: Final = MetricSpec(
    name="fpv_ml",
    version="1",
    title="False positive volume",
    direction="down",
    low=0.0,
    high=math.inf,
    unit="ml",
    properties=frozenset({"relabelling invariant"}),
    undefined="never: without a predicted component it is 0",
)
FNV_ML: Final = MetricSpec(
    name="fnv_ml",
    version="1",
    title="False negative volume",
    direction="down",
    low=0.0,
    high=math.inf,
    unit="ml",
    properties=frozenset({"relabelling invariant"}),
    undefined="the reference has no lesion",
)


@dataclass(frozen=True, kw_only=True)
class LesionOverlap:
    """Sizes of the components of both masks, and where they meet.

    Components count from 0, in the order in which their first voxels lie in the reference's memory.

    It has no slots, so that what is read from it often can be kept.
    """

    connectivity: Connectivity
    reference_voxels: NDArray[np.int64]
    """Shape (reference components,): voxels of each."""
    prediction_voxels: NDArray[np.int64]
    """Shape (prediction components,)."""
    pairs: NDArray[np.int64]
    """Shape (pairs, 2): reference and prediction component of each pair that shares a voxel, in
    ascending order."""
    overlap_voxels: NDArray[np.int64]
    """Shape (pairs,): shared voxels of each pair, at least 1."""
    reference_centres: NDArray[np.float64]
    """Shape (reference components, axes): centre of mass in voxels of the whole array."""
    prediction_centres: NDArray[np.float64]
    """Shape (prediction components, axes)."""
    centre_pairs: NDArray[np.int64]
    """Shape (any, 2): pairs in which the voxel nearest to the centre of mass of one component lies
    in the other; of a hollow component it may lie outside itself."""

    @property
    def n_reference(self) -> int:
        """The number of reference components."""
        return len(self.reference_voxels)

    @property
    def n_prediction(self) -> int:
        """The number of prediction components."""
        return len(self.prediction_voxels)

    @cached_property
    def iou(self) -> NDArray[np.float64]:
        """Shape (pairs,): shared voxels of each pair, of all voxels of both; in (0, 1]."""
        one, other = self.pairs[:, 0], self.pairs[:, 1]
        union = self.reference_voxels[one] + self.prediction_voxels[other] - self.overlap_voxels
        return self.overlap_voxels / union

    @cached_property
    def reference_covered(self) -> NDArray[np.int64]:
        """Shape (reference components,): voxels of each that any prediction shares."""
        return _summed(self.pairs[:, 0], self.overlap_voxels, self.n_reference)

    @cached_property
    def prediction_covered(self) -> NDArray[np.int64]:
        """Shape (prediction components,): voxels of each that any reference shares."""
        return _summed(self.pairs[:, 1], self.overlap_voxels, self.n_prediction)

    @property
    def false_positive_voxels(self) -> int:
        """Voxels of the prediction components that share none with the reference."""
        return int(self.prediction_voxels[self.prediction_covered == 0].sum())

    @property
    def false_negative_voxels(self) -> int:
        """Voxels of the reference components that share none with the prediction."""
        return int(self.reference_voxels[self.reference_covered == 0].sum())


def lesion_overlap(
    reference: NDArray[np.generic],
    prediction: NDArray[np.generic],
    *,
    connectivity: Connectivity,
) -> LesionOverlap:
    """Make the table of lesions of two masks.

    Parameters
    ----------
    reference, prediction
        Masks on one grid, 2D or 3D, boolean or of whole numbers; what is not 0 is lesion.
    connectivity
        What joins voxels to one lesion: 6, 18 or 26 in 3D, 4 or 8 in 2D.

    Returns
    -------
    LesionOverlap
        Empty arrays on a side without foreground.

    Raises
    ------
    UsageError
        The shapes differ, or a mask or the connectivity cannot be used.

    Notes
    -----
    Only the smallest box around both foregrounds is labelled, and only foreground voxels are
    counted: time and memory follow the lesions, not the picture.

    Examples
    --------
    >>> table = lesion_overlap(np.array([[1, 1, 0, 1]]), np.array([[0, 1, 0, 0]]), connectivity=4)
    >>> table.reference_voxels, table.pairs, table.false_negative_voxels
    (array([2, 1]), array([[0, 0]]), 1)
    """
    one, other = checked_mask("reference", reference), checked_mask("prediction", prediction)
    if one.shape != other.shape:
        raise UsageError(
            expected(
                "prediction",
                rule=f"the shape of the reference, {one.shape}",
                got=other.shape,
                remedy="Bring both to one grid first.",
            )
        )
    check_connectivity(connectivity, one.ndim)
    # A NIfTI file's first axis lies closest in memory: copies along it take a fraction of the time.
    is_turned = abs(one.strides[0]) < abs(one.strides[-1])
    if is_turned:
        one, other = one.T, other.T
    box = _joint_box(foreground_box(one), foreground_box(other), one.ndim)
    corner = np.array([side.start for side in box], dtype=np.float64)
    reference_labels, n_reference, places = numbered(np.ascontiguousarray(one[box]), connectivity)
    reference_voxels, reference_centres = _measured(reference_labels, n_reference, places)
    prediction_labels, n_prediction, at = numbered(np.ascontiguousarray(other[box]), connectivity)
    prediction_voxels, prediction_centres = _measured(prediction_labels, n_prediction, at)
    pairs, overlap_voxels = _overlaps(reference_labels, prediction_labels, n_prediction, places)
    return LesionOverlap(
        connectivity=connectivity,
        reference_voxels=reference_voxels,
        prediction_voxels=prediction_voxels,
        pairs=pairs,
        overlap_voxels=overlap_voxels,
        reference_centres=_turned(reference_centres + corner, is_turned),
        prediction_centres=_turned(prediction_centres + corner, is_turned),
        centre_pairs=_centre_pairs(
            reference_labels, prediction_labels, reference_centres, prediction_centres
        ),
    )


def false_positive_volume_ml(table: LesionOverlap, *, spacing_mm: Sequence[float]) -> float:
    """Give the volume of the predicted components that touch no reference lesion.

    Parameters
    ----------
    table
        From `lesion_overlap`.
    spacing_mm
        Size of a voxel along each axis.

    Returns
    -------
    float
        In ml, 0 or more; 0 without a predicted component.

    Notes
    -----
    One shared voxel makes the whole component right: a prediction of the whole body has 0 where
    there is any lesion. `metrics.lesion_matching` has rules that ask for more.
    """
    return table.false_positive_voxels * voxel_ml(spacing_mm)


def false_negative_volume_ml(table: LesionOverlap, *, spacing_mm: Sequence[float]) -> float | None:
    """Give the volume of the reference lesions that no prediction touches.

    Parameters
    ----------
    table
        From `lesion_overlap`.
    spacing_mm
        Size of a voxel along each axis.

    Returns
    -------
    float or None
        In ml, 0 or more; None where the reference has no lesion.
    """
    if not table.n_reference:
        return None
    return table.false_negative_voxels * voxel_ml(spacing_mm)


def voxel_ml(spacing_mm: Sequence[float]) -> float:
    """Give the volume of a voxel; UsageError for a spacing that is no three positive lengths."""
    lengths = [float(each) for each in spacing_mm]
    if len(lengths) != 3 or not all(0 < each < math.inf for each in lengths):
        raise UsageError(
            expected(
                "spacing_mm",
                rule="three lengths above 0",
                got=tuple(spacing_mm),
                remedy="A volume in ml needs the size of a voxel along each of its three axes.",
            )
        )
    return math.prod(lengths) / 1000


# ---------------------------------------------------------------- the table


def _turned(centres: NDArray[np.float64], is_turned: bool) -> NDArray[np.float64]:
    return np.ascontiguousarray(centres[:, ::-1]) if is_turned else centres


def _joint_box(
    one: tuple[slice, ...] | None, other: tuple[slice, ...] | None, axes: int
) -> tuple[slice, ...]:
    if one is None or other is None:
        return one or other or (slice(0, 0),) * axes
    return tuple(
        slice(min(a.start, b.start), max(a.stop, b.stop)) for a, b in zip(one, other, strict=True)
    )


def _measured(
    labels: NDArray[np.uint32], count: int, places: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Count the voxels of each component and find its centre of mass."""
    component = labels.reshape(-1)[places].astype(np.int64) - 1
    voxels = np.bincount(component, minlength=count).astype(np.int64)
    centres = np.empty((count, labels.ndim))
    for axis, along in enumerate(np.unravel_index(places, labels.shape)):
        centres[:, axis] = np.bincount(component, weights=along, minlength=count)
    return voxels, centres / voxels[:, np.newaxis]


def _overlaps(
    reference: NDArray[np.uint32],
    prediction: NDArray[np.uint32],
    n_prediction: int,
    places: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Count the voxels that each pair of components shares: a histogram of two numbers in one."""
    other = prediction.reshape(-1)[places].astype(np.int64) - 1
    is_shared = other >= 0
    other = other[is_shared]
    one = reference.reshape(-1)[places[is_shared]].astype(np.int64) - 1
    keys, counts = _counted(one * n_prediction + other)
    width = max(n_prediction, 1)
    return np.stack((keys // width, keys % width), axis=1), counts


def _counted(keys: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Count equal keys, without sorting them where a plain histogram is no larger than they are."""
    if keys.size and int(keys.max()) <= 4 * keys.size:
        counts = np.bincount(keys)
        present = np.flatnonzero(counts)
        return present.astype(np.int64), counts[present].astype(np.int64)
    found, counts = np.unique(keys, return_counts=True)
    return found, counts.astype(np.int64)


def _centre_pairs(
    reference: NDArray[np.uint32],
    prediction: NDArray[np.uint32],
    reference_centres: NDArray[np.float64],
    prediction_centres: NDArray[np.float64],
) -> NDArray[np.int64]:
    under_reference = _at(prediction, reference_centres)
    under_prediction = _at(reference, prediction_centres)
    one, other = np.flatnonzero(under_reference), np.flatnonzero(under_prediction)
    found = np.concatenate(
        (
            np.stack((one, under_reference[one] - 1), axis=1),
            np.stack((under_prediction[other] - 1, other), axis=1),
        )
    )
    return np.unique(found, axis=0)


def _at(labels: NDArray[np.uint32], centres: NDArray[np.float64]) -> NDArray[np.int64]:
    """Read the label of the voxel nearest to each centre; half-way goes to the larger index."""
    places = np.floor(centres + 0.5).astype(np.int64)
    return labels[tuple(places.T)].astype(np.int64)


def _summed(
    component: NDArray[np.int64], voxels: NDArray[np.int64], count: int
) -> NDArray[np.int64]:
    total = np.zeros(count, dtype=np.int64)
    np.add.at(total, component, voxels)
    return total
