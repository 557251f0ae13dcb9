"""The picture as it comes back from a JPEG file."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
from numpy.typing import NDArray

from overread.imaging.effects._shared import exact, limits, stretched
from overread.imaging.picture_effect import EffectValues, PictureEffect, like

__all__ = ["EFFECT"]


def _pixels(pixels: NDArray[Any], values: EffectValues) -> NDArray[Any]:
    quality = int(values["quality"])
    if pixels.dtype == np.uint8:
        return _there_and_back(pixels, quality)
    low, high = limits(pixels)
    if high <= low:
        return pixels.copy()
    grey = np.rint(stretched(exact(pixels), 0.0, 255.0)).astype(np.uint8)
    back = exact(_there_and_back(grey, quality))
    return like(back * ((high - low) / 255) + low, pixels)


def _there_and_back(grey: NDArray[np.uint8], quality: int) -> NDArray[np.uint8]:
    from PIL import Image

    stream = io.BytesIO()
    Image.fromarray(np.ascontiguousarray(grey)).save(stream, format="JPEG", quality=quality)
    with Image.open(stream) as image:
        return np.asarray(image, dtype=np.uint8)


EFFECT = PictureEffect(name="compression-artifacts", pixels=_pixels)
"""Colours at half resolution below quality 100, as encoders do; numbers that are no grey values
are drawn out from 0 to 255 for the file, and back."""
