"""A few bright blurred lines, as metal leaves them in CT."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from overread.imaging.effects._shared import (
    between,
    blurred,
    drawn_from,
    exact,
    held,
    limits,
    over_colours,
)
from overread.imaging.picture_effect import EffectValues, PictureEffect

__all__ = ["EFFECT"]


def _pixels(pixels: NDArray[Any], values: EffectValues) -> NDArray[Any]:
    from PIL import Image, ImageDraw

    rng = drawn_from(values)
    rows, columns = pixels.shape[:2]
    sheet = Image.new("L", (columns, rows))
    draw = ImageDraw.Draw(sheet)
    for _ in range(between(rng, 3, 8)):
        angle = rng.uniform(0, np.pi)
        x, y = between(rng, columns // 4, 3 * columns // 4), between(rng, rows // 4, 3 * rows // 4)
        half = between(rng, columns // 2, columns) / 2
        across, down = half * np.cos(angle), half * np.sin(angle)
        draw.line([int(x - across), int(y - down), int(x + across), int(y + down)], 1, 3)
    streaks = over_colours(blurred(np.asarray(sheet), 3.0), pixels)
    low, high = limits(pixels)
    gain = np.float32(float(values["gain"]) * (high - low))
    return held(exact(pixels) + streaks * gain, pixels, by_colour=False)


EFFECT = PictureEffect(name="ct-metal", pixels=_pixels)
"""Three to seven lines of 3 px, blurred by 3 px, added with ``gain`` of the range; values held to
those of the picture."""
