"""Measures density, calcification, edge and outline of the lesion in a box."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from overread.models.baselines.radiomics.pixels import View
from overread.records import Box

__all__ = ["texture_features"]

_MOST_SIDE_PX = 64
"""Larger boxes are thinned out to this many pixels."""
_PADDING_PX = 5.0
"""DeepLesion's boxes are larger than their lesions by so much on each side."""
_TOLERANCES = np.geomspace(0.025, 0.4, 8)
"""How far the lesion's grey may be from its core's, at the most; tried in turn."""
_EQUAL_FIT = 0.03
_N_RAYS = 48
_STEP_PX = 0.5


def texture_features(view: View, box: Box) -> NDArray[np.float64]:
    """Describe what the box holds against what surrounds it.

    Returns
    -------
    NDArray[np.float64]
        Shape (21,). Grey of the core (median, spread) and of the surroundings (median, spread,
        10th and 90th percentile), contrast, shares of white and of black; the brightest and the
        darkest small spot against the core, as grey and as a share of the contrast; the outline's
        mean radius (log mm), its longest over its shortest (log), its roughness in coarse and in
        fine waves (log share of the radius) and in all (log pixels), sharpness of the edge and
        its spread along the outline; texture.
    """
    crop = _crop(view, box)
    core = crop.grey[crop.radius <= 0.75]
    ring = crop.grey[(crop.radius > 1.2) & (crop.radius <= 2.0)]
    middle, ground = float(np.median(core)), float(np.median(ring))
    contrast = middle - ground
    strength = max(abs(contrast), 0.03)
    spots = ndimage.gaussian_filter(crop.grey, 0.6)[crop.radius <= 0.8]
    bright, dark = float(spots.max()) - middle, middle - float(spots.min())
    inside = crop.grey[crop.radius <= 1.0]
    return np.concatenate(
        [
            [middle, float(core.std()), ground, float(ring.std())],
            [*np.percentile(ring, [10, 90]), contrast],
            [float((inside > 0.97).mean()), float((inside < 0.03).mean())],
            [bright, dark, np.tanh(bright / strength), np.tanh(dark / strength)],
            _outline(crop, middle),
            [float(np.abs(ndimage.laplace(crop.grey))[crop.radius <= 1.0].mean())],
        ]
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Crop:
    """A box and what is around it, on pixels that are as wide as high."""

    grey: NDArray[np.float64]
    radius: NDArray[np.float64]
    """1 on the ellipse that fills the unpadded box, 0 in its centre."""
    half_px: tuple[float, float]
    """Half width and half height of the unpadded box, in pixels of the crop."""
    pixel_mm: float


def _crop(view: View, box: Box) -> _Crop:
    width, height = max(box.x_max - box.x_min, 4.0), max(box.y_max - box.y_min, 4.0)
    half_x, half_y = (max(side / 2 - _PADDING_PX, 0.25 * side) for side in (width, height))
    thin = max(1.0, 1.2 * max(width, height) / _MOST_SIDE_PX)
    columns = np.arange(-0.6 * width, 0.6 * width + 0.5, thin)
    rows = np.arange(-0.6 * height, 0.6 * height + 0.5, thin)
    at_x, at_y = (box.x_min + box.x_max) / 2, (box.y_min + box.y_max) / 2
    grid = np.meshgrid(at_y + rows, at_x + columns, indexing="ij")
    grey = ndimage.map_coordinates(view.grey, grid, order=1, mode="nearest")
    return _Crop(
        grey=np.asarray(grey, dtype=np.float64),
        radius=np.hypot(rows[:, None] / half_y, columns / half_x),
        half_px=(half_x / thin, half_y / thin),
        pixel_mm=view.pixel_mm * thin,
    )


def _outline(crop: _Crop, middle: float) -> NDArray[np.float64]:
    """Describe the outline of the lesion: shape (7,).

    The outline is followed by rays from its middle; what remains of the logarithm of its distance
    after the best ellipse is its roughness.
    """
    region = _region(crop, middle)
    rows, columns = np.nonzero(region)
    angles = np.linspace(0, 2 * np.pi, _N_RAYS, endpoint=False, dtype=np.float64)
    steps = np.arange(1, 2.2 * max(crop.half_px) + 3, _STEP_PX)
    y = rows.mean() + np.sin(angles)[:, None] * steps
    x = columns.mean() + np.cos(angles)[:, None] * steps
    smooth = ndimage.gaussian_filter(region.astype(np.float64), _STEP_PX)
    rays = np.asarray(ndimage.map_coordinates(smooth, [y, x], order=1))
    radius, _ = _first_fall(rays, steps)
    rough = np.log(radius) - np.log(_ellipse(radius, angles))
    power = np.abs(np.fft.rfft(rough - rough.mean()))[:13] / _N_RAYS
    coarse, fine = np.sqrt((power[3:6] ** 2).sum()), np.sqrt((power[6:13] ** 2).sum())
    near, far = (np.clip(radius + move, 0, None)[:, None] for move in (-2.0, 2.0))
    edge_y = rows.mean() + np.sin(angles)[:, None] * np.concatenate([near, far], axis=1)
    edge_x = columns.mean() + np.cos(angles)[:, None] * np.concatenate([near, far], axis=1)
    grey = np.asarray(ndimage.map_coordinates(crop.grey, [edge_y, edge_x], order=1, mode="nearest"))
    jump = grey[:, 0] - grey[:, 1]
    return np.array(
        [
            np.log(radius.mean() * crop.pixel_mm),
            np.log(radius.max() / radius.min()),
            *np.log([coarse + 0.005, fine + 0.005]),
            np.log(np.hypot(coarse, fine) * radius.mean() + 0.05),
            float(jump.mean()),
            float(jump.std()),
        ]
    )


def _region(crop: _Crop, middle: float) -> NDArray[np.bool_]:
    """Find the connected region like the core whose rectangle fits the unpadded box best.

    Its holes (a calcification, a cavity) are filled, and it ends one pixel outside the box.
    """
    y, x = (np.arange(n) - (n - 1) / 2 for n in crop.grey.shape)
    within = (np.abs(y)[:, None] <= crop.half_px[1] + 1) & (np.abs(x) <= crop.half_px[0] + 1)
    core = crop.radius <= 0.6
    best, best_fit = core, 0.0
    for tolerance in _TOLERANCES:
        labels = np.zeros(crop.grey.shape, dtype=np.int32)
        ndimage.label(np.abs(crop.grey - middle) <= tolerance, output=labels)
        counts = np.bincount(labels[core])
        counts[0] = 0
        if not counts.any():
            continue
        region = labels == int(np.argmax(counts))
        fit = _fit(region, crop.half_px)
        # Of regions that fit about equally, the most tolerant one has the fewest gaps.
        if fit > best_fit - _EQUAL_FIT:
            best, best_fit = region, max(fit, best_fit)
    return np.asarray(ndimage.binary_fill_holes(best)) & within


def _fit(region: NDArray[np.bool_], half_px: tuple[float, float]) -> float:
    """Give the overlap (intersection over union) of a region's rectangle with the box: 0 to 1."""
    (bottom, top), (right, left) = (
        (float(hit[-1]) + 1 - n / 2, n / 2 - float(hit[0]))
        for n, hit in (
            (region.shape[0], np.flatnonzero(region.any(axis=1))),
            (region.shape[1], np.flatnonzero(region.any(axis=0))),
        )
    )
    half_x, half_y = half_px[0] + 0.5, half_px[1] + 0.5
    common = (min(right, half_x) + min(left, half_x)) * (min(bottom, half_y) + min(top, half_y))
    union = (right + left) * (bottom + top) + 4 * half_x * half_y - common
    return max(common, 0.0) / union


def _first_fall(
    rays: NDArray[np.float64], steps: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Give where each ray first falls below one half, between two steps, and the step after."""
    below = rays < 0.5
    below[:, -1] = True
    after = np.maximum(below.argmax(axis=1), 1)
    ray = np.arange(len(rays))
    high, low = rays[ray, after - 1], rays[ray, after]
    part = np.clip((high - 0.5) / np.maximum(high - low, 1e-6), 0, 1)
    return steps[after - 1] + part * (steps[after] - steps[after - 1]), after


def _ellipse(radius: NDArray[np.float64], angles: NDArray[np.float64]) -> NDArray[np.float64]:
    """Fit an ellipse around the middle: 1 / r² is a constant and a wave of twice the angle."""
    design = np.column_stack(
        [
            np.ones_like(angles),
            np.cos(2 * angles),
            np.sin(2 * angles),
            np.cos(angles),
            np.sin(angles),
        ]
    )
    inverse = radius**-2.0
    fitted = design @ np.linalg.lstsq(design, inverse, rcond=None)[0]
    return np.maximum(fitted, 0.1 * inverse.min()) ** -0.5
