"""Finds the dose of a change by how unlike the picture becomes: structural similarity in a band.

The bands and the search are those of MedFM-Robust (vfdv52/MedFM-Robust-, generation scripts): per
level a band of SSIM, bisection of one parameter within its range, at most 20 steps, the best
candidate kept. Unlike there, the search is done for each picture, and what was reached is kept.
Likeness is measured on grey values as they are (0 to 255); the released code draws each picture out
to its own range first (`Yardstick`), so that dimming counts for nothing.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from overread.errors import UsageError, expected
from overread.imaging.picture import Picture
from overread.imaging.picture_effect import find_effect

__all__ = ["BANDS", "Dose", "Search", "Yardstick", "dose_by_likeness", "dose_of_pixels", "likeness"]

BANDS: Final[Mapping[str, tuple[float, float]]] = MappingProxyType(
    {"1": (0.90, 0.98), "2": (0.80, 0.89), "3": (0.70, 0.79), "4": (0.60, 0.69), "5": (0.50, 0.59)}
)
"""Level → the SSIM that a picture should have to its original."""

Yardstick: TypeAlias = Literal["as-shown", "as-released"]
"""``as-released``: SSIM of both pictures drawn out from their least to their greatest value, and a
candidate 0.02 outside its band is good enough."""

_STEPS: Final = 20
_WINDOW: Final = 7
_TOLERANCE: Final[Mapping[str, float]] = {"as-shown": 0.0, "as-released": 0.02}


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """The parameter of an effect that its dose depends on, and where to look for it."""

    parameter: str
    low: float
    high: float
    more_is_stronger: bool = True
    whole: bool = False
    """Whether it takes whole numbers only."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dose:
    """What a search came to."""

    value: float
    """A whole number where the search takes only such."""
    ssim: float
    """Reached on this picture; outside the band where the range does not reach into it."""
    in_band: bool


def dose_by_likeness(
    effect: str,
    values: Mapping[str, bool | int | float | str],
    search: Search,
    shown: Sequence[Picture],
    *,
    level: str,
    yardstick: Yardstick = "as-shown",
) -> Dose:
    """Seek the parameter that brings a picture into the band of a level.

    Parameters
    ----------
    effect, values
        The effect and its parameters; that of the search is replaced.
    search
        Which parameter, and its range.
    shown
        The pictures of a medium; the middle one is looked at.
    level
        A key of `BANDS`; the middle of its band is sought.
    yardstick
        How likeness is measured.

    Raises
    ------
    UsageError
        There is no band of this level.
    """
    pixels = _pixels(shown[len(shown) // 2])
    return dose_of_pixels(effect, values, search, pixels, level=level, yardstick=yardstick)


def dose_of_pixels(
    effect: str,
    values: Mapping[str, bool | int | float | str],
    search: Search,
    pixels: NDArray[np.uint8],
    *,
    level: str,
    yardstick: Yardstick = "as-shown",
) -> Dose:
    """Seek the parameter as `dose_by_likeness` does, for pixels in memory.

    Bisection takes for granted that more of the parameter is less likeness. Where that is not so
    on this picture, the best of the candidates that were looked at comes back.
    """
    if level not in BANDS:
        raise UsageError(
            expected(
                "level",
                rule="one of " + ", ".join(BANDS),
                got=repr(level),
                remedy="Only these have a band of likeness.",
            )
        )
    low_band, high_band = BANDS[level]
    goal, spare = (low_band + high_band) / 2, _TOLERANCE[yardstick]
    change = find_effect(effect).pixels
    low, high = search.low, search.high
    best: Dose | None = None
    for _ in range(_STEPS):
        value = float((low + high) // 2) if search.whole else (low + high) / 2
        given = int(value) if search.whole else value
        changed = change(pixels, {**values, search.parameter: given})
        ssim = likeness(pixels, changed, yardstick=yardstick)
        if best is None or abs(ssim - goal) < abs(best.ssim - goal):
            in_band = low_band <= ssim <= high_band
            best = Dose(value=given, ssim=ssim, in_band=in_band)
        if low_band - spare <= ssim <= high_band + spare:
            break
        if (ssim > goal) == search.more_is_stronger:
            low = value + 1 if search.whole else value
        else:
            high = value - 1 if search.whole else value
        if low > high:
            break
    assert best is not None  # there is one step at least
    return best


def likeness(one: NDArray[Any], other: NDArray[Any], *, yardstick: Yardstick = "as-shown") -> float:
    """Give the structural similarity of two 8-bit pictures, 1 for equal ones.

    scikit-image's, over grey values from 0 to 255 (or each picture drawn out to its range), mean
    over colours; a picture smaller than its window of 7 pixels is compared as a whole, equal or
    not. `other` may hold real numbers, as between two effects.
    """
    from skimage.metrics import structural_similarity

    if min(one.shape[:2]) < _WINDOW:
        return float(np.array_equal(one, other))
    full: float = 255
    if yardstick == "as-released":
        one, other, full = _drawn_out(one), _drawn_out(other), 1.0
    channel_axis = -1 if one.ndim == 3 else None
    found: Any = structural_similarity(one, other, data_range=full, channel_axis=channel_axis)
    return float(found)


def _drawn_out(pixels: NDArray[Any]) -> NDArray[np.float64]:
    real = np.asarray(pixels, dtype=np.float64)
    low, high = real.min(), real.max()
    return (real - low) / (high - low) if high - low > 1e-8 else np.zeros_like(real)


def _pixels(picture: Picture) -> NDArray[np.uint8]:
    from PIL import Image

    with Image.open(io.BytesIO(picture.data)) as image:
        kept = image if image.mode in ("L", "RGB") else image.convert("RGB")
        return np.asarray(kept, dtype=np.uint8)
