"""The picture drawn out along a line in a random direction."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from overread.imaging.effects._shared import drawn_from, exact
from overread.imaging.picture_effect import EffectValues, PictureEffect, like

__all__ = ["EFFECT"]


def _kernel(length: int, angle: float) -> NDArray[np.float32]:
    """Turn a row of `length` equal weights about its middle pixel, linear between pixels."""
    middle = length // 2
    y, x = np.mgrid[:length, :length] - float(middle)
    along = np.cos(angle) * x - np.sin(angle) * y + middle
    apart = np.sin(angle) * x + np.cos(angle) * y
    on_line = np.clip(1 - np.abs(apart), 0, 1)
    # The two ends fade over one pixel, as the row's own ends do between pixels.
    within = np.clip(np.minimum(along + 1, length - along), 0, 1)
    return (on_line * within / length).astype(np.float32)


def _pixels(pixels: NDArray[Any], values: EffectValues) -> NDArray[Any]:
    length = int(values["length_px"])
    kernel = _kernel(length, float(drawn_from(values).uniform(-np.pi, np.pi)))
    if values["keeps_brightness"]:
        kernel /= kernel.sum()
    before, after = length // 2, length - 1 - length // 2
    around = ((before, after), (before, after), (0, 0))[: pixels.ndim]
    wide = np.pad(exact(pixels), around, mode="reflect")
    rows, columns = pixels.shape[:2]
    changed = np.zeros(pixels.shape, dtype=np.float32)
    for y, x in np.argwhere(kernel > 0).tolist():
        changed += wide[y : y + rows, x : x + columns] * kernel[y, x]
    return like(changed, pixels)


EFFECT = PictureEffect(name="motion-blur", pixels=_pixels)
"""``length_px`` is the side of the kernel. Edges are reflected. A turned line weighs 0.96
to 1.13 in all, as in the released code; with ``keeps_brightness`` it weighs 1."""
