"""A Gaussian blur of so many pixels, whatever the size of the picture."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from overread.imaging.effects._shared import blurred
from overread.imaging.picture_effect import EffectValues, PictureEffect, like

__all__ = ["EFFECT"]


def _pixels(pixels: NDArray[Any], values: EffectValues) -> NDArray[Any]:
    sigma_px = float(values["sigma_px"])
    return like(blurred(pixels, sigma_px), pixels) if sigma_px > 0 else pixels.copy()


EFFECT = PictureEffect(name="gaussian-blur", pixels=_pixels)
"""Edges are reflected, the kernel is cut at 4 sigma; sigma 0 changes nothing."""
