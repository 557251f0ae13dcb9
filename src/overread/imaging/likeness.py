"""Whether two pictures show the same: fingerprints that outlive re-encoding, and those of crops.

The hash of differences [1]_ compares neighbouring cells of a coarse grid, so that another size,
another compression or a slight change of brightness leaves it nearly as it is. A crop has another
grid; it is known by patches around local maxima, chosen by their content alone, which a crop keeps
to the last grey level.

.. [1] N. Krawetz, "Kind of like that", The Hacker Factor Blog (2013); the grid of 16 × 16
   differences is ours: with 8 × 8 too many slices of CT look alike.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray
from scipy.ndimage import correlate1d, maximum_filter, minimum_filter

from overread.imaging.stored import StoredSlice
from overread.imaging.window import ABDOMEN, apply_window, stretch_window

__all__ = ["HASH_BITS", "PictureMark", "grey_levels", "hash_distances", "mark_picture"]

HASH_BITS: Final = 256
_GRID: Final = 16
_THUMB: Final = 32
_LEAST_SPREAD: Final = 1.0
"""Grey levels of standard deviation: a flatter picture looks like every other flat one."""
_PEAK: Final = 15
"""Side in pixels of the neighbourhood in which an anchor is the one brightest spot."""
_PATCH: Final = 9
_ONES: Final = np.ones(3, dtype=np.int32)
_ONE_IN: Final = 4
"""One anchor in so many is kept, told by its own hash, so that a crop keeps the same ones."""
_FACTORS: Final = np.random.default_rng(20260219).integers(
    1, 2**63, size=_PATCH * _PATCH, dtype=np.uint64
) * np.uint64(2) + np.uint64(1)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PictureMark:
    """What is kept of a picture to find it again."""

    height: int
    width: int
    bits: NDArray[np.uint64] | None
    """(4,) hash of differences; None for a flat picture, which could be any."""
    thumb: NDArray[np.float32]
    """(32, 32) means of cells, to confirm what the hash suggests."""
    anchors: frozenset[int]
    """Hashes of the patches around local maxima."""


def grey_levels(stored: StoredSlice) -> NDArray[np.uint8]:
    """Give a slice as (rows, columns) grey levels: as stored, or in the abdominal window of HU."""
    pixels = stored.pixels
    if stored.unit == "display":
        return pixels if pixels.ndim == 2 else pixels.mean(axis=2).astype(np.uint8)
    window = ABDOMEN if stored.unit == "hu" else stretch_window(pixels)
    return apply_window(pixels, window)


def mark_picture(grey: NDArray[np.uint8]) -> PictureMark:
    """Take the fingerprints of one picture.

    Parameters
    ----------
    grey
        (rows, columns) grey levels; any size of at least one pixel.
    """
    cells = _cells(grey, _GRID, _GRID + 1)
    bits = None
    if float(cells.std()) >= _LEAST_SPREAD:
        packed = np.packbits((cells[:, 1:] > cells[:, :-1]).ravel())
        bits = packed.view(np.uint64)
    return PictureMark(
        height=grey.shape[0],
        width=grey.shape[1],
        bits=bits,
        thumb=_cells(grey, _THUMB, _THUMB).astype(np.float32),
        anchors=_anchors(grey),
    )


def hash_distances(one: NDArray[np.uint64], other: NDArray[np.uint64]) -> NDArray[np.uint16]:
    """Count the bits in which hashes differ.

    Parameters
    ----------
    one, other
        (n, 4) and (m, 4) hashes of differences.

    Returns
    -------
    NDArray
        (n, m) of 0..256. Unrelated pictures differ in about half of the bits.
    """
    differ = np.bitwise_count(one[:, np.newaxis, :] ^ other[np.newaxis, :, :])
    return differ.sum(axis=2, dtype=np.uint16)


def _cells(grey: NDArray[np.uint8], rows: int, columns: int) -> NDArray[np.float64]:
    """Average over a grid of cells, (rows, columns); small pictures repeat their pixels."""
    table = grey.astype(np.float64)
    for axis, n in ((0, rows), (1, columns)):
        size = table.shape[axis]
        edges = np.arange(n + 1) * size / n
        starts = np.minimum(edges[:-1].astype(np.int64), size - 1)
        stops = np.maximum(np.ceil(edges[1:] - 1e-9).astype(np.int64), starts + 1)
        sums = np.insert(np.cumsum(table, axis=axis), 0, 0.0, axis=axis)
        shape = [1, 1]
        shape[axis] = n
        table = (sums.take(stops, axis=axis) - sums.take(starts, axis=axis)) / (
            stops - starts
        ).reshape(shape)
    return table


def _anchors(grey: NDArray[np.uint8]) -> frozenset[int]:
    if min(grey.shape) < _PEAK + 2:
        return frozenset()
    # Sums of 3 × 3 pixels have fewer ties than pixels; whole numbers, so that a crop has the same.
    level = correlate1d(correlate1d(grey.astype(np.int32), _ONES, axis=0), _ONES, axis=1)
    highest = maximum_filter(level, size=_PEAK, mode="nearest")
    peaks = (level == highest) & (level > minimum_filter(level, size=_PEAK, mode="nearest"))
    # Nearer to the border a crop and its whole do not have the same neighbours.
    half = _PEAK // 2
    inner = np.zeros_like(peaks)
    inner[half + 1 : -half - 1, half + 1 : -half - 1] = True
    rows, columns = np.nonzero(peaks & inner)
    windows = sliding_window_view(level, (_PEAK, _PEAK))[rows - half, columns - half]
    alone = (windows == level[rows, columns][:, np.newaxis, np.newaxis]).sum(axis=(1, 2)) == 1
    rows, columns = rows[alone], columns[alone]
    steps = np.arange(_PATCH) - _PATCH // 2
    patches = grey[
        rows[:, np.newaxis, np.newaxis] + steps[:, np.newaxis],
        columns[:, np.newaxis, np.newaxis] + steps,
    ].reshape(len(rows), _PATCH * _PATCH)
    hashes = (patches.astype(np.uint64) * _FACTORS).sum(axis=1, dtype=np.uint64)
    # The high bits are the mixed ones.
    kept = hashes[(hashes >> np.uint64(40)) % np.uint64(_ONE_IN) == 0]
    return frozenset(kept.tolist())
