"""A window that is off: its centre moved at random, its width narrowed."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from overread.imaging.effects._shared import drawn_from, exact, held, limits
from overread.imaging.picture_effect import EffectValues, PictureEffect

__all__ = ["EFFECT"]


def _pixels(pixels: NDArray[Any], values: EffectValues) -> NDArray[Any]:
    shift = float(values["shift"])
    low, high = limits(pixels)
    if high <= low:
        return pixels.copy()
    centre = (low + high) / 2 + drawn_from(values).uniform(-shift, shift) * (high - low)
    width = (high - low) * (1 - shift / 2)
    changed = (exact(pixels) - np.float32(centre - width / 2)) * np.float32((high - low) / width)
    return held(changed + np.float32(low), pixels, by_colour=False)


EFFECT = PictureEffect(name="window-level", pixels=_pixels)
"""The centre moves by up to ``shift`` of the range either way; the width loses half of it."""
