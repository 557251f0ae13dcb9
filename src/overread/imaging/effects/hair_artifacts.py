"""Dark curved hairs over the skin."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from overread.imaging.effects._shared import between, drawn_from, exact, over_colours
from overread.imaging.picture_effect import EffectValues, PictureEffect, like

__all__ = ["EFFECT"]


_STEPS = 100


def _curve(rng: np.random.Generator, width: int, height: int) -> NDArray[np.int_]:
    """Draw the points of one cubic curve, (steps, 2) as x and y."""
    start = np.array([between(rng, 0, width), between(rng, 0, height)], dtype=np.float64)
    angle = rng.uniform(0, np.pi)
    side = min(width, height) // 2
    length = between(rng, min(50, side // 2), side)
    bend = rng.uniform(0.1, 0.4) * length * rng.choice([-1, 1])
    along = np.array([np.cos(angle), np.sin(angle)])
    across = np.array([-np.sin(angle), np.cos(angle)])
    # Three in ten hairs swing back on their second half.
    back = 0.5 * (1 if rng.random() < 0.7 else -1)
    ways = [(0.0, 0.0), (0.33, bend), (0.67, back * bend), (1.0, 0.0)]
    points = np.array([start + length * far * along + off * across for far, off in ways])
    t = np.linspace(0, 1, _STEPS)[:, np.newaxis]
    weights = np.hstack([(1 - t) ** 3, 3 * (1 - t) ** 2 * t, 3 * (1 - t) * t**2, t**3])
    return (weights @ points).astype(np.int_)


def _pixels(pixels: NDArray[Any], values: EffectValues) -> NDArray[Any]:
    from PIL import Image, ImageDraw
    from scipy.ndimage import correlate1d

    rng = drawn_from(values)
    rows, columns = pixels.shape[:2]
    sheet = Image.new("L", (columns, rows))
    draw = ImageDraw.Draw(sheet)
    for _ in range(int(values["hairs"])):
        points = _curve(rng, columns, rows)
        inside: NDArray[np.bool_] = np.all((points >= 0) & (points < (columns, rows)), axis=1)
        for number in range(_STEPS - 1):
            if inside[number] and inside[number + 1]:
                thin = 1 - abs(number / _STEPS - 0.5)
                width = max(1, int(int(values["thickness_px"]) * thin))
                wide = width + (width > 1)  # OpenCV covers a pixel more than is asked of it
                draw.line([*points[number].tolist(), *points[number + 1].tolist()], 255, wide)
    cover = np.asarray(sheet, dtype=np.float32) / 255
    for axis in (0, 1):
        cover = correlate1d(cover, [0.25, 0.5, 0.25], axis=axis, mode="mirror")
    cover = over_colours(cover, pixels)
    darkest = np.float32(0.2 * float(pixels.min()))
    return like(exact(pixels) * (1 - cover) + darkest * cover, pixels)


EFFECT = PictureEffect(name="hair-artifacts", pixels=_pixels)
"""``hairs`` cubic curves, thickest in the middle (``thickness_px``), 0.2 times the least value."""
