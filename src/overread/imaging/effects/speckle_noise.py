"""Noise that is as strong as the picture is bright."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from overread.imaging.effects._shared import drawn_from, held
from overread.imaging.picture_effect import EffectValues, PictureEffect

__all__ = ["EFFECT"]


def _pixels(pixels: NDArray[Any], values: EffectValues) -> NDArray[Any]:
    factor = drawn_from(values).standard_normal(pixels.shape, dtype=np.float32)
    factor *= np.float32(values["sigma"])
    factor += 1
    return held(factor * pixels, pixels, by_colour=False)


EFFECT = PictureEffect(name="speckle-noise", pixels=_pixels)
"""Each value times a number from a normal distribution around 1."""
