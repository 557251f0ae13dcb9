"""Four levels of a phantom body as lists of shapes, and where lesions may sit in each.

Typical portal-venous attenuations (liver about 110 HU, renal cortex 165, aorta 165, muscle 58,
fat -100, inflated lung -860): rounded textbook values, chosen so that a slice reads as CT.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

import numpy as np

from overread.benchmarks.ct_bench.phantom import Ellipse

__all__ = ["LEVELS", "Body", "Level", "Scene", "Site", "draw_body", "draw_scene"]

Level: TypeAlias = Literal["thorax", "upper abdomen", "kidneys", "pelvis"]
LEVELS: tuple[Level, ...] = ("thorax", "upper abdomen", "kidneys", "pelvis")

_FAT_HU = -104.0
_MUSCLE_HU = 58.0
_SIDES = (-1, 1)
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """Where a lesion's middle may lie: somewhere in an ellipse on the patient's left (x > 0).

    The right side is its mirror image, unless `right` says otherwise (the liver's lobes).
    """

    x_mm: float
    y_mm: float
    spread_x_mm: float
    spread_y_mm: float
    right: tuple[float, float, float, float] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """Shapes in painting order, and sites by place name."""

    shapes: tuple[Ellipse, ...]
    sites: dict[str, Site] = field(default_factory=dict[str, Site])


def draw_body(rng: np.random.Generator) -> Body:
    """Draw a patient's build."""
    return Body(
        half_width_mm=rng.uniform(150, 174),
        half_depth_mm=rng.uniform(108, 128),
        fat_mm=rng.uniform(7, 20),
        enhancement=rng.uniform(0.88, 1.12),
    )


def draw_scene(body: Body, level: Level, rng: np.random.Generator) -> Scene:
    """Draw one level of a body; two draws differ as two patients do."""
    match level:
        case "thorax":
            scene = _thorax(body, rng)
        case "upper abdomen":
            scene = _upper_abdomen(body, rng)
        case "kidneys":
            scene = _kidneys(body, rng)
        case "pelvis":
            scene = _pelvis(body, rng)
    return replace(scene, shapes=tuple(_drifting(shape, rng) for shape in scene.shapes))


def _drifting(shape: Ellipse, rng: np.random.Generator) -> Ellipse:
    """Let a shape move and grow a little from slice to slice, the small ones most."""
    if shape.radius_x_mm > 60:
        return replace(shape, drift=(0.0, 0.0, rng.uniform(-0.0008, 0.0008)))
    dx, dy = rng.normal(0, 0.06, 2)
    return replace(shape, drift=(dx, dy, rng.normal(0, 0.006)))


def _oval(
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


def _inside(shape: Ellipse) -> Ellipse:
    return replace(shape, inside=True)


# ---------------------------------------------------------------- parts shared by the levels


def _shell(body: Body, wall_mm: float) -> tuple[list[Ellipse], float, float]:
    """Paint couch, skin, fat, muscle wall and cavity; give the cavity's half width and depth."""
    width, depth, fat = body.half_width_mm, body.half_depth_mm, body.fat_mm
    couch_y = depth + 62
    inner_width, inner_depth = width - fat - wall_mm, depth - 0.85 * fat - wall_mm
    shapes = [
        _oval(0, couch_y, 205, 62, -640, turn=0, grain=0),
        _oval(0, couch_y, 200, 57, -950, turn=0, grain=0),
        _layer(width, depth, 15, grain=0),
        _layer(width - 2.5, depth - 2.5, _FAT_HU, grain=7),
        _layer(width - fat, depth - 0.85 * fat, _MUSCLE_HU, grain=10),
        replace(_layer(inner_width, inner_depth, _FAT_HU, grain=8), cavity=True),
    ]
    return shapes, inner_width, inner_depth


def _layer(width: float, depth: float, hu: float, *, grain: float) -> Ellipse:
    """Give a layer of the body, in the shape of its outline."""
    return replace(_oval(0, 0, width, depth, hu, turn=0, grain=grain), power=_OUTLINE_POWER)


def _vertebra(y: float, scale: float) -> Iterator[Ellipse]:
    """Paint paraspinal muscles and a vertebra whose body lies at `y`."""
    for side in _SIDES:
        yield _oval(side * 27, y + 37, 23, 15, _MUSCLE_HU, turn=side * 14, grain=14)
        yield _oval(side * 44, y + 34, 11, 9, 50, turn=0, grain=18)
    for side in _SIDES:
        yield _oval(side * 25 * scale, y + 20, 14, 3.6, 330, turn=side * -18, grain=40)
        yield _oval(side * 12.5 * scale, y + 20, 4.5, 10, 430, turn=side * -24, grain=40)
    yield _oval(0, y + 39, 3.4, 11, 420, turn=0, grain=40)
    yield _oval(0, y, 21 * scale, 16.5 * scale, 520, turn=0, grain=30)
    yield _oval(0, y, 18.6 * scale, 14.2 * scale, 205, turn=0, grain=34)
    yield _oval(0, y + 21.5, 9.5, 8, 25, turn=0, grain=5)
    yield _oval(0, y + 21.5, 5.5, 4.5, 45, turn=0, grain=0)


def _ribs(width: float, depth: float, rng: np.random.Generator) -> Iterator[Ellipse]:
    """Paint ribs in the wall, elongated along it."""
    start = rng.uniform(0, 0.25)
    for angle in np.arange(-1.15 + start, 1.25, 0.36):
        for side in _SIDES:
            jitter = rng.normal(0, 0.04)
            cosine, sine = math.cos(angle + jitter), math.sin(angle + jitter)
            x, y = side * width * _squarer(cosine), depth * _squarer(sine)
            slope = math.degrees(math.atan2(depth * cosine, -side * width * sine))
            length = rng.uniform(8, 14)
            yield _oval(x, y, length, 4.6, 560, turn=slope, grain=40)
            yield _oval(x, y, length - 2.2, 2.4, 230, turn=slope, grain=40)


def _squarer(value: float) -> float:
    """Follow the body's squarer outline: cosine or sine of an the body's outline."""
    return math.copysign(abs(value) ** (2 / _OUTLINE_POWER), value)


def _vessel(x: float, y: float, radius: float, hu: float) -> Ellipse:
    return replace(_oval(x, y, radius, radius, hu, turn=0, grain=4), edge_mm=1.6)


def _bowel(
    x: float, y: float, radius: float, rng: np.random.Generator, *, gas_share: float
) -> Iterator[Ellipse]:
    """Paint a loop: enhancing wall, then fluid, contrast medium, stool or gas."""
    ratio, turn = rng.uniform(0.7, 1.0), rng.uniform(0, 180)
    yield _inside(_oval(x, y, radius, radius * ratio, 82, turn=turn, grain=8))
    inner = radius - rng.uniform(2.4, 3.6)
    content = rng.choice([18.0, 28.0, 60.0])
    yield _inside(_oval(x, y, inner, inner * ratio, content, turn=turn, grain=16))
    if rng.uniform() < gas_share:
        gas = inner * rng.uniform(0.45, 0.8)
        lift = (inner - gas) * ratio * 0.8
        yield _inside(_oval(x, y - lift, gas, gas * ratio * 0.8, -820, turn=0, grain=0))


# ---------------------------------------------------------------- the levels


def _thorax(body: Body, rng: np.random.Generator) -> Scene:
    shapes, width, depth = _shell(body, 15)
    bright = 165 * body.enhancement
    spine = 0.62 * depth
    for side in _SIDES:  # shoulder-blade muscles and the blade in them
        x, y = side * 0.66 * width, 0.86 * depth
        shapes.append(_oval(x, y, 40, 13, _MUSCLE_HU, turn=side * -36, grain=14))
        shapes.append(_oval(x, y, 27, 2.8, 470, turn=side * -36, grain=40))
    for side in _SIDES:
        x = side * (0.53 if side < 0 else 0.55) * width
        lung = _oval(x, 0.04 * depth, 0.43 * width, 0.9 * depth, -865, turn=side * 5, grain=16)
        shapes.append(_inside(replace(lung, power=2.3)))
    for side in _SIDES:
        shapes.extend(_lung_vessels(side, width, depth, rng))
    shapes.append(_oval(0, -0.12 * depth, 0.23 * width, 0.84 * depth, -70, turn=0, grain=18))
    if rng.uniform() < 0.5:
        shapes.extend(_heart(width, depth, bright, rng))
    else:
        shapes.extend(_great_vessels(width, depth, bright))
    shapes.append(_vessel(22, spine - 20, 11.5, bright))
    shapes.append(_oval(6, spine - 24, 6.5, 4.5, 62, turn=0, grain=8))
    shapes.extend(_vertebra(spine, 0.88))
    shapes.append(_oval(0, -depth - 6, 20, 5, 420, turn=0, grain=40))
    shapes.extend(_ribs(width + 7, depth + 7, rng))
    lung = Site(
        x_mm=0.57 * width, y_mm=0.02 * depth, spread_x_mm=0.2 * width, spread_y_mm=0.5 * depth
    )
    mediastinum = Site(x_mm=27, y_mm=-0.14 * depth, spread_x_mm=8, spread_y_mm=0.26 * depth)
    rib = Site(x_mm=0.98 * width, y_mm=0.1 * depth, spread_x_mm=5, spread_y_mm=0.28 * depth)
    return Scene(shapes=tuple(shapes), sites={"lung": lung, "mediastinum": mediastinum, "rib": rib})


def _heart(
    width: float, depth: float, bright: float, rng: np.random.Generator
) -> Iterator[Ellipse]:
    turn = rng.uniform(28, 42)
    x, y = 0.12 * width, -0.3 * depth
    yield _oval(x, y, 0.40 * width, 0.43 * depth, 92, turn=turn, grain=8)
    yield _oval(x + 0.1 * width, y + 4, 0.2 * width, 0.26 * depth, bright, turn=turn, grain=6)
    yield _oval(
        x - 0.15 * width, y - 8, 0.16 * width, 0.27 * depth, 0.9 * bright, turn=turn, grain=6
    )
    yield _oval(x - 6, y + 0.36 * depth, 0.2 * width, 11, 0.95 * bright, turn=8, grain=6)


def _great_vessels(width: float, depth: float, bright: float) -> Iterator[Ellipse]:
    y = -0.28 * depth
    yield _vessel(-8, y - 8, 16, bright)
    yield _oval(18, y, 22, 11, 0.97 * bright, turn=-28, grain=5)
    yield _vessel(-29, y + 4, 8.5, 0.9 * bright)
    for side in _SIDES:
        yield _oval(side * 25, y + 26, 15, 7, 0.95 * bright, turn=side * 20, grain=6)
        yield _oval(side * 15, y + 30, 8, 6.5, 40, turn=0, grain=6)
        yield _oval(side * 15, y + 30, 6.2, 5.2, -960, turn=0, grain=0)
    yield _oval(0.0, y + 44, 0.07 * width, 6, 30, turn=0, grain=10)


def _lung_vessels(
    side: int, width: float, depth: float, rng: np.random.Generator
) -> Iterator[Ellipse]:
    """Paint vessels that thin out from the hilum."""
    hilum_x, hilum_y = side * 0.24 * width, -0.05 * depth
    for _ in range(34):
        away = rng.uniform(0.08, 0.98) ** 0.8
        angle = rng.uniform(-1.9, 1.9) if side > 0 else math.pi + rng.uniform(-1.9, 1.9)
        x = hilum_x + away * 0.62 * width * math.cos(angle)
        y = hilum_y + away * 0.88 * depth * math.sin(angle)
        radius = max(0.8, rng.uniform(2.2, 4.4) * (1 - 0.85 * away))
        length = radius * rng.choice([1.0, 1.0, 2.5, 5.0])
        hu = 35 if radius > 1.5 else -420
        vessel = _oval(x, y, length, radius, hu, turn=math.degrees(angle), grain=0)
        yield _inside(replace(vessel, edge_mm=1.6))


def _upper_abdomen(body: Body, rng: np.random.Generator) -> Scene:
    shapes, width, depth = _shell(body, 12)
    bright = 160 * body.enhancement
    liver = 110 * body.enhancement
    spine = 0.56 * depth
    parts = [
        _oval(-0.46 * width, 0.0, 0.60 * width, 0.84 * depth, liver, turn=-8, grain=6),
        _oval(0.06 * width, -0.50 * depth, 0.46 * width, 0.34 * depth, liver, turn=12, grain=6),
    ]
    spleen = _oval(
        0.72 * width, 0.30 * depth, 0.2 * width, 0.44 * depth, 1.1 * liver, turn=-14, grain=5
    )
    shapes.extend(_stomach(width, depth, rng))
    shapes.extend(_inside(part) for part in (*parts, spleen))
    shapes.extend(_liver_vessels(width, depth, 1.32 * liver, rng))
    # the retroperitoneum pushes into the liver's back
    shapes.append(_oval(3, spine - 6, 37, 33, -80, turn=0, grain=12))
    for side in _SIDES:
        shapes.append(_oval(side * 17, spine - 14, 4.5, 15, 62, turn=side * -20, grain=6))
    shapes.append(_vessel(7, spine - 29, 11.5, bright))
    shapes.append(_oval(-24, spine - 26, 12, 9, 0.84 * bright, turn=-15, grain=5))
    shapes.append(_oval(40, spine - 26, 9, 2.6, 78, turn=40, grain=4))
    shapes.extend(_vertebra(spine, 1.0))
    shapes.extend(_ribs(width + 6, depth + 6, rng))
    site = Site(
        x_mm=0.22 * width,
        y_mm=-0.50 * depth,
        spread_x_mm=0.09 * width,
        spread_y_mm=0.10 * depth,
        right=(-0.55 * width, -0.05 * depth, 0.22 * width, 0.38 * depth),
    )
    return Scene(shapes=tuple(shapes), sites={"liver": site})


def _stomach(width: float, depth: float, rng: np.random.Generator) -> Iterator[Ellipse]:
    x, y = 0.50 * width, -0.28 * depth
    yield _inside(_oval(x, y, 0.33 * width, 0.36 * depth, 78, turn=24, grain=8))
    yield _inside(_oval(x, y, 0.29 * width, 0.31 * depth, rng.uniform(12, 40), turn=24, grain=18))
    yield _inside(_oval(x + 6, y - 0.17 * depth, 0.2 * width, 0.13 * depth, -900, turn=4, grain=0))


def _liver_vessels(
    width: float, depth: float, hu: float, rng: np.random.Generator
) -> Iterator[Ellipse]:
    """Paint hepatic veins towards the vena cava, and portal branches across."""
    for angle in (168, 196, 226, 250):
        turn = angle + rng.uniform(-8, 8)
        length = rng.uniform(0.15, 0.24) * width
        cosine, sine = math.cos(math.radians(turn)), math.sin(math.radians(turn))
        x, y = -24 + (length + 16) * cosine, 0.22 * depth + (length + 16) * sine
        vein = _oval(x, y, length, rng.uniform(2.2, 3.4), hu, turn=turn, grain=3)
        yield _inside(vein)
    for _ in range(9):
        x = rng.uniform(-0.85, -0.15) * width
        y = rng.uniform(-0.5, 0.5) * depth
        radius = rng.uniform(1.5, 2.8)
        yield _inside(
            _oval(x, y, radius * rng.uniform(1, 4), radius, hu, turn=rng.uniform(0, 180), grain=3)
        )


def _kidneys(body: Body, rng: np.random.Generator) -> Scene:
    shapes, width, depth = _shell(body, 11)
    bright = 160 * body.enhancement
    spine = 0.48 * depth
    if rng.uniform() < 0.7:
        tip = _oval(
            -0.82 * width,
            -0.16 * depth,
            0.22 * width,
            0.46 * depth,
            110 * body.enhancement,
            turn=8,
            grain=6,
        )
        shapes.append(_inside(tip))
    shapes.extend(_loops(width, depth, rng))
    for side in _SIDES:
        x = side * (0.80 if side > 0 else 0.62) * width
        shapes.extend(_bowel(x, 0.06 * depth * (1 if side > 0 else -4), 16, rng, gas_share=0.8))
    for side in _SIDES:
        shapes.append(_oval(side * 34, spine + 6, 15, 17, 60, turn=side * 20, grain=12))
        shapes.extend(_kidney(side * 0.55 * width, 0.36 * depth, side, 165 * body.enhancement, rng))
        shapes.append(
            _oval(
                side * 0.3 * width,
                spine - 24,
                0.14 * width,
                3.4,
                0.85 * bright,
                turn=side * 12,
                grain=3,
            )
        )
    shapes.append(_vessel(9, spine - 28, 10, bright))
    shapes.append(_oval(-18, spine - 26, 12, 8.5, 0.88 * bright, turn=0, grain=5))
    shapes.append(_vessel(6, spine - 50, 4.2, bright))
    shapes.append(_vessel(-6, spine - 50, 5.2, 0.9 * bright))
    shapes.extend(_vertebra(spine, 1.06))
    kidney = Site(x_mm=0.55 * width, y_mm=0.34 * depth, spread_x_mm=11, spread_y_mm=15)
    retroperitoneum = Site(x_mm=37, y_mm=0.02 * depth, spread_x_mm=9, spread_y_mm=0.16 * depth)
    paraspinal = Site(x_mm=36, y_mm=spine + 38, spread_x_mm=9, spread_y_mm=4)
    return Scene(
        shapes=tuple(shapes),
        sites={
            "kidney": kidney,
            "retroperitoneum": retroperitoneum,
            "paraspinal muscle": paraspinal,
        },
    )


def _kidney(
    x: float, y: float, side: int, cortex_hu: float, rng: np.random.Generator
) -> Iterator[Ellipse]:
    rx, ry = rng.uniform(24, 28), rng.uniform(29, 34)
    turn = side * rng.uniform(14, 30)
    yield _oval(x, y, rx, ry, cortex_hu, turn=turn, grain=5)
    for step in range(7):
        angle = math.radians(-140 + 46 * step) if side > 0 else math.radians(40 + 46 * step)
        px, py = x + 0.58 * rx * math.cos(angle), y + 0.62 * ry * math.sin(angle)
        yield _oval(px, py, 6.4, 4.4, 0.68 * cortex_hu, turn=math.degrees(angle), grain=4)
    yield _oval(x - side * 8, y - 2, 11, 12, -60, turn=turn, grain=10)
    yield _oval(x - side * 19, y - 6, 11, 7, -85, turn=side * 20, grain=8)
    yield _oval(x - side * 10, y - 3, 6, 4, 30, turn=side * 20, grain=4)


def _loops(width: float, depth: float, rng: np.random.Generator) -> Iterator[Ellipse]:
    """Paint small bowel in front, on a jittered grid, and vessels of the mesentery."""
    for row, y in enumerate((-0.72, -0.46, -0.22)):
        for x in np.arange(-0.68 + 0.08 * row, 0.72, 0.215):
            if rng.uniform() < 0.84:
                yield from _bowel(
                    (x + rng.normal(0, 0.02)) * width,
                    (y + rng.normal(0, 0.03)) * depth,
                    rng.uniform(10, 14.5),
                    rng,
                    gas_share=0.14,
                )
    for _ in range(16):
        x, y = rng.uniform(-0.45, 0.5) * width, rng.uniform(-0.34, 0.02) * depth
        yield replace(_vessel(x, y, rng.uniform(1.2, 2.2), 140), inside=True)


def _pelvis(body: Body, rng: np.random.Generator) -> Scene:
    shapes, width, depth = _shell(body, 10)
    bright = 155 * body.enhancement
    for side in _SIDES:
        for dx, dy, rx, ry, turn in (
            (96, 46, 46, 24, -34),
            (62, 72, 42, 20, -20),
            (110, 8, 20, 34, 12),
        ):
            shapes.append(_oval(side * dx, dy, rx, ry, _MUSCLE_HU, turn=side * turn, grain=16))
    shapes.extend(_pelvic_loops(width, depth, rng))
    for side in _SIDES:
        shapes.append(_oval(side * 70, -8, 22, 18, 60, turn=side * 30, grain=12))
        shapes.append(_vessel(side * 47, -2, 6.8, bright))
        shapes.append(_oval(side * 51, 12, 8, 6.6, 0.78 * bright, turn=side * 25, grain=4))
        shapes.extend(_iliac_wing(side))
    shapes.append(_oval(0, 66, 46, 19, 480, turn=0, grain=40))
    shapes.append(_oval(0, 66, 43, 16.4, 190, turn=0, grain=42))
    for side in _SIDES:
        shapes.append(_oval(side * 15, 66, 4, 4.6, -40, turn=0, grain=0))
        shapes.append(_oval(side * 49, 62, 2, 15, 40, turn=side * 22, grain=0))
    shapes.append(_oval(0, 88, 5, 8, 400, turn=0, grain=40))
    shapes.extend(_bowel(rng.uniform(-6, 6), 34, 15, rng, gas_share=0.6))
    for side in _SIDES:
        shapes.append(_oval(side * 24, -depth - 1, 22, 6, 60, turn=side * 6, grain=10))
    sites = {
        "pelvic sidewall": Site(x_mm=40, y_mm=14, spread_x_mm=6, spread_y_mm=12),
        "iliac bone": Site(x_mm=88, y_mm=19, spread_x_mm=4, spread_y_mm=16),
        "gluteal muscle": Site(x_mm=88, y_mm=64, spread_x_mm=16, spread_y_mm=6),
    }
    return Scene(shapes=tuple(shapes), sites=sites)


def _iliac_wing(side: int) -> Iterator[Ellipse]:
    """Paint the wing as a bow of two pieces: cortex first, then marrow through both."""
    pieces = ((78, 36, 34, -52), (101, -6, 30, -72))
    for x, y, length, turn in pieces:
        yield _oval(side * x, y, length, 8.6, 590, turn=side * turn, grain=40)
    for x, y, length, turn in pieces:
        yield _oval(side * x, y, length - 2, 5.6, 215, turn=side * turn, grain=42)


def _pelvic_loops(width: float, depth: float, rng: np.random.Generator) -> Iterator[Ellipse]:
    if rng.uniform() < 0.5:
        yield _inside(_oval(0, -28, 38, 27, 52, turn=0, grain=6))
        yield _inside(_oval(0, -28, 35, 24, 6, turn=0, grain=5))
        rows = (-0.66,)
    else:
        rows = (-0.66, -0.38, -0.1)
    for y in rows:
        for x in np.arange(-0.46, 0.5, 0.2):
            yield from _bowel(
                (x + rng.normal(0, 0.02)) * width,
                (y + rng.normal(0, 0.03)) * depth,
                rng.uniform(10, 14),
                rng,
                gas_share=0.16,
            )
