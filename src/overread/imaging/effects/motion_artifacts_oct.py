"""Blocks of rows of an OCT picture moved sideways: the eye moved during the scan."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from overread.imaging.effects._shared import between, box_by_labels, drawn_from
from overread.imaging.picture_effect import EffectValues, PictureEffect

__all__ = ["EFFECT"]


def _blocks(rows: int, columns: int, values: EffectValues) -> list[tuple[slice, int]]:
    """Draw which rows move, and by how many pixels."""
    rng = drawn_from(values)
    most = int(columns * float(values["shift_of_width"]))
    found: list[tuple[slice, int]] = []
    for _ in range(between(rng, 1, int(values["most_blocks"]) + 1)):
        height = between(rng, rows // 8, rows // 3)
        start = between(rng, 0, rows - height)
        found.append((slice(start, start + height), between(rng, -most, most + 1)))
    return found


def _pixels(pixels: NDArray[Any], values: EffectValues) -> NDArray[Any]:
    changed = pixels.copy()
    columns = pixels.shape[1]
    for block, shift in _blocks(pixels.shape[0], columns, values):
        # What comes in at a side repeats the column that was there.
        place = np.clip(np.arange(columns) - shift, 0, columns - 1)
        changed[block] = changed[block][:, place]
    return changed


def _mask(labels: NDArray[Any], values: EffectValues) -> NDArray[Any]:
    changed = labels.copy()
    columns = labels.shape[1]
    for block, shift in _blocks(labels.shape[0], columns, values):
        place = np.arange(columns) - shift
        inside = (place >= 0) & (place < columns)
        changed[block] = np.where(inside, changed[block][:, np.clip(place, 0, columns - 1)], 0)
    return changed


EFFECT = PictureEffect(
    name="motion-artifacts-oct",
    pixels=_pixels,
    mask=_mask,
    box=partial(box_by_labels, move=_mask),
)
"""One to ``most_blocks`` blocks of an eighth to a third of the height; labels move with them, none
comes in over the edge."""
