"""A Gaussian blur, as wide as a share of the picture's longer side."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from overread.imaging.picture_effect import EffectValues, PictureEffect, like

__all__ = ["EFFECT"]

_CUT_SIGMAS = 4.0


def _pixels(pixels: NDArray[Any], values: EffectValues) -> NDArray[Any]:
    from scipy.ndimage import gaussian_filter

    sigma_px = float(values["sigma_of_side"]) * max(pixels.shape[:2])
    sigmas = (sigma_px, sigma_px, 0.0)[: pixels.ndim]
    blurred = gaussian_filter(
        np.asarray(pixels, dtype=np.float32), sigmas, mode="nearest", truncate=_CUT_SIGMAS
    )
    return like(blurred, pixels)


EFFECT = PictureEffect(name="blur", pixels=_pixels)
"""Edges are continued outwards (mode ``nearest``), the kernel is cut at 4 sigma; of an array's
planes, those along its first axis are blurred one by one."""
