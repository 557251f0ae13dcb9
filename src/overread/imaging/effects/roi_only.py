"""Everything but what lies in the boxes of a picture is painted over."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numpy.typing import NDArray

from overread.imaging.effects._regions import inside_of
from overread.imaging.effects._shared import grey_of
from overread.imaging.picture_effect import EffectValues, PictureEffect
from overread.records import Box

__all__ = ["EFFECT"]


def _pixels(pixels: NDArray[Any], values: EffectValues) -> NDArray[Any]:
    return pixels.copy()


def _beside(pixels: NDArray[Any], boxes: Sequence[Box], values: EffectValues) -> NDArray[Any]:
    changed = pixels.copy()
    if boxes:
        marked = inside_of(pixels, boxes, share=1.0)
        changed[~marked] = grey_of(pixels, values)
    return changed


EFFECT = PictureEffect(name="roi-only", pixels=_pixels, beside=_beside)
"""Without boxes nothing changes."""
