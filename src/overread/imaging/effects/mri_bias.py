"""One broad bright region, as close to a surface coil."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from overread.imaging.effects._shared import drawn_from, exact, from_corner, held, over_colours
from overread.imaging.picture_effect import EffectValues, PictureEffect

__all__ = ["EFFECT"]


def _pixels(pixels: NDArray[Any], values: EffectValues) -> NDArray[Any]:
    rng = drawn_from(values)
    rows, columns = pixels.shape[:2]
    x, y = columns * rng.uniform(0.3, 0.7), rows * rng.uniform(0.3, 0.7)
    sigma = 0.3 * min(rows, columns)
    down, across = from_corner(pixels)
    column, row = (
        np.exp(-((each - np.float32(at)) ** 2) / np.float32(2 * sigma**2))
        for each, at in ((down, y), (across, x))
    )
    light = 1 + np.float32(values["gain"]) * column * row
    return held(exact(pixels) * over_colours(light, pixels), pixels, by_colour=False)


EFFECT = PictureEffect(name="mri-bias", pixels=_pixels)
"""A Gaussian gain, its sigma 0.3 of the shorter side; values held to those of the picture."""
