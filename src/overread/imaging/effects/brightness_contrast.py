"""Brighter or darker, and more or less contrast, by random amounts within limits."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from overread.imaging.effects._shared import drawn_from, exact, held, limits
from overread.imaging.picture_effect import EffectValues, PictureEffect

__all__ = ["EFFECT"]


def _pixels(pixels: NDArray[Any], values: EffectValues) -> NDArray[Any]:
    bright, steep = drawn_from(values).uniform(-1, 1, size=2).tolist()
    amount, part = float(values["amount"]), values["part"]
    brightness = bright * amount if part != "contrast" else 0.0
    contrast = 1 + steep * amount if part != "brightness" else 1.0
    real = exact(pixels)
    if values["form"] == "offset":
        low, high = limits(pixels)
        changed = real * np.float32(contrast) + np.float32(brightness * (high - low))
        return held(changed, pixels, by_colour=False)
    mean = real.mean(axis=(0, 1), dtype=np.float64).astype(np.float32)
    changed = ((real - mean) * np.float32(contrast) + mean) * np.float32(1 + brightness)
    return held(changed, pixels, by_colour=True)


EFFECT = PictureEffect(name="brightness-contrast", pixels=_pixels)
"""By up to ``amount`` either way; ``part`` is brightness, contrast or both.

Form ``factor``: contrast about the mean of each colour, then brightness as a factor. Form
``offset``: values times the contrast, plus brightness as a share of the range. Values stay within
those of the picture."""
