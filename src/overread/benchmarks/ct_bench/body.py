"""A phantom patient's build, and the parts of a body that every level has."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from overread.benchmarks.ct_bench.phantom import Ellipse

__all__ = [
    "FAT_HU",
    "MUSCLE_HU",
    "SIDES",
    "Body",
    "bowel",
    "draw_body",
    "inside",
    "oval",
    "ribs",
    "shell",
    "vertebra",
    "vessel",
]

FAT_HU = -104.0
MUSCLE_HU = 58.0
SIDES = (-1, 1)
_OUTLINE_POWER = 2.35
"""A trunk is a little squarer than an ellipse."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Body:
    """A patient's build."""

    half_width_mm: float
    half_depth_mm: float
    fat_mm: float
    enhancement: float
    """Contrast medium: 1 is typical."""


def draw_body(rng: np.random.Generator) -> Body:
    """Draw a patient's build."""
    return Body(
        half_width_mm=rng.uniform(150, 174),
        half_depth_mm=rng.uniform(108, 128),
        fat_mm=rng.uniform(7, 20),
        enhancement=rng.uniform(0.88, 1.12),
    )


def oval(
    x: float, y: float, rx: float, ry: float, hu: float, *, turn: float, grain: float
) -> Ellipse:
    """Shorten the most frequent call; `turn` in degrees, clockwise as displayed."""
    return Ellipse(
        x_mm=x,
        y_mm=y,
        radius_x_mm=rx,
        radius_y_mm=ry,
        intensity_hu=hu,
        angle_rad=math.radians(turn),
        grain_hu=grain,
    )


def inside(shape: Ellipse) -> Ellipse:
    """Cut a shape off at the body cavity."""
    return replace(shape, inside=True)


def shell(body: Body, wall_mm: float) -> tuple[list[Ellipse], float, float]:
    """Paint couch, skin, fat, muscle wall and cavity; give the cavity's half width and depth."""
    width, depth, fat = body.half_width_mm, body.half_depth_mm, body.fat_mm
    couch_y = depth + 62
    inner_width, inner_depth = width - fat - wall_mm, depth - 0.85 * fat - wall_mm
    shapes = [
        oval(0, couch_y, 205, 62, -640, turn=0, grain=0),
        oval(0, couch_y, 200, 57, -950, turn=0, grain=0),
        _layer(width, depth, 15, grain=0),
        _layer(width - 2.5, depth - 2.5, FAT_HU, grain=7),
        _layer(width - fat, depth - 0.85 * fat, MUSCLE_HU, grain=10),
        replace(_layer(inner_width, inner_depth, FAT_HU, grain=8), cavity=True),
    ]
    return shapes, inner_width, inner_depth


def _layer(width: float, depth: float, hu: float, *, grain: float) -> Ellipse:
    """Give a layer of the body, in the shape of its outline."""
    return replace(oval(0, 0, width, depth, hu, turn=0, grain=grain), power=_OUTLINE_POWER)


def vertebra(y: float, scale: float) -> Iterator[Ellipse]:
    """Paint paraspinal muscles and a vertebra whose body lies at `y`."""
    for side in SIDES:
        yield oval(side * 27, y + 37, 23, 15, MUSCLE_HU, turn=side * 14, grain=14)
        yield oval(side * 44, y + 34, 11, 9, 50, turn=0, grain=18)
    for side in SIDES:
        yield oval(side * 25 * scale, y + 20, 14, 3.6, 330, turn=side * -18, grain=40)
        yield oval(side * 12.5 * scale, y + 20, 4.5, 10, 430, turn=side * -24, grain=40)
    yield oval(0, y + 39, 3.4, 11, 420, turn=0, grain=40)
    yield oval(0, y, 21 * scale, 16.5 * scale, 520, turn=0, grain=30)
    yield oval(0, y, 18.6 * scale, 14.2 * scale, 205, turn=0, grain=34)
    yield oval(0, y + 21.5, 9.5, 8, 25, turn=0, grain=5)
    yield oval(0, y + 21.5, 5.5, 4.5, 45, turn=0, grain=0)


def ribs(width: float, depth: float, rng: np.random.Generator) -> Iterator[Ellipse]:
    """Paint ribs in the wall, elongated along it."""
    start = rng.uniform(0, 0.25)
    for angle in np.arange(-1.15 + start, 1.25, 0.36):
        for side in SIDES:
            jitter = rng.normal(0, 0.04)
            cosine, sine = math.cos(angle + jitter), math.sin(angle + jitter)
            x, y = side * width * _squarer(cosine), depth * _squarer(sine)
            slope = math.degrees(math.atan2(depth * cosine, -side * width * sine))
            length = rng.uniform(8, 14)
            yield oval(x, y, length, 4.6, 560, turn=slope, grain=40)
            yield oval(x, y, length - 2.2, 2.4, 230, turn=slope, grain=40)


def _squarer(value: float) -> float:
    """Follow the body's squarer outline: cosine or sine of an the body's outline."""
    return math.copysign(abs(value) ** (2 / _OUTLINE_POWER), value)


def vessel(x: float, y: float, radius: float, hu: float) -> Ellipse:
    """Give a vessel cut across."""
    return replace(oval(x, y, radius, radius, hu, turn=0, grain=4), edge_mm=1.6)


def bowel(
    x: float, y: float, radius: float, rng: np.random.Generator, *, gas_share: float
) -> Iterator[Ellipse]:
    """Paint a loop: enhancing wall, then fluid, contrast medium, stool or gas."""
    ratio, turn = rng.uniform(0.7, 1.0), rng.uniform(0, 180)
    yield inside(oval(x, y, radius, radius * ratio, 82, turn=turn, grain=8))
    inner = radius - rng.uniform(2.4, 3.6)
    content = rng.choice([18.0, 28.0, 60.0])
    yield inside(oval(x, y, inner, inner * ratio, content, turn=turn, grain=16))
    if rng.uniform() < gas_share:
        gas = inner * rng.uniform(0.45, 0.8)
        lift = (inner - gas) * ratio * 0.8
        yield inside(oval(x, y - lift, gas, gas * ratio * 0.8, -820, turn=0, grain=0))
