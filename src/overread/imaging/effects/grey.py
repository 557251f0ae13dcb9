"""The same grey everywhere."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from overread.imaging.effects._shared import grey_of
from overread.imaging.picture_effect import EffectValues, PictureEffect

__all__ = ["EFFECT"]


def _pixels(pixels: NDArray[Any], values: EffectValues) -> NDArray[Any]:
    return np.full_like(pixels, grey_of(pixels, values))


EFFECT = PictureEffect(name="grey", pixels=_pixels)
"""``grey`` of 255; as far between the ends of the range for numbers that are no grey values."""
