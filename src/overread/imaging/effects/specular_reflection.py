"""Sharp highlights of a lamp on wet mucosa."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from overread.imaging.effects._shared import (
    between,
    drawn_from,
    exact,
    from_corner,
    held,
    highest,
    over_colours,
)
from overread.imaging.picture_effect import EffectValues, PictureEffect

__all__ = ["EFFECT"]


def _pixels(pixels: NDArray[Any], values: EffectValues) -> NDArray[Any]:
    rng, gain = drawn_from(values), float(values["gain"])
    rows, columns = pixels.shape[:2]
    down, across = from_corner(pixels)
    sigma = min(rows, columns) * (0.02 + 0.03 * gain)
    light = np.zeros((rows, columns), dtype=np.float32)
    for _ in range(max(1, int(2 + 8 * gain))):
        y, x = between(rng, rows // 6, 5 * rows // 6), between(rng, columns // 6, 5 * columns // 6)
        strength = gain * (0.8 + rng.uniform(0, 0.4))
        column, row = (
            np.exp(-((each - at) ** 2) / (4 * sigma**2)) for each, at in ((down, y), (across, x))
        )
        light += column * row * np.float32(strength)
    changed = exact(pixels) + over_colours(light, pixels) * highest(pixels)
    return held(changed, pixels, by_colour=True)


EFFECT = PictureEffect(name="specular-reflection", pixels=_pixels)
"""2 + 8 times ``gain`` spots, each the root of a Gaussian; values held to those of the picture."""
