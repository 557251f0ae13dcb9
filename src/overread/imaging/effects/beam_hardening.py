"""Cupping in CT: darker away from the middle, as beam hardening is drawn there."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from overread.imaging.effects._shared import exact, from_corner, over_colours
from overread.imaging.picture_effect import EffectValues, PictureEffect, like

__all__ = ["EFFECT"]


def _pixels(pixels: NDArray[Any], values: EffectValues) -> NDArray[Any]:
    down, across = from_corner(pixels)
    rows, columns = pixels.shape[:2]
    square = (down - rows / 2) ** 2 + (across - columns / 2) ** 2
    most = (rows / 2) ** 2 + (columns / 2) ** 2
    light = 1 - np.float32(values["strength"]) * (square / most)
    return like(exact(pixels) * over_colours(light.astype(np.float32), pixels), pixels)


EFFECT = PictureEffect(name="beam-hardening", pixels=_pixels)
"""Darker by ``strength`` in the corner and with the square of the distance from the middle. Real
cupping makes the middle darker; this is the released code's."""
