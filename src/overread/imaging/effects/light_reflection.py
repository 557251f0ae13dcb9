"""A bright round spot of light somewhere in the middle of the picture."""

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
    rng = drawn_from(values)
    rows, columns = pixels.shape[:2]
    y, x = between(rng, rows // 4, 3 * rows // 4), between(rng, columns // 4, 3 * columns // 4)
    sigma = float(values["sigma_of_side"]) * min(rows, columns)
    down, across = from_corner(pixels)
    column, row = (
        np.exp(-((each - at) ** 2) / (2 * sigma**2)) for each, at in ((down, y), (across, x))
    )
    spot = column * row * np.float32(values["gain"])
    changed = exact(pixels) + over_colours(spot, pixels) * highest(pixels)
    return held(changed, pixels, by_colour=True)


EFFECT = PictureEffect(name="light-reflection", pixels=_pixels)
"""A Gaussian of ``gain`` times the greatest value, values held to those of the picture."""
