"""A canvas for phantom CT slices in HU: soft-edged shapes, organic warp, grain and noise.

Coordinates are millimetres in the patient's axial plane as it is displayed: origin in the middle
of the picture, x to the right (the patient's left), y down (the patient's back), z towards the
head. What the shapes mean is the business of `anatomy` and `lesions`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["AIR_HU", "LEAST_SECTION", "PIXEL_MM", "SIDE_PX", "Blob", "Canvas", "Ellipse", "to_px"]

Field: TypeAlias = NDArray[np.floating]
"""Values on the grid of a slice, or along one of its axes."""

SIDE_PX = 256
PIXEL_MM = 1.45
AIR_HU = -1000.0

LEAST_SECTION = 0.15
"""A lesion whose section is a smaller share of its largest is not painted."""

_WARP_MM = 2.6
_WARP_WAVES = 4
_NOISE_HU = 9.0
_WINDOW_MARGIN_MM = 5.0


def to_px(value_mm: float) -> float:
    """Convert a coordinate in mm (0 in the middle) to pixels (0 at the first pixel's centre)."""
    return value_mm / PIXEL_MM + (SIDE_PX - 1) / 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Ellipse:
    """A piece of anatomy: an ellipse (or a squarer oval) of one attenuation."""

    x_mm: float
    y_mm: float
    radius_x_mm: float
    radius_y_mm: float
    intensity_hu: float
    angle_rad: float = 0.0
    power: float = 2.0
    """2 for an ellipse, more for a squarer oval."""
    edge_mm: float = 2.0
    """Width of the soft edge."""
    grain_hu: float = 0.0
    """Strength of the blotchy texture inside."""
    inside: bool = False
    """Cut off at the body cavity."""
    cavity: bool = False
    """This shape is the body cavity."""
    drift: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """Shift in x and y (mm) and relative growth per mm of z: what makes slices differ."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Blob:
    """A lesion: an ellipsoid whose outline may be irregular and whose core may be calcified."""

    x_mm: float
    y_mm: float
    long_mm: float
    short_mm: float
    angle_rad: float
    depth_mm: float
    """Its extent along z."""
    intensity_hu: float
    grain_hu: float
    spikes: tuple[tuple[int, float, float], ...]
    """Outline: (waves around, amplitude as a share of the radius, phase); empty when smooth."""
    core_hu: float | None
    """Attenuation of the calcified core, if there is one."""

    def scale_at(self, z_mm: float) -> float:
        """Give the size of its section at `z_mm` from its middle, as a share of the largest."""
        return math.sqrt(max(0.0, 1.0 - (2.0 * z_mm / self.depth_mm) ** 2))


class Canvas:
    """One slice of one phantom patient.

    Parameters
    ----------
    waves
        Numbers in 0..1, shape (2, 4, 4), that fix the patient's warp: the same for every slice.
    z_mm
        The slice's distance from the key slice.
    rng
        Source of this slice's grain and noise.
    """

    def __init__(
        self, waves: NDArray[np.float64], *, z_mm: float, rng: np.random.Generator
    ) -> None:
        axis = ((np.arange(SIDE_PX) - (SIDE_PX - 1) / 2) * PIXEL_MM).astype(np.float32)
        self._axis = axis
        self._z_mm = z_mm
        self._x = axis[None, :] + _warp(axis, waves[0], z_mm)
        self._y = axis[:, None] + _warp(axis, waves[1], z_mm)
        self._grain = _smooth(rng.standard_normal((SIDE_PX, SIDE_PX), dtype=np.float32), passes=4)
        self._rng = rng
        self._cavity: Field | None = None
        self.intensity_hu = np.full((SIDE_PX, SIDE_PX), AIR_HU, dtype=np.float32)

    def paint(self, shape: Ellipse) -> None:
        """Paint a piece of anatomy over what is there."""
        dx, dy, growth = (value * self._z_mm for value in shape.drift)
        # plain floats: a numpy scalar of 64 bits would double the width of every array below
        x, y = float(shape.x_mm + dx), float(shape.y_mm + dy)
        radius_x = float(shape.radius_x_mm) * max(0.05, 1 + growth)
        radius_y = float(shape.radius_y_mm) * max(0.05, 1 + growth)
        cosine, sine = math.cos(shape.angle_rad), math.sin(shape.angle_rad)
        # a squarer oval reaches beyond its axes when it is turned
        slack = 1.0 if shape.angle_rad == 0 or shape.power == 2 else 1.2
        reach_x = slack * math.hypot(radius_x * cosine, radius_y * sine) + shape.edge_mm
        reach_y = slack * math.hypot(radius_x * sine, radius_y * cosine) + shape.edge_mm
        window = self._window(x, y, reach_x + _WINDOW_MARGIN_MM, reach_y + _WINDOW_MARGIN_MM)
        across, down = self._x[window] - x, self._y[window] - y
        u = np.abs((across * cosine + down * sine) / radius_x)
        v = np.abs((down * cosine - across * sine) / radius_y)
        if shape.power == 2:
            rho = np.sqrt(u * u + v * v)
        else:
            rho = (u**shape.power + v**shape.power) ** (1 / shape.power)
        cover = np.clip(0.5 - (rho - 1) * (min(radius_x, radius_y) / shape.edge_mm), 0, 1)
        if shape.inside and self._cavity is not None:
            cover *= self._cavity[window]
        if shape.cavity:
            self._cavity = np.zeros((SIDE_PX, SIDE_PX), dtype=np.float32)
            self._cavity[window] = cover
        self._blend(window, cover, shape.intensity_hu, shape.grain_hu)

    def paint_blob(self, blob: Blob) -> None:
        """Paint a lesion, undistorted: its diameters are those of its description."""
        scale = blob.scale_at(self._z_mm)
        if scale < LEAST_SECTION:
            return
        reach = blob.long_mm * 0.8 * scale + 3
        window = self._window(blob.x_mm, blob.y_mm, reach, reach)
        rows, columns = window
        across = self._axis[columns][None, :] - blob.x_mm
        down = self._axis[rows][:, None] - blob.y_mm
        cosine, sine = math.cos(blob.angle_rad), math.sin(blob.angle_rad)
        u = (across * cosine + down * sine) / (blob.long_mm / 2 * scale)
        v = (down * cosine - across * sine) / (blob.short_mm / 2 * scale)
        rho = np.sqrt(u * u + v * v)
        outline = np.ones_like(rho)
        around = np.arctan2(v, u)
        for waves, amplitude, phase in blob.spikes:
            outline += amplitude * np.cos(waves * around + phase)
        radius = blob.short_mm / 2 * scale
        cover = np.clip(0.5 - (rho - outline) * (radius / 1.6), 0, 1)
        self._blend(window, cover, blob.intensity_hu, blob.grain_hu)
        if blob.core_hu is not None:
            core = max(1.9, 0.26 * radius)
            cover = np.clip(0.5 - (rho * radius - core) / 1.5, 0, 1)
            self._blend(window, cover, blob.core_hu, 0.0)

    def finish(self) -> Field:
        """Add noise and give the slice.

        Returns
        -------
        ndarray of float32
            Attenuation in HU, shape (rows, columns).
        """
        noise = _smooth(self._rng.standard_normal((SIDE_PX, SIDE_PX), dtype=np.float32), passes=1)
        return self.intensity_hu + _NOISE_HU * noise

    def _window(
        self, x_mm: float, y_mm: float, reach_x_mm: float, reach_y_mm: float
    ) -> tuple[slice, slice]:
        left, right = to_px(x_mm - reach_x_mm), to_px(x_mm + reach_x_mm)
        top, bottom = to_px(y_mm - reach_y_mm), to_px(y_mm + reach_y_mm)
        return (
            slice(min(SIDE_PX, max(0, math.floor(top))), max(0, math.ceil(bottom) + 1)),
            slice(min(SIDE_PX, max(0, math.floor(left))), max(0, math.ceil(right) + 1)),
        )

    def _blend(
        self,
        window: tuple[slice, slice],
        cover: Field,
        intensity_hu: float,
        grain_hu: float,
    ) -> None:
        target = self.intensity_hu[window]
        paint = intensity_hu + grain_hu * self._grain[window] if grain_hu else intensity_hu
        target += cover * (paint - target)


def _warp(axis: Field, waves: NDArray[np.float64], z_mm: float) -> Field:
    """Add up a few plane waves; by outer products, since sin(a+b) = sin a cos b + cos a sin b."""
    total = np.zeros((SIDE_PX, SIDE_PX), dtype=np.float32)
    for across, down, phase, strength in waves[:_WARP_WAVES].tolist():
        frequency_x = 2 * math.pi * (2 * across - 1) / 70
        frequency_y = 2 * math.pi * (2 * down - 1) / 70
        along_x = frequency_x * axis + (2 * math.pi * phase + z_mm / 25)
        along_y = frequency_y * axis
        amplitude = _WARP_MM * (0.4 + 0.6 * strength) / math.sqrt(_WARP_WAVES)
        total += np.outer(amplitude * np.cos(along_y), np.sin(along_x))
        total += np.outer(amplitude * np.sin(along_y), np.cos(along_x))
    return total


def _smooth(field: Field, *, passes: int) -> Field:
    """Blur white noise by [1 2 1] along both axes (wrapping) and give it unit deviation again."""
    for step in range(1, passes + 1):
        for axis in (0, 1):
            field = 2 * field + np.roll(field, step, axis=axis) + np.roll(field, -step, axis=axis)
    return field / field.std()
