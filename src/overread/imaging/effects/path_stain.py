"""Each colour of a slide stronger or weaker by itself."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from overread.imaging.effects._shared import drawn_from, exact
from overread.imaging.picture_effect import EffectValues, PictureEffect, like

__all__ = ["EFFECT"]


def _pixels(pixels: NDArray[Any], values: EffectValues) -> NDArray[Any]:
    amount = float(values["amount"])
    if pixels.ndim == 2:
        return pixels.copy()
    factors = drawn_from(values).uniform(1 - amount, 1 + amount, size=pixels.shape[-1])
    return like(np.clip(exact(pixels) * factors.astype(np.float32), 0, 255), pixels)


EFFECT = PictureEffect(name="path-stain", pixels=_pixels)
"""By up to ``amount`` either way; a grey picture has no stain and stays as it is."""
