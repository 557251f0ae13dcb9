"""Light that falls off from the first row to the last."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from overread.imaging.effects._shared import exact, held, over_colours
from overread.imaging.picture_effect import EffectValues, PictureEffect

__all__ = ["EFFECT"]


def _pixels(pixels: NDArray[Any], values: EffectValues) -> NDArray[Any]:
    down = np.linspace(0, 1, pixels.shape[0], dtype=np.float32)[:, np.newaxis]
    light = 1 - np.float32(values["loss"]) * down
    return held(exact(pixels) * over_colours(light, pixels), pixels, by_colour=False)


EFFECT = PictureEffect(name="ct-beam", pixels=_pixels)
"""By the share ``loss`` in the last row; values held to those of the picture."""
