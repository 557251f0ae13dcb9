"""Which slices of a case to show: in each plane the one with the most disagreement.

Planes lie as radiologists look at them: the patient's right on the left of the picture, head or
front up. Where a file does not say how it lies in the patient, planes are named by their axes.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from overread.imaging.reorient import reorient, turn_of
from overread.metrics.components import label_components

__all__ = ["Cut", "CutPlane", "cut_plane", "find_cuts", "is_one_of"]

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
_FEW: Final = 4
"""So many values are compared one by one, which is faster than a look-up."""

_Box: TypeAlias = tuple[slice, ...]


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
    reference: NDArray[Any],
    prediction: NDArray[Any],
    *,
    spacing_mm: tuple[float, ...] | None,
    axes: str | None,
    values: Collection[int] = (1,),
) -> tuple[Cut, ...]:
    """Choose a slice in each of three planes; of a picture, the picture.

    Parameters
    ----------
    reference, prediction
        Masks or label maps of equal shape, two or three dimensions.
    spacing_mm
        Along the axes of the arrays; None where it is not known.
    axes
        Where they grow in the patient (``RAS``); None where it is not known.
    values
        What belongs to the mask.

    Returns
    -------
    tuple of Cut
        Where nothing disagrees, the slices with the most of the mask; none where neither array has
        one of the values.

    Notes
    -----
    Of a whole volume only a few slabs are held as a mask at a time, so that a scan of 512 × 512 ×
    600 takes no second and no memory of its own.
    """
    boxes = [_held(one, values) for one in (reference, prediction)]
    box = _around([one for one in boxes if one is not None])
    if box is None:
        return ()
    spacing = spacing_mm or (1.0,) * reference.ndim
    near = is_one_of(reference[box], values), is_one_of(prediction[box], values)
    planes = _planes(near, box, reference.shape, axes)
    flats = [_flat(plane, reference, prediction, values, spacing) for plane in planes]
    longest = _longest_mm(box, spacing)
    whole = max(longest + 2 * max(_LEAST_MARGIN_MM, _MARGIN * longest), _LEAST_SIDE_MM)
    side_mm = min(whole, max(flat.side_mm for flat in flats))
    return tuple(
        _cut(flat, side_mm, is_whole=side_mm == whole, is_mm=spacing_mm is not None)
        for flat in flats
    )


def is_one_of(array: NDArray[Any], values: Collection[int]) -> NDArray[np.bool_]:
    """Mark the voxels with one of some values."""
    if len(values) > _FEW:
        found: NDArray[np.bool_] = np.isin(array, list(values))
        return found
    mask = np.zeros(array.shape, dtype=np.bool_)
    for value in values:
        mask |= array == value
    return mask


def _held(array: NDArray[Any], values: Collection[int]) -> _Box | None:
    """Give the smallest box that holds the values; None where there is none."""
    slow = int(np.argmax(array.strides))  # slabs along it lie together in memory
    held = [np.zeros(size, dtype=np.bool_) for size in array.shape]
    rest = [axis for axis in range(array.ndim) if axis != slow]
    for place in range(array.shape[slow]):
        slab = is_one_of(_slice(array, place, slow), values)
        if not slab.any():
            continue
        held[slow][place] = True
        for number, axis in enumerate(rest):
            others = tuple(other for other in range(len(rest)) if other != number)
            held[axis] |= slab.any(axis=others)
    if not held[slow].any():
        return None
    ends = [np.flatnonzero(one) for one in held]
    return tuple(slice(int(one[0]), int(one[-1]) + 1) for one in ends)


def _around(boxes: Sequence[_Box]) -> _Box | None:
    """Give the smallest box around boxes."""
    if not boxes:
        return None
    return tuple(
        slice(min(one.start for one in sides), max(one.stop for one in sides))
        for sides in zip(*boxes, strict=True)
    )


def _planes(
    masks: tuple[NDArray[np.bool_], NDArray[np.bool_]],
    box: _Box,
    shape: tuple[int, ...],
    axes: str | None,
) -> list[CutPlane]:
    """Choose the slices of arrays of a shape, from the part of both masks that lies in a box."""
    if len(shape) == 2:
        return [CutPlane(stored=None, axis=-1, index=0, rows=(0, 0), columns=(0, 0))]
    differs = masks[0] ^ masks[1]
    counted = differs if differs.any() else masks[0]
    planes: list[CutPlane] = []
    for axis, stored in enumerate(_order(axes)):
        others = tuple(other for other in range(3) if other != stored)
        counts = np.count_nonzero(counted, axis=others)
        start = box[stored].start
        if axes is not None and axes[stored] != _SPL[axis]:  # the turned array runs the other way
            counts, start = counts[::-1], shape[stored] - box[stored].stop
        index = int(np.argmax(counts)) + start
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
    if plane.axis < 0:  # a picture, whose third axis may be its colours
        return array
    turned = _turned(array, plane.stored)
    flat = _slice(turned, plane.index, plane.axis)
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
    focus: _Box
    """Around the largest piece in which the two differ; of equal ones, of the mask."""
    side_mm: float
    """How much to show of it."""


def _slice(array: NDArray[Any], place: int, axis: int) -> NDArray[Any]:
    """Give a view of one slice; `numpy.take` would copy an array that lies across memory."""
    return array[(slice(None),) * axis + (place,)]


def _flat(
    plane: CutPlane,
    reference: NDArray[Any],
    prediction: NDArray[Any],
    values: Collection[int],
    spacing: tuple[float, ...],
) -> _Flat:
    flats = [is_one_of(_whole(one, plane), values) for one in (reference, prediction)]
    pixel_mm, letters, name, n = _frame(plane, reference.shape, spacing)
    differs = flats[0] ^ flats[1]
    focus = _box_of(_largest(differs if differs.any() else flats[0] | flats[1]))
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
    around = _box_of(flat.reference | flat.prediction) if is_whole else flat.focus
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


def _longest_mm(box: _Box, spacing: tuple[float, ...]) -> float:
    return max((one.stop - one.start) * mm for one, mm in zip(box, spacing, strict=True))


def _box_of(mask: NDArray[np.bool_]) -> _Box:
    """Give the smallest box that holds a flat mask; all of an empty one."""
    return _held(mask, (1,)) or tuple(slice(0, size) for size in mask.shape)


def _window(
    around: _Box,
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
