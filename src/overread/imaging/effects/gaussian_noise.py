"""Noise of the same strength everywhere, as a share of the picture's range of values."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from overread.imaging.effects._shared import drawn_from, held, limits
from overread.imaging.picture_effect import EffectValues, PictureEffect

__all__ = ["EFFECT"]


def _pixels(pixels: NDArray[Any], values: EffectValues) -> NDArray[Any]:
    low, high = limits(pixels)
    noise = drawn_from(values).standard_normal(pixels.shape, dtype=np.float32)
    noise *= np.float32(float(values["sigma_of_range"]) * (high - low))
    return held(noise + pixels, pixels, by_colour=False)


EFFECT = PictureEffect(name="gaussian-noise", pixels=_pixels)
"""Drawn for each colour; values stay within those of the picture."""
