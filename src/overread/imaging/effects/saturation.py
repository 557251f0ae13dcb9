"""Regions over-exposed by a lamp that is too close."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from overread.imaging.effects._shared import (
    between,
    drawn_from,
    exact,
    from_corner,
    highest,
    over_colours,
)
from overread.imaging.picture_effect import EffectValues, PictureEffect, like

__all__ = ["EFFECT"]


def _pixels(pixels: NDArray[Any], values: EffectValues) -> NDArray[Any]:
    rng, share = drawn_from(values), float(values["share"])
    rows, columns = pixels.shape[:2]
    side = min(rows, columns)
    down, across = from_corner(pixels)
    light = np.zeros((rows, columns), dtype=np.float32)
    for _ in range(max(1, int(share * 15))):
        y, x = between(rng, rows // 4, 3 * rows // 4), between(rng, columns // 4, 3 * columns // 4)
        radius = between(rng, max(10, side // 15), max(20, side // 6))
        column, row = (
            np.exp(-2 * ((each - at) / radius) ** 2) for each, at in ((down, y), (across, x))
        )
        np.maximum(light, column * row, out=light)
    light = over_colours(np.clip(light * np.float32(8 * share), 0, 1), pixels)
    return like(exact(pixels) * (1 - light) + highest(pixels) * light, pixels)


EFFECT = PictureEffect(name="saturation", pixels=_pixels)
"""15 times ``share`` soft spots, one at least, drawn to the greatest value by 8 times ``share``."""
