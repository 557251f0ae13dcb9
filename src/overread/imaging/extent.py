"""Which part of a grid is kept: centre pad and crop, and evenly spaced slices."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["PADDING", "centred_rows", "even_rows"]

PADDING = -1
"""A row that lies outside of the volume."""


def centred_rows(size: int, wanted: int) -> NDArray[np.intp]:
    """Centre an axis of `size` voxels in `wanted` ones: crop what is too much, pad what lacks.

    Of an odd number the smaller half comes off (or is added) before the first voxel, as in the
    released preparations of Merlin and CT-CHAT.

    Returns
    -------
    ndarray of int
        Shape (wanted,): the voxel at each place, `PADDING` where there is none.

    Examples
    --------
    >>> centred_rows(5, 2).tolist(), centred_rows(2, 5).tolist()
    ([1, 2], [-1, 0, 1, -1, -1])
    """
    before = (wanted - size) // 2 if wanted >= size else -((size - wanted) // 2)
    rows = np.arange(wanted, dtype=np.intp) - before
    return np.where((rows >= 0) & (rows < size), rows, PADDING)


def even_rows(size: int, count: int) -> NDArray[np.intp]:
    """Choose evenly spaced voxels of an axis, both ends among them; all where there are no more.

    One alone is the middle (the upper of two), as VILA-M3's slice is chosen.

    Examples
    --------
    >>> even_rows(101, 5).tolist(), even_rows(3, 5).tolist(), even_rows(10, 1).tolist()
    ([0, 25, 50, 75, 100], [0, 1, 2], [5])
    """
    if count >= size:
        return np.arange(size, dtype=np.intp)
    if count == 1:
        return np.array([size // 2], dtype=np.intp)
    return np.rint(np.linspace(0, size - 1, count)).astype(np.intp)
