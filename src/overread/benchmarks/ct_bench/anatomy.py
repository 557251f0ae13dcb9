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

from overread.benchmarks.ct_bench.body import (
    MUSCLE_HU,
    SIDES,
    Body,
    bowel,
    inside,
    oval,
    ribs,
    shell,
    vertebra,
    vessel,
)
from overread.benchmarks.ct_bench.phantom import Ellipse

__all__ = ["LEVELS", "Level", "Scene", "Site", "draw_scene"]

Level: TypeAlias = Literal["thorax", "upper abdomen", "kidneys", "pelvis"]
LEVELS: tuple[Level, ...] = ("thorax", "upper abdomen", "kidneys", "pelvis")


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
    return replace(shape, drift=(rng.normal(0, 0.06), rng.normal(0, 0.06), rng.normal(0, 0.006)))


# ---------------------------------------------------------------- the levels


def _thorax(body: Body, rng: np.random.Generator) -> Scene:
    shapes, width, depth = shell(body, 15)
    bright = 165 * body.enhancement
    spine = 0.62 * depth
    for side in SIDES:  # shoulder-blade muscles and the blade in them
        x, y = side * 0.66 * width, 0.86 * depth
        shapes.append(oval(x, y, 40, 13, MUSCLE_HU, turn=side * -36, grain=14))
        shapes.append(oval(x, y, 27, 2.8, 470, turn=side * -36, grain=40))
    for side in SIDES:
        x = side * (0.53 if side < 0 else 0.55) * width
        lung = oval(x, 0.04 * depth, 0.43 * width, 0.9 * depth, -865, turn=side * 5, grain=16)
        shapes.append(inside(replace(lung, power=2.3)))
    for side in SIDES:
        shapes.extend(_lung_vessels(side, width, depth, rng))
    shapes.append(oval(0, -0.12 * depth, 0.23 * width, 0.84 * depth, -70, turn=0, grain=18))
    if rng.uniform() < 0.5:
        shapes.extend(_heart(width, depth, bright, rng))
        node_y, node_spread = 0.2 * depth, 0.08 * depth  # behind the heart
    else:
        shapes.extend(_great_vessels(width, depth, bright))
        node_y, node_spread = -0.14 * depth, 0.26 * depth
    shapes.append(vessel(22, spine - 20, 11.5, bright))
    shapes.append(oval(6, spine - 24, 6.5, 4.5, 62, turn=0, grain=8))
    shapes.extend(vertebra(spine, 0.88))
    shapes.append(oval(0, -depth - 6, 20, 5, 420, turn=0, grain=40))
    shapes.extend(ribs(width + 7, depth + 7, rng))
    # further out on the left, where the heart is
    lung = Site(
        x_mm=0.67 * width,
        y_mm=0.02 * depth,
        spread_x_mm=0.15 * width,
        spread_y_mm=0.45 * depth,
        right=(-0.57 * width, 0.02 * depth, 0.2 * width, 0.5 * depth),
    )
    mediastinum = Site(x_mm=29, y_mm=node_y, spread_x_mm=8, spread_y_mm=node_spread)
    rib = Site(x_mm=0.98 * width, y_mm=0.1 * depth, spread_x_mm=5, spread_y_mm=0.28 * depth)
    return Scene(shapes=tuple(shapes), sites={"lung": lung, "mediastinum": mediastinum, "rib": rib})


def _heart(
    width: float, depth: float, bright: float, rng: np.random.Generator
) -> Iterator[Ellipse]:
    turn = rng.uniform(28, 42)
    x, y = 0.12 * width, -0.3 * depth
    yield oval(x, y, 0.40 * width, 0.43 * depth, 92, turn=turn, grain=8)
    yield oval(x + 0.1 * width, y + 4, 0.2 * width, 0.26 * depth, bright, turn=turn, grain=6)
    yield oval(
        x - 0.15 * width, y - 8, 0.16 * width, 0.27 * depth, 0.9 * bright, turn=turn, grain=6
    )
    yield oval(x - 6, y + 0.36 * depth, 0.2 * width, 11, 0.95 * bright, turn=8, grain=6)


def _great_vessels(width: float, depth: float, bright: float) -> Iterator[Ellipse]:
    y = -0.28 * depth
    yield vessel(-8, y - 8, 16, bright)
    yield oval(18, y, 22, 11, 0.97 * bright, turn=-28, grain=5)
    yield vessel(-29, y + 4, 8.5, 0.9 * bright)
    for side in SIDES:
        yield oval(side * 25, y + 26, 15, 7, 0.95 * bright, turn=side * 20, grain=6)
        yield oval(side * 15, y + 30, 8, 6.5, 40, turn=0, grain=6)
        yield oval(side * 15, y + 30, 6.2, 5.2, -960, turn=0, grain=0)
    yield oval(0.0, y + 44, 0.07 * width, 6, 30, turn=0, grain=10)


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
        vessel = oval(x, y, length, radius, hu, turn=math.degrees(angle), grain=0)
        yield inside(replace(vessel, edge_mm=1.6))


def _upper_abdomen(body: Body, rng: np.random.Generator) -> Scene:
    shapes, width, depth = shell(body, 12)
    bright = 160 * body.enhancement
    liver = 110 * body.enhancement
    spine = 0.56 * depth
    parts = [
        oval(-0.46 * width, 0.0, 0.60 * width, 0.84 * depth, liver, turn=-8, grain=6),
        oval(0.06 * width, -0.50 * depth, 0.46 * width, 0.34 * depth, liver, turn=12, grain=6),
    ]
    spleen = oval(
        0.72 * width, 0.30 * depth, 0.2 * width, 0.44 * depth, 1.1 * liver, turn=-14, grain=5
    )
    shapes.extend(_stomach(width, depth, rng))
    shapes.extend(inside(part) for part in (*parts, spleen))
    shapes.extend(_liver_vessels(width, depth, 1.32 * liver, rng))
    # the retroperitoneum pushes into the liver's back
    shapes.append(oval(3, spine - 6, 37, 33, -80, turn=0, grain=12))
    for side in SIDES:
        shapes.append(oval(side * 17, spine - 14, 4.5, 15, 62, turn=side * -20, grain=6))
    shapes.append(vessel(7, spine - 29, 11.5, bright))
    shapes.append(oval(-24, spine - 26, 12, 9, 0.84 * bright, turn=-15, grain=5))
    shapes.append(oval(40, spine - 26, 9, 2.6, 78, turn=40, grain=4))
    shapes.extend(vertebra(spine, 1.0))
    shapes.extend(ribs(width + 6, depth + 6, rng))
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
    yield inside(oval(x, y, 0.33 * width, 0.36 * depth, 78, turn=24, grain=8))
    yield inside(oval(x, y, 0.29 * width, 0.31 * depth, rng.uniform(12, 40), turn=24, grain=18))
    yield inside(oval(x + 6, y - 0.17 * depth, 0.2 * width, 0.13 * depth, -900, turn=4, grain=0))


def _liver_vessels(
    width: float, depth: float, hu: float, rng: np.random.Generator
) -> Iterator[Ellipse]:
    """Paint hepatic veins towards the vena cava, and portal branches across."""
    for angle in (168, 196, 226, 250):
        turn = angle + rng.uniform(-8, 8)
        length = rng.uniform(0.15, 0.24) * width
        cosine, sine = math.cos(math.radians(turn)), math.sin(math.radians(turn))
        x, y = -24 + (length + 16) * cosine, 0.22 * depth + (length + 16) * sine
        vein = oval(x, y, length, rng.uniform(2.2, 3.4), hu, turn=turn, grain=3)
        yield inside(vein)
    for _ in range(9):
        x = rng.uniform(-0.85, -0.15) * width
        y = rng.uniform(-0.5, 0.5) * depth
        radius = rng.uniform(1.5, 2.8)
        yield inside(
            oval(x, y, radius * rng.uniform(1, 4), radius, hu, turn=rng.uniform(0, 180), grain=3)
        )


def _kidneys(body: Body, rng: np.random.Generator) -> Scene:
    shapes, width, depth = shell(body, 11)
    bright = 160 * body.enhancement
    spine = 0.48 * depth
    if rng.uniform() < 0.7:
        tip = oval(
            -0.82 * width,
            -0.16 * depth,
            0.22 * width,
            0.46 * depth,
            110 * body.enhancement,
            turn=8,
            grain=6,
        )
        shapes.append(inside(tip))
    shapes.extend(_loops(width, depth, rng))
    for side in SIDES:
        x = side * (0.80 if side > 0 else 0.62) * width
        shapes.extend(bowel(x, 0.06 * depth * (1 if side > 0 else -4), 16, rng, gas_share=0.8))
    for side in SIDES:
        shapes.append(oval(side * 34, spine + 6, 15, 17, 60, turn=side * 20, grain=12))
        shapes.extend(_kidney(side * 0.55 * width, 0.36 * depth, side, 165 * body.enhancement, rng))
        shapes.append(
            oval(
                side * 0.3 * width,
                spine - 24,
                0.14 * width,
                3.4,
                0.85 * bright,
                turn=side * 12,
                grain=3,
            )
        )
    shapes.append(vessel(9, spine - 28, 10, bright))
    shapes.append(oval(-18, spine - 26, 12, 8.5, 0.88 * bright, turn=0, grain=5))
    shapes.append(vessel(6, spine - 50, 4.2, bright))
    shapes.append(vessel(-6, spine - 50, 5.2, 0.9 * bright))
    shapes.extend(vertebra(spine, 1.06))
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
    yield oval(x, y, rx, ry, cortex_hu, turn=turn, grain=5)
    for step in range(7):
        angle = math.radians(-140 + 46 * step) if side > 0 else math.radians(40 + 46 * step)
        px, py = x + 0.58 * rx * math.cos(angle), y + 0.62 * ry * math.sin(angle)
        yield oval(px, py, 6.4, 4.4, 0.68 * cortex_hu, turn=math.degrees(angle), grain=4)
    yield oval(x - side * 8, y - 2, 11, 12, -60, turn=turn, grain=10)
    yield oval(x - side * 19, y - 6, 11, 7, -85, turn=side * 20, grain=8)
    yield oval(x - side * 10, y - 3, 6, 4, 30, turn=side * 20, grain=4)


def _loops(width: float, depth: float, rng: np.random.Generator) -> Iterator[Ellipse]:
    """Paint small bowel in front, on a jittered grid, and vessels of the mesentery."""
    for row, y in enumerate((-0.72, -0.46, -0.22)):
        for x in np.arange(-0.68 + 0.08 * row, 0.72, 0.215):
            if rng.uniform() < 0.84:
                yield from bowel(
                    (x + rng.normal(0, 0.02)) * width,
                    (y + rng.normal(0, 0.03)) * depth,
                    rng.uniform(10, 14.5),
                    rng,
                    gas_share=0.14,
                )
    for _ in range(16):
        x, y = rng.uniform(-0.45, 0.5) * width, rng.uniform(-0.34, 0.02) * depth
        yield replace(vessel(x, y, rng.uniform(1.2, 2.2), 140), inside=True)


def _pelvis(body: Body, rng: np.random.Generator) -> Scene:
    shapes, width, depth = shell(body, 10)
    bright = 155 * body.enhancement
    for side in SIDES:
        for dx, dy, rx, ry, turn in (
            (96, 46, 46, 24, -34),
            (62, 72, 42, 20, -20),
            (110, 8, 20, 34, 12),
        ):
            shapes.append(oval(side * dx, dy, rx, ry, MUSCLE_HU, turn=side * turn, grain=16))
    shapes.extend(_pelvic_loops(width, depth, rng))
    for side in SIDES:
        shapes.append(oval(side * 70, -8, 22, 18, 60, turn=side * 30, grain=12))
        shapes.append(vessel(side * 47, -2, 6.8, bright))
        shapes.append(oval(side * 51, 12, 8, 6.6, 0.78 * bright, turn=side * 25, grain=4))
        shapes.extend(_iliac_wing(side))
    shapes.append(oval(0, 66, 46, 19, 480, turn=0, grain=40))
    shapes.append(oval(0, 66, 43, 16.4, 190, turn=0, grain=42))
    for side in SIDES:
        shapes.append(oval(side * 15, 66, 4, 4.6, -40, turn=0, grain=0))
        shapes.append(oval(side * 49, 62, 2, 15, 40, turn=side * 22, grain=0))
    shapes.append(oval(0, 88, 5, 8, 400, turn=0, grain=40))
    shapes.extend(bowel(rng.uniform(-6, 6), 34, 15, rng, gas_share=0.6))
    for side in SIDES:
        shapes.append(oval(side * 24, -depth - 1, 22, 6, 60, turn=side * 6, grain=10))
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
        yield oval(side * x, y, length, 8.6, 590, turn=side * turn, grain=40)
    for x, y, length, turn in pieces:
        yield oval(side * x, y, length - 2, 5.6, 215, turn=side * turn, grain=42)


def _pelvic_loops(width: float, depth: float, rng: np.random.Generator) -> Iterator[Ellipse]:
    if rng.uniform() < 0.5:
        yield inside(oval(0, -28, 38, 27, 52, turn=0, grain=6))
        yield inside(oval(0, -28, 35, 24, 6, turn=0, grain=5))
        rows = (-0.66,)
    else:
        rows = (-0.66, -0.38, -0.1)
    for y in rows:
        for x in np.arange(-0.46, 0.5, 0.2):
            yield from bowel(
                (x + rng.normal(0, 0.02)) * width,
                (y + rng.normal(0, 0.03)) * depth,
                rng.uniform(10, 14),
                rng,
                gas_share=0.16,
            )
