"""Errors of a vessel segmentation, one kind each, made on purpose to see what a metric hears of it.

Each takes the true trees and gives the label map that a method with just this error would write.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from overread.benchmarks.veela.trees import LABELS, SHAPE, Segment, below, draw_trees

__all__ = [
    "CHANGES",
    "Change",
    "add_blobs",
    "break_branches",
    "cut_branch",
    "dilate",
    "erode",
    "shift",
    "swap_classes",
]

Labels = NDArray[np.uint8]
Change = Callable[[Sequence[Segment], np.random.Generator], Labels]


def cut_branch(segments: Sequence[Segment], rng: np.random.Generator) -> Labels:
    """Lose one branch of the second order with all that hangs on it."""
    gone = below(segments, _one_of(segments, rng, depth=1))
    return draw_trees([each for place, each in enumerate(segments) if place not in gone])


def break_branches(segments: Sequence[Segment], rng: np.random.Generator) -> Labels:
    """Leave a gap of two slices in both trees, where most is lost by it."""
    labels = draw_trees(segments)
    for label in LABELS:
        areas = np.count_nonzero(labels == label, axis=(0, 1))
        filled = np.flatnonzero(areas)[2:-3]
        first = int(rng.choice(filled)) if filled.size else 0
        gap = labels[:, :, first : first + 2]
        gap[gap == label] = 0
    return labels


def swap_classes(segments: Sequence[Segment], rng: np.random.Generator) -> Labels:
    """Take one branch of each tree for the other vessel."""
    changed = list(segments)
    for label, other in zip(LABELS, reversed(LABELS), strict=True):
        for place in below(segments, _one_of(segments, rng, depth=1, label=label)):
            changed[place] = replace(changed[place], label=other)
    return draw_trees(changed)


def add_blobs(segments: Sequence[Segment], rng: np.random.Generator) -> Labels:
    """Invent five balls apart from the vessels."""
    from scipy import ndimage

    labels = draw_trees(segments)
    grid = np.moveaxis(np.indices(SHAPE), 0, -1)
    for label in rng.integers(1, 1 + len(LABELS), 5):
        away = np.asarray(ndimage.distance_transform_edt(labels == 0))
        far = np.argwhere(away > 4)
        if not far.size:
            break
        labels[((grid - rng.choice(far)) ** 2).sum(axis=-1) <= 4] = label
    return labels


def dilate(segments: Sequence[Segment], rng: np.random.Generator) -> Labels:
    """Draw every vessel a voxel wider to each side in plane."""
    from scipy import ndimage

    labels = draw_trees(segments)
    cross = ndimage.generate_binary_structure(3, 1)
    cross[:, :, [0, 2]] = False
    for label in LABELS:
        wide = ndimage.binary_dilation(labels == label, cross)
        labels[wide & (labels == 0)] = label
    return labels


def erode(segments: Sequence[Segment], rng: np.random.Generator) -> Labels:
    """Draw every vessel thinner by a quarter, fine ones with it."""
    return draw_trees([replace(each, radius_mm=0.75 * each.radius_mm) for each in segments])


def shift(axis: int) -> Change:
    """Give the change that moves the whole mask by one voxel along an axis."""

    def moved(segments: Sequence[Segment], rng: np.random.Generator) -> Labels:
        labels = np.roll(draw_trees(segments), 1, axis)
        first: list[slice | int] = [slice(None)] * 3
        first[axis] = 0
        labels[tuple(first)] = 0
        return labels

    return moved


CHANGES: Final[Mapping[str, Change]] = {
    "cut-branch": cut_branch,
    "break": break_branches,
    "shift-i": shift(0),
    "shift-j": shift(1),
    "shift-k": shift(2),
    "dilate": dilate,
    "erode": erode,
    "swap": swap_classes,
    "blobs": add_blobs,
}
"""Name → change."""


def _one_of(
    segments: Sequence[Segment], rng: np.random.Generator, *, depth: int, label: int | None = None
) -> int:
    fitting = [
        place
        for place, each in enumerate(segments)
        if each.depth == depth and label in (None, each.label)
    ]
    return int(rng.choice(fitting))
