"""Volumes of lesions drawn too large or too small, and clean studies kept clean.

Where the volumes of whole false components (`metrics.lesions`) end, these begin: every voxel counts
here, also those of a component that touches a lesion.
"""

from __future__ import annotations

import math
from typing import Final, Literal

from overread.metrics.overlap import Overlap
from overread.metrics.spec import MetricSpec

__all__ = [
    "CLEAN_NEGATIVE",
    "OUTSIDE_ML",
    "UNCOVERED_ML",
    "VOLUME_BIAS",
    "clean_negative",
]


def _volume(name: str, title: str, undefined: str) -> MetricSpec:
    return MetricSpec(
        name=name,
        version="1",
        title=title,
        direction="down",
        low=0.0,
        high=math.inf,
        unit="ml",
        properties=frozenset(),
        undefined=undefined,
    )


def _share(
    name: str,
    title: str,
    undefined: str,
    *,
    low: float,
    high: float,
    direction: Literal["up", "none"],
) -> MetricSpec:
    return MetricSpec(
        name=name,
        version="1",
        title=title,
        direction=direction,
        low=low,
        high=high,
        unit="share",
        properties=frozenset(),
        undefined=undefined,
    )


OUTSIDE_ML: Final = _volume("outside_ml", "Predicted volume outside of lesions", "never")
UNCOVERED_ML: Final = _volume(
    "uncovered_ml", "Lesion volume that is not covered", "the reference has no lesion"
)
CLEAN_NEGATIVE: Final = _share(
    "clean_negative",
    "Studies without a lesion that are left clean",
    "the reference has a lesion",
    low=0.0,
    high=1.0,
    direction="up",
)
"""Its mean is specificity by study."""
VOLUME_BIAS: Final = _share(
    "volume_bias",
    "Predicted volume above that of the reference, all studies together",
    "no study has a lesion",
    low=-1.0,
    high=math.inf,
    direction="none",
)


def clean_negative(overlap: Overlap) -> float | None:
    """Tell whether a study without a lesion was left without one.

    Parameters
    ----------
    overlap
        Counts of voxels of the lesion label.

    Returns
    -------
    float or None
        1 where both masks are empty, 0 where a lesion was invented; None where there is one.

    Examples
    --------
    >>> [clean_negative(Overlap(*each)) for each in ((0, 0, 0), (0, 1, 0), (5, 5, 5))]
    [1.0, 0.0, None]
    """
    if overlap.reference_voxels:
        return None
    return 0.0 if overlap.prediction_voxels else 1.0
