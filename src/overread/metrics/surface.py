"""Distances between the surfaces of two masks, measured once, read in many ways.

A mask's surface is taken either as elements with an area (``area``, as in
google-deepmind/surface-distance) or as its outermost voxels (``points``, as in MedPy and MONAI).
The two give different numbers for the same pair; say which one was used. Every distance is in
millimetres, and a spacing is always asked for. A mask that touches the border of its array is
closed there. Where one side is empty there is no distance: None, neither 0 nor infinity.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, TypeAlias, cast

import numpy as np

from overread.errors import UsageError, expected
from overread.metrics.nearest import Marks, Steps, marks_in, nearest, steps_around
from overread.metrics.overlap import check_label_maps
from overread.metrics.spec import MetricSpec
from overread.metrics.surface_elements import border_voxels, element_areas, surface_codes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

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

SurfaceMethod: TypeAlias = Literal["area", "points"]
Definition95: TypeAlias = Literal["larger of directions", "pooled"]
"""The percentile of each direction and the larger of the two (surface-distance, MONAI), or the
percentile of both directions' distances together (MedPy)."""

_Box: TypeAlias = tuple[slice, ...]
_LARGEST_USUAL_LABEL: Final = 65_535
"""Up to here one pass finds the boxes of all labels; each label above it costs a pass."""

_ONE_EMPTY: Final = "a mask is empty"


def _distance(name: str, title: str) -> MetricSpec:
    return MetricSpec(
        name=name,
        version="1",
        title=title,
        direction="down",
        low=0.0,
        high=float("inf"),
        unit="mm",
        properties=frozenset({"symmetric"}),
        undefined=_ONE_EMPTY,
    )


def nsd_spec(tolerance_mm: float) -> MetricSpec:
    """Declare the normalised surface Dice at a tolerance: the tolerance is part of the name.

    Examples
    --------
    >>> nsd_spec(1.5).name
    'nsd_1.5mm'
    """
    _check_tolerance(tolerance_mm)
    return MetricSpec(
        name=f"nsd_{tolerance_mm:g}mm",
        version="1",
        title=f"Surface Dice at {tolerance_mm:g} mm",
        direction="up",
        low=0.0,
        high=1.0,
        unit="share",
        properties=frozenset({"symmetric"}),
        undefined=_ONE_EMPTY,
    )


def _check_tolerance(tolerance_mm: float) -> None:
    if not 0 <= tolerance_mm < float("inf"):
        raise UsageError(
            expected(
                "tolerance_mm",
                rule="a distance of 0 mm or more",
                got=tolerance_mm,
                remedy="Give the largest distance in mm that counts as the same surface.",
            )
        )


HD: Final = _distance("hd_mm", "Hausdorff distance")
HD95: Final = _distance("hd95_mm", "95th percentile of surface distances, the larger direction")
ASSD: Final = _distance("assd_mm", "Average symmetric surface distance")
NSD_1MM: Final = nsd_spec(1.0)
NSD_2MM: Final = nsd_spec(2.0)
NSD_3MM: Final = nsd_spec(3.0)
SURFACE_METRICS: Final = (HD, HD95, ASSD, NSD_1MM, NSD_2MM, NSD_3MM)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SurfaceDistances:
    """How far each surface lies from the other, as two weighted distributions.

    Distances on a grid repeat: each array holds each distance once, ascending, shape
    (n_distances,), and its weight. Arrays are read-only.
    """

    reference_mm: NDArray[np.float64]
    """From the reference's surface to the nearest point of the prediction's."""
    reference_weights: NDArray[np.float64]
    """Surface of the reference at that distance: mm² (in two axes mm) by ``area``, the number of
    voxels by ``points``."""
    prediction_mm: NDArray[np.float64]
    """From the prediction's surface to the nearest point of the reference's."""
    prediction_weights: NDArray[np.float64]
    method: SurfaceMethod

    @property
    def hd_mm(self) -> float:
        """Hausdorff distance: the largest distance of either direction."""
        return float(max(self.reference_mm[-1], self.prediction_mm[-1]))

    @property
    def assd_mm(self) -> float:
        """Mean distance over both surfaces together (``assd`` of MedPy 0.5)."""
        total = self.reference_weights.sum() + self.prediction_weights.sum()
        return float(self._sum(1) / total)

    @property
    def masd_mm(self) -> float:
        """Mean of the two directions' mean distances: each surface counts half, however large.

        ``symmetric=True`` of MONAI's average surface distance, and the mean of surface-distance's
        two averages.
        """
        return (
            float(np.average(self.reference_mm, weights=self.reference_weights))
            + float(np.average(self.prediction_mm, weights=self.prediction_weights))
        ) / 2

    @property
    def rmsd_mm(self) -> float:
        """Root of the mean squared distance over both surfaces together."""
        total = self.reference_weights.sum() + self.prediction_weights.sum()
        return float(np.sqrt(self._sum(2) / total))

    def hd95_mm(self, definition: Definition95 = "larger of directions") -> float:
        """Give the 95th percentile of distances, see `percentile_mm`."""
        return self.percentile_mm(95.0, definition)

    def percentile_mm(
        self, percent: float, definition: Definition95 = "larger of directions"
    ) -> float:
        """Give a percentile of distances.

        By ``area`` it is the least distance within which that much of the surface lies
        (surface-distance); by ``points`` values are interpolated as `numpy.percentile` does.

        Raises
        ------
        UsageError
            `percent` is not within 0 to 100, or the definition is unknown.
        """
        if not 0 <= percent <= 100:
            raise UsageError(
                expected(
                    "percent",
                    rule="a number from 0 to 100",
                    got=percent,
                    remedy="95 is what HD95 takes.",
                )
            )
        read = _weighted_percentile if self.method == "area" else _counted_percentile
        if definition == "larger of directions":
            return max(
                read(self.reference_mm, self.reference_weights, percent),
                read(self.prediction_mm, self.prediction_weights, percent),
            )
        if definition == "pooled":
            return read(*self._pooled(), percent)
        raise UsageError(
            expected(
                "definition",
                rule="'larger of directions' or 'pooled'",
                got=repr(definition),
                remedy="Name the one that your protocol takes.",
            )
        )

    def nsd(self, tolerance_mm: float) -> float:
        """Give the share of both surfaces, 0..1, that lies within the tolerance of the other.

        The tolerance itself counts as within.

        Raises
        ------
        UsageError
            The tolerance is negative or no number.
        """
        _check_tolerance(tolerance_mm)
        near = float(self.reference_weights[self.reference_mm <= tolerance_mm].sum()) + float(
            self.prediction_weights[self.prediction_mm <= tolerance_mm].sum()
        )
        return near / float(self.reference_weights.sum() + self.prediction_weights.sum())

    def _sum(self, power: int) -> float:
        return float(
            (self.reference_weights * self.reference_mm**power).sum()
            + (self.prediction_weights * self.prediction_mm**power).sum()
        )

    def _pooled(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        values = np.concatenate([self.reference_mm, self.prediction_mm])
        order = np.argsort(values, kind="stable")
        weights = np.concatenate([self.reference_weights, self.prediction_weights])
        return values[order], weights[order]


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
    ours, theirs = _boxes(reference, wanted), _boxes(prediction, wanted)
    return {
        label: None
        if ours[label] is None or theirs[label] is None
        else _measure(reference, prediction, label, _hull(ours[label], theirs[label]), ruler)
        for label in wanted
    }


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
    box: _Box,
    ruler: _Ruler,
) -> SurfaceDistances:
    # Of maps in Fortran order, as nibabel gives them, the other order would be read across.
    order = "F" if reference.flags.fnc and prediction.flags.fnc else "C"
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


def _boxes(array: NDArray[np.integer], labels: list[int]) -> dict[int, _Box | None]:
    """Find the box of each label; None for a label without voxels."""
    from scipy import ndimage  # pyright: ignore[reportMissingTypeStubs] - scipy ships none

    find = cast("Callable[..., list[_Box | None]]", ndimage.find_objects)
    usual = [label for label in labels if 0 < label <= _LARGEST_USUAL_LABEL]
    found = find(array, max(usual)) if usual else []
    boxes = {label: found[label - 1] for label in usual}
    for label in set(labels) - boxes.keys():
        boxes[label] = find((array == label).view(np.uint8), 1)[0]
    return boxes


def _hull(one: _Box | None, other: _Box | None) -> _Box:
    return tuple(
        slice(min(a.start, b.start), max(a.stop, b.stop))
        for a, b in zip(one or (), other or (), strict=True)
    )


def _weighted_percentile(
    values: NDArray[np.float64], weights: NDArray[np.float64], percent: float
) -> float:
    shares = np.cumsum(weights) / weights.sum()
    return float(values[min(int(np.searchsorted(shares, percent / 100)), values.size - 1)])


def _counted_percentile(
    values: NDArray[np.float64], counts: NDArray[np.float64], percent: float
) -> float:
    ends = np.cumsum(counts)
    place = (float(ends[-1]) - 1) * (percent / 100)
    below = int(place)
    low = float(values[np.searchsorted(ends, below, side="right")])
    high = float(values[min(int(np.searchsorted(ends, below + 1, side="right")), values.size - 1)])
    return low + (high - low) * (place - below)


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
