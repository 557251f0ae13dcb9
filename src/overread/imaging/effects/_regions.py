"""Boxes of a picture as regions of whole pixels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from overread.records import Box

__all__ = ["inside_of"]


def inside_of(pixels: NDArray[Any], boxes: Sequence[Box], *, share: float) -> NDArray[np.bool_]:
    """Mark the pixels whose centres lie in a box, from its top down to a share of its height.

    Parameters
    ----------
    pixels
        The picture; (rows, columns) of it count.
    boxes
        In its pixels; what lies beyond its edges is left out.
    share
        From 0, nothing, to 1, the whole box.
    """
    marked = np.zeros(pixels.shape[:2], dtype=np.bool_)
    for rows, columns in _ranges(pixels, boxes, share):
        marked[rows, columns] = True
    return marked


def _ranges(
    pixels: NDArray[Any], boxes: Sequence[Box], share: float
) -> Iterator[tuple[slice, slice]]:
    height, width = pixels.shape[:2]
    for box in boxes:
        top, bottom = _pixels(box.y_min, box.y_max, height)
        left, right = _pixels(box.x_min, box.x_max, width)
        yield slice(top, top + round((bottom - top) * share)), slice(left, right)


def _pixels(low: float, high: float, size: int) -> tuple[int, int]:
    """Give the first pixel whose centre is inside, and the one after the last."""
    first = min(max(int(np.ceil(low)), 0), size)
    return first, min(max(int(np.floor(high)) + 1, first), size)
