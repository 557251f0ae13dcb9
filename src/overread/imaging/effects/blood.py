"""Blood over parts of an endoscopic picture: green and blue go, red stays."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from overread.imaging.effects._shared import between, drawn_from, exact, from_corner, over_colours
from overread.imaging.picture_effect import EffectValues, PictureEffect, like

__all__ = ["EFFECT"]


_LOSSES = np.array([0.1, 0.5, 0.5], dtype=np.float32)
"""Of red, green, blue where blood lies fully."""
_GREY_LOSS = np.float32(0.4)


def _pixels(pixels: NDArray[Any], values: EffectValues) -> NDArray[Any]:
    rng, coverage = drawn_from(values), float(values["coverage"])
    rows, columns = pixels.shape[:2]
    down, across = from_corner(pixels)
    blood = np.zeros((rows, columns), dtype=np.float32)
    for _ in range(max(1, int(coverage * 20))):
        y, x = between(rng, 0, rows), between(rng, 0, columns)
        tall = between(rng, max(5, rows // 20), max(10, rows // 8))
        wide = between(rng, max(5, columns // 20), max(10, columns // 8))
        column = np.exp(-2 * ((down - y) / tall) ** 2) * np.float32(rng.uniform(0.5, 1.0))
        np.maximum(blood, column * np.exp(-2 * ((across - x) / wide) ** 2), out=blood)
    blood = np.clip(blood * np.float32(5 * coverage), 0, 1)
    losses = _LOSSES if pixels.ndim == 3 else _GREY_LOSS
    return like(exact(pixels) * (1 - over_colours(blood, pixels) * losses), pixels)


EFFECT = PictureEffect(name="blood", pixels=_pixels)
"""20 times ``coverage`` soft ellipses, as strong as 5 times ``coverage``; a grey picture becomes
darker."""
