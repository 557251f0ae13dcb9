"""Measures a whole slice: where in the body it lies and what is in it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from overread.models.baselines.radiomics.pixels import View

__all__ = ["SLICE_WEIGHTS", "patch", "slice_features"]

_GRID = 12
_LEVELS = np.linspace(0.0, 1.0, 13)

SLICE_WEIGHTS = np.repeat([0.25, 0.5, 1.0], [_GRID**2, 12, 2])
"""How much each number of `slice_features` counts once all have the same spread: the many grey
values together no more than a handful of single measures."""


def slice_features(view: View) -> NDArray[np.float64]:
    """Describe a slice as a coarse picture of the body, its grey levels and its shape.

    Returns
    -------
    NDArray[np.float64]
        Shape (158,): 12 × 12 mean grey values over the body's rectangle (0 to 1), shares of 12
        grey levels in it (they sum to 1), height over width, and its width in mm over 350.
    """
    body = view.body
    width, height = body.x_max - body.x_min, body.y_max - body.y_min
    coarse = patch(
        view.grey,
        centre=((body.x_min + body.x_max) / 2, (body.y_min + body.y_max) / 2),
        size=(width, height),
        n=_GRID,
    )
    inside = view.grey[int(body.y_min) : int(body.y_max), int(body.x_min) : int(body.x_max)]
    counts, _ = np.histogram(inside, bins=_LEVELS)
    shape = [height / max(width, 1.0), width * view.pixel_mm / 350.0]
    return np.concatenate([coarse.ravel(), counts / max(counts.sum(), 1), shape])


def patch(
    grey: NDArray[np.float32],
    *,
    centre: tuple[float, float],
    size: tuple[float, float],
    n: int,
) -> NDArray[np.float64]:
    """Sample a rectangle on an n × n grid of small means; beyond the edge it is black.

    Parameters
    ----------
    grey
        Shape (rows, columns).
    centre, size
        Of the rectangle, as x and y in pixels.
    n
        Cells per side of the result.
    """
    per_cell = 3
    offsets = (np.arange(n * per_cell) + 0.5) / (n * per_cell) - 0.5
    columns = centre[0] + offsets * size[0] - 0.5
    rows = centre[1] + offsets * size[1] - 0.5
    grid = np.meshgrid(rows, columns, indexing="ij")
    fine = ndimage.map_coordinates(grey, grid, order=1, mode="constant", cval=0.0)
    return fine.reshape(n, per_cell, n, per_cell).mean(axis=(1, 3), dtype=np.float64)
