"""One picture of several slices, for models that take one picture only."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from overread.imaging.boxes import to_rgb

__all__ = ["mosaic", "mosaic_shape"]

# Digits of 3 × 5 dots, a row a line. Our own, so that the same slices give the same bytes
# whatever fonts a machine has.
_DIGITS = {
    "0": ("###", "#.#", "#.#", "#.#", "###"),
    "1": (".#.", "##.", ".#.", ".#.", "###"),
    "2": ("###", "..#", "###", "#..", "###"),
    "3": ("###", "..#", "###", "..#", "###"),
    "4": ("#.#", "#.#", "###", "..#", "..#"),
    "5": ("###", "#..", "###", "..#", "###"),
    "6": ("###", "#..", "###", "#.#", "###"),
    "7": ("###", "..#", "..#", "..#", "..#"),
    "8": ("###", "#.#", "###", "#.#", "###"),
    "9": ("###", "#.#", "###", "..#", "###"),
}


def mosaic_shape(count: int) -> tuple[int, int]:
    """Give rows and columns of the near-square grid for so many slices.

    Examples
    --------
    >>> mosaic_shape(9), mosaic_shape(4), mosaic_shape(5)
    ((3, 3), (2, 2), (2, 3))
    """
    columns = math.isqrt(count - 1) + 1 if count > 0 else 0
    return (-(-count // columns) if columns else 0), columns


def mosaic(slices: Sequence[NDArray[Any]]) -> NDArray[np.uint8]:
    """Tile slices row by row on a near-square grid, each with its number in its corner.

    Parameters
    ----------
    slices
        At least one uint8 picture, shape (rows, columns) or (rows, columns, 3). Smaller ones are
        centred on black; one in colour makes the whole in colour.

    Returns
    -------
    ndarray of uint8
        Shape (rows, columns), or (rows, columns, 3) where a slice has colour.
    """
    if not slices:
        raise ValueError("mosaic needs at least one slice")
    colour = any(one.ndim == 3 for one in slices)
    tile_height = max(one.shape[0] for one in slices)
    tile_width = max(one.shape[1] for one in slices)
    rows, columns = mosaic_shape(len(slices))
    shape = (rows * tile_height, columns * tile_width)
    canvas = np.zeros((*shape, 3) if colour else shape, dtype=np.uint8)
    for number, one in enumerate(slices):
        tile = to_rgb(one) if colour else one
        top = (number // columns) * tile_height
        left = (number % columns) * tile_width
        y = top + (tile_height - one.shape[0]) // 2
        x = left + (tile_width - one.shape[1]) // 2
        canvas[y : y + one.shape[0], x : x + one.shape[1]] = tile
        _label(canvas[top : top + tile_height, left : left + tile_width], str(number + 1))
    return canvas


def _label(tile: NDArray[np.uint8], text: str) -> None:
    """Write a number, white on black, into the corner of a tile that is large enough for it."""
    dot = max(1, min(tile.shape[:2]) // 100)
    rows = ["." + ".".join(_DIGITS[digit][row] for digit in text) + "." for row in range(5)]
    empty = "." * len(rows[0])
    dots = np.array([[mark == "#" for mark in row] for row in (empty, *rows, empty)])
    pixels = np.kron(dots, np.ones((dot, dot), dtype=np.uint8)) * np.uint8(255)
    height, width = pixels.shape
    if height * 2 > tile.shape[0] or width * 2 > tile.shape[1]:
        return
    tile[:height, :width] = pixels if tile.ndim == 2 else pixels[:, :, None]
