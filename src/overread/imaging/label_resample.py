"""Label maps on another grid, by the nearest voxel: no label is ever mixed of two."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from overread.errors import ImageError, expected
from overread.imaging.label_map import LabelMap
from overread.imaging.label_values import LabelArray

__all__ = ["RESAMPLED", "resample_labels"]

RESAMPLED: Final = "resampled to the reference's grid by the nearest voxel"
"""Stands among the warnings of a map that was brought onto another grid."""

_STRAIGHT: Final = 1e-3
"""Voxels that an axis may wander off another over its whole length and still be taken for it."""
_NOISE: Final = 1e-6
"""Voxels that headers and matrices round away: half-way is half-way for all of an axis."""


def resample_labels(prediction: LabelMap, *, like: LabelMap) -> LabelMap:
    """Bring a label map onto the grid of another, by where both say they lie in the patient.

    Each voxel of the new grid takes the label of the nearest voxel, half-way between two that of
    the larger index; outside the old grid there is background. A map that is only turned or shifted
    by whole voxels comes out exact.

    Parameters
    ----------
    prediction
        The map to bring over.
    like
        The map whose grid is wanted.

    Raises
    ------
    ImageError
        One of them does not say where it lies.
    """
    for each in (prediction, like):
        if each.geometry is None:
            raise ImageError(
                expected(
                    each.source,
                    rule="a header that says where the voxels lie",
                    got="none, so that nothing can be resampled to it or from it",
                    remedy="Set the affine from the scan this mask was made of.",
                )
            )
    if prediction.geometry is None or like.geometry is None:  # pragma: no cover - seen above
        raise AssertionError
    to_old = np.linalg.inv(np.asarray(prediction.geometry.affine_lps)) @ np.asarray(
        like.geometry.affine_lps
    )
    shape = like.geometry.shape
    axes = _straight(to_old, shape)
    array = (
        _by_axis(prediction.array, to_old, shape, axes)
        if axes is not None
        else _by_voxel(prediction.array, to_old, shape)
    )
    return LabelMap(
        array=array,
        spacing_mm=like.spacing_mm,
        geometry=like.geometry,
        source=prediction.source,
        warnings=(*prediction.warnings, RESAMPLED),
    )


def _straight(
    to_old: NDArray[np.float64], shape: tuple[int, int, int]
) -> tuple[int, int, int] | None:
    """Say which old axis each new axis runs along; None where the grids are turned at an angle."""
    matrix = to_old[:3, :3]
    axes = np.abs(matrix).argmax(axis=0)
    off = np.abs(matrix)
    off[axes, range(3)] = 0.0
    if len(set(axes.tolist())) < 3 or (off * np.asarray(shape)).max() > _STRAIGHT:
        return None
    return int(axes[0]), int(axes[1]), int(axes[2])


def _by_axis(
    array: LabelArray,
    to_old: NDArray[np.float64],
    shape: tuple[int, int, int],
    axes: tuple[int, int, int],
) -> LabelArray:
    """Look indices up axis by axis, where new axes run along old ones."""
    turned = np.transpose(array, axes)
    inside: list[slice] = []
    indices: list[NDArray[np.intp]] = []
    for new, old in enumerate(axes):
        place = _nearest(to_old[old, new] * np.arange(shape[new]) + to_old[old, 3])
        good = np.flatnonzero((place >= 0) & (place < array.shape[old]))
        # Places run one way, so that those inside the old grid stand together.
        inside.append(slice(int(good[0]), int(good[-1]) + 1) if good.size else slice(0, 0))
        indices.append(place[inside[-1]])
    result = np.zeros(shape, dtype=array.dtype, order="F")
    if all(each.size for each in indices):
        result[tuple(inside)] = turned[np.ix_(*indices)]
    return result


def _by_voxel(
    array: LabelArray, to_old: NDArray[np.float64], shape: tuple[int, int, int]
) -> LabelArray:
    """Look every voxel's place up, one plane after the other."""
    result = np.zeros(shape, dtype=array.dtype, order="F")
    first, second = np.meshgrid(np.arange(shape[0]), np.arange(shape[1]), indexing="ij")
    limits = np.asarray(array.shape).reshape(3, 1, 1)
    for number in range(shape[2]):
        place = _nearest(
            to_old[:3, 0, None, None] * first
            + to_old[:3, 1, None, None] * second
            + (to_old[:3, 2] * number + to_old[:3, 3]).reshape(3, 1, 1)
        )
        inside = ((place >= 0) & (place < limits)).all(axis=0)
        i, j, k = place[:, inside]
        result[:, :, number][inside] = array[i, j, k]
    return result


def _nearest(place: NDArray[np.float64]) -> NDArray[np.intp]:
    """Round half up: to even, every other voxel of a coarse grid would be three wide, and one."""
    return np.floor(place + (0.5 + _NOISE)).astype(np.intp)
