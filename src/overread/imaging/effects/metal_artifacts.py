"""Bright and dark streaks around metal in CT."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from overread.imaging.effects._shared import between, drawn_from, exact, held, over_colours
from overread.imaging.picture_effect import EffectValues, PictureEffect

__all__ = ["EFFECT"]


def _pixels(pixels: NDArray[Any], values: EffectValues) -> NDArray[Any]:
    rng, strength = drawn_from(values), float(values["strength"])
    rows, columns = pixels.shape[:2]
    y, x = between(rng, rows // 4, 3 * rows // 4), between(rng, columns // 4, 3 * columns // 4)
    reach, count = min(rows, columns) // 2, int(values["streaks"])
    light = np.ones((rows, columns), dtype=np.float32)
    along = np.arange(reach)
    weaker = strength * (1 - along / max(1, reach))
    for number in range(count):
        angle = 2 * np.pi * number / count
        down = (y + along * np.sin(angle)).astype(np.intp)
        across = (x + along * np.cos(angle)).astype(np.intp)
        inside = (down >= 0) & (down < rows) & (across >= 0) & (across < columns)
        factor = (1 + weaker if number % 2 == 0 else 1 - weaker).astype(np.float32)
        # A pixel that a slanting streak meets twice is changed twice, as in the released code.
        np.multiply.at(light, (down[inside], across[inside]), factor[inside])
    return held(exact(pixels) * over_colours(light, pixels), pixels, by_colour=True)


EFFECT = PictureEffect(name="metal-artifacts", pixels=_pixels)
"""``streaks`` lines of one pixel from a point, every second one bright, fading over half the side;
values held to those of the picture."""
