"""Fainter copies of the picture, shifted, as a moving patient leaves them in MR."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from overread.imaging.effects._shared import blurred, exact, limits, stretched
from overread.imaging.picture_effect import EffectValues, PictureEffect, like

__all__ = ["EFFECT"]


def _one(real: NDArray[np.float32], values: EffectValues) -> NDArray[np.float32]:
    rows, columns = real.shape
    low, high = limits(real)
    changed = real.copy()
    for number in range(1, int(values["ghosts"]) + 1):
        gain = np.float32(float(values["gain"]) / number**0.8)
        down = np.roll(real, rows // 2 * number % rows, axis=0)
        changed += blurred(down, 0.2 + 0.1 * number) * gain
        if values["sideways"]:
            across = np.roll(real, columns // 4 * number % columns, axis=1)
            changed += blurred(across, 0.3 + 0.1 * number) * (gain * np.float32(0.3))
    return np.clip(stretched(changed, low, high), low, high)


def _pixels(pixels: NDArray[Any], values: EffectValues) -> NDArray[Any]:
    real = exact(pixels)
    if pixels.ndim == 2:
        return like(_one(real, values), pixels)
    colours = [_one(real[..., each], values) for each in range(pixels.shape[2])]
    return like(np.stack(colours, axis=-1), pixels)


EFFECT = PictureEffect(name="ghosting", pixels=_pixels)
"""Copy i is shifted by i half heights, weaker by i to the power 0.8 (so every second lies on the
picture itself, as in the released code); ``sideways`` adds copies shifted by quarter widths. The
range of values is that of the picture again."""
