"""A Gaussian blur, as wide as a share of the picture's longer side."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from overread.imaging.effects._shared import blurred
from overread.imaging.picture_effect import EffectValues, PictureEffect, like

__all__ = ["EFFECT"]


def _pixels(pixels: NDArray[Any], values: EffectValues) -> NDArray[Any]:
    sigma_px = float(values["sigma_of_side"]) * max(pixels.shape[:2])
    return like(blurred(pixels, sigma_px, edges="continued"), pixels)


EFFECT = PictureEffect(name="blur", pixels=_pixels)
"""Edges are continued outwards, the kernel is cut at 4 sigma; of an array's planes, those along its
first axis are blurred one by one."""
