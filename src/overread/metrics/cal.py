"""Connectivity, area and length of vessel trees, with a margin of tolerance (CAL).

Source: Gegúndez-Arias et al., "A function for quality evaluation of retinal vessel segmentations",
IEEE Transactions on Medical Imaging 31(2), 2012. It was made for pictures; in volumes the discs
become balls, and pieces touch by faces, edges or corners (ours). Nothing here knows which axis is
which; a spacing follows the order of the array's axes.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Final, Literal

import numpy as np

from overread.errors import UsageError, expected
from overread.metrics.components import foreground_box, label_components
from overread.metrics.skeleton import THINNING, check_pair, check_spacing, skeleton
from overread.metrics.spec import MetricSpec

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "CAL_AREA",
    "CAL_CONNECTIVITY",
    "CAL_LENGTH",
    "COMPONENT_ERROR",
    "PREDICTION_COMPONENTS",
    "REFERENCE_COMPONENTS",
    "CalTriple",
    "ComponentCounts",
    "cal_spec",
    "cal_triple",
    "cal_triple_mm",
    "component_counts",
]


_SLACK: Final = 1 + 1e-9
"""Of a radius: 3 × 0.7 mm is not to miss one of 2.1 mm by the last digit."""


def cal_spec(
    kind: Literal["connectivity", "area", "length"], *, radius: float, unit: Literal["vx", "mm"]
) -> MetricSpec:
    """Describe one of the three measures at a radius, which stands in its name.

    Examples
    --------
    >>> cal_spec("area", radius=1.5, unit="mm").name
    'cal_area_1.5mm'
    >>> cal_spec("connectivity", radius=2, unit="vx").name
    'cal_connectivity'
    """
    shown = f"{radius:g} {'voxels' if unit == 'vx' else 'mm'}"
    title, undefined = {
        "connectivity": ("Number of pieces alike", "the reference is empty"),
        "area": (f"Shared area, {shown} apart", "both masks are empty"),
        "length": (f"Shared length, {shown} apart", "both masks are empty"),
    }[kind]
    return MetricSpec(
        name="cal_connectivity" if kind == "connectivity" else f"cal_{kind}_{radius:g}{unit}",
        version=f"1+{THINNING}" if kind == "length" else "1",
        title=title,
        direction="up",
        low=0.0,
        high=1.0,
        unit="share",
        # Connectivity divides by the size of the reference alone.
        properties=frozenset() if kind == "connectivity" else frozenset({"symmetric"}),
        undefined=undefined,
    )


CAL_CONNECTIVITY: Final = cal_spec("connectivity", radius=2, unit="vx")
CAL_AREA: Final = cal_spec("area", radius=2, unit="vx")
CAL_LENGTH: Final = cal_spec("length", radius=2, unit="vx")

COMPONENT_ERROR: Final = MetricSpec(
    name="component_error",
    version="1",
    title="Difference in number of pieces",
    direction="down",
    low=0.0,
    high=float("inf"),
    unit="pieces",
    properties=frozenset({"symmetric"}),
    undefined="never",
)
REFERENCE_COMPONENTS: Final = MetricSpec(
    name="reference_components",
    version="1",
    title="Pieces of the reference",
    direction="none",
    low=0.0,
    high=float("inf"),
    unit="pieces",
    properties=frozenset(),
    undefined="never",
)
PREDICTION_COMPONENTS: Final = MetricSpec(
    name="prediction_components",
    version="1",
    title="Pieces of the prediction",
    direction="none",
    low=0.0,
    high=float("inf"),
    unit="pieces",
    properties=frozenset(),
    undefined="never",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ComponentCounts:
    """How many connected pieces two masks have."""

    reference: int
    prediction: int

    @property
    def error(self) -> int:
        """How far the numbers are apart: the error of the zeroth Betti number."""
        return abs(self.prediction - self.reference)


@dataclass(frozen=True, slots=True, kw_only=True)
class CalTriple:
    """Connectivity, area and length, 0 to 1 each."""

    connectivity: float | None
    """1 less the difference in number of pieces over the voxels of the reference: near 1 for any
    tree that is not dust. None where the reference is empty."""
    area: float | None
    """Voxels of either mask that lie within the radius of the other one, of all voxels of both.
    None where both are empty."""
    length: float | None
    """Skeleton voxels of either that lie within the radius of the other mask, of all skeleton
    voxels of both. None where both masks are empty."""

    @property
    def product(self) -> float | None:
        """All three multiplied, as their authors combine them; None where one is undefined."""
        if self.connectivity is None or self.area is None or self.length is None:
            return None
        return self.connectivity * self.area * self.length


def component_counts(
    reference: NDArray[np.bool_], prediction: NDArray[np.bool_]
) -> ComponentCounts:
    """Count the connected pieces of two masks; pieces touch by faces, edges or corners.

    Raises
    ------
    UsageError
        A mask is not boolean, of other than two or three axes, or the shapes differ.

    Examples
    --------
    >>> whole = np.ones((1, 9), bool)
    >>> cut = whole.copy()
    >>> cut[0, 4] = False
    >>> component_counts(whole, cut)
    ComponentCounts(reference=1, prediction=2)
    """
    check_pair(reference, prediction)
    return ComponentCounts(reference=_n_pieces(reference), prediction=_n_pieces(prediction))


def cal_triple(
    reference: NDArray[np.bool_],
    prediction: NDArray[np.bool_],
    *,
    radius_voxels: float = 2.0,
    reference_skeleton: NDArray[np.bool_] | None = None,
    prediction_skeleton: NDArray[np.bool_] | None = None,
) -> CalTriple:
    """Compare two vessel trees with a margin counted in voxels, 2 as in the source.

    Parameters
    ----------
    reference, prediction
        Of one shape, two or three axes.
    radius_voxels
        Of the disc or ball by which area and length are widened.
    reference_skeleton, prediction_skeleton
        Where the caller has them already.

    Raises
    ------
    UsageError
        A mask is not boolean, of other than two or three axes, the shapes differ, or the radius is
        negative.

    Examples
    --------
    >>> line = np.zeros((7, 20), bool)
    >>> line[3, 2:18] = True
    >>> moved = np.roll(line, 2, axis=0)
    >>> cal_triple(line, moved)
    CalTriple(connectivity=1.0, area=1.0, length=1.0)
    >>> cal_triple(line, moved, radius_voxels=1)
    CalTriple(connectivity=1.0, area=0.0, length=0.0)
    """
    _check_radius("radius_voxels", radius_voxels)
    spacing = (1.0,) * reference.ndim
    return _triple(
        reference, prediction, radius_voxels, spacing, (reference_skeleton, prediction_skeleton)
    )


def cal_triple_mm(
    reference: NDArray[np.bool_],
    prediction: NDArray[np.bool_],
    *,
    radius_mm: float,
    spacing_mm: tuple[float, ...],
    reference_skeleton: NDArray[np.bool_] | None = None,
    prediction_skeleton: NDArray[np.bool_] | None = None,
) -> CalTriple:
    """Compare two vessel trees as `cal_triple` does, with a margin in mm.

    Parameters
    ----------
    spacing_mm
        Distance of voxel centres along each axis.

    Raises
    ------
    UsageError
        As `cal_triple`, or the spacing does not fit the masks.

    Examples
    --------
    >>> line = np.zeros((7, 20), bool)
    >>> line[3, 2:18] = True
    >>> moved = np.roll(line, 2, axis=0)
    >>> cal_triple_mm(line, moved, radius_mm=2.0, spacing_mm=(3.0, 1.0)).area
    0.0
    """
    _check_radius("radius_mm", radius_mm)
    check_spacing(spacing_mm, reference.ndim)
    return _triple(
        reference, prediction, radius_mm, spacing_mm, (reference_skeleton, prediction_skeleton)
    )


def _triple(
    reference: NDArray[np.bool_],
    prediction: NDArray[np.bool_],
    radius: float,
    spacing: tuple[float, ...],
    skeletons: tuple[NDArray[np.bool_] | None, NDArray[np.bool_] | None],
) -> CalTriple:
    check_pair(reference, prediction)
    either = reference | prediction
    box = foreground_box(either)
    if box is None:
        return CalTriple(connectivity=None, area=None, length=None)
    thin = [
        skeleton(mask)[box] if made is None else made[box]
        for mask, made in zip((reference, prediction), skeletons, strict=True)
    ]
    # Only voxels of one mask or the other are asked how far away the other mask is.
    reference, prediction, either = reference[box], prediction[box], either[box]
    near = [
        _near(reference, prediction, radius, spacing),
        _near(prediction, reference, radius, spacing),
    ]
    counts = component_counts(reference, prediction)
    n_reference = int(np.count_nonzero(reference))
    # A skeleton lies in its mask, so what of the mask is near tells what of the skeleton is.
    shared_length = (thin[0] & near[0]) | (thin[1] & near[1])
    return CalTriple(
        connectivity=1 - min(1.0, counts.error / n_reference) if n_reference else None,
        area=_ratio(near[0] | near[1], either),
        length=_ratio(shared_length, thin[0] | thin[1]),
    )


def _near(
    mask: NDArray[np.bool_], other: NDArray[np.bool_], radius: float, spacing: tuple[float, ...]
) -> NDArray[np.bool_]:
    """Give the voxels of a mask that lie within a radius of another one, ends included."""
    # A rim as wide as the radius, so that no step from a voxel runs over an edge.
    rim = [int(radius * _SLACK / one) for one in spacing]
    grid, targets = (
        np.ascontiguousarray(np.pad(each, [(one, one) for one in rim])) for each in (mask, other)
    )
    steps = np.array(list(product(*(range(-one, one + 1) for one in rim))), np.int64)
    lengths = np.linalg.norm(steps * spacing, axis=1)
    steps = steps[lengths <= radius * _SLACK][np.argsort(lengths[lengths <= radius * _SLACK])]
    is_target, left = targets.reshape(-1), np.flatnonzero(grid)
    for jump in (steps @ np.array(grid.strides)).tolist():
        left = left[~is_target[left + jump]]
    grid.reshape(-1)[left] = False
    return grid[tuple(slice(one, size - one) for one, size in zip(rim, grid.shape, strict=True))]


def _n_pieces(mask: NDArray[np.bool_]) -> int:
    return label_components(mask, connectivity=26 if mask.ndim == 3 else 8)[1]


def _ratio(part: NDArray[np.bool_], whole: NDArray[np.bool_]) -> float:
    return int(np.count_nonzero(part)) / int(np.count_nonzero(whole))


def _check_radius(name: str, radius: float) -> None:
    if not 0 <= radius < float("inf"):
        raise UsageError(
            expected(
                name, rule="a radius of 0 or more", got=radius, remedy="The source takes 2 pixels."
            )
        )
