"""What surface distances can be read as: Hausdorff, percentiles, averages, surface Dice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

import numpy as np

from overread.errors import UsageError, expected
from overread.metrics.spec import MetricSpec

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "ASSD",
    "HD",
    "HD95",
    "NSD_1MM",
    "NSD_2MM",
    "NSD_3MM",
    "SURFACE_METRICS",
    "Definition95",
    "SurfaceDistances",
    "SurfaceMethod",
    "nsd_spec",
]

SurfaceMethod: TypeAlias = Literal["area", "points"]
"""What a surface is made of, see `overread.metrics.surface`."""
Definition95: TypeAlias = Literal["larger of directions", "pooled"]
"""The percentile of each direction and the larger of the two (surface-distance, MONAI), or the
percentile of both directions' distances together (MedPy)."""

_ONE_EMPTY: Final = "a mask is empty"


def _distance(name: str, title: str) -> MetricSpec:
    return MetricSpec(
        name=name,
        version="1",
        title=title,
        direction="down",
        low=0.0,
        high=float("inf"),
        unit="mm",
        properties=frozenset({"symmetric"}),
        undefined=_ONE_EMPTY,
    )


def nsd_spec(tolerance_mm: float) -> MetricSpec:
    """Declare the normalised surface Dice at a tolerance: the tolerance is part of the name.

    Examples
    --------
    >>> nsd_spec(1.5).name
    'nsd_1.5mm'
    """
    _check_tolerance(tolerance_mm)
    return MetricSpec(
        name=f"nsd_{tolerance_mm:g}mm",
        version="1",
        title=f"Surface Dice at {tolerance_mm:g} mm",
        direction="up",
        low=0.0,
        high=1.0,
        unit="share",
        properties=frozenset({"symmetric"}),
        undefined=_ONE_EMPTY,
    )


def _check_tolerance(tolerance_mm: float) -> None:
    if not 0 <= tolerance_mm < float("inf"):
        raise UsageError(
            expected(
                "tolerance_mm",
                rule="a distance of 0 mm or more",
                got=tolerance_mm,
                remedy="Give the largest distance in mm that counts as the same surface.",
            )
        )


HD: Final = _distance("hd_mm", "Hausdorff distance")
HD95: Final = _distance("hd95_mm", "95th percentile of surface distances, the larger direction")
ASSD: Final = _distance("assd_mm", "Average symmetric surface distance")
NSD_1MM: Final = nsd_spec(1.0)
NSD_2MM: Final = nsd_spec(2.0)
NSD_3MM: Final = nsd_spec(3.0)
SURFACE_METRICS: Final = (HD, HD95, ASSD, NSD_1MM, NSD_2MM, NSD_3MM)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SurfaceDistances:
    """How far each surface lies from the other, as two weighted distributions.

    Distances on a grid repeat: each array holds each distance once, ascending, shape
    (n_distances,), and its weight. Arrays are read-only.
    """

    reference_mm: NDArray[np.float64]
    """From the reference's surface to the nearest point of the prediction's."""
    reference_weights: NDArray[np.float64]
    """Surface of the reference at that distance: mm² (in two axes mm) by ``area``, the number of
    voxels by ``points``."""
    prediction_mm: NDArray[np.float64]
    """From the prediction's surface to the nearest point of the reference's."""
    prediction_weights: NDArray[np.float64]
    method: SurfaceMethod

    @property
    def hd_mm(self) -> float:
        """Hausdorff distance: the largest distance of either direction."""
        return float(max(self.reference_mm[-1], self.prediction_mm[-1]))

    @property
    def assd_mm(self) -> float:
        """Mean distance over both surfaces together (``assd`` of MedPy 0.5)."""
        total = self.reference_weights.sum() + self.prediction_weights.sum()
        return float(self._sum(1) / total)

    @property
    def masd_mm(self) -> float:
        """Mean of the two directions' mean distances: each surface counts half, however large.

        ``symmetric=True`` of MONAI's average surface distance, and the mean of surface-distance's
        two averages.
        """
        return (
            float(np.average(self.reference_mm, weights=self.reference_weights))
            + float(np.average(self.prediction_mm, weights=self.prediction_weights))
        ) / 2

    @property
    def rmsd_mm(self) -> float:
        """Root of the mean squared distance over both surfaces together."""
        total = self.reference_weights.sum() + self.prediction_weights.sum()
        return float(np.sqrt(self._sum(2) / total))

    def hd95_mm(self, definition: Definition95 = "larger of directions") -> float:
        """Give the 95th percentile of distances, see `percentile_mm`."""
        return self.percentile_mm(95.0, definition)

    def percentile_mm(
        self, percent: float, definition: Definition95 = "larger of directions"
    ) -> float:
        """Give a percentile of distances.

        By ``area`` it is the least distance within which that much of the surface lies
        (surface-distance); by ``points`` values are interpolated as `numpy.percentile` does.

        Raises
        ------
        UsageError
            `percent` is not within 0 to 100, or the definition is unknown.
        """
        if not 0 <= percent <= 100:
            raise UsageError(
                expected(
                    "percent",
                    rule="a number from 0 to 100",
                    got=percent,
                    remedy="95 is what HD95 takes.",
                )
            )
        read = _weighted_percentile if self.method == "area" else _counted_percentile
        if definition == "larger of directions":
            return max(
                read(self.reference_mm, self.reference_weights, percent),
                read(self.prediction_mm, self.prediction_weights, percent),
            )
        if definition == "pooled":
            return read(*self._pooled(), percent)
        raise UsageError(
            expected(
                "definition",
                rule="'larger of directions' or 'pooled'",
                got=repr(definition),
                remedy="Name the one that your protocol takes.",
            )
        )

    def nsd(self, tolerance_mm: float) -> float:
        """Give the share of both surfaces, 0..1, that lies within the tolerance of the other.

        The tolerance itself counts as within.

        Raises
        ------
        UsageError
            The tolerance is negative or no number.
        """
        _check_tolerance(tolerance_mm)
        near = float(self.reference_weights[self.reference_mm <= tolerance_mm].sum()) + float(
            self.prediction_weights[self.prediction_mm <= tolerance_mm].sum()
        )
        return near / float(self.reference_weights.sum() + self.prediction_weights.sum())

    def _sum(self, power: int) -> float:
        return float(
            (self.reference_weights * self.reference_mm**power).sum()
            + (self.prediction_weights * self.prediction_mm**power).sum()
        )

    def _pooled(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        values = np.concatenate([self.reference_mm, self.prediction_mm])
        order = np.argsort(values, kind="stable")
        weights = np.concatenate([self.reference_weights, self.prediction_weights])
        return values[order], weights[order]


def _weighted_percentile(
    values: NDArray[np.float64], weights: NDArray[np.float64], percent: float
) -> float:
    shares = np.cumsum(weights) / weights.sum()
    return float(values[min(int(np.searchsorted(shares, percent / 100)), values.size - 1)])


def _counted_percentile(
    values: NDArray[np.float64], counts: NDArray[np.float64], percent: float
) -> float:
    ends = np.cumsum(counts)
    place = (float(ends[-1]) - 1) * (percent / 100)
    below = int(place)
    low = float(values[np.searchsorted(ends, below, side="right")])
    high = float(values[min(int(np.searchsorted(ends, below + 1, side="right")), values.size - 1)])
    return low + (high - low) * (place - below)
