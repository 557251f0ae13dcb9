"""Bubbles before the lens of an endoscope: discs that distort, with highlights."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from overread.imaging.effects._shared import (
    between,
    drawn_from,
    exact,
    highest,
    lowest,
    over_colours,
)
from overread.imaging.picture_effect import EffectValues, PictureEffect, like

__all__ = ["EFFECT"]


def _pixels(pixels: NDArray[Any], values: EffectValues) -> NDArray[Any]:
    rng, coverage = drawn_from(values), float(values["coverage"])
    rows, columns = pixels.shape[:2]
    side = min(rows, columns)
    changed = exact(pixels)
    for _ in range(max(3, int(coverage * 80))):
        y, x = (
            between(rng, rows // 10, 9 * rows // 10),
            between(rng, columns // 10, 9 * columns // 10),
        )
        radius = between(rng, max(8, int(side * 0.03)), max(20, int(side * 0.12)))
        _bubble(changed, pixels, (y, x, radius), coverage, rng)
    return like(changed, pixels)


def _bubble(
    changed: NDArray[np.float32],
    pixels: NDArray[Any],
    disc: tuple[int, int, int],
    coverage: float,
    rng: np.random.Generator,
) -> None:
    """Put one bubble into the picture."""
    y, x, radius = disc
    place, down, across = _window(pixels, y, x, radius)
    part = changed[place]
    apart = np.hypot(down, across)
    inside = apart <= radius
    nearer = 1 - (0.25 + 0.6 * coverage) * (1 - (apart / radius) ** 2)
    top, left = y - place[0].start, x - place[1].start
    bent = _sampled(part, top + down * nearer, left + across * nearer)
    part[inside] = bent[inside]
    most, least = highest(pixels), lowest(pixels)
    for _ in range(between(rng, 2, 5)):
        far, angle = radius * rng.uniform(0.5, 0.95), rng.uniform(0, 2 * np.pi)
        _highlight(
            changed, (y + far * np.sin(angle), x + far * np.cos(angle)), radius, coverage, most
        )
    rim = inside & (apart > radius - max(3, radius // 3))
    part[rim] = np.clip(part[rim] * np.float32(1.15 + 0.25 * coverage), 0, most)
    core = apart <= radius * 0.7
    part[core] = np.clip(part[core] + np.float32(0.05 + 0.1 * coverage) * (most - least), 0, most)


def _window(
    pixels: NDArray[Any], y: float, x: float, reach: int
) -> tuple[tuple[slice, slice], NDArray[np.float32], NDArray[np.float32]]:
    """Give the part of the picture around a point, and how far its pixels are down and across."""
    rows, columns = pixels.shape[:2]
    place = (
        slice(max(0, int(y - reach)), max(0, min(rows, int(y + reach + 1)))),
        slice(max(0, int(x - reach)), max(0, min(columns, int(x + reach + 1)))),
    )
    down = np.arange(place[0].start, place[0].stop, dtype=np.float32)[:, np.newaxis] - np.float32(y)
    across = np.arange(place[1].start, place[1].stop, dtype=np.float32)[np.newaxis] - np.float32(x)
    return place, down, across


def _sampled(
    part: NDArray[np.float32], y: NDArray[np.float32], x: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Look up values between pixels, linearly, edges continued."""
    last_y, last_x = part.shape[0] - 1, part.shape[1] - 1
    y, x = np.clip(y, 0, last_y), np.clip(x, 0, last_x)
    top, left = y.astype(np.intp), x.astype(np.intp)
    low, right = np.minimum(top + 1, last_y), np.minimum(left + 1, last_x)
    v, u = over_colours(y - top, part), over_colours(x - left, part)
    above = part[top, left] * (1 - u) + part[top, right] * u
    below = part[low, left] * (1 - u) + part[low, right] * u
    return (above * (1 - v) + below * v).astype(np.float32)


def _highlight(
    changed: NDArray[np.float32],
    at: tuple[float, float],
    radius: int,
    coverage: float,
    most: NDArray[np.float32],
) -> None:
    reach = max(3, int(radius * 0.25))
    place, down, across = _window(changed, *at, reach)
    apart = np.hypot(down, across)
    light = np.exp(-(apart**2) / (2 * (reach / 2.5) ** 2)) * (0.6 + 1.2 * coverage) * 0.7
    light = over_colours(np.where(apart <= reach, light, 0).astype(np.float32), changed)
    changed[place] = np.minimum(changed[place] + light * most, most)


EFFECT = PictureEffect(name="bubbles", pixels=_pixels)
"""80 times ``coverage`` discs, 3 at least: what lies below is drawn together, rim and inside are
brighter, and two to four highlights lie near the rim."""
