"""The scores of the CHAOS challenge: four measures of a mask, each turned into 0 to 100.

Source: emrekavur/CHAOS-evaluation, the code and its document on metrics. Where the two disagree the
code is followed: a border is a mask less its erosion by the six neighbours (the document says 27),
and a mask goes on beyond the edge of the array, so that no border lies there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from overread.metrics.components import foreground_box
from overread.metrics.nearest import marks_in, nearest, steps_around
from overread.metrics.skeleton import check_pair, check_spacing
from overread.metrics.spec import MetricSpec

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["CHAOS_SCORE", "ChaosMeasures", "ChaosScores", "chaos_measures", "chaos_scores"]

CHAOS_SCORE: Final = MetricSpec(
    name="chaos_score",
    version="1",
    title="CHAOS score",
    direction="up",
    low=0.0,
    high=100.0,
    unit="points",
    properties=frozenset(),
    undefined="the reference is empty",
)

_MOST_RAVD_PERCENT: Final = 5.0
_MOST_ASSD_MM: Final = 15.0
_MOST_MSSD_MM: Final = 60.0
_LEAST_DICE: Final = 0.8


@dataclass(frozen=True, slots=True, kw_only=True)
class ChaosMeasures:
    """What CHAOS measures of one case; None where it has no value."""

    dice: float | None
    ravd_percent: float | None
    """Absolute difference of volumes, per cent of the reference's."""
    assd_mm: float | None
    """Mean distance between the borders, over the border voxels of both."""
    mssd_mm: float | None
    """The largest of those distances."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChaosScores:
    """The four measures in points, 0 to 100; None where a measure has no value."""

    dice: float | None
    ravd: float | None
    assd: float | None
    mssd: float | None

    @property
    def final(self) -> float | None:
        """The mean of the four; None where one of them is."""
        total = 0.0
        for points in (self.dice, self.ravd, self.assd, self.mssd):
            if points is None:
                return None
            total += points
        return total / 4


def chaos_scores(measures: ChaosMeasures) -> ChaosScores:
    """Turn measures into points: a straight line down to a threshold, nothing beyond it.

    Examples
    --------
    >>> chaos_scores(ChaosMeasures(dice=0.8, ravd_percent=2.5, assd_mm=3.0, mssd_mm=30.0))
    ChaosScores(dice=80.0, ravd=50.0, assd=80.0, mssd=50.0)
    >>> chaos_scores(ChaosMeasures(dice=0.799, ravd_percent=0, assd_mm=0, mssd_mm=0)).final
    75.0
    """
    dice = measures.dice
    if dice is not None:
        dice = 100.0 * dice if dice >= _LEAST_DICE else 0.0
    return ChaosScores(
        dice=dice,
        ravd=_falling(measures.ravd_percent, _MOST_RAVD_PERCENT),
        assd=_falling(measures.assd_mm, _MOST_ASSD_MM),
        mssd=_falling(measures.mssd_mm, _MOST_MSSD_MM),
    )


def chaos_measures(
    reference: NDArray[np.bool_], prediction: NDArray[np.bool_], *, spacing_mm: tuple[float, ...]
) -> ChaosMeasures:
    """Measure one case as CHAOS does.

    Parameters
    ----------
    reference, prediction
        Of one shape, two or three axes.
    spacing_mm
        Distance of voxel centres along each axis. CHAOS takes positions from DICOM; on a grid of
        right angles the distances are these.

    Returns
    -------
    ChaosMeasures
        Distances are None where a mask is empty or has no border (it fills the array), the
        difference of volumes where the reference is empty, Dice where both are.

    Raises
    ------
    UsageError
        A mask is not boolean, the shapes differ, or the spacing does not fit.

    Examples
    --------
    >>> one = np.zeros((1, 9), bool)
    >>> one[0, 2:6] = True
    >>> chaos_measures(one, np.roll(one, 1), spacing_mm=(1.0, 0.5))
    ChaosMeasures(dice=0.75, ravd_percent=0.0, assd_mm=0.5, mssd_mm=0.5)
    """
    check_pair(reference, prediction)
    check_spacing(spacing_mm, reference.ndim)
    n_reference, n_prediction = (int(np.count_nonzero(each)) for each in (reference, prediction))
    n_both = int(np.count_nonzero(reference & prediction))
    n_sum = n_reference + n_prediction
    assd, mssd = _border_distances(reference, prediction, spacing_mm)
    return ChaosMeasures(
        dice=2 * n_both / n_sum if n_sum else None,
        ravd_percent=100 * abs(n_reference - n_prediction) / n_reference if n_reference else None,
        assd_mm=assd,
        mssd_mm=mssd,
    )


def _falling(value: float | None, most: float) -> float | None:
    return None if value is None else max(0.0, 100.0 - 100.0 / most * value)


def _border_distances(
    reference: NDArray[np.bool_], prediction: NDArray[np.bool_], spacing: tuple[float, ...]
) -> tuple[float | None, float | None]:
    borders = [_border(mask) for mask in (reference, prediction)]
    box = foreground_box(borders[0] | borders[1])
    if box is None or not all(border.any() for border in borders):
        return None, None
    steps = steps_around(spacing)
    rim = [(margin, margin) for margin in steps.margin]
    one, other = (
        marks_in(np.ascontiguousarray(np.pad(border[box], rim)).view(np.uint8))
        for border in borders
    )
    each_counts = np.array([0.0, 1.0])
    found = [
        nearest(start, target, weights=each_counts, steps=steps)
        for start, target in ((one, other), (other, one))
    ]
    n = sum(float(each.weights.sum()) for each in found)
    total = sum(float(each.values_mm @ each.weights) for each in found)
    return total / n, max(float(each.values_mm[-1]) for each in found)


def _border(mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Give the voxels of a mask with a neighbour by face outside it, within the array."""
    border = np.zeros_like(mask)
    for axis in range(mask.ndim):
        ahead, behind = _shifted(mask.ndim, axis)
        border[behind] |= ~mask[ahead]
        border[ahead] |= ~mask[behind]
    return border & mask


def _shifted(n_axes: int, axis: int) -> tuple[tuple[slice, ...], tuple[slice, ...]]:
    whole = [slice(None)] * n_axes
    ahead, behind = whole.copy(), whole
    ahead[axis], behind[axis] = slice(1, None), slice(None, -1)
    return tuple(ahead), tuple(behind)
