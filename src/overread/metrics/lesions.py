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

_VOXELS_AT_ONCE: Final = 1 << 18
"""Coordinates of so many voxels are in memory at once."""
_NONE: Final = np.empty(0, dtype=np.int64)

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
    masks = np.ascontiguousarray(one[box]), np.ascontiguousarray(other[box])
    # One after the other: a map of numbers takes four times the mask, and only one is needed.
    references, predictions = (_components(mask, connectivity) for mask in masks)
    pairs, overlap_voxels = _overlaps(references, predictions, masks)
    return LesionOverlap(
        connectivity=connectivity,
        reference_voxels=references.voxels,
        prediction_voxels=predictions.voxels,
        pairs=pairs,
        overlap_voxels=overlap_voxels,
        reference_centres=_turned(references.centres + corner, is_turned),
        prediction_centres=_turned(predictions.centres + corner, is_turned),
        centre_pairs=_centre_pairs(references, predictions, masks[0].shape),
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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Components:
    """The components of one mask, as a list of its foreground voxels."""

    places: NDArray[np.int64]
    """Shape (voxels,): indices of the mask laid out flat, ascending."""
    component: NDArray[np.uint32]
    """Shape (voxels,): which component each belongs to, from 0."""
    voxels: NDArray[np.int64]
    centres: NDArray[np.float64]


def _components(mask: NDArray[np.bool_], connectivity: Connectivity) -> _Components:
    """Label a mask that lies in one piece; count the voxels of each component, find its centre."""
    labels, count, places = numbered(mask, connectivity)
    component = labels.reshape(-1)[places] - np.uint32(1)
    del labels
    voxels = np.zeros(count, dtype=np.int64)
    sums = np.zeros((count, mask.ndim))
    for start in range(0, len(places), _VOXELS_AT_ONCE):
        some = slice(start, start + _VOXELS_AT_ONCE)
        voxels += np.bincount(component[some], minlength=count)
        for axis, along in enumerate(np.unravel_index(places[some], mask.shape)):
            sums[:, axis] += np.bincount(component[some], weights=along, minlength=count)
    return _Components(
        places=places, component=component, voxels=voxels, centres=sums / voxels[:, np.newaxis]
    )


def _overlaps(
    references: _Components,
    predictions: _Components,
    masks: tuple[NDArray[np.bool_], NDArray[np.bool_]],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Count the voxels that each pair of components shares: a histogram of two numbers in one."""
    # Both lists ascend, so what is left of them are the same voxels in the same order.
    one = references.component[masks[1].reshape(-1)[references.places]]
    other = predictions.component[masks[0].reshape(-1)[predictions.places]]
    width = max(len(predictions.voxels), 1)
    found: list[NDArray[np.int64]] = []
    counts: list[NDArray[np.int64]] = []
    for start in range(0, len(one), _VOXELS_AT_ONCE):
        some = slice(start, start + _VOXELS_AT_ONCE)
        keys, n = _counted(one[some].astype(np.int64) * width + other[some])
        found.append(keys)
        counts.append(n)
    keys, place = np.unique(np.concatenate([_NONE, *found]), return_inverse=True)
    total = _summed(place, np.concatenate([_NONE, *counts]), len(keys))
    return np.stack((keys // width, keys % width), axis=1), total


def _counted(keys: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Count equal keys, without sorting them where a plain histogram is no larger than they are."""
    if int(keys.max()) <= 4 * keys.size:
        counts = np.bincount(keys)
        present = np.flatnonzero(counts)
        return present.astype(np.int64), counts[present].astype(np.int64)
    found, counts = np.unique(keys, return_counts=True)
    return found, counts.astype(np.int64)


def _centre_pairs(
    references: _Components, predictions: _Components, shape: tuple[int, ...]
) -> NDArray[np.int64]:
    one, under_reference = _at(predictions, references.centres, shape)
    other, under_prediction = _at(references, predictions.centres, shape)
    found = np.concatenate(
        (np.stack((one, under_reference), axis=1), np.stack((under_prediction, other), axis=1))
    )
    return np.unique(found, axis=0)


def _at(
    components: _Components, centres: NDArray[np.float64], shape: tuple[int, ...]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Find which centres lie in a component, and in which; by the nearest voxel.

    Half-way goes to the larger index.
    """
    nearest = np.floor(centres + 0.5).astype(np.int64)
    flat = np.ravel_multi_index(tuple(nearest.T), shape).astype(np.int64)
    if not (flat.size and components.places.size):
        return _NONE, _NONE
    place = np.minimum(np.searchsorted(components.places, flat), len(components.places) - 1)
    inside = np.flatnonzero(components.places[place] == flat)
    return inside, components.component[place[inside]].astype(np.int64)


def _summed(
    component: NDArray[np.int64], voxels: NDArray[np.int64], count: int
) -> NDArray[np.int64]:
    total = np.zeros(count, dtype=np.int64)
    np.add.at(total, component, voxels)
    return total
