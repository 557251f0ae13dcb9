"""The geometry doctor: whether two label maps lie on one grid, looked at before any score.

An overlap is counted voxel by voxel, so two maps must have the same voxels in the same places. A
map that was written with another orientation has the same size often enough, and then a score comes
out that says nothing.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from itertools import product
from typing import Final

import numpy as np
from numpy.typing import NDArray

from overread.imaging.geometry import Geometry
from overread.imaging.label_box import label_box, labels_of, union_box
from overread.imaging.label_map import LabelMap
from overread.imaging.label_resample import resample_labels
from overread.imaging.mask_turn import LOW_DICE, MIDDLING_DICE, better_turn, foreground_dice
from overread.metrics.overlap import overlap_table

__all__ = ["GeometryReport", "examine_geometry", "resample_labels"]

_MOST_SHIFT: Final = 0.1
"""Of a voxel, anywhere on the grid: headers round their numbers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GeometryReport:
    """What was found when a prediction's grid was laid on its reference's."""

    same: bool
    """Whether voxels of one index lie in one place, as far as both files say where."""
    problems: tuple[str, ...] = ()
    """How the grids differ: size, spacing, origin, direction, each with both values."""
    notes: tuple[str, ...] = ()
    """What could not be compared, and what is odd about either file."""
    stored_dice: float | None = None
    """Dice of all labels together as the arrays are stored; None where their sizes differ or both
    are empty."""
    better_turn: str | None = None
    """How the predicted array would have to be turned to fit far better: ``axis 2 reversed``."""
    better_dice: float | None = None
    """Dice of all labels together after this turn."""
    unknown_labels: tuple[int, ...] = ()
    """Labels of the prediction that nobody named."""

    @property
    def advice(self) -> str:
        """Say in a sentence what the turn would do; empty where none was found."""
        if self.better_turn is None or self.better_dice is None:
            return ""
        was = "no common size" if self.stored_dice is None else f"{self.stored_dice:.3f}"
        return (
            f"With {self.better_turn} the prediction would reach a Dice of "
            f"{self.better_dice:.3f} (as stored: {was})."
        )


def examine_geometry(
    reference: LabelMap, prediction: LabelMap, *, known_labels: Collection[int] | None
) -> GeometryReport:
    """Compare the grids of two label maps, and look for a turn that would explain a poor fit.

    Parameters
    ----------
    reference, prediction
        The two maps. Where one of them does not say where it lies, only what both say is compared.
    known_labels
        What the release or the user named; None where nothing was named, and every label goes.

    Returns
    -------
    GeometryReport
        Turns are searched only where the grids differ or Dice of all labels together, as stored,
        is below 0.6 (0.9 where a label of both is below 0.6 by itself: a symmetric mask that is
        shifted a little fits better when mirrored, and is not turned). The 48 turns of the array
        are tried on a sample of voxels, the best three then at full size. One is named when it
        brings Dice to 0.5 at least, and by 0.25 up or so close to 1 that a fifth of the difference
        is left.
    """
    problems, notes = _compare(reference, prediction)
    dice = foreground_dice(reference.array, prediction.array)
    turn = None
    if problems or (dice is not None and _is_poor(dice, reference, prediction)):
        turn = better_turn(reference.array, prediction.array, stored=dice)
    unknown: tuple[int, ...] = ()
    if known_labels is not None:
        unknown = tuple(each for each in labels_of(prediction.array) if each not in known_labels)
    for side, each in (("reference", reference), ("prediction", prediction)):
        notes += [f"{side}: {warning}" for warning in each.warnings]
    return GeometryReport(
        same=not problems,
        problems=tuple(problems),
        notes=tuple(notes),
        stored_dice=dice,
        better_turn=turn.words if turn else None,
        better_dice=turn.dice if turn else None,
        unknown_labels=unknown,
    )


def _is_poor(dice: float, reference: LabelMap, prediction: LabelMap) -> bool:
    """Tell whether two maps of one size fit so poorly that a turn is looked for."""
    if dice < LOW_DICE or dice >= MIDDLING_DICE:
        return dice < LOW_DICE
    box = union_box(label_box(reference.array), label_box(prediction.array))
    sides = (reference.array[box], prediction.array[box])
    labels = sorted({*labels_of(sides[0])} & {*labels_of(sides[1])})
    found = overlap_table(*sides, labels).values()
    return any((each.dice or 0.0) < LOW_DICE for each in found)


def _compare(one: LabelMap, other: LabelMap) -> tuple[list[str], list[str]]:
    if one.array.shape != other.array.shape:
        problem = _two("size", _by(one.array.shape), _by(other.array.shape))
        problems = [problem]
        if one.geometry is not None and other.geometry is not None:
            problems += _grids(one.geometry, other.geometry)
        elif one.spacing_mm is not None and other.spacing_mm is not None:
            problems += _spacings(one, other)
        return problems, []
    if one.geometry is not None and other.geometry is not None:
        if _shift(one.geometry, other.geometry) <= _MOST_SHIFT:
            return [], []
        found = _grids(one.geometry, other.geometry)
        return found or [_two("affine", _affine(one.geometry), _affine(other.geometry))], []
    notes = [
        f"the {side} does not say where it lies: sides and origins were not compared"
        for side, each in (("reference", one), ("prediction", other))
        if each.geometry is None and each.array.ndim == 3
    ]
    return _spacings(one, other), notes


def _spacings(one: LabelMap, other: LabelMap) -> list[str]:
    if one.spacing_mm is None or other.spacing_mm is None:
        return []
    if len(one.spacing_mm) == len(other.spacing_mm) and np.allclose(
        one.spacing_mm, other.spacing_mm, rtol=1e-3
    ):
        return []
    return [_two("spacing", f"{_by(one.spacing_mm)} mm", f"{_by(other.spacing_mm)} mm")]


def _grids(one: Geometry, other: Geometry) -> list[str]:
    """Name what differs between two grids, by rules that let less through than the whole does."""
    problems: list[str] = []
    if not np.allclose(one.spacing_mm, other.spacing_mm, rtol=1e-4):
        problems.append(_two("spacing", f"{_by(one.spacing_mm)} mm", f"{_by(other.spacing_mm)} mm"))
    first, second = np.asarray(one.affine_lps), np.asarray(other.affine_lps)
    if float(np.abs(first[:3, 3] - second[:3, 3]).max()) > 0.01 * min(one.spacing_mm):
        problems.append(_two("origin", _place(first[:3, 3]), _place(second[:3, 3])))
    cosines = (first[:3, :3] / one.spacing_mm * (second[:3, :3] / other.spacing_mm)).sum(axis=0)
    turned_deg = float(np.degrees(np.arccos(np.clip(cosines.min(), -1.0, 1.0))))
    if turned_deg > 0.02:
        here, there = one.axes, other.axes
        if here == there:
            there = f"{there}, turned by {turned_deg:.2g}°"
        problems.append(_two("direction", here, there))
    return problems


def _shift(one: Geometry, other: Geometry) -> float:
    """Give how far the corners of two grids of one size lie apart, the farthest, in voxels."""
    corners = np.array(
        [(*corner, 1.0) for corner in product(*((0, size - 1) for size in one.shape))]
    )
    moved = corners @ (np.asarray(one.affine_lps) - np.asarray(other.affine_lps)).T
    return float(np.linalg.norm(moved[:, :3], axis=1).max()) / min(one.spacing_mm)


def _two(what: str, reference: str, prediction: str) -> str:
    return f"{what}: {reference} in the reference, {prediction} in the prediction"


def _by(values: tuple[float, ...]) -> str:
    return " × ".join(f"{value:.6g}" for value in values)


def _place(values: NDArray[np.float64]) -> str:
    return "(" + ", ".join(f"{value:.5g}" for value in values) + ") mm in LPS"


def _affine(geometry: Geometry) -> str:
    return "; ".join(" ".join(f"{value:.6g}" for value in row) for row in geometry.affine_lps[:3])
