"""Where the surface of a mask lies, and how much surface lies there.

Two ways, by name. ``area``: the corners of the voxel grid at which some of the neighbouring voxels
(8, in two axes 4) belong to the mask and some do not, each with the area in mm² (length in mm) of
the piece of surface that cuts its neighbours apart. ``points``: the voxels of the mask that erosion
would take away, each counting 1. A mask that touches the border of its array is closed there.
"""

from __future__ import annotations

from functools import cache, lru_cache
from itertools import product
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

__all__ = ["border_voxels", "element_areas", "surface_codes"]

_Corner: TypeAlias = tuple[int, ...]
_Normal: TypeAlias = tuple[float, float, float]

_SIDES: Final = {2: 4, 3: 8}
"""Axes → voxels that meet at a corner."""


def surface_codes(padded: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Give at every corner of the grid which of the voxels that meet there belong to the mask.

    Parameters
    ----------
    padded
        0 or 1, two or three axes, with a margin of at least one empty voxel on every side.

    Returns
    -------
    ndarray
        One less along each axis. Bit ``b``: the voxel at offset ``((b >> 2) & 1, (b >> 1) & 1,
        b & 1)`` (in two axes the last two) is set. 0 where all or none are: no surface there.
    """
    codes = padded
    for axis, step in zip(reversed(range(padded.ndim)), (1, 2, 4), strict=False):
        low = tuple(slice(0, -1) if a == axis else slice(None) for a in range(padded.ndim))
        high = tuple(slice(1, None) if a == axis else slice(None) for a in range(padded.ndim))
        above = codes[high] << np.uint8(step)
        np.bitwise_or(above, codes[low], out=above)
        codes = above
    full = np.uint8((1 << _SIDES[padded.ndim]) - 1)
    np.multiply(codes, codes != full, out=codes)
    return codes


@lru_cache(maxsize=64)
def element_areas(spacing_mm: tuple[float, ...]) -> NDArray[np.float64]:
    """Give the surface of every code of `surface_codes`: mm² in three axes, mm in two.

    The pieces are those of marching cubes, with the mask's voxels cut apart where they only touch
    at an edge or a corner; a code of more than half the voxels has the surface of the rest. It is
    the choice of google-deepmind/surface-distance, and areas equal that library's.

    Returns
    -------
    ndarray
        256 areas, or 16 lengths; 0 for the codes without surface. Read-only.
    """
    if len(spacing_mm) == 2:
        areas = np.array([_length(code, spacing_mm) for code in range(16)])
    else:
        one, two, three = spacing_mm
        faces = np.array([two * three, one * three, one * two])
        pieces = (np.array(_normals(code)).reshape(-1, 3) * faces for code in range(256))
        areas = np.array([np.sqrt((each**2).sum(1)).sum() for each in pieces])
    areas.flags.writeable = False
    return areas


def border_voxels(padded: NDArray[np.bool_], axes: int) -> NDArray[np.bool_]:
    """Mark the voxels of a mask with a neighbour outside it.

    Parameters
    ----------
    padded
        Two or three axes, with an empty margin as for `surface_codes`.
    axes
        Along how many axes at once a neighbour may lie: 1 for 4 or 6 neighbours, 2 for 8 or 18,
        3 for 26.
    """
    core = padded.copy(order="K")
    for offset in product((-1, 0, 1), repeat=padded.ndim):
        if 0 < sum(map(abs, offset)) <= axes:
            size = list(zip(offset, padded.shape, strict=True))
            here = tuple(slice(max(0, -o), n - max(0, o)) for o, n in size)
            there = tuple(slice(max(0, o), n - max(0, -o)) for o, n in size)
            core[here] &= padded[there]
    return padded & ~core


def _length(code: int, spacing_mm: tuple[float, ...]) -> float:
    if code in (0, 15):
        return 0.0
    set_corners = _corners(code, 2)
    rows, columns = spacing_mm
    cut = float(np.hypot(rows, columns)) / 2
    if len(set_corners) != 2:
        return cut
    (a, b), (c, d) = set_corners
    if a == c:
        return columns
    return rows if b == d else 2 * cut


@cache
def _normals(code: int) -> tuple[_Normal, ...]:
    """Give the triangles of a code as area vectors in voxels, signs left out."""
    corners = _corners(code, 3)
    if len(corners) > 4:
        corners = _corners(255 - code, 3)
    return tuple(normal for piece in _pieces(corners) for normal in _piece_normals(piece))


def _pieces(corners: list[_Corner]) -> Iterator[list[_Corner]]:
    """Split corners of a cube into those that hang together by edges."""
    left = set(corners)
    while left:
        piece = [left.pop()]
        for one in piece:
            near = {other for other in left if _apart(one, other) == 1}
            left -= near
            piece += sorted(near)
        yield piece


def _piece_normals(piece: list[_Corner]) -> list[_Normal]:
    spread = [len({corner[axis] for corner in piece}) for axis in range(3)]
    if len(piece) == 1:  # a corner cut off
        return [_even(1 / 8)]
    if len(piece) == 2:  # an edge cut off: a rectangle
        return [_without(spread.index(2), 1 / 2)]
    if len(piece) == 3:  # three in a plane: a pentagon that is not flat
        return [_even(1 / 8), _even(1 / 4), _only(spread.index(1), 1 / 2)]
    if 1 in spread:  # one face of the cube: the plane in the middle
        return [_only(spread.index(1), 1.0)]
    neighbours = [[two for two in piece if _apart(one, two) == 1] for one in piece]
    if max(map(len, neighbours)) == 3:  # a corner with its three neighbours: a flat hexagon
        return [_even(3 / 4)]
    # A way along all three axes in turn: a hexagon that is not flat.
    inner = [one for one, near in zip(piece, neighbours, strict=True) if len(near) == 2]
    start, end = inner
    ends = (axis for axis in range(3) if start[axis] == end[axis])
    return [_even(1 / 2), *(_without(axis, 1 / 4) for axis in ends)]


def _corners(code: int, n_axes: int) -> list[_Corner]:
    every = product((0, 1), repeat=n_axes)
    return [corner for bit, corner in enumerate(every) if code >> bit & 1]


def _apart(one: _Corner, other: _Corner) -> int:
    return sum(a != b for a, b in zip(one, other, strict=True))


def _even(size: float) -> _Normal:
    return (size, size, size)


def _only(axis: int, size: float) -> _Normal:
    one, two, three = (size * (a == axis) for a in range(3))
    return (one, two, three)


def _without(axis: int, size: float) -> _Normal:
    one, two, three = (size * (a != axis) for a in range(3))
    return (one, two, three)
