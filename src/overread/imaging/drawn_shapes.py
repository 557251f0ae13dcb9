"""Shapes drawn on a grey ground: what synthetic exams ask to recognise."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

__all__ = ["N_SHAPES", "draw_shapes"]

N_SHAPES: Final = 5
"""A disc, a square, a cross, a ring, a triangle."""


def draw_shapes(rng: np.random.Generator, shapes: Sequence[int]) -> NDArray[np.uint8]:
    """Draw shapes side by side, each a little off the centre of its 64×64 pixels.

    Parameters
    ----------
    rng
        Draws the ground and the places.
    shapes
        Numbers from 0 to `N_SHAPES` - 1, from left to right.

    Returns
    -------
    NDArray
        (64, 64 × shapes) grey values.
    """
    canvas = rng.normal(40, 8, (64, 64 * len(shapes)))
    for place, shape in enumerate(shapes):
        centre = 64 * place + int(rng.integers(26, 38)), int(rng.integers(26, 38))
        canvas += 150 * _inside(shape, canvas.shape, centre)
    return canvas.clip(0, 255).astype(np.uint8)


def _inside(shape: int, size: tuple[int, ...], centre: tuple[int, int]) -> NDArray[np.bool_]:
    rows, columns = np.mgrid[: size[0], : size[1]]
    across, down = columns - centre[0], rows - centre[1]
    far, near = np.maximum(abs(down), abs(across)), np.minimum(abs(down), abs(across))
    radius = np.hypot(down, across)
    return (
        radius < 14,
        far < 12,
        (far < 15) & (near < 4),
        (radius < 15) & (radius > 10),
        (abs(across) * 2 < down + 14) & (down < 12),
    )[shape]
