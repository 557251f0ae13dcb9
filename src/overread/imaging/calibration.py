"""Finds the dose of a change by how unlike the picture becomes: structural similarity in a band.

The bands and the search are those of MedFM-Robust (vfdv52/MedFM-Robust-, generation scripts): per
level a band of SSIM, bisection of one parameter within its range, at most 20 steps, the best
candidate kept. Unlike there, the search is done for each picture, likeness is measured on grey
values as they are (0 to 255) and not after each picture is stretched, and what was reached is kept.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from overread.imaging.picture import Picture
from overread.imaging.picture_effect import find_effect

__all__ = ["BANDS", "Dose", "Search", "dose_by_likeness", "likeness"]

BANDS: Final[Mapping[str, tuple[float, float]]] = MappingProxyType(
    {"1": (0.90, 0.98), "2": (0.80, 0.89), "3": (0.70, 0.79), "4": (0.60, 0.69), "5": (0.50, 0.59)}
)
"""Level → the SSIM that a picture should have to its original."""
_STEPS: Final = 20
_WINDOW: Final = 7


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
    ssim: float
    """Reached on this picture; outside the band where the range does not reach into it."""


def dose_by_likeness(
    effect: str,
    values: Mapping[str, bool | int | float | str],
    search: Search,
    shown: Sequence[Picture],
    *,
    level: str,
) -> Dose:
    """Seek the parameter that brings the first picture into the band of a level.

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
    """
    pixels = _pixels(shown[len(shown) // 2])
    low_band, high_band = BANDS[level]
    goal = (low_band + high_band) / 2
    kind = find_effect(effect)
    low, high = search.low, search.high
    best: Dose | None = None
    for _ in range(_STEPS):
        value = (low + high) / 2
        value = round(value) if search.whole else value
        ssim = likeness(pixels, kind.pixels(pixels, {**values, search.parameter: value}))
        if best is None or abs(ssim - goal) < abs(best.ssim - goal):
            best = Dose(value=value, ssim=ssim)
        if low_band <= ssim <= high_band or (search.whole and high - low < 1):
            break
        too_weak = ssim > goal
        if too_weak == search.more_is_stronger:
            low = value
        else:
            high = value
    assert best is not None  # there is one step at least
    return best


def likeness(one: NDArray[Any], other: NDArray[Any]) -> float:
    """Give the structural similarity of two 8-bit pictures, 1 for equal ones.

    scikit-image's, over grey values from 0 to 255, mean over channels; a picture smaller than its
    window of 7 pixels is compared as a whole, equal or not.
    """
    from skimage.metrics import structural_similarity

    if min(one.shape[:2]) < _WINDOW:
        return float(np.array_equal(one, other))
    channel_axis = -1 if one.ndim == 3 else None
    found: Any = structural_similarity(one, other, data_range=255, channel_axis=channel_axis)
    return float(found)


def _pixels(picture: Picture) -> NDArray[np.uint8]:
    from PIL import Image

    with Image.open(io.BytesIO(picture.data)) as image:
        kept = image if image.mode in ("L", "RGB") else image.convert("RGB")
        return np.asarray(kept, dtype=np.uint8)
