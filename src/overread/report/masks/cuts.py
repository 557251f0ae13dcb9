"""Which slices of a case to show: in each plane the one with the most disagreement.

Planes lie as radiologists look at them: the patient's right on the left of the picture, head or
front up. Where a file does not say how it lies in the patient, planes are named by their axes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from overread.imaging.reorient import reorient, turn_of
from overread.metrics.components import label_components

__all__ = ["Cut", "CutPlane", "cut_plane", "find_cuts"]

_SPL: Final = "SPL"
_MARGIN: Final = 0.2
"""Of the shown part's longer side, around what either mask holds."""
_LEAST_MARGIN_MM: Final = 12.0
_LEAST_SIDE_MM: Final = 70.0
"""So much of the surroundings is shown that a small lesion can be found in the body."""
_FOCUS_MM: Final = 140.0
"""Of a wider mask so much is shown, around the largest fault, that the fault can be seen."""
_AROUND: Final = 2.5
"""Or so many times the fault, where that is more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CutPlane:
    """How a flat picture is taken out of an array, for every array on the same grid."""

    stored: str | None
    """Where the axes of the array grow; None where that is not known, or in two dimensions."""
    axis: int
    """Of the turned array (slices to the head, rows to the back, columns to the left), the axis
    that is cut across; of an array that cannot be turned, its own."""
    index: int
    rows: tuple[int, int]
    """First row shown and the one after the last, as seen."""
    columns: tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """One picture: where it is taken, what it shows, how large a pixel is."""

    plane: CutPlane
    name: str
    """``axial``, or ``across axis 3``."""
    place: str
    """``slice 12 of 80``."""
    reference: NDArray[np.bool_]
    """(rows, columns) as seen."""
    prediction: NDArray[np.bool_]
    pixel_mm: tuple[float, float]
    """Height and width."""
    is_mm: bool
    """Whether sizes are known; pixels are taken for squares otherwise."""
    letters: tuple[str, str, str, str] | None
    """What lies to the left, right, top and bottom."""

    @property
    def n_differing(self) -> int:
        """Pixels of one mask alone."""
        return int(np.count_nonzero(self.reference ^ self.prediction))


def find_cuts(
    reference: NDArray[np.bool_],
    prediction: NDArray[np.bool_],
    *,
    spacing_mm: tuple[float, ...] | None,
    axes: str | None,
) -> tuple[Cut, ...]:
    """Choose a slice in each of three planes; of a picture, the picture.

    Parameters
    ----------
    reference, prediction
        Of equal shape, two or three dimensions; at least one of them holds something.
    spacing_mm
        Along the axes of the arrays; None where it is not known.
    axes
        Where they grow in the patient (``RAS``); None where it is not known.

    Returns
    -------
    tuple of Cut
        Where nothing disagrees, the slices with the most of the mask.
    """
    spacing = spacing_mm or (1.0,) * reference.ndim
    flats = [
        _flat(plane, reference, prediction, spacing)
        for plane in _planes(reference, prediction, axes)
    ]
    whole = _whole_mm(reference | prediction, spacing)
    side_mm = min(whole, max(flat.side_mm for flat in flats))
    return tuple(
        _cut(flat, side_mm, is_whole=side_mm == whole, is_mm=spacing_mm is not None)
        for flat in flats
    )


def _planes(
    reference: NDArray[np.bool_], prediction: NDArray[np.bool_], axes: str | None
) -> list[CutPlane]:
    """Choose the slices."""
    if reference.ndim == 2:
        return [CutPlane(stored=None, axis=-1, index=0, rows=(0, 0), columns=(0, 0))]
    turned = [_turned(one, axes) for one in (reference, prediction)]
    box = _box(turned[0] | turned[1])
    near = [one[box] for one in turned]
    differs = near[0] ^ near[1]
    counted = differs if differs.any() else near[0]
    planes: list[CutPlane] = []
    for axis in range(3):
        others = tuple(other for other in range(3) if other != axis)
        index = int(np.argmax(np.count_nonzero(counted, axis=others))) + box[axis].start
        planes.append(CutPlane(stored=axes, axis=axis, index=index, rows=(0, 0), columns=(0, 0)))
    return planes


def cut_plane(array: NDArray[Any], plane: CutPlane) -> NDArray[Any]:
    """Take the picture of a plane out of an array: (rows, columns) as seen."""
    whole = _whole(array, plane)
    return whole[slice(*plane.rows), slice(*plane.columns)]


def _turned(array: NDArray[Any], axes: str | None) -> NDArray[Any]:
    """Turn an array so that slices come first; without known axes the last axis is the slices."""
    return array.transpose(2, 1, 0) if axes is None else reorient(array, axes, _SPL)


def _whole(array: NDArray[Any], plane: CutPlane) -> NDArray[Any]:
    if array.ndim == 2:
        return array
    turned = _turned(array, plane.stored)
    flat = np.take(turned, plane.index, axis=plane.axis)
    # Slices run to the head: as rows of a picture they run upwards.
    return flat if plane.axis == 0 or plane.stored is None else flat[::-1]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Flat:
    """A whole slice, before the part that is shown is chosen."""

    plane: CutPlane
    reference: NDArray[np.bool_]
    prediction: NDArray[np.bool_]
    pixel_mm: tuple[float, float]
    letters: tuple[str, str, str, str] | None
    name: str
    n: int | None
    focus: tuple[slice, ...]
    """Around the largest piece in which the two differ; of equal ones, of the mask."""
    side_mm: float
    """How much to show of it."""


def _flat(
    plane: CutPlane,
    reference: NDArray[np.bool_],
    prediction: NDArray[np.bool_],
    spacing: tuple[float, ...],
) -> _Flat:
    flats = [_whole(one, plane) for one in (reference, prediction)]
    pixel_mm, letters, name, n = _frame(plane, reference.shape, spacing)
    differs = flats[0] ^ flats[1]
    focus = _box(_largest(differs if differs.any() else flats[0] | flats[1]))
    return _Flat(
        plane=plane,
        reference=flats[0],
        prediction=flats[1],
        pixel_mm=pixel_mm,
        letters=letters,
        name=name,
        n=n,
        focus=focus,
        side_mm=max(_FOCUS_MM, _AROUND * _longest_mm(focus, pixel_mm)),
    )


def _cut(flat: _Flat, side_mm: float, *, is_whole: bool, is_mm: bool) -> Cut:
    around = _box(flat.reference | flat.prediction) if is_whole else flat.focus
    rows, columns = _window(around, flat.reference.shape, flat.pixel_mm, side_mm)
    shown = replace(flat.plane, rows=rows, columns=columns)
    return Cut(
        plane=shown,
        name=flat.name,
        place="" if flat.n is None else f"slice {shown.index + 1} of {flat.n}",
        reference=flat.reference[slice(*rows), slice(*columns)],
        prediction=flat.prediction[slice(*rows), slice(*columns)],
        pixel_mm=flat.pixel_mm,
        is_mm=is_mm,
        letters=flat.letters,
    )


def _largest(mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Keep the largest piece of a flat mask, its pixels joined at edges or corners."""
    pieces, n = label_components(mask, connectivity=8)
    if n < 2:
        return mask
    sizes = np.bincount(pieces.ravel())
    sizes[0] = 0
    largest: NDArray[np.bool_] = pieces == int(np.argmax(sizes))
    return largest


def _frame(
    plane: CutPlane, shape: tuple[int, ...], spacing: tuple[float, ...]
) -> tuple[tuple[float, float], tuple[str, str, str, str] | None, str, int | None]:
    """Give pixel size, letters at the edges, the plane's name and how many slices there are."""
    if len(shape) == 2:
        return (spacing[0], spacing[1]), None, "picture", None
    order = _order(plane.stored)
    turned = tuple(spacing[axis] for axis in order)
    row, column = (axis for axis in range(3) if axis != plane.axis)
    pixel_mm = turned[row], turned[column]
    n = shape[order[plane.axis]]
    if plane.stored is None:
        return pixel_mm, None, f"across axis {order[plane.axis] + 1}", n
    name = ("axial", "coronal", "sagittal")[plane.axis]
    letters = (("R", "L", "A", "P"), ("R", "L", "S", "I"), ("A", "P", "S", "I"))[plane.axis]
    return pixel_mm, letters, name, n


def _order(axes: str | None) -> tuple[int, int, int]:
    """Say which stored axis each axis of the turned array is."""
    return (2, 1, 0) if axes is None else turn_of(axes, _SPL)[0]


def _whole_mm(mask: NDArray[np.bool_], spacing: tuple[float, ...]) -> float:
    """Say how long a side must be to show all that either mask has."""
    longest = _longest_mm(_box(mask), spacing)
    return max(longest + 2 * max(_LEAST_MARGIN_MM, _MARGIN * longest), _LEAST_SIDE_MM)


def _longest_mm(box: tuple[slice, ...], spacing: tuple[float, ...]) -> float:
    return max((one.stop - one.start) * mm for one, mm in zip(box, spacing, strict=True))


def _box(mask: NDArray[np.bool_]) -> tuple[slice, ...]:
    """Give the smallest box that holds a mask; all of an empty one."""
    box: list[slice] = []
    for axis in range(mask.ndim):
        others = tuple(other for other in range(mask.ndim) if other != axis)
        held = np.flatnonzero(mask.any(axis=others))
        box.append(
            slice(int(held[0]), int(held[-1]) + 1) if held.size else slice(0, mask.shape[axis])
        )
    return tuple(box)


def _window(
    around: tuple[slice, ...],
    shape: tuple[int, ...],
    pixel_mm: tuple[float, float],
    side_mm: float,
) -> tuple[tuple[int, int], tuple[int, int]]:
    """Choose a square of the slice around a box in it, within the slice."""
    ends: list[tuple[int, int]] = []
    for one, mm, size in zip(around, pixel_mm, shape, strict=True):
        n = min(size, max(1, round(side_mm / mm)))
        start = round((one.start + one.stop - n) / 2)
        start = min(max(start, 0), size - n)
        ends.append((start, start + n))
    return ends[0], ends[1]
