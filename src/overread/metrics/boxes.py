"""The smallest boxes of an array that hold a label, or all labels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias, cast

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from numpy.typing import NDArray

__all__ = ["columns_first", "hull", "label_boxes", "occupied_box"]

Box: TypeAlias = tuple[slice, ...]
"""One slice an axis: what cuts the box out of the array."""

_LARGEST_USUAL_LABEL: Final = 65_535
"""Up to here one pass finds the boxes of all labels; each label above it costs a pass."""


def columns_first(array: NDArray[np.generic]) -> bool:
    """Tell whether an array, or one that it is cut out of, lies in Fortran order.

    Examples
    --------
    >>> columns_first(np.zeros((3, 4), order="F")[1:]), columns_first(np.zeros((3, 4))[1:])
    (True, False)
    """
    return array.ndim > 1 and abs(array.strides[0]) < abs(array.strides[-1])


def occupied_box(array: NDArray[np.integer | np.bool_]) -> Box | None:
    """Find the box of all values other than 0; None where there is none.

    Examples
    --------
    >>> occupied_box(np.array([[0, 0, 0], [0, 4, 0]]))
    (slice(1, 2, None), slice(1, 2, None))
    """
    if columns_first(array):  # the other way round it would be read across
        box = occupied_box(array.T)
        return None if box is None else box[::-1]
    hits = np.flatnonzero(array.any(tuple(range(1, array.ndim))))
    if not hits.size:
        return None
    here = slice(int(hits[0]), int(hits[-1]) + 1)
    if array.ndim == 1:
        return (here,)
    return (here, *(occupied_box(np.asarray(array[here].any(0))) or ()))


def label_boxes(array: NDArray[np.integer], labels: Iterable[int]) -> dict[int, Box | None]:
    """Find the box of each label; None for a label without voxels.

    Examples
    --------
    >>> label_boxes(np.array([0, 7, 0, 7, 2]), (7, 5))
    {7: (slice(1, 4, None),), 5: None}
    """
    from scipy import ndimage  # pyright: ignore[reportMissingTypeStubs] - scipy ships none

    wanted = list(labels)
    if columns_first(array):
        turned = label_boxes(array.T, wanted)
        return {label: None if box is None else box[::-1] for label, box in turned.items()}
    usual = [label for label in wanted if 0 < label <= _LARGEST_USUAL_LABEL]
    whole = occupied_box(array) if usual else None
    found: dict[int, Box | None] = dict.fromkeys(usual)
    if whole is not None:
        find = cast("Callable[..., list[Box | None]]", ndimage.find_objects)
        boxes = find(array[whole], max(usual))
        found = {label: _within(whole, boxes[label - 1]) for label in usual}
    return {
        label: found[label] if label in found else occupied_box(array == label) for label in wanted
    }


def hull(*boxes: Box) -> Box:
    """Give the smallest box that holds all boxes, which have as many axes each.

    Examples
    --------
    >>> hull((slice(2, 5),), (slice(0, 3),))
    (slice(0, 5, None),)
    """
    return tuple(
        slice(min(one.start for one in axis), max(one.stop for one in axis))
        for axis in zip(*boxes, strict=True)
    )


def _within(outer: Box, inner: Box | None) -> Box | None:
    if inner is None:
        return None
    return tuple(
        slice(a.start + b.start, a.start + b.stop) for a, b in zip(outer, inner, strict=True)
    )
