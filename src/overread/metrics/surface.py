"""Distances between the surfaces of two masks, measured once, read in many ways.

A mask's surface is taken either as elements with an area (``area``, as in
google-deepmind/surface-distance) or as its outermost voxels (``points``, as in MedPy and MONAI).
The two give different numbers for the same pair; say which one was used. Every distance is in
millimetres, and a spacing is always asked for. A mask that touches the border of its array is
closed there. Where one side is empty there is no distance: None, neither 0 nor infinity.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from overread.errors import UsageError, expected
from overread.metrics.boxes import Box, columns_first, hull, label_boxes
from overread.metrics.nearest import Marks, Steps, marks_in, nearest, steps_around
from overread.metrics.overlap import check_label_maps
from overread.metrics.surface_elements import border_voxels, element_areas, surface_codes
from overread.metrics.surface_readings import (
    ASSD,
    HD,
    HD95,
    NSD_1MM,
    NSD_2MM,
    NSD_3MM,
    SURFACE_METRICS,
    Definition95,
    SurfaceDistances,
    SurfaceMethod,
    nsd_spec,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

__all__ = [
    "ASSD",
    "HD",
    "HD95",
    "NSD_1MM",
    "NSD_2MM",
    "NSD_3MM",
    "SURFACE_METRICS",
    "Definition95",
    "SurfaceDistances",
    "SurfaceMethod",
    "label_surface_distances",
    "nsd_spec",
    "point_distances",
    "surface_distances",
]


def surface_distances(
    reference: NDArray[np.bool_],
    prediction: NDArray[np.bool_],
    spacing_mm: tuple[float, ...],
    *,
    method: SurfaceMethod = "area",
    connectivity: int | None = None,
) -> SurfaceDistances | None:
    """Measure how far the surfaces of two masks lie apart.

    Parameters
    ----------
    reference, prediction
        Boolean masks of one shape, two or three axes.
    spacing_mm
        Distance of voxel centres in mm along each axis of the arrays, in their order.
    method
        ``area`` or ``points``, see the module.
    connectivity
        Of ``points`` only: the neighbours by which erosion finds the outermost voxels: 4 or 8 in
        two axes, 6, 18 or 26 in three. The fewest when left out.

    Returns
    -------
    SurfaceDistances or None
        None when either mask is empty.

    Raises
    ------
    UsageError
        Shapes, types, axes, spacing or connectivity do not fit.

    Examples
    --------
    Two voxels side by side against one of them, 2 mm apart.

    >>> reference = np.array([[True, True, False]])
    >>> prediction = np.array([[True, False, False]])
    >>> found = surface_distances(reference, prediction, (1.0, 2.0), method="points")
    >>> found.hd_mm, found.assd_mm
    (2.0, 0.6666666666666666)
    """
    for side, mask in (("reference", reference), ("prediction", prediction)):
        if mask.dtype != np.bool_:
            raise UsageError(
                expected(
                    side,
                    rule="a boolean mask",
                    got=mask.dtype,
                    remedy="Compare with the label first, as in array == 1.",
                )
            )
    return label_surface_distances(
        reference.view(np.uint8),
        prediction.view(np.uint8),
        (1,),
        spacing_mm,
        method=method,
        connectivity=connectivity,
    )[1]


def point_distances(
    reference: NDArray[np.bool_],
    prediction: NDArray[np.bool_],
    spacing_mm: tuple[float, ...],
    *,
    connectivity: int | None = None,
) -> SurfaceDistances | None:
    """Measure distances between the outermost voxels: `surface_distances` by ``points``."""
    return surface_distances(
        reference, prediction, spacing_mm, method="points", connectivity=connectivity
    )


def label_surface_distances(
    reference: NDArray[np.integer],
    prediction: NDArray[np.integer],
    labels: Iterable[int],
    spacing_mm: tuple[float, ...],
    *,
    method: SurfaceMethod = "area",
    connectivity: int | None = None,
) -> dict[int, SurfaceDistances | None]:
    """Measure the surfaces of many labels of two label maps.

    Parameters
    ----------
    reference, prediction
        Label maps of one shape, two or three axes, whole numbers.
    labels
        Which values to measure.
    spacing_mm, method, connectivity
        As `surface_distances`.

    Returns
    -------
    dict
        Label → distances, or None where either side has no voxel of it.

    Raises
    ------
    UsageError
        As `surface_distances`.
    """
    ruler = _ruler(reference, prediction, spacing_mm, method=method, connectivity=connectivity)
    wanted = list(map(int, labels))
    ours, theirs = label_boxes(reference, wanted), label_boxes(prediction, wanted)
    found: dict[int, SurfaceDistances | None] = {}
    for label in wanted:
        one, other = ours[label], theirs[label]
        found[label] = (
            None
            if one is None or other is None
            else _measure(reference, prediction, label, hull(one, other), ruler)
        )
    return found


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Ruler:
    """All that does not depend on the label."""

    method: SurfaceMethod
    neighbour_axes: int
    weights: NDArray[np.float64]
    steps: Steps


def _measure(
    reference: NDArray[np.integer],
    prediction: NDArray[np.integer],
    label: int,
    box: Box,
    ruler: _Ruler,
) -> SurfaceDistances:
    # Of maps in Fortran order, as nibabel gives them, the other order would be read across.
    order = "F" if columns_first(reference) and columns_first(prediction) else "C"
    ours, theirs = (_marks(side[box], label, order, ruler) for side in (reference, prediction))
    one = nearest(ours, theirs, weights=ruler.weights, steps=ruler.steps)
    other = nearest(theirs, ours, weights=ruler.weights, steps=ruler.steps)
    for array in (one.values_mm, one.weights, other.values_mm, other.weights):
        array.flags.writeable = False
    return SurfaceDistances(
        reference_mm=one.values_mm,
        reference_weights=one.weights,
        prediction_mm=other.values_mm,
        prediction_weights=other.weights,
        method=ruler.method,
    )


def _marks(part: NDArray[np.integer], label: int, order: Literal["C", "F"], ruler: _Ruler) -> Marks:
    margin = [one + 1 for one in ruler.steps.margin]
    shape = [size + 2 * more for size, more in zip(part.shape, margin, strict=True)]
    mask = np.zeros(shape, np.bool_, order)
    inner = tuple(slice(more, -more) for more in margin)
    np.equal(part, label, out=mask[inner])
    if ruler.method == "points":
        return marks_in(border_voxels(mask, ruler.neighbour_axes).view(np.uint8))
    return marks_in(surface_codes(mask.view(np.uint8)))


def _ruler(
    reference: NDArray[np.integer],
    prediction: NDArray[np.integer],
    spacing_mm: tuple[float, ...],
    *,
    method: SurfaceMethod,
    connectivity: int | None,
) -> _Ruler:
    if method not in ("area", "points"):
        raise UsageError(
            expected(
                "method",
                rule="'area' or 'points'",
                got=repr(method),
                remedy="Name the one that your protocol takes.",
            )
        )
    spacing = _checked_spacing(reference, prediction, spacing_mm)
    return _Ruler(
        method=method,
        neighbour_axes=_neighbour_axes(reference.ndim, connectivity),
        weights=element_areas(spacing) if method == "area" else np.array([0.0, 1.0]),
        steps=steps_around(spacing),
    )


def _neighbour_axes(n_axes: int, connectivity: int | None) -> int:
    known = {2: {4: 1, 8: 2}, 3: {6: 1, 18: 2, 26: 3}}[n_axes]
    if connectivity is None:
        return 1
    if connectivity not in known:
        raise UsageError(
            expected(
                "connectivity",
                rule=f"{' or '.join(map(str, known))} for {n_axes} axes",
                got=connectivity,
                remedy="Leave it out for the fewest neighbours.",
            )
        )
    return known[connectivity]


def _checked_spacing(
    reference: NDArray[np.integer], prediction: NDArray[np.integer], spacing_mm: tuple[float, ...]
) -> tuple[float, ...]:
    check_label_maps(reference, prediction)
    if reference.ndim not in (2, 3):
        raise UsageError(
            expected(
                "reference and prediction",
                rule="arrays of two or three axes",
                got=reference.shape,
                remedy="Measure one volume at a time.",
            )
        )
    spacing = tuple(map(float, spacing_mm))
    if len(spacing) != reference.ndim or not all(0 < one < float("inf") for one in spacing):
        raise UsageError(
            expected(
                "spacing_mm",
                rule=f"{reference.ndim} numbers above 0, one for each axis",
                got=spacing_mm,
                remedy="Take it from the file's header; there is no default.",
            )
        )
    return spacing
