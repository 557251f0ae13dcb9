"""Black columns of an OCT picture, where something above took the signal."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from overread.imaging.effects._shared import between, drawn_from, exact, over_colours
from overread.imaging.picture_effect import EffectValues, PictureEffect, like

__all__ = ["EFFECT"]


def _light(columns: int, values: EffectValues) -> NDArray[np.float32]:
    rng = drawn_from(values)
    light = np.ones(columns, dtype=np.float32)
    across = np.arange(columns)
    for _ in range(between(rng, 1, int(values["most_shadows"]) + 1)):
        width = max(3, int(columns * float(values["width_of_side"]) * rng.uniform(0.7, 1.3)))
        middle = between(rng, width, columns - width)
        left, right = max(0, middle - width // 2), min(columns, middle + width // 2)
        edge = max(2, width // 6)
        soft = np.maximum(left + edge - across, across - (right - edge)) - 0.0
        inside = (across >= left) & (across < right)
        light *= np.where(inside, np.clip(soft / edge, 0, 1), 1).astype(np.float32)
    return light


def _pixels(pixels: NDArray[Any], values: EffectValues) -> NDArray[Any]:
    light = _light(pixels.shape[1], values)[np.newaxis]
    return like(exact(pixels) * over_colours(light, pixels), pixels)


EFFECT = PictureEffect(name="shadow-artifacts", pixels=_pixels)
"""One to ``most_shadows`` columns about as wide as ``width_of_side``, with soft edges."""
