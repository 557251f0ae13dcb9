"""Distances from the marks of one grid to the nearest marks of another.

Surfaces that are worth comparing lie close together: most marks coincide or are a few steps apart.
So the steps around all marks at once are looked up by growing length, and only what is left after
a few steps asks a k-d tree. Where very much is left, as of a mask of noise, a distance transform
answers instead; it counts in 32 bits, which tells the distance of the grid that is meant.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING, Final, cast

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from numpy.typing import NDArray

__all__ = ["Distances", "Marks", "Steps", "marks_in", "nearest", "steps_around"]

_REACH: Final = 3
"""Steps are looked up within so many of the smallest spacing."""
_MANY: Final = 100_000
"""A tree answers so many in a second at worst, exactly in 64 bits."""
_DENSE: Final = 64
"""A transform of the grid costs what a tree costs for one in so many of its places, far away."""
_NOISE: Final = 8
"""Where one place in so many is left after the first step, the others are not worth the while."""
_FINE_STEPS: Final = 64
"""So many of the smallest spacing: farther away, distances of a grid lie as close together as
numbers of 32 bits, and one of those is right to 1e-6 of itself."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Steps:
    """Steps from a place of the grid to its neighbours, by growing length."""

    offsets: NDArray[np.int64]
    """Shape (n_steps, n_axes); the step that stays in place is the first."""
    lengths_mm: NDArray[np.float64]
    margin: tuple[int, ...]
    """How far the steps go along each axis."""
    spacing_mm: tuple[float, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Marks:
    """Marks of a grid, in their places."""

    grid: NDArray[np.uint8]
    """0 where there is no mark; C or Fortran order, without gaps."""
    places: NDArray[np.intp]
    """Of the marks, in memory order, shape (n_marks,)."""


@dataclass(frozen=True, slots=True, eq=False)
class Distances:
    """A weighted distribution: each distance once, ascending, shape (n_distances,)."""

    values_mm: NDArray[np.float64]
    weights: NDArray[np.float64]


def marks_in(grid: NDArray[np.uint8]) -> Marks:
    """Find the marks of a grid of two or three axes, in C or Fortran order without gaps."""
    return Marks(grid, np.flatnonzero(grid.ravel("K") != 0))


@lru_cache(maxsize=64)
def steps_around(spacing_mm: tuple[float, ...]) -> Steps:
    """List every step up to three times the smallest spacing, itself included."""
    radius = _REACH * min(spacing_mm)
    margin = tuple(int(radius / one) for one in spacing_mm)
    box = np.array(list(product(*(range(-one, one + 1) for one in margin))), np.int64)
    lengths = _lengths(box, spacing_mm)
    order = np.argsort(lengths, kind="stable")
    order = order[lengths[order] <= radius]
    return Steps(
        offsets=box[order], lengths_mm=lengths[order], margin=margin, spacing_mm=spacing_mm
    )


def nearest(
    marks: Marks, others: Marks, *, weights: NDArray[np.float64], steps: Steps
) -> Distances:
    """Measure how far each mark lies from the nearest mark of another grid of the same shape.

    Parameters
    ----------
    marks, others
        At least one mark each, none within ``steps.margin`` of the border; one memory order.
    weights
        What a mark of each value weighs, shape (n_values,).
    steps
        Of `steps_around` for the spacing of the grids.
    """
    values, theirs = marks.grid.ravel("K"), others.grid.ravel("K")
    jumps = (steps.offsets @ np.array(marks.grid.strides)).tolist()
    found = np.zeros((len(jumps), weights.size), np.int64)
    left = marks.places
    n_left = np.bincount(values[left], minlength=weights.size)
    for number, jump in enumerate(jumps):
        if number == 1 and left.size > max(_MANY, values.size // _NOISE):
            break
        left = left[theirs[left + jump] == 0]
        still = np.bincount(values[left], minlength=weights.size)
        found[number] = n_left - still
        n_left = still
        if not left.size:
            break
    near = Distances(steps.lengths_mm, found @ weights)
    if not left.size:
        return _united(near)
    dense = left.size > max(_MANY, values.size // _DENSE)
    look = _by_transform if dense else _by_tree
    lengths, which = look(left, others, steps.spacing_mm)
    sums = np.zeros(lengths.size)
    np.add.at(sums, which, weights[values[left]])
    return _united(near, Distances(lengths, sums))


def _by_tree(
    places: NDArray[np.intp], others: Marks, spacing_mm: tuple[float, ...]
) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    from scipy import spatial  # pyright: ignore[reportMissingTypeStubs] - scipy ships none

    make = cast("Callable[..., Any]", spatial.KDTree)
    spacing = np.array(spacing_mm)
    points, targets = _positions(places, others.grid), _positions(others.places, others.grid)
    tree = make(targets * spacing, balanced_tree=False, compact_nodes=False)
    _, found = cast("tuple[object, NDArray[np.intp]]", tree.query(points * spacing))
    return np.unique(_lengths(points - targets[found], spacing_mm), return_inverse=True)


def _by_transform(
    places: NDArray[np.intp], others: Marks, spacing_mm: tuple[float, ...]
) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    import edt

    transform = cast("Callable[..., NDArray[np.float32]]", edt.edtsq)  # pyright: ignore[reportUnknownMemberType]
    alike = len(set(spacing_mm)) == 1
    units = (1.0,) * len(spacing_mm) if alike else spacing_mm
    squares = transform(others.grid == 0, anisotropy=units).ravel("K")[places]
    found, which = np.unique(squares, return_inverse=True)
    lengths = np.sqrt(found.astype(np.float64))
    # Squares of whole steps are exact in 32 bits.
    return lengths * spacing_mm[0] if alike else _of_the_grid(lengths, spacing_mm), which


def _of_the_grid(
    lengths: NDArray[np.float64], spacing_mm: tuple[float, ...]
) -> NDArray[np.float64]:
    """Give for each length of 32 bits the one of the grid that was meant, unless it is long."""
    farthest = _FINE_STEPS * min(spacing_mm)
    squares = np.zeros(1)
    for one in spacing_mm:
        steps = np.arange(int(farthest / one) + 1)
        squares = np.add.outer(squares, (steps * one) ** 2).ravel()
        squares = squares[squares <= farthest**2]
    known = np.unique(np.sqrt(squares))
    above = np.searchsorted(known, lengths).clip(1, known.size - 1)
    below = above - 1
    near = np.where(lengths - known[below] < known[above] - lengths, known[below], known[above])
    return np.where(lengths < known[-1], near, lengths)


def _positions(places: NDArray[np.intp], grid: NDArray[np.uint8]) -> NDArray[np.intp]:
    order = "C" if grid.flags.c_contiguous else "F"
    return np.stack(np.unravel_index(places, grid.shape, order), 1)


def _lengths(steps: NDArray[np.int64], spacing_mm: tuple[float, ...]) -> NDArray[np.float64]:
    return np.sqrt(((steps * np.array(spacing_mm)) ** 2).sum(1))


def _united(*parts: Distances) -> Distances:
    values, place = np.unique(
        np.concatenate([part.values_mm for part in parts]), return_inverse=True
    )
    sums = np.zeros(values.size)
    np.add.at(sums, place, np.concatenate([part.weights for part in parts]))
    used = sums > 0
    return Distances(values[used], sums[used])
