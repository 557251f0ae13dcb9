"""The three numbers of the autoPET challenges, as their released scripts compute them.

The scripts multiply and sum the numbers that the masks hold, and label components by equal numbers:
with masks of 0 and 1 that is Dice and the volumes of components that miss the other mask; with
other numbers it is what it is. The voxel's volume is in single precision, and so is the product of
the script of 2024 with NumPy 2.

Sources: ClinicalDataScience/autoPETIII, evaluation-metrics/evaluation_metrics.py (2024);
lab-midas/autoPET, val_script.py (2022). The way is ours: components by histogram, not one by one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from overread.errors import UsageError, expected
from overread.metrics.components import foreground_box, label_components
from overread.metrics.lesions import LesionOverlap
from overread.metrics.spec import MetricSpec

__all__ = [
    "DICE_2022",
    "FNV_ML_2022",
    "FPV_ML_2022",
    "AutoPetScores",
    "Edition",
    "autopet_scores",
    "autopet_scores_of_table",
    "pixdim_ml",
]

Edition: TypeAlias = Literal["2024", "2022"]
"""``2024`` has rules for empty masks; ``2022`` has none, and takes the prediction's voxel size."""

_CONNECTIVITY: Final = 18
_SAME: Final = " by the script of 2022"

DICE_2022: Final = MetricSpec(
    name="dice_2022",
    version="1",
    title=f"Dice{_SAME}",
    direction="up",
    low=0.0,
    high=1.0,
    unit="share",
    properties=frozenset({"symmetric"}),
    undefined="both masks are empty",
)
FPV_ML_2022: Final = MetricSpec(
    name="fpv_ml_2022",
    version="1",
    title=f"False positive volume{_SAME}",
    direction="down",
    low=0.0,
    high=math.inf,
    unit="ml",
    properties=frozenset(),
    undefined="never",
)
FNV_ML_2022: Final = MetricSpec(
    name="fnv_ml_2022",
    version="1",
    title=f"False negative volume{_SAME}",
    direction="down",
    low=0.0,
    high=math.inf,
    unit="ml",
    properties=frozenset(),
    undefined="never: without a lesion in the reference it is 0",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class AutoPetScores:
    """What a script gives for one case; None for its NaN."""

    dice: float | None
    fpv_ml: float
    fnv_ml: float | None


def pixdim_ml(pixdim_mm: Sequence[float]) -> np.float32:
    """Give the volume of a voxel from the three sizes of a NIfTI header, in single precision.

    Examples
    --------
    >>> pixdim_ml((4.07283, 4.07283, 2.0))
    np.float32(0.033175893)
    """
    one, two, three = (np.float32(each) for each in pixdim_mm)
    return one * two * three / np.float32(1000)


def autopet_scores_of_table(
    table: LesionOverlap, *, voxel_ml: np.float32, edition: Edition
) -> AutoPetScores:
    """Give a script's numbers from the table of lesions of two masks of 0 and 1.

    Parameters
    ----------
    table
        From `lesion_overlap` with connectivity 18.
    voxel_ml
        From `pixdim_ml`.
    edition
        Whose rules for empty masks.
    """
    return _scores(
        reference=float(table.reference_voxels.sum()),
        prediction=float(table.prediction_voxels.sum()),
        shared=float(table.overlap_voxels.sum()),
        false_positive=float(table.false_positive_voxels),
        false_negative=float(table.false_negative_voxels),
        voxel_ml=voxel_ml,
        edition=edition,
    )


def autopet_scores(
    reference: NDArray[np.integer],
    prediction: NDArray[np.integer],
    *,
    voxel_ml: np.float32,
    edition: Edition,
) -> AutoPetScores:
    """Give a script's numbers for masks of any whole numbers.

    Parameters
    ----------
    reference, prediction
        On one grid of three axes.
    voxel_ml
        From `pixdim_ml`.
    edition
        Whose rules for empty masks.

    Raises
    ------
    UsageError
        The shapes differ: the scripts stop there.

    Examples
    --------
    A prediction of twos doubles what it shares, and Dice with it:

    >>> ones = np.ones((1, 1, 2), dtype=np.uint8)
    >>> autopet_scores(ones, 2 * ones, voxel_ml=np.float32(1), edition="2024").dice
    1.3333333333333333
    """
    if reference.shape != prediction.shape:
        raise UsageError(
            expected(
                "prediction",
                rule=f"the shape of the reference, {reference.shape}",
                got=prediction.shape,
                remedy="Write the mask on the grid of the PET.",
            )
        )
    box = foreground_box((reference != 0) | (prediction != 0)) or (slice(0, 0),) * 3
    one = reference[box].astype(np.float64)
    other = prediction[box].astype(np.float64)
    return _scores(
        reference=float(one.sum()),
        prediction=float(other.sum()),
        shared=float((one * other).sum()),
        false_positive=_voxels_of_misses(other, one),
        false_negative=_voxels_of_misses(one, other),
        voxel_ml=voxel_ml,
        edition=edition,
    )


def _scores(
    *,
    reference: float,
    prediction: float,
    shared: float,
    false_positive: float,
    false_negative: float,
    voxel_ml: np.float32,
    edition: Edition,
) -> AutoPetScores:
    has_dice = reference != 0 if edition == "2024" else reference + prediction != 0
    has_fnv = reference != 0 or edition == "2022"
    if edition == "2024" and prediction == 0:
        false_positive = 0.0
    return AutoPetScores(
        dice=2 * shared / (reference + prediction) if has_dice else None,
        fpv_ml=_volume(false_positive, voxel_ml, edition),
        fnv_ml=_volume(false_negative, voxel_ml, edition) if has_fnv else None,
    )


def _volume(voxels: float, voxel_ml: np.float32, edition: Edition) -> float:
    """Multiply as the script does: it makes a float of the count in 2024, and not before."""
    if edition == "2024":
        return float(np.float32(voxels) * voxel_ml)
    return voxels * float(voxel_ml)


def _voxels_of_misses(mask: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    """Count voxels of components of equal numbers over which the other mask sums to 0."""
    voxels = 0
    for number in np.unique(mask):
        if number == 0:
            continue
        labels, count = label_components(mask == number, connectivity=_CONNECTIVITY)
        flat = labels.reshape(-1)
        sums = np.bincount(flat, weights=other.reshape(-1), minlength=count + 1)
        sizes = np.bincount(flat, minlength=count + 1)
        voxels += int(sizes[1:][sums[1:] == 0].sum())
    return float(voxels)
