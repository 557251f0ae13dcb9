"""Measures what is inside a box and around it: place, size, density, edge, texture."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from overread.models.baselines.radiomics.pixels import View
from overread.models.baselines.radiomics.slice_features import patch
from overread.records import Box

__all__ = ["LESION_WEIGHTS", "lesion_features", "size_features"]

_CLOSE = 8
_AROUND = 8
_AROUND_MM = 90.0

LESION_WEIGHTS = np.repeat([2.0, 1.0, 0.3], [4, 27, _CLOSE**2 + _AROUND**2])
"""How much each number of `lesion_features` counts once all have the same spread."""
_WORK_SIDE_PX = 64
"""Boxes are measured at no more than this many pixels a side; larger ones are thinned out."""


def lesion_features(view: View, box: Box) -> NDArray[np.float64]:
    """Describe the lesion in a box.

    Returns
    -------
    NDArray[np.float64]
        Shape (159,): place in the body and size (8), density, edge and texture (23), the box and
        its close surroundings as 8 × 8 grey values, and 90 mm around its centre as 8 × 8 values.
        Every number is about 0 to 1, or a logarithm of a few units.
    """
    body = view.body
    centre = (box.x_min + box.x_max) / 2, (box.y_min + box.y_max) / 2
    width, height = max(box.x_max - box.x_min, 1.0), max(box.y_max - box.y_min, 1.0)
    x = (centre[0] - body.x_min) / max(body.x_max - body.x_min, 1.0)
    y = (centre[1] - body.y_min) / max(body.y_max - body.y_min, 1.0)
    place = [x, y, abs(x - 0.5), (x - 0.5) ** 2 + (y - 0.5) ** 2]
    close = patch(view.grey, centre=centre, size=(1.6 * width, 1.6 * height), n=_CLOSE)
    side = _AROUND_MM / view.pixel_mm
    around = patch(view.grey, centre=centre, size=(side, side), n=_AROUND)
    return np.concatenate(
        [place, size_features(view, box), _inside(view, box), close.ravel(), around.ravel()]
    )


def size_features(view: View, box: Box) -> NDArray[np.float64]:
    """Describe the size of a box: logarithms of its longer and shorter side in mm.

    Returns
    -------
    NDArray[np.float64]
        Shape (4,): the two as drawn, and the two less DeepLesion's padding of 5 pixels a side.
    """
    sides = np.array(sorted((box.x_max - box.x_min, box.y_max - box.y_min), reverse=True))
    inner = np.maximum(sides - 10.0, 2.0)
    return np.log(np.concatenate([np.maximum(sides, 2.0), inner]) * view.pixel_mm)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Crop:
    """A box with a margin of half its size on each side."""

    grey: NDArray[np.float64]
    inside: NDArray[np.bool_]
    """Of the ellipse that fills the box."""
    ring: NDArray[np.bool_]
    """Around the ellipse, up to half the box's size away."""
    radius: NDArray[np.float64]
    """1 on the ellipse, 0 in its centre."""
    pixel_mm: float


def _crop(view: View, box: Box) -> _Crop:
    width, height = max(box.x_max - box.x_min, 3.0), max(box.y_max - box.y_min, 3.0)
    centre_x, centre_y = (box.x_min + box.x_max) / 2, (box.y_min + box.y_max) / 2
    n = int(np.clip(round(2 * max(width, height)), 12, _WORK_SIDE_PX))
    offsets = (np.arange(n) + 0.5) / n * 2 - 1
    rows, columns = centre_y + offsets * height - 0.5, centre_x + offsets * width - 0.5
    grid = np.meshgrid(rows, columns, indexing="ij")
    grey = ndimage.map_coordinates(view.grey, grid, order=1, mode="nearest").astype(np.float64)
    radius = np.hypot(offsets[:, None], offsets[None, :]) * 2
    return _Crop(
        grey=grey,
        inside=radius <= 1.0,
        ring=(radius > 1.15) & (radius <= 2.0),
        radius=radius,
        pixel_mm=2 * float(np.sqrt(width * height)) / n * view.pixel_mm,
    )


def _inside(view: View, box: Box) -> NDArray[np.float64]:
    """Describe density, edge and texture: shape (23,)."""
    crop = _crop(view, box)
    core = crop.grey[crop.radius <= 0.5]
    inside, ring = crop.grey[crop.inside], crop.grey[crop.ring]
    contrast = float(core.mean() - np.median(ring))
    mask = _segment(crop, contrast)
    return np.concatenate(
        [
            [core.mean(), inside.mean(), inside.std(), *np.percentile(inside, [5, 25, 75, 95])],
            [ring.mean(), ring.std(), *np.percentile(ring, [10, 50, 90]), contrast],
            [float((inside > 0.97).mean()), float((inside < 0.03).mean())],
            _shape(crop, mask, contrast),
        ]
    )


def _segment(crop: _Crop, contrast: float) -> NDArray[np.bool_]:
    """Grow the lesion from the centre: pixels nearer to the core's grey than to the ring's."""
    middle = float(np.median(crop.grey[crop.ring])) + contrast / 2
    near = (crop.grey > middle) if contrast >= 0 else (crop.grey < middle)
    labels = np.zeros(near.shape, dtype=np.int32)
    ndimage.label(near & (crop.radius <= 1.5), output=labels)
    centre = np.bincount(labels[crop.radius <= 0.5])
    centre[0] = 0
    return labels == int(np.argmax(centre)) if centre.any() else crop.radius <= 0.5


def _shape(crop: _Crop, mask: NDArray[np.bool_], contrast: float) -> NDArray[np.float64]:
    """Describe form and texture of the segmented lesion: shape (8,)."""
    area = float(mask.sum())
    depth = np.asarray(ndimage.distance_transform_edt(np.pad(mask, 1)))[1:-1, 1:-1]
    edge = mask & (depth <= 1.0)
    gradient = ndimage.gaussian_gradient_magnitude(crop.grey, 1.0)
    strength = max(abs(contrast), 0.02)
    deep = mask & (depth > depth.max() / 2)
    shell = mask & ~deep
    rim = float(crop.grey[shell].mean() - crop.grey[deep].mean()) if shell.any() else 0.0
    roughness = crop.radius[edge].std() if edge.any() else 0.0
    laplace = np.abs(ndimage.laplace(crop.grey))
    return np.array(
        [
            np.log(np.sqrt(area) * crop.pixel_mm + 0.5),
            area / mask.size,
            float(edge.sum()) ** 2 / (4 * np.pi * area),
            float(gradient[edge].mean()) / strength if edge.any() else 0.0,
            roughness,
            rim / strength,
            float(crop.grey[mask].std()) / strength,
            float(laplace[mask].mean()) / strength,
        ]
    )
