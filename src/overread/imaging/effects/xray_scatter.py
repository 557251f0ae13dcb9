"""Scattered radiation: a veil of the picture itself, widely blurred."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from overread.imaging.effects._shared import blurred, exact, held
from overread.imaging.picture_effect import EffectValues, PictureEffect

__all__ = ["EFFECT"]


_SIGMA_PX = 30.0


def _pixels(pixels: NDArray[Any], values: EffectValues) -> NDArray[Any]:
    real = exact(pixels)
    veil = blurred(real, _SIGMA_PX)
    if values["mixes_colours"] and pixels.ndim == 3:
        # So wide a kernel, reflected over three colours, gives each nearly their mean.
        veil = np.repeat(veil.mean(axis=-1, keepdims=True), pixels.shape[-1], axis=-1)
    return held(real + veil * np.float32(values["gain"]), pixels, by_colour=False)


EFFECT = PictureEffect(name="xray-scatter", pixels=_pixels)
"""``gain`` times the picture blurred by 30 px, added; values held to those of the picture. With
``mixes_colours`` the veil is grey, as the released code blurs across colours too."""
