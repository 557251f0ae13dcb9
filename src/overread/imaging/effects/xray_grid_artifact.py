"""The lines of an anti-scatter grid: every fourth row is darker."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from overread.imaging.effects._shared import exact
from overread.imaging.picture_effect import EffectValues, PictureEffect, like

__all__ = ["EFFECT"]


_EVERY = 4


def _pixels(pixels: NDArray[Any], values: EffectValues) -> NDArray[Any]:
    changed = exact(pixels)
    changed[::_EVERY] *= np.float32(1 - float(values["depth"]))
    return like(changed, pixels)


EFFECT = PictureEffect(name="xray-grid-artifact", pixels=_pixels)
"""By the share ``depth``, from the first row on."""
