"""Values drawn out from 0 to 255, as files are saved by the released code of MedFM-Robust."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from overread.imaging.effects._shared import exact, highest, limits, lowest
from overread.imaging.picture_effect import EffectValues, PictureEffect, like

__all__ = ["EFFECT"]


def _pixels(pixels: NDArray[Any], values: EffectValues) -> NDArray[Any]:
    real = exact(pixels)
    if values["by_colour"]:
        low, high = lowest(pixels), highest(pixels)
    else:
        low, high = (np.float32(each) for each in limits(pixels))
    span = high - low
    factor = np.where(span > 1e-8, 255 / np.where(span > 1e-8, span, 1), 0).astype(np.float32)
    # Whole numbers are cut off there, not rounded; the greatest value must stay 255.
    return like(np.floor((real - low) * factor + np.float32(1e-3)), pixels)


EFFECT = PictureEffect(name="minmax", pixels=_pixels)
"""Of each colour by itself (``by_colour``, as its pictures for segmentation are saved) or of all
together; a picture of one value becomes black. It undoes any dimming."""
