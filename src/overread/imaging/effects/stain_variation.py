"""Another laboratory's stain: hue, saturation and brightness of a slide differ."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from overread.imaging.effects._shared import (
    blurred,
    drawn_from,
    enlarged,
    exact,
    held,
    limits,
    stretched,
)
from overread.imaging.picture_effect import EffectValues, PictureEffect, like

__all__ = ["EFFECT"]


def _pixels(pixels: NDArray[Any], values: EffectValues) -> NDArray[Any]:
    from PIL import Image

    rng, amount = drawn_from(values), float(values["amount"])
    if pixels.ndim == 2:
        return held(
            exact(pixels) * np.float32(rng.uniform(1 - amount, 1 + amount)), pixels, by_colour=True
        )
    low, high = limits(pixels)
    if high - low <= 1e-8:
        return pixels.copy()
    grey = stretched(exact(pixels), 0.0, 255.0).astype(np.uint8)
    hue, saturation, value = np.moveaxis(
        np.asarray(Image.fromarray(grey).convert("HSV"), dtype=np.float32), -1, 0
    )
    # 40 of the 180 steps of the released code's circle of hues; 256 steps here.
    hue = (hue + rng.uniform(-amount, amount) * 40 * 256 / 180) % 256
    saturation = saturation * rng.uniform(1 - amount, 1 + amount)
    value = value * rng.uniform(1 - 0.6 * amount, 1 + 0.6 * amount)
    if amount > 0.15:
        saturation = np.clip(saturation, 0, 255) * _uneven(
            pixels.shape[0], pixels.shape[1], amount, rng
        )
    turned = np.stack([hue, np.clip(saturation, 0, 255), np.clip(value, 0, 255)], axis=-1)
    size = pixels.shape[1], pixels.shape[0]
    shown = Image.frombytes("HSV", size, turned.astype(np.uint8).tobytes()).convert("RGB")
    return like(exact(np.asarray(shown)) * ((high - low) / 255) + low, pixels)


def _uneven(
    rows: int, columns: int, amount: float, rng: np.random.Generator
) -> NDArray[np.float32]:
    """Draw a smooth field around 1: stain is not taken up evenly."""
    cells = max(2, min(rows, columns) // 30)
    coarse = enlarged(rng.random((cells, cells)), max(1, rows // 8), max(1, columns // 8))
    field = blurred(coarse, min(rows, columns) / 64)
    field = enlarged(field - field.mean(), rows, columns)
    return 1 + field * np.float32(0.8 * amount)


EFFECT = PictureEffect(name="stain-variation", pixels=_pixels)
"""``amount`` bounds the random changes; above 0.15 saturation is uneven too. A grey picture changes
its brightness only."""
