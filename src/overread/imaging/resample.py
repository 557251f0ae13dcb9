"""Volumes on another grid: one axis at a time, slice by slice, so that little is held at once.

Three conventions of where the new voxels lie are in use, and they differ by up to half a voxel:

``centred`` (ours)
    The new spacing is exactly the one asked for, and the middle of the volume stays where it is:
    voxel `i` of `n` lies at ``(i - (n - 1) / 2) * new / old + (n_old - 1) / 2``, with
    ``n = round(n_old * old / new)``.
``first-voxel`` (ITK scripts that keep the origin; MONAI's ``Spacing`` starts there too)
    The first voxel's centre stays: ``i * new / old``, same `n`.
``edges`` (``torch.nn.functional.interpolate`` without ``align_corners``)
    The outer edges stay: ``(i + 0.5) * n_old / n - 0.5``, with ``n = floor(n_old * old / new)``, so
    that the spacing is slightly larger than the one asked for.

Beyond the outermost voxel centres the outermost value goes on. Nothing is smoothed before a grid
becomes coarser; no published preparation here does that. A value that is no number makes those
next to it none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["Grid", "Interpolation", "Taps", "new_size", "resampled_planes", "taps"]

Grid: TypeAlias = Literal["centred", "first-voxel", "edges"]
"""Where new voxels lie, as told above."""
Interpolation: TypeAlias = Literal["linear", "nearest", "cubic"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Taps:
    """How each voxel along one new axis is made of voxels of the old one."""

    indices: NDArray[np.intp]
    """Shape (n, taps): which old voxels."""
    weights: NDArray[np.float32]
    """Same shape: how much each counts; a row sums to 1."""

    def __len__(self) -> int:
        """Give the number of new voxels."""
        return len(self.indices)

    def taken(self, rows: NDArray[np.intp]) -> Taps:
        """Keep some of the new voxels, in the order given."""
        return Taps(indices=self.indices[rows], weights=self.weights[rows])


def new_size(old_size: int, ratio: float, grid: Grid) -> int:
    """Give the number of voxels after a change of spacing, at least 1.

    Parameters
    ----------
    old_size
        Voxels before.
    ratio
        New spacing over old spacing.
    grid
        A convention of this module.

    Examples
    --------
    >>> new_size(512, 0.75 / 0.7, "edges"), new_size(512, 0.75 / 0.7, "centred")
    (477, 478)
    """
    exact = old_size / ratio
    # The allowance is for the division alone: 100 voxels times 0.3 are 30, not 29.999999999999996.
    # A header's 0.9 mm is 0.89999998 in its 32 bits, and there the released code loses a voxel.
    return max(1, int(exact + 1e-9) if grid == "edges" else int(np.floor(exact + 0.5)))


def taps(
    old_size: int, n_new: int, ratio: float, *, grid: Grid, interpolation: Interpolation
) -> Taps:
    """Find what each voxel of a new axis is made of.

    Parameters
    ----------
    old_size, n_new
        Voxels along the axis, before and after.
    ratio
        New spacing over old spacing; `edges` takes ``old_size / n_new`` instead.
    grid, interpolation
        `cubic` is the cubic convolution of Keys with a = -0.5 (doi 10.1109/TASSP.1981.1163711),
        which passes through the voxels and may overshoot between them.
    """
    number = np.arange(n_new, dtype=np.float64)
    if grid == "centred":
        places = (number - (n_new - 1) / 2) * ratio + (old_size - 1) / 2
    elif grid == "first-voxel":
        places = number * ratio
    else:
        places = (number + 0.5) * (old_size / n_new) - 0.5
    places = np.clip(places, 0, old_size - 1)
    near = np.round(places)
    places = np.where(np.abs(places - near) < 1e-9, near, places)
    if interpolation == "nearest":
        low, offsets = np.floor(places + 0.5), np.array([0])
        weights = np.ones((n_new, 1))
    elif interpolation == "linear":
        low, offsets = np.floor(places), np.array([0, 1])
        part = (places - low)[:, None]
        weights = np.hstack([1 - part, part])
    else:
        low, offsets = np.floor(places), np.array([-1, 0, 1, 2])
        weights = _keys(np.abs((places - low)[:, None] - offsets))
    indices = np.clip(low[:, None] + offsets, 0, old_size - 1).astype(np.intp)
    return Taps(indices=indices, weights=weights.astype(np.float32))


def resampled_planes(
    view: NDArray[Any],
    values: Callable[[NDArray[Any]], NDArray[np.float32]],
    axes: Sequence[Taps],
) -> Iterator[NDArray[np.float32]]:
    """Give the new volume plane by plane along its first axis.

    Parameters
    ----------
    view
        Stored numbers, three axes, any memory layout; read plane by plane.
    values
        Turns a plane of stored numbers into values.
    axes
        Taps of the three axes.

    Yields
    ------
    ndarray of float32
        Shape (len(axes[1]), len(axes[2])), values in the unit of `values`.
    """
    first, rows, columns = axes
    kept: dict[int, NDArray[np.float32]] = {}
    for indices, weights in zip(first.indices.tolist(), first.weights, strict=True):
        needed = dict.fromkeys(
            index for index, weight in zip(indices, weights, strict=True) if weight != 0
        )
        kept = {index: kept[index] for index in needed if index in kept}
        for index in needed:
            if index not in kept:
                plane = values(np.ascontiguousarray(view[index]))
                kept[index] = _along_columns(_along_rows(plane, rows), columns)
        if len(needed) == 1:
            yield kept[next(iter(needed))]
            continue
        mixed = np.zeros((len(rows), len(columns)), dtype=np.float32)
        for index, weight in zip(indices, weights, strict=True):
            if weight != 0:
                with np.errstate(invalid="ignore"):
                    mixed += weight * kept[index]
        yield mixed


def _along_rows(plane: NDArray[np.float32], rows: Taps) -> NDArray[np.float32]:
    return _along_columns(plane.T, rows).T if _moves(plane.shape[0], rows) else plane


def _along_columns(plane: NDArray[np.float32], columns: Taps) -> NDArray[np.float32]:
    if not _moves(plane.shape[1], columns):
        return plane
    mixed = np.zeros((plane.shape[0], len(columns)), dtype=np.float32)
    for tap in range(columns.indices.shape[1]):
        weights = columns.weights[:, tap]
        if weights.any():
            with np.errstate(invalid="ignore"):  # infinite voxels: no number in between
                part = plane[:, columns.indices[:, tap]] * weights
                # A voxel that is no number counts only where it has a weight.
                mixed += np.where(weights == 0, np.float32(0), part)
    return mixed


def _moves(old_size: int, axis: Taps) -> bool:
    """Say whether an axis changes at all."""
    return not (
        len(axis) == old_size
        and np.array_equal(axis.indices[:, 0], np.arange(old_size))
        and bool((axis.weights[:, 0] == 1).all())
    )


def _keys(distance: NDArray[np.float64]) -> NDArray[np.float64]:
    near = 1.5 * distance**3 - 2.5 * distance**2 + 1
    far = -0.5 * distance**3 + 2.5 * distance**2 - 4 * distance + 2
    return np.where(distance <= 1, near, np.where(distance < 2, far, 0))
