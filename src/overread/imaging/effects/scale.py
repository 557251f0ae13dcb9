"""The picture shrunk, in the middle of a black one of the old size."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from overread.imaging.effects._shared import exact
from overread.imaging.picture_effect import EffectValues, PictureEffect, like
from overread.records import Box

__all__ = ["EFFECT"]


def _place(size: int, values: EffectValues) -> tuple[int, int]:
    """Give the new length of a side and where it begins."""
    new = max(1, int(size * float(values["factor"])))
    return new, (size - new) // 2


def _along(real: NDArray[np.float32], axis: int, new: int) -> NDArray[np.float32]:
    """Sample one axis anew, linear between pixels, the ends of both grids in the same place."""
    size = real.shape[axis]
    place = np.clip((np.arange(new) + 0.5) * size / new - 0.5, 0, size - 1)
    first = np.minimum(place.astype(np.intp), max(size - 2, 0))
    part = (place - first).astype(np.float32)
    shape = [1] * real.ndim
    shape[axis] = new
    low = real.take(first, axis=axis)
    high = real.take(np.minimum(first + 1, size - 1), axis=axis)
    return low + (high - low) * part.reshape(shape)


def _pixels(pixels: NDArray[Any], values: EffectValues) -> NDArray[Any]:
    (rows, top), (columns, left) = (_place(size, values) for size in pixels.shape[:2])
    small = _along(_along(exact(pixels), 0, rows), 1, columns)
    # Black is 0 for grey values and the least value of numbers that go below it, such as HU.
    changed = np.full(pixels.shape, min(0.0, float(pixels.min())), dtype=np.float32)
    changed[top : top + rows, left : left + columns] = small
    return like(changed, pixels)


def _mask(labels: NDArray[Any], values: EffectValues) -> NDArray[Any]:
    (rows, top), (columns, left) = (_place(size, values) for size in labels.shape)
    down, across = (
        ((np.arange(new) + 0.5) * size / new).astype(np.intp)
        for new, size in zip((rows, columns), labels.shape, strict=True)
    )
    changed = np.zeros_like(labels)
    changed[top : top + rows, left : left + columns] = labels[down][:, across]
    return changed


def _box(box: Box, width: int, height: int, values: EffectValues) -> Box:
    (rows, top), (columns, left) = _place(height, values), _place(width, values)
    x, y = columns / width, rows / height
    return Box(
        x_min=(box.x_min + 0.5) * x - 0.5 + left,
        y_min=(box.y_min + 0.5) * y - 0.5 + top,
        x_max=(box.x_max + 0.5) * x - 0.5 + left,
        y_max=(box.y_max + 0.5) * y - 0.5 + top,
    )


EFFECT = PictureEffect(name="scale", pixels=_pixels, box=_box, mask=_mask)
"""Linear between pixels and without smoothing, as in the released code; sides rounded down."""
