"""What changes of pixels have in common: exact numbers, limits, fields, and draws from a seed."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from overread.imaging.picture_effect import EffectValues, like
from overread.records import Box

__all__ = [
    "between",
    "blurred",
    "box_by_labels",
    "drawn_from",
    "enlarged",
    "exact",
    "from_corner",
    "grey_of",
    "held",
    "highest",
    "limits",
    "lowest",
    "over_colours",
    "stretched",
]

Real = NDArray[np.float32]

_WIDE_PX: Final = 1.5
"""From this sigma on two cosine transforms cost less than the kernel."""


def exact(pixels: NDArray[Any]) -> Real:
    """Give pixels as real numbers, a copy."""
    return np.array(pixels, dtype=np.float32)


def limits(pixels: NDArray[Any]) -> tuple[float, float]:
    """Give the least and the greatest value of a picture, all colours together."""
    return float(pixels.min()), float(pixels.max())


def lowest(pixels: NDArray[Any]) -> Real:
    """Give the least value of each colour, which spreads over the picture."""
    return _by_colour(pixels, np.min)


def highest(pixels: NDArray[Any]) -> Real:
    """Give the greatest value of each colour, which spreads over the picture."""
    return _by_colour(pixels, np.max)


def _by_colour(pixels: NDArray[Any], of: Callable[[NDArray[Any]], Any]) -> Real:
    # Colour by colour: over both axes at once it takes ten times as long.
    if pixels.ndim == 2:
        return np.asarray(of(pixels), dtype=np.float32)
    return np.array([of(pixels[..., each]) for each in range(pixels.shape[2])], dtype=np.float32)


def held(changed: NDArray[Any], pixels: NDArray[Any], *, by_colour: bool) -> NDArray[Any]:
    """Hold changed values to the range of the unchanged ones, and give them their type."""
    low, high = (lowest(pixels), highest(pixels)) if by_colour else limits(pixels)
    return like(np.clip(changed, low, high), pixels)


def stretched(changed: Real, low: float, high: float) -> Real:
    """Stretch values so that they reach from `low` to `high`; those of one value stay."""
    least, most = limits(changed)
    if most - least <= 1e-8:
        return changed
    return (changed - least) * ((high - low) / (most - least)) + low


def over_colours(field: NDArray[Any], pixels: NDArray[Any]) -> NDArray[Any]:
    """Give a field of (rows, columns) the shape by which it meets each colour of a picture."""
    return field[..., np.newaxis] if pixels.ndim == 3 else field


def drawn_from(values: EffectValues) -> np.random.Generator:
    """Give the generator of an effect: all that is random in it comes from its seed."""
    return np.random.default_rng(int(values["seed"]))


def between(rng: np.random.Generator, low: int, high: int) -> int:
    """Draw a whole number from `low` up to but without `high`; `low` where there is none."""
    return int(rng.integers(low, high)) if high > low else low


def from_corner(pixels: NDArray[Any]) -> tuple[Real, Real]:
    """Give the rows as a column and the columns as a row: counted from the corner, from 0."""
    rows, columns = pixels.shape[:2]
    down = np.arange(rows, dtype=np.float32)[:, np.newaxis]
    across = np.arange(columns, dtype=np.float32)[np.newaxis, :]
    return down, across


def grey_of(pixels: NDArray[Any], values: EffectValues) -> float:
    """Give a grey of 255 as a value of this picture: between its ends where it is not 8-bit."""
    grey = float(values["grey"])
    if pixels.dtype == np.uint8:
        return grey
    low, high = limits(pixels)
    return low + (high - low) * grey / 255


def enlarged(field: NDArray[Any], rows: int, columns: int) -> Real:
    """Draw a small field out to a size, smoothly (cubic)."""
    from PIL import Image

    small = Image.fromarray(np.asarray(field, dtype=np.float32))
    return np.asarray(small.resize((columns, rows), Image.Resampling.BICUBIC), dtype=np.float32)


def blurred(
    field: NDArray[Any], sigma_px: float, *, edges: Literal["reflected", "continued"] = "reflected"
) -> Real:
    """Blur each colour by itself, the kernel cut at 4 sigma."""
    from scipy.ndimage import gaussian_filter

    if sigma_px <= 0:
        return exact(field)
    real = np.asarray(field, dtype=np.float32)
    if sigma_px < _WIDE_PX:
        mode = "reflect" if edges == "reflected" else "nearest"
        found: Any = gaussian_filter(real, (sigma_px, sigma_px, 0.0)[: field.ndim], mode=mode)
        return found
    if edges == "reflected":
        return _blurred_by_cosines(real, sigma_px)
    reach = _reach(sigma_px)
    wide = np.pad(real, ((reach, reach), (reach, reach), (0, 0))[: field.ndim], mode="edge")
    return _blurred_by_cosines(wide, sigma_px)[reach:-reach, reach:-reach]


def _reach(sigma_px: float) -> int:
    """Give how far a kernel reaches, as scipy cuts it."""
    return int(4 * sigma_px + 0.5)


def _blurred_by_cosines(real: Real, sigma_px: float) -> Real:
    """Blur with the same kernel, by what it does to each frequency of a reflected picture."""
    from scipy import fft

    waves: Any = fft.dctn(real, axes=(0, 1))
    for axis, size in enumerate(real.shape[:2]):
        shape = [1] * real.ndim
        shape[axis] = size
        waves *= _response(size, sigma_px).reshape(shape)
    back: Any = fft.idctn(waves, axes=(0, 1), overwrite_x=True)
    return back


@lru_cache(maxsize=16)
def _response(size: int, sigma_px: float) -> Real:
    steps = np.arange(1, _reach(sigma_px) + 1)
    weights = np.exp(-0.5 * (steps / sigma_px) ** 2)
    waves = np.cos(np.pi / size * np.outer(np.arange(size), steps))
    return ((1 + 2 * waves @ weights) / (1 + 2 * weights.sum())).astype(np.float32)


def box_by_labels(
    box: Box,
    width: int,
    height: int,
    values: EffectValues,
    *,
    move: Callable[[NDArray[Any], EffectValues], NDArray[Any]],
) -> Box:
    """Move a box as the labels in it move: around all that is left of them, else where it was."""
    inside = np.zeros((height, width), dtype=np.uint8)
    top, left = max(0, round(box.y_min)), max(0, round(box.x_min))
    inside[top : round(box.y_max) + 1, left : round(box.x_max) + 1] = 1
    moved = move(inside, values)
    rows, columns = np.flatnonzero(moved.any(axis=1)), np.flatnonzero(moved.any(axis=0))
    if not rows.size:
        return box
    return Box(
        x_min=float(columns[0]),
        y_min=float(rows[0]),
        x_max=float(columns[-1]),
        y_max=float(rows[-1]),
    )
