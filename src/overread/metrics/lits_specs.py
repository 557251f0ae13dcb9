"""What is true of the numbers that come from LiTS matching (`overread.metrics.lits`)."""

from __future__ import annotations

from typing import Final, Literal

from overread.metrics.spec import MetricSpec

__all__ = [
    "LITS_ASSD",
    "LITS_DICE",
    "LITS_DICE_ALL",
    "LITS_JACCARD",
    "LITS_METRICS",
    "LITS_MSD",
    "LITS_PRECISION",
    "LITS_PRECISION_ANY",
    "LITS_RAVD",
    "LITS_RECALL",
    "LITS_RECALL_ANY",
    "LITS_RECALL_LARGE",
    "LITS_RECALL_MIDDLE",
    "LITS_RECALL_SMALL",
    "LITS_RMSD",
    "LITS_RVD",
    "LITS_VERSION",
    "LITS_VOE",
]

LITS_VERSION: Final = "1"
"""Raised by any change that can move one of these numbers."""


def _lits(
    name: str,
    title: str,
    direction: Literal["up", "down"],
    high: float,
    unit: str,
    undefined: str,
) -> MetricSpec:
    return MetricSpec(
        name=name,
        version=LITS_VERSION,
        title=title,
        direction=direction,
        low=0.0,
        high=high,
        unit=unit,
        properties=frozenset(),
        undefined=undefined,
    )


_NONE_FOUND: Final = "no lesion was found"
_INFINITE: Final = float("inf")

LITS_PRECISION: Final = _lits(
    "lits_precision", "Lesion precision, overlap > 0.5", "up", 1.0, "share", "nothing predicted"
)
LITS_RECALL: Final = _lits(
    "lits_recall", "Lesion recall, overlap > 0.5", "up", 1.0, "share", "no lesion"
)
LITS_PRECISION_ANY: Final = _lits(
    "lits_precision_any", "Lesion precision, any overlap", "up", 1.0, "share", "nothing predicted"
)
LITS_RECALL_ANY: Final = _lits(
    "lits_recall_any", "Lesion recall, any overlap", "up", 1.0, "share", "no lesion"
)
LITS_DICE: Final = _lits("lits_dice", "Dice of found lesions", "up", 1.0, "share", _NONE_FOUND)
LITS_JACCARD: Final = _lits(
    "lits_jaccard", "Jaccard of found lesions", "up", 1.0, "share", _NONE_FOUND
)
LITS_VOE: Final = _lits(
    "lits_voe", "Volume overlap error of found lesions", "down", 1.0, "share", _NONE_FOUND
)
LITS_RVD: Final = _lits(
    "lits_rvd",
    "Volume difference of found lesions, of the prediction's volume",
    "down",
    _INFINITE,
    "share",
    _NONE_FOUND,
)
LITS_RAVD: Final = _lits(
    "lits_ravd",
    "Volume difference of found lesions, of the reference's volume",
    "down",
    _INFINITE,
    "share",
    _NONE_FOUND,
)
LITS_ASSD: Final = _lits(
    "lits_assd_mm", "Mean surface distance of found lesions", "down", _INFINITE, "mm", _NONE_FOUND
)
LITS_RMSD: Final = _lits(
    "lits_rmsd_mm",
    "Root mean square surface distance of found lesions",
    "down",
    _INFINITE,
    "mm",
    _NONE_FOUND,
)
LITS_MSD: Final = _lits(
    "lits_msd_mm",
    "Maximum surface distance of found lesions",
    "down",
    _INFINITE,
    "mm",
    _NONE_FOUND,
)
LITS_DICE_ALL: Final = _lits(
    "lits_dice_all",
    "Dice of all lesions, missed ones at their own",
    "up",
    1.0,
    "share",
    "no lesion",
)
LITS_DICE_MISSED_0: Final = _lits(
    "lits_dice_missed_0", "Dice of all lesions, missed ones at 0", "up", 1.0, "share", "no lesion"
)
LITS_RECALL_SMALL: Final = _lits(
    "lits_recall_small", "Recall of lesions under 0.5 ml", "up", 1.0, "share", "no such lesion"
)
LITS_RECALL_MIDDLE: Final = _lits(
    "lits_recall_middle", "Recall of lesions of 0.5 to 4 ml", "up", 1.0, "share", "no such lesion"
)
LITS_RECALL_LARGE: Final = _lits(
    "lits_recall_large", "Recall of lesions of 4 ml or more", "up", 1.0, "share", "no such lesion"
)
LITS_METRICS: Final = (
    LITS_PRECISION,
    LITS_RECALL,
    LITS_PRECISION_ANY,
    LITS_RECALL_ANY,
    LITS_DICE,
    LITS_JACCARD,
    LITS_VOE,
    LITS_RVD,
    LITS_RAVD,
    LITS_ASSD,
    LITS_RMSD,
    LITS_MSD,
    LITS_DICE_ALL,
    LITS_DICE_MISSED_0,
    LITS_RECALL_SMALL,
    LITS_RECALL_MIDDLE,
    LITS_RECALL_LARGE,
)
