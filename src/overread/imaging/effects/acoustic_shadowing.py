"""The shadow below something that lets no ultrasound through."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from overread.imaging.effects._shared import between, drawn_from, exact, over_colours
from overread.imaging.picture_effect import EffectValues, PictureEffect, like

__all__ = ["EFFECT"]


def _light(rows: int, columns: int, values: EffectValues) -> tuple[int, NDArray[np.float32]]:
    """Draw where the shadow begins, and what it leaves of each pixel from there down."""
    rng, attenuation = drawn_from(values), float(values["attenuation"])
    start = between(rng, rows // 4, rows // 2)
    middle = between(rng, columns // 4, 3 * columns // 4)
    depth = (np.arange(start, rows) - start) / max(1, rows - start)
    base = int(columns * (0.08 + 0.15 * attenuation))
    width = (base * (1 + 0.3 * depth)).astype(np.int_)
    left = np.maximum(0, middle - width // 2)[:, np.newaxis]
    right = np.minimum(columns, middle + width // 2)[:, np.newaxis]
    edge = (width // 6 + 1)[:, np.newaxis]
    across = np.arange(columns)[np.newaxis, :]
    cover = np.clip((across - left + edge) / edge, 0, 1)
    cover *= np.clip((right + edge - across) / edge, 0, 1)
    dark = attenuation * (1 - np.exp(-3 * depth))
    return start, (1 - dark[:, np.newaxis] * cover).astype(np.float32)


def _pixels(pixels: NDArray[Any], values: EffectValues) -> NDArray[Any]:
    start, light = _light(pixels.shape[0], pixels.shape[1], values)
    changed = exact(pixels)
    changed[start:] *= over_colours(light, pixels)
    return like(changed, pixels)


EFFECT = PictureEffect(name="acoustic-shadowing", pixels=_pixels)
"""A column that widens with depth, its light 1 less ``attenuation`` times (1 - exp(-3 depth)), with
soft sides."""
