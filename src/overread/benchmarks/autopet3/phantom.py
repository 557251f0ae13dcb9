"""A phantom of a whole-body PET/CT study: a trunk with a head, hot organs, and lesions.

Two tracers light up different organs, two centres have different voxels.
"""

from __future__ import annotations

import gzip
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

__all__ = ["Body", "draw_body", "encode_nifti", "grid_of"]

_EXTENT_MM: Final = (380.0, 260.0, 640.0)
_SPACING_MM: Final[Mapping[str, tuple[float, float, float]]] = {
    "UKT": (8.0, 8.0, 9.0),
    "LMU": (9.5, 9.5, 8.0),
}
_NOISE_SUV: Final = 0.12
_NOISE_HU: Final = 12.0
_STEP_SUV: Final = 1 / 32
"""Real volumes are noisy in every bit; rounded ones are packed well."""

# Middle and radii in mm (x left, y front, z head), and SUV.
_ORGANS: Final[Mapping[str, tuple[tuple[tuple[float, ...], tuple[float, ...], float], ...]]] = {
    "fdg": (
        ((0.0, 5.0, 265.0), (62.0, 75.0, 45.0), 9.0),  # brain
        ((28.0, 30.0, 75.0), (32.0, 30.0, 34.0), 5.0),  # heart
        ((0.0, 20.0, -270.0), (30.0, 28.0, 26.0), 14.0),  # bladder
    ),
    "psma": (
        ((62.0, -45.0, -40.0), (26.0, 24.0, 48.0), 24.0),  # kidneys
        ((-62.0, -45.0, -45.0), (26.0, 24.0, 48.0), 24.0),
        ((-60.0, 15.0, 5.0), (66.0, 60.0, 50.0), 4.5),  # liver
        ((0.0, 20.0, -270.0), (30.0, 28.0, 26.0), 12.0),  # bladder
        ((42.0, 18.0, 205.0), (13.0, 16.0, 18.0), 11.0),  # parotid glands
        ((-42.0, 18.0, 205.0), (13.0, 16.0, 18.0), 11.0),
    ),
}

_Ball = tuple[tuple[float, ...], tuple[float, ...]]


@dataclass(frozen=True, kw_only=True)  # without slots, for the grid that is kept
class Body:
    """One study: its volumes, and the ellipsoids that its lesions are."""

    ct_hu: NDArray[np.int16]
    pet_suv: NDArray[np.float32]
    spacing_mm: tuple[float, float, float]
    balls: tuple[_Ball, ...]
    """Middle and radii of each lesion in mm."""
    hot_organ: NDArray[np.bool_]
    """One organ that a careless method takes for a lesion."""

    @cached_property
    def grid(self) -> tuple[NDArray[np.floating], ...]:
        """Coordinates in mm of all voxels, axis by axis."""
        return grid_of(self.ct_hu.shape, self.spacing_mm)

    def lesions(self, *, grow_mm: float, smallest_mm: float) -> NDArray[np.bool_]:
        """Draw the lesions whose largest radius reaches a size, larger or smaller than they are."""
        mask = np.zeros(self.ct_hu.shape, dtype=np.bool_)
        for middle, radii in self.balls:
            if max(radii) >= smallest_mm:
                mask |= _inside(self.grid, middle, [each + grow_mm for each in radii])
        return mask


def draw_body(rng: np.random.Generator, tracer: str, centre: str, *, has_lesion: bool) -> Body:
    """Draw one study of a tracer (``fdg``, ``psma``) at a centre (``UKT``, ``LMU``)."""
    spacing = _SPACING_MM[centre]
    shape = tuple(round(extent / each) for extent, each in zip(_EXTENT_MM, spacing, strict=True))
    grid = grid_of(shape, spacing)
    trunk = _inside(grid, (0.0, 0.0, -60.0), (150.0 * rng.uniform(0.9, 1.05), 105.0, 330.0))
    head = _inside(grid, (0.0, 0.0, 255.0), (78.0, 95.0, 75.0))
    body = (trunk & (np.abs(grid[2]) < 315)) | head
    ct = np.where(body, 35.0, -1000.0)
    pet = np.where(body, 0.7, 0.02)
    for side in (-1, 1):
        lung = _inside(grid, (side * 68.0, 0.0, 85.0), (46.0, 66.0, 95.0))
        ct[lung], pet[lung] = -820.0, 0.35
    spine = (np.hypot(grid[0], grid[1] + 68.0) < 17) & body
    ct[spine], pet[spine] = 260.0, 1.1
    organs = [(_inside(grid, middle, radii), suv) for middle, radii, suv in _ORGANS[tracer]]
    for mask, suv in organs:
        pet[mask] = suv * rng.uniform(0.85, 1.15)
    hot = np.any([mask for mask, _ in organs], axis=0)
    balls = _draw_lesions(rng, grid, body & ~hot & (ct > -500)) if has_lesion else ()
    for middle, radii in balls:
        pet[_inside(grid, middle, radii)] = rng.uniform(4.0, 13.0)
    pet = np.abs(pet + rng.normal(0.0, _NOISE_SUV, shape) * np.sqrt(pet))
    ct += rng.normal(0.0, _NOISE_HU, shape)
    return Body(
        ct_hu=ct.round().clip(-1024, 3000).astype(np.int16),
        pet_suv=((pet / _STEP_SUV).round() * _STEP_SUV).astype(np.float32),
        spacing_mm=spacing,
        balls=balls,
        hot_organ=organs[-1][0],
    )


def encode_nifti(array: NDArray[Any], spacing_mm: Sequence[float]) -> bytes:
    """Encode a volume as ``.nii.gz`` whose axes grow to the left, the front and the head."""
    import nibabel

    steps = np.array([-spacing_mm[0], spacing_mm[1], spacing_mm[2]])
    affine = np.diag([*steps, 1.0])
    affine[:3, 3] = -steps * (np.array(array.shape) - 1) / 2
    image = nibabel.Nifti1Image(array, affine)
    image.header.set_xyzt_units("mm")
    return gzip.compress(image.to_bytes(), compresslevel=4, mtime=0)


def grid_of(shape: Sequence[int], spacing_mm: Sequence[float]) -> tuple[NDArray[np.floating], ...]:
    """Give the coordinates of voxels in mm from the middle, one open array an axis."""
    lines = [(np.arange(n) - (n - 1) / 2) * each for n, each in zip(shape, spacing_mm, strict=True)]
    return tuple(np.ix_(*lines))


def _draw_lesions(
    rng: np.random.Generator, grid: Sequence[NDArray[np.floating]], allowed: NDArray[np.bool_]
) -> tuple[_Ball, ...]:
    """Place one to five ellipsoids where there is soft tissue or bone without much uptake."""
    places = np.argwhere(allowed)
    balls: list[_Ball] = []
    for _ in range(int(rng.integers(1, 6))):
        place = places[int(rng.integers(len(places)))]
        middle = tuple(float(axis.reshape(-1)[at]) for axis, at in zip(grid, place, strict=True))
        size = float(rng.choice([7.0, 12.0, 20.0]))
        radii = tuple(float(each) for each in size * rng.uniform(0.85, 1.2, 3))
        balls.append((middle, radii))
    return tuple(balls)


def _inside(
    grid: Sequence[NDArray[np.floating]], middle: Sequence[float], radii: Sequence[float]
) -> NDArray[np.bool_]:
    parts = [
        ((axis - at) / radius) ** 2 for axis, at, radius in zip(grid, middle, radii, strict=True)
    ]
    return parts[0] + parts[1] + parts[2] <= 1
