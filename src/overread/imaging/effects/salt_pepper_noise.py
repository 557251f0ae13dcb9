"""Single pixels become the brightest or the darkest of the picture."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from overread.imaging.effects._shared import drawn_from, highest, lowest
from overread.imaging.picture_effect import EffectValues, PictureEffect

__all__ = ["EFFECT"]


def _pixels(pixels: NDArray[Any], values: EffectValues) -> NDArray[Any]:
    rng, half = drawn_from(values), float(values["share"]) / 2
    changed = pixels.copy()
    for value in (highest(pixels), lowest(pixels)):
        hit = rng.random(pixels.shape[:2], dtype=np.float32) < half
        changed[hit] = value.astype(pixels.dtype)
    return changed


EFFECT = PictureEffect(name="salt-pepper-noise", pixels=_pixels)
"""Half of ``share`` each, in the same place in all colours; where both fall, darkness stays."""
