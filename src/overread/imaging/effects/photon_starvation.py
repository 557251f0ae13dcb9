"""CT noise where few photons arrive, as the square root of the value."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from overread.imaging.effects._shared import drawn_from, exact, held
from overread.imaging.picture_effect import EffectValues, PictureEffect

__all__ = ["EFFECT"]


def _pixels(pixels: NDArray[Any], values: EffectValues) -> NDArray[Any]:
    real = exact(pixels)
    noise = drawn_from(values).standard_normal(pixels.shape, dtype=np.float32)
    noise *= np.sqrt(np.abs(real) + 1) * np.float32(values["noise"])
    return held(real + noise, pixels, by_colour=True)


EFFECT = PictureEffect(name="photon-starvation", pixels=_pixels)
"""Standard deviation: ``noise`` times the root of the value and 1. On grey values from 0 to 255 the
strongest of the published levels is 2.4 grey levels."""
