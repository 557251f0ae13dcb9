"""The grain of OCT: bright and dark specks that multiply the signal."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from overread.imaging.effects._shared import drawn_from, exact, held, over_colours
from overread.imaging.picture_effect import EffectValues, PictureEffect

__all__ = ["EFFECT"]


def _pixels(pixels: NDArray[Any], values: EffectValues) -> NDArray[Any]:
    grain = drawn_from(values).standard_normal(pixels.shape[:2], dtype=np.float32)
    np.exp(grain * np.float32(values["sigma"]), out=grain)
    grain /= grain.mean(dtype=np.float64).astype(np.float32)
    return held(exact(pixels) * over_colours(grain, pixels), pixels, by_colour=True)


EFFECT = PictureEffect(name="speckle-artifacts", pixels=_pixels)
"""Log-normal factors with mean 1, the same for all colours."""
