"""Draws the pictures of synthetic cases: one bright mark in a dark body."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

__all__ = ["SHAPES", "SIDE_PX", "draw"]

SIDE_PX: Final = 96
SHAPES: Final = ("disc", "square", "cross", "ring")
_REACH: Final = 10
"""No mark is farther than so many pixels from its centre."""
_MARGIN: Final = 3


def draw(
    rng: np.random.Generator, shape: int, *, is_left: bool
) -> tuple[NDArray[np.uint8], tuple[float, float, float, float]]:
    """Draw one mark on one side, and give its box as shares of width and height.

    Returns
    -------
    pixels, box
        (96, 96, 3) uint8, all channels alike; x0, y0, x1, y1.
    """
    row, column = int(rng.integers(28, 68)), int(rng.integers(20, 34))
    column = column if is_left else SIDE_PX - 1 - column
    rows, columns = np.mgrid[:SIDE_PX, :SIDE_PX]
    down, across = rows - row, columns - column
    far, near = np.maximum(abs(down), abs(across)), np.minimum(abs(down), abs(across))
    radius = np.hypot(down, across)
    mark = (
        radius < 9,
        far < 8,
        (far < 10) & (near < 3),
        (radius < 10) & (radius > 6),
    )[shape]
    body = np.hypot((rows - 48) / 44, (columns - 48) / 40) < 1
    grey = rng.normal(20, 3, rows.shape) + 45 * body + 150 * mark
    pixels = np.repeat(grey.clip(0, 255).astype(np.uint8)[:, :, None], 3, axis=2)
    reach = _REACH + _MARGIN
    corners = column - reach, row - reach, column + reach, row + reach
    low_x, low_y, high_x, high_y = (round(each / SIDE_PX, 4) for each in corners)
    return pixels, (low_x, low_y, high_x, high_y)
