"""Synthetic trees of liver vessels: two that branch and taper, drawn as tubes on a grid.

Hepatic veins leave the liver at the back of its top, the portal vein enters from below. A tree is a
tuple of segments, so that a change of it (a lost branch, a swapped one, a hidden stretch) is known
exactly. Nothing is taken from any patient.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "HEPATIC",
    "LABELS",
    "PORTAL",
    "SHAPE",
    "SPACING_MM",
    "Segment",
    "below",
    "draw_trees",
    "grow_trees",
    "hidden",
]

HEPATIC: Final = 1
PORTAL: Final = 2
LABELS: Final = {HEPATIC: "hepatic", PORTAL: "portal"}

SHAPE: Final = (64, 56, 20)
"""Voxels along i, j, k: a small liver."""
SPACING_MM: Final = (0.8, 0.8, 3.0)
"""As CT of the abdomen has it, about: fine in plane, thick slices."""

_SIZE_MM: Final = np.array(SHAPE) * SPACING_MM
_ROOTS: Final = {
    # label: (where the trunk starts, where it runs), in shares of the volume
    HEPATIC: ((0.55, 0.78, 0.95), (0.45, 0.45, 0.55)),
    PORTAL: ((0.50, 0.55, 0.05), (0.55, 0.50, 0.45)),
}
_TRUNK_RADIUS_MM: Final = 4.2
_TAPER: Final = 0.74
_SHORTEN: Final = 0.78
_DEEPEST: Final = 3
"""Times a trunk divides."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """A straight stretch of a vessel."""

    label: int
    start_mm: tuple[float, float, float]
    """Along i, j, k from the corner of the volume."""
    end_mm: tuple[float, float, float]
    radius_mm: float
    depth: int
    """0 for the trunk."""
    parent: int | None
    """Place in the tuple of the segment that it leaves; None for a trunk."""


_Bud = tuple[NDArray[np.float64], NDArray[np.float64], float, float, int, int | None]
"""Where a segment begins, its direction, length, radius, depth and parent."""


def grow_trees(rng: np.random.Generator) -> tuple[Segment, ...]:
    """Grow both trees; parents stand before their children."""
    segments: list[Segment] = []
    for label, (start, towards) in _ROOTS.items():
        first = np.array(start) * _SIZE_MM
        way = np.array(towards) * _SIZE_MM + rng.normal(0, 1.5, 3) - first
        length = float(np.linalg.norm(way)) * 0.75
        queue: list[_Bud] = [
            (first, way / np.linalg.norm(way), length, _TRUNK_RADIUS_MM, 0, None),
        ]
        while queue:
            begin, direction, length, radius, depth, parent = queue.pop(0)
            end = np.clip(begin + direction * length, 2.0, _SIZE_MM - 2.0)
            segments.append(
                Segment(
                    label=label,
                    start_mm=_point(begin),
                    end_mm=_point(end),
                    radius_mm=radius,
                    depth=depth,
                    parent=parent,
                )
            )
            if depth == _DEEPEST:
                continue
            for way in _forks(rng, direction):
                child = (length * _SHORTEN * float(rng.uniform(0.85, 1.15)), radius * _TAPER)
                queue.append((end, way, *child, depth + 1, len(segments) - 1))
    return tuple(segments)


def draw_trees(segments: Sequence[Segment]) -> NDArray[np.uint8]:
    """Draw trees as a label map of `SHAPE`; where tubes cross, the portal vein lies in front."""
    labels = np.zeros(SHAPE, np.uint8)
    for segment in sorted(segments, key=lambda each: each.label):
        box = _box(segment)
        labels[box][_inside(segment, box)] = segment.label
    return labels


def below(segments: Sequence[Segment], place: int) -> frozenset[int]:
    """Give the places of a segment and of all that hangs on it."""
    found = {place}
    for child, segment in enumerate(segments):  # parents come first
        if segment.parent in found:
            found.add(child)
    return frozenset(found)


def hidden(
    segments: Sequence[Segment], places: Collection[int], *, share: float
) -> tuple[Segment, ...]:
    """Take the middle of some segments out of sight: a reference of what was visible alone.

    Annotators of VEELA draw what they see, slice by slice, and bridge no gap. Held against such a
    reference, a model that draws the true course is blamed for it; how much is what this is for.

    Parameters
    ----------
    segments
        The true trees.
    places
        Which segments are partly hidden.
    share
        Of their length, 0 to 1, in the middle.

    Returns
    -------
    tuple of Segment
        Each hidden segment as the two stretches that are left (none where all is hidden). Parents
        are not kept: this is for drawing.
    """
    left: list[Segment] = []
    for place, segment in enumerate(segments):
        if place not in places:
            left.append(replace(segment, parent=None))
        elif share < 1:
            start, end = np.array(segment.start_mm), np.array(segment.end_mm)
            stop, again = (start + (end - start) * (0.5 + side * share / 2) for side in (-1, 1))
            left.append(replace(segment, end_mm=_point(stop), parent=None))
            left.append(replace(segment, start_mm=_point(again), parent=None))
    return tuple(left)


def _forks(rng: np.random.Generator, way: NDArray[np.float64]) -> list[NDArray[np.float64]]:
    """Give two directions that part from one, to opposite sides of it."""
    side = np.cross(way, rng.normal(0, 1, 3))
    side /= np.linalg.norm(side)
    spread = rng.uniform(0.45, 0.8, 2)
    ways = [way + spread[0] * side, way - spread[1] * side]
    return [each / np.linalg.norm(each) for each in ways]


def _box(segment: Segment) -> tuple[slice, ...]:
    """Give the box of voxels that the tube can reach."""
    ends = np.array([segment.start_mm, segment.end_mm])
    low = np.floor((ends.min(axis=0) - segment.radius_mm) / SPACING_MM).astype(int)
    high = np.ceil((ends.max(axis=0) + segment.radius_mm) / SPACING_MM).astype(int)
    return tuple(
        slice(max(0, int(first)), min(size, int(last)))
        for first, last, size in zip(low, high, SHAPE, strict=True)
    )


def _inside(segment: Segment, box: tuple[slice, ...]) -> NDArray[np.bool_]:
    """Tell which voxel centres of a box lie within the tube, its ends round."""
    start, end = np.array(segment.start_mm), np.array(segment.end_mm)
    way = end - start
    offsets = np.ix_(
        *(
            (np.arange(side.start, side.stop) + 0.5) * step - origin
            for side, step, origin in zip(box, SPACING_MM, start, strict=True)
        )
    )
    along = sum(part * step for part, step in zip(offsets, way, strict=True))
    share = np.clip(along / max(float(way @ way), 1e-9), 0, 1)
    away = sum((part - share * step) ** 2 for part, step in zip(offsets, way, strict=True))
    return np.asarray(away <= segment.radius_mm**2)


def _point(values: NDArray[np.float64]) -> tuple[float, float, float]:
    return float(values[0]), float(values[1]), float(values[2])
