"""Fewer, larger pixels: sampled down and up again, nearest pixel both times."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from overread.imaging.picture_effect import EffectValues, PictureEffect

__all__ = ["EFFECT"]


def _kept(size: int, factor: float) -> NDArray[np.intp]:
    small = max(1, int(size * factor))
    fewer = np.arange(small) * size // small
    return fewer[np.arange(size) * small // size].astype(np.intp)


def _pixels(pixels: NDArray[Any], values: EffectValues) -> NDArray[Any]:
    factor = float(values["factor"])
    rows, columns = (_kept(size, factor) for size in pixels.shape[:2])
    return np.ascontiguousarray(pixels[rows][:, columns])


EFFECT = PictureEffect(name="pixelate", pixels=_pixels)
"""To ``factor`` of each side, rounded down; the first of several pixels stands for all."""
