"""Left becomes right: the columns of a picture, or a whole volume across the patient."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from overread.imaging.picture_effect import EffectValues, PictureEffect
from overread.imaging.volume import Volume
from overread.records import Box

__all__ = ["EFFECT"]


def _pixels(pixels: NDArray[Any], values: EffectValues) -> NDArray[Any]:
    return np.ascontiguousarray(pixels[:, ::-1])


def _box(box: Box, width: int, height: int, values: EffectValues) -> Box:
    # Pixel centres lie at whole numbers: the last column is width - 1.
    return replace(box, x_min=width - 1 - box.x_max, x_max=width - 1 - box.x_min)


def _volume(volume: Volume, values: EffectValues) -> Volume:
    across = next(axis for axis, letter in enumerate(volume.geometry.axes) if letter in "LR")
    return replace(volume, array=np.flip(volume.array, axis=across))


EFFECT = PictureEffect(name="mirror", pixels=_pixels, box=_box, mask=_pixels, volume=_volume)
"""A volume is mirrored across the patient's left and right, whichever way its slices run, and its
stated orientation stays: a reader is not told."""
