"""The picture moved by whole pixels, a random number along each axis."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from overread.imaging.effects._shared import between, drawn_from
from overread.imaging.picture_effect import EffectValues, PictureEffect
from overread.records import Box

__all__ = ["EFFECT"]


def _shift(values: EffectValues) -> tuple[int, int]:
    most, rng = int(values["most_px"]), drawn_from(values)
    return between(rng, -most, most), between(rng, -most, most)


def _from(size: int, shift: int) -> NDArray[np.intp]:
    """Tell for each place where its value comes from: edges reflected, the edge twice."""
    place = (np.arange(size) - shift) % (2 * size)
    return np.where(place < size, place, 2 * size - 1 - place).astype(np.intp)


def _pixels(pixels: NDArray[Any], values: EffectValues) -> NDArray[Any]:
    across, down = _shift(values)
    rows, columns = _from(pixels.shape[0], down), _from(pixels.shape[1], across)
    return np.ascontiguousarray(pixels[rows][:, columns])


def _mask(labels: NDArray[Any], values: EffectValues) -> NDArray[Any]:
    across, down = _shift(values)
    moved = _pixels(labels, values)
    for axis, shift in ((0, down), (1, across)):
        place = np.arange(labels.shape[axis]) - shift
        came_in = (place < 0) | (place >= labels.shape[axis])
        moved[(came_in, slice(None)) if axis == 0 else (slice(None), came_in)] = 0
    return moved


def _box(box: Box, width: int, height: int, values: EffectValues) -> Box:
    across, down = _shift(values)
    return Box(
        x_min=box.x_min + across,
        y_min=box.y_min + down,
        x_max=box.x_max + across,
        y_max=box.y_max + down,
    )


EFFECT = PictureEffect(name="translation", pixels=_pixels, box=_box, mask=_mask)
"""By ``-most_px`` up to ``most_px - 1`` pixels; what comes in over the edge is the picture
reflected, and holds no label."""
