"""The dark rim of a dermatoscope: a picture that darkens away from its middle."""

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
    apart = np.hypot(down - rows / 2, across - columns / 2)
    half_side = max(1, min(rows, columns) // 2)
    light = np.clip(1 - np.float32(values["strength"]) * apart / half_side, 0, 1)
    return like(exact(pixels) * over_colours(light, pixels), pixels)


EFFECT = PictureEffect(name="dermoscopy-artifacts", pixels=_pixels)
"""Darker by ``strength`` at half the shorter side from the middle, in proportion to distance."""
