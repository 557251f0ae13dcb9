"""Air under the cover glass of a slide: pale discs with a dark rim, and cracks."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from overread.imaging.effects._shared import between, drawn_from, exact, highest, over_colours
from overread.imaging.picture_effect import EffectValues, PictureEffect, like

__all__ = ["EFFECT"]


_PALE = 92
"""The percentile of values that stands for the empty slide."""


def _pixels(pixels: NDArray[Any], values: EffectValues) -> NDArray[Any]:
    rng = drawn_from(values)
    changed = exact(pixels)
    pale = np.asarray(np.percentile(pixels, _PALE, axis=(0, 1)), dtype=np.float32)
    for _ in range(int(values["bubbles"])):
        _bubble(changed, pale, highest(pixels), int(values["bubbles"]) / 5, rng)
    for _ in range(int(values["cracks"])):
        _crack(changed, highest(pixels), rng)
    return like(changed, pixels)


def _part(
    changed: NDArray[np.float32], y: int, x: int, reach: int
) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
    """Give the part of the picture around a point, and how far its pixels are from it."""
    rows, columns = changed.shape[:2]
    down = np.arange(max(0, y - reach), min(rows, y + reach))
    across = np.arange(max(0, x - reach), min(columns, x + reach))
    apart = np.hypot(down[:, np.newaxis] - y, across[np.newaxis] - x)
    return changed[max(0, y - reach) : y + reach, max(0, x - reach) : x + reach], apart


def _bubble(
    changed: NDArray[np.float32],
    pale: NDArray[np.float32],
    most: NDArray[np.float32],
    size: float,
    rng: np.random.Generator,
) -> None:
    rows, columns = changed.shape[:2]
    side = min(rows, columns)
    margin = max(15, side // 12)
    if side <= 2 * margin:
        return
    y, x = between(rng, margin, rows - margin), between(rng, margin, columns - margin)
    least = max(6, int(side * (0.015 + 0.01 * size)))
    radius = between(rng, least, max(least + 8, int(side * (0.04 + 0.03 * size))) + 1)
    part, apart = _part(changed, y, x, radius + 5)
    rim = max(2, radius // 5)
    outer = (apart > radius - rim) & (apart <= radius)
    inner = (apart > radius - 2 * rim) & (apart <= radius - rim)
    core = apart <= radius - 2 * rim
    blend = over_colours(0.45 * np.clip(1 - (apart / radius) ** 1.5, 0, 1), part)[core]
    part[core] = part[core] * (1 - blend) + pale * blend
    part[inner] = np.minimum(part[inner] * np.float32(1.08), most)
    part[outer] *= over_colours(0.82 + 0.1 * (apart - (radius - rim)) / rim, part)[outer]


def _crack(
    changed: NDArray[np.float32], most: NDArray[np.float32], rng: np.random.Generator
) -> None:
    """Let a bubble have burst: lines from its middle whose stain differs, and a faded middle."""
    rows, columns = changed.shape[:2]
    side = min(rows, columns)
    y, x = between(rng, rows // 10, 9 * rows // 10), between(rng, columns // 10, 9 * columns // 10)
    reach = between(rng, max(12, side // 25), max(30, side // 10))
    lines = between(rng, 3, 6)
    spot = np.array([(0, 0), (0, 1), (1, 0), (0, -1), (-1, 0)])
    for number in range(lines):
        angle = 2 * np.pi * number / lines + rng.uniform(-0.4, 0.4)
        along = np.arange(int(reach * rng.uniform(0.4, 1.1)))[:, np.newaxis]
        way = along * (np.sin(angle), np.cos(angle)) + (y, x)
        points = (way + rng.uniform(-1.5, 1.5, size=way.shape)).astype(np.int_)
        points = (points[:, np.newaxis] + spot).reshape(-1, 2)
        points = points[((points >= 0) & (points < (rows, columns))).all(axis=1)]
        darker = rng.random(len(points)) > 0.4
        factor = np.where(
            darker, rng.uniform(0.65, 0.85, len(points)), rng.uniform(1.1, 1.25, len(points))
        ).astype(np.float32)
        rows_at, columns_at = points.T
        np.multiply.at(changed, (rows_at, columns_at), over_colours(factor, changed))
    np.clip(changed, None, most, out=changed)
    middle = reach // 3
    part, apart = _part(changed, y, x, middle)
    fade = np.where(apart < middle, 1 - 0.12 * (1 - apart / max(1, middle)), 1)
    part *= over_colours(fade, part)


EFFECT = PictureEffect(name="bubble-artifacts", pixels=_pixels)
"""``bubbles`` discs drawn towards the colour of the empty slide, the larger the more there are, and
``cracks`` of burst ones."""
