"""The picture turned about its middle, one way or the other."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from overread.imaging.effects._affine import moved_box, moved_labels, moved_pixels
from overread.imaging.effects._shared import drawn_from
from overread.imaging.picture_effect import EffectValues, PictureEffect
from overread.records import Box

__all__ = ["EFFECT"]


def _map(width: int, height: int, values: EffectValues) -> NDArray[np.float64]:
    sign = 1 if drawn_from(values).integers(2) else -1
    angle = np.deg2rad(float(values["angle_degrees"])) * sign
    cos, sin = np.cos(angle), np.sin(angle)
    x, y = width / 2, height / 2
    return np.array([[cos, sin, (1 - cos) * x - sin * y], [-sin, cos, sin * x + (1 - cos) * y]])


def _pixels(pixels: NDArray[Any], values: EffectValues) -> NDArray[Any]:
    return moved_pixels(pixels, _map(pixels.shape[1], pixels.shape[0], values))


def _mask(labels: NDArray[Any], values: EffectValues) -> NDArray[Any]:
    return moved_labels(labels, _map(labels.shape[1], labels.shape[0], values))


def _box(box: Box, width: int, height: int, values: EffectValues) -> Box:
    return moved_box(box, _map(width, height, values))


EFFECT = PictureEffect(name="rotation", pixels=_pixels, box=_box, mask=_mask)
"""Linear between pixels, edges reflected; labels by the nearest pixel, none beyond the edge."""
