"""An uneven MR coil: a smooth field makes regions brighter and darker."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from overread.imaging.effects._shared import (
    blurred,
    drawn_from,
    enlarged,
    exact,
    held,
    over_colours,
    stretched,
)
from overread.imaging.picture_effect import EffectValues, PictureEffect

__all__ = ["EFFECT"]


_COARSE = 4


def _field(rows: int, columns: int, values: EffectValues) -> NDArray[np.float32]:
    """Draw a field that runs from 1 - amplitude to 1 + amplitude."""
    rng, amplitude = drawn_from(values), float(values["amplitude"])
    cells = int(values["cells"])
    sigma = min(rows, columns) / float(values["smoothness"])
    # So smooth a field loses nothing when it is drawn at a quarter of the size.
    coarse = enlarged(
        rng.random((cells, cells)), max(1, rows // _COARSE), max(1, columns // _COARSE)
    )
    field = enlarged(blurred(coarse, sigma / _COARSE), rows, columns)
    down, across = np.arange(rows)[:, np.newaxis], np.arange(columns)[np.newaxis, :]
    for number in range(1, int(values["waves"]) + 1):
        turn = number * np.pi / max(rows, columns) * 3
        phase = rng.uniform(0, 2 * np.pi)
        wave = np.cos(turn * 0.8 * down + phase) * np.sin(turn * across + phase)
        field = field + (0.2 * amplitude * wave).astype(np.float32)
    apart = np.hypot(down - rows / 2, across - columns / 2) / np.hypot(rows / 2, columns / 2)
    field = field * (1 - 0.5 * amplitude * apart).astype(np.float32)
    if field.max() - field.min() <= 1e-8:
        return np.ones((rows, columns), dtype=np.float32)
    return stretched(field, 1 - amplitude, 1 + amplitude)


def _pixels(pixels: NDArray[Any], values: EffectValues) -> NDArray[Any]:
    field = _field(pixels.shape[0], pixels.shape[1], values)
    return held(exact(pixels) * over_colours(field, pixels), pixels, by_colour=True)


EFFECT = PictureEffect(name="bias-field", pixels=_pixels)
"""Random cells, drawn out and smoothed, some waves, and a fall towards the corners."""
