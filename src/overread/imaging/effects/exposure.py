"""Too little or too much exposure: values times a factor."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from overread.imaging.effects._shared import exact
from overread.imaging.picture_effect import EffectValues, PictureEffect, like

__all__ = ["EFFECT"]


def _pixels(pixels: NDArray[Any], values: EffectValues) -> NDArray[Any]:
    changed = exact(pixels) * np.float32(values["factor"])
    return like(np.minimum(changed, np.float32(pixels.max())), pixels)


EFFECT = PictureEffect(name="exposure", pixels=_pixels)
"""Cut at the greatest value of the picture."""
