"""Black bands across an OCT picture: the patient blinked."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from overread.imaging.effects._shared import between, drawn_from, exact, over_colours
from overread.imaging.picture_effect import EffectValues, PictureEffect, like

__all__ = ["EFFECT"]


def _light(rows: int, values: EffectValues) -> NDArray[np.float32]:
    rng = drawn_from(values)
    light = np.ones(rows, dtype=np.float32)
    down = np.arange(rows)
    for _ in range(int(values["bands"])):
        height = between(rng, max(2, rows // 50), max(5, rows // 20))
        middle = between(rng, height, rows - height)
        half, edge = height // 2, max(1, height // 4)
        apart = np.abs(down - middle)
        soft = np.clip((apart - (half - edge)) / edge, 0, 1)
        inside = (down >= middle - half) & (down < middle + half)
        light *= np.where(inside, soft, 1).astype(np.float32)
    return light


def _pixels(pixels: NDArray[Any], values: EffectValues) -> NDArray[Any]:
    light = _light(pixels.shape[0], values)[:, np.newaxis]
    return like(exact(pixels) * over_colours(light, pixels), pixels)


EFFECT = PictureEffect(name="blink-artifacts", pixels=_pixels)
"""``bands`` of 2 to 5 % of the height, with soft edges."""
