"""One fainter copy of the picture, a tenth of the height lower."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from overread.imaging.effects._shared import exact, held
from overread.imaging.picture_effect import EffectValues, PictureEffect

__all__ = ["EFFECT"]


def _pixels(pixels: NDArray[Any], values: EffectValues) -> NDArray[Any]:
    real = exact(pixels)
    ghost = np.roll(real, int(pixels.shape[0] * 0.1), axis=0)
    return held(real + ghost * np.float32(values["gain"]), pixels, by_colour=False)


EFFECT = PictureEffect(name="mri-ghost", pixels=_pixels)
"""Added with ``gain``, come in again from above; values held to those of the picture."""
