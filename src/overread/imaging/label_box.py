"""Where in an array labels are, and which: a volume is mostly background, hardly touched."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

__all__ = ["label_box", "labels_of", "union_box"]

_AT_ONCE: Final = 1 << 20
"""Voxels that are counted at once."""


def label_box(array: NDArray[np.unsignedinteger]) -> tuple[slice, ...] | None:
    """Find the smallest box that holds every label above 0.

    Parameters
    ----------
    array
        Labels on two or three axes, in either order of memory.

    Returns
    -------
    tuple of slice or None
        One slice an axis, with start and stop. None for an array of background alone.

    Examples
    --------
    >>> label_box(np.array([[0, 0, 0], [0, 3, 0]], np.uint8))
    (slice(1, 2, None), slice(1, 2, None))
    """
    is_fortran = array.flags.f_contiguous and not array.flags.c_contiguous
    turned = array.T if is_fortran else array
    if not turned.size:
        return None
    planes = turned.reshape(turned.shape[0], -1).max(axis=1)
    found = _span(planes)
    if found is None:
        return None
    middle = turned[found].max(axis=0)
    box = [found]
    for axis in range(middle.ndim):
        others = tuple(other for other in range(middle.ndim) if other != axis)
        span = _span(middle.max(axis=others) if others else middle)
        box.append(span if span is not None else slice(0, 0))
    return tuple(reversed(box)) if is_fortran else tuple(box)


def union_box(
    one: tuple[slice, ...] | None, other: tuple[slice, ...] | None
) -> tuple[slice, ...] | None:
    """Give the smallest box that holds two of them; None stands for an empty one.

    Examples
    --------
    >>> union_box((slice(1, 2),), (slice(4, 6),))
    (slice(1, 6, None),)
    """
    if one is None or other is None:
        return one if other is None else other
    return tuple(
        slice(min(a.start, b.start), max(a.stop, b.stop)) for a, b in zip(one, other, strict=True)
    )


def labels_of(array: NDArray[np.unsignedinteger]) -> tuple[int, ...]:
    """List the labels above 0 that occur, ascending.

    Examples
    --------
    >>> labels_of(np.array([[0, 5], [2, 5]], np.uint8))
    (2, 5)
    """
    if not array.size:
        return ()
    if array.dtype.itemsize > 2:
        return tuple(int(label) for label in np.unique(array) if label)
    flat: NDArray[Any] = array.reshape(-1, order="A")  # a view of either order of memory
    highest = int(flat.max())
    if highest <= 1:
        return (1,) * highest
    counts = np.zeros(highest + 1, dtype=np.int64)
    for start in range(0, flat.size, _AT_ONCE):
        counts += np.bincount(flat[start : start + _AT_ONCE], minlength=highest + 1)
    return tuple(int(label) for label in np.flatnonzero(counts) if label)


def _span(values: NDArray[np.unsignedinteger]) -> slice | None:
    found = np.flatnonzero(values)
    return slice(int(found[0]), int(found[-1]) + 1) if found.size else None
