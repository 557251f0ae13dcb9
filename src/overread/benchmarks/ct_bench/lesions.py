"""Lesions of the synthetic release: facts drawn independently, told in words, painted in HU.

Every fact (organ, side, attenuation, margin, core, size) is drawn without regard to the others and
is visible in the picture, so that nothing about a lesion can be guessed from its organ or wording.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from overread.benchmarks.ct_bench.anatomy import Level, Site
from overread.benchmarks.ct_bench.phantom import PIXEL_MM, SIDE_PX, Blob, to_px
from overread.records import Box, Window

__all__ = [
    "KINDS",
    "SIZE_CLASSES_MM",
    "Facts",
    "Kind",
    "Lesion",
    "attributes",
    "blob",
    "box_px",
    "description",
    "draw_lesion",
    "imaging_property",
    "place_lesions",
    "recist_px",
    "size_text",
]

Side: TypeAlias = Literal["left", "right"]
Attenuation: TypeAlias = Literal["low", "high"]
Margin: TypeAlias = Literal["smooth", "irregular"]
Core: TypeAlias = Literal["homogeneous", "calcified"]

SIZE_CLASSES_MM = (10.0, 15.0, 22.0, 33.0, 48.0)
"""Middles of the size classes (long axis); lesions stray up to a tenth from them."""

_BOX_PADDING_PX = 5
_SOFT = Window(low_hu=-175, high_hu=275)
_TEMPLATES = (
    "{Attenuation} {noun} in the {place}, with {margin} margins and a {core} centre.",
    "There is a {attenuation} {noun} with {margin} margins in the {place}; its centre is {core}.",
    "The {place} contains a {attenuation} {noun}. The margins are {margin}, the centre is {core}.",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """What lesions of one coarse type are called, where they sit and how bright they are."""

    noun: str
    places: Mapping[str, Level]
    """Site of the anatomy (and body part of the ontology) → the level it belongs to."""
    words: tuple[str, str] = ("hypoattenuating", "hyperattenuating")
    """For low and high attenuation."""
    intensity_hu: tuple[float, float]
    core_hu: float = 480.0
    window: Window = _SOFT


KINDS: Mapping[int, Kind] = {
    1: Kind(
        noun="bone lesion",
        places={"rib": "thorax", "iliac bone": "pelvis"},
        words=("lytic", "sclerotic"),
        intensity_hu=(30, 640),
        core_hu=1150,
        window=Window(low_hu=-450, high_hu=1050),
    ),
    2: Kind(noun="lymph node", places={"retroperitoneum": "kidneys"}, intensity_hu=(8, 150)),
    3: Kind(noun="lymph node", places={"mediastinum": "thorax"}, intensity_hu=(8, 215)),
    4: Kind(noun="lesion", places={"liver": "upper abdomen"}, intensity_hu=(30, 195)),
    5: Kind(
        noun="nodule",
        places={"lung": "thorax"},
        words=("ground-glass", "solid"),
        intensity_hu=(-520, 40),
        core_hu=420,
        window=Window(low_hu=-1150, high_hu=350),
    ),
    6: Kind(noun="lesion", places={"kidney": "kidneys"}, intensity_hu=(18, 235)),
    7: Kind(
        noun="mass",
        places={"paraspinal muscle": "kidneys", "gluteal muscle": "pelvis"},
        intensity_hu=(-12, 150),
    ),
    8: Kind(noun="lymph node", places={"pelvic sidewall": "pelvis"}, intensity_hu=(8, 150)),
}
"""By DeepLesion's coarse type."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What is true of a lesion; the exam asks about nothing else."""

    coarse_type: int
    side: Side
    attenuation: Attenuation
    margin: Margin
    core: Core
    size_class: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesion:
    """A lesion with everything that fixes its sentence and its picture, but for its place."""

    facts: Facts
    place: str
    long_mm: float
    short_mm: float
    angle_rad: float
    intensity_hu: float
    spikes: tuple[tuple[int, float, float], ...]
    template: int


# ---------------------------------------------------------------- drawing


def draw_lesion(facts: Facts, place: str | None, rng: np.random.Generator) -> Lesion:
    """Draw what the facts leave open; `place` None draws the site too."""
    kind = KINDS[facts.coarse_type]
    long_mm = SIZE_CLASSES_MM[facts.size_class] * rng.uniform(0.9, 1.1)
    spikes: tuple[tuple[int, float, float], ...] = ()
    if facts.margin == "irregular":
        spikes = tuple(
            (int(waves), 0.55 / int(waves), rng.uniform(0, 2 * math.pi))
            for waves in rng.choice([3, 4, 5, 6, 7, 8], size=4, replace=False)
        )
    return Lesion(
        facts=facts,
        place=place or str(rng.choice(list(kind.places))),
        long_mm=round(long_mm, 1),
        short_mm=round(long_mm * rng.uniform(0.62, 0.9), 1),
        angle_rad=rng.uniform(0, math.pi),
        intensity_hu=kind.intensity_hu[facts.attenuation == "high"] + rng.normal(0, 5),
        spikes=spikes,
        template=int(rng.integers(len(_TEMPLATES))),
    )


def place_lesions(
    lesions: Sequence[Lesion], sites: Mapping[str, Site], rng: np.random.Generator
) -> tuple[tuple[float, float], ...]:
    """Find a middle (x, y in mm) for each lesion so that none touches another."""
    for attempt in range(400):
        spread = 1.0 + attempt / 200
        middles = [_draw_middle(lesion, sites[lesion.place], spread, rng) for lesion in lesions]
        if all(
            math.dist(middles[i], middles[j]) > 0.6 * (lesions[i].long_mm + lesions[j].long_mm) + 4
            for i in range(len(lesions))
            for j in range(i)
        ):
            return tuple(middles)
    raise RuntimeError(f"no room for {len(lesions)} lesions at {lesions[0].place}")


def _draw_middle(
    lesion: Lesion, site: Site, spread: float, rng: np.random.Generator
) -> tuple[float, float]:
    x, y, spread_x, spread_y = site.x_mm, site.y_mm, site.spread_x_mm, site.spread_y_mm
    if lesion.facts.side == "right":
        x, y, spread_x, spread_y = site.right or (-x, y, spread_x, spread_y)
    radius, angle = math.sqrt(rng.uniform()), rng.uniform(0, 2 * math.pi)
    return (
        x + spread * spread_x * radius * math.cos(angle),
        y + spread * spread_y * radius * math.sin(angle),
    )


# ---------------------------------------------------------------- words


def description(lesion: Lesion) -> str:
    """Tell organ, side, attenuation, margin and core in one of a few sentences; no size."""
    facts, kind = lesion.facts, KINDS[lesion.facts.coarse_type]
    word = kind.words[facts.attenuation == "high"]
    place = f"{facts.side} {lesion.place}"
    if lesion.place == "liver":
        place = f"{facts.side} lobe of the liver"
    return _TEMPLATES[lesion.template].format(
        Attenuation=word.capitalize(),
        attenuation=word,
        noun=kind.noun,
        place=place,
        margin=facts.margin,
        core=facts.core,
    )


def attributes(facts: Facts) -> str:
    """Tell the attributes alone, in words that do not depend on the organ."""
    return f"{facts.attenuation} attenuation, {facts.margin} margins, {facts.core} centre"


def imaging_property(facts: Facts) -> str:
    """Give the ontology's property term."""
    return KINDS[facts.coarse_type].words[facts.attenuation == "high"]


def size_text(lesion: Lesion) -> str:
    """Tell the size as the release's tables and questions do: long x short axis."""
    return f"{lesion.long_mm:.1f} x {lesion.short_mm:.1f} mm"


# ---------------------------------------------------------------- geometry


def blob(lesion: Lesion, middle_mm: tuple[float, float]) -> Blob:
    """Give the shape to paint."""
    kind = KINDS[lesion.facts.coarse_type]
    return Blob(
        x_mm=middle_mm[0],
        y_mm=middle_mm[1],
        long_mm=lesion.long_mm,
        short_mm=lesion.short_mm,
        angle_rad=lesion.angle_rad,
        depth_mm=max(16.0, 1.1 * lesion.short_mm),
        intensity_hu=lesion.intensity_hu,
        grain_hu=6.0,
        spikes=lesion.spikes,
        core_hu=kind.core_hu if lesion.facts.core == "calcified" else None,
    )


def recist_px(shape: Blob) -> tuple[float, float, float, float, float, float, float, float]:
    """Give the long, then the short diameter as x1, y1, x2, y2 in pixels."""
    cosine, sine = math.cos(shape.angle_rad), math.sin(shape.angle_rad)
    ends: list[float] = []
    for half_mm, across, down in (
        (shape.long_mm / 2, cosine, sine),
        (shape.short_mm / 2, -sine, cosine),
    ):
        for sign in (-1, 1):
            ends.append(to_px(shape.x_mm + sign * half_mm * across))
            ends.append(to_px(shape.y_mm + sign * half_mm * down))
    x1, y1, x2, y2, x3, y3, x4, y4 = ends
    return (x1, y1, x2, y2, x3, y3, x4, y4)


def box_px(shape: Blob) -> Box:
    """Give the box around the lesion with DeepLesion's padding, kept inside the picture."""
    cosine, sine = math.cos(shape.angle_rad), math.sin(shape.angle_rad)
    half_x = math.hypot(shape.long_mm * cosine, shape.short_mm * sine) / 2 / PIXEL_MM
    half_y = math.hypot(shape.long_mm * sine, shape.short_mm * cosine) / 2 / PIXEL_MM
    x, y = to_px(shape.x_mm), to_px(shape.y_mm)
    last = SIDE_PX - 1.0
    return Box(
        x_min=max(0.0, x - half_x - _BOX_PADDING_PX),
        y_min=max(0.0, y - half_y - _BOX_PADDING_PX),
        x_max=min(last, x + half_x + _BOX_PADDING_PX),
        y_max=min(last, y + half_y + _BOX_PADDING_PX),
    )
