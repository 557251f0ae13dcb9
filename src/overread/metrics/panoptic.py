"""Panoptic quality of lesions: how many are recognised, and how well those are drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from overread.errors import UsageError, expected
from overread.metrics.lesion_matching import LesionMatch
from overread.metrics.spec import MetricSpec

__all__ = ["PANOPTIC_QUALITY", "PanopticQuality", "panoptic_quality"]

PANOPTIC_QUALITY: Final = MetricSpec(
    name="panoptic_quality",
    version="1",
    title="Panoptic quality",
    direction="up",
    low=0.0,
    high=1.0,
    unit="share",
    properties=frozenset({"relabelling invariant", "symmetric"}),
    undefined="neither mask has a lesion",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PanopticQuality:
    """The quality and its two factors."""

    segmentation: float | None
    """Mean overlap (IoU) of the matched lesions; None without a match."""
    recognition: float | None
    """F1 of lesions; None where neither mask has one."""
    quality: float | None
    """Their product: 0 without a match, None where neither mask has a lesion."""


def panoptic_quality(match: LesionMatch) -> PanopticQuality:
    """Give panoptic quality of a match that is one to one.

    Parameters
    ----------
    match
        From `match_lesions` under ``("iou", t)``; 0.5 is the usual threshold.

    Returns
    -------
    PanopticQuality
        Sum of overlaps of matches over matches plus half of those missed and half of those
        invented; see each field for what is undefined.

    Raises
    ------
    UsageError
        The rule lets one lesion match several.

    Notes
    -----
    Kirillov and others, CVPR 2019, doi 10.1109/CVPR.2019.00963.
    """
    if isinstance(match.rule, str):
        raise UsageError(
            expected(
                "match",
                rule="a match that takes each lesion once",
                got=f"one under the rule '{match.rule}'",
                remedy="Match under ('iou', 0.5) or another threshold.",
            )
        )
    matched = match.found
    size = matched + (match.missed + match.invented) / 2
    if not size:
        return PanopticQuality(segmentation=None, recognition=None, quality=None)
    total = float(match.iou.sum())
    return PanopticQuality(
        segmentation=total / matched if matched else None,
        recognition=matched / size,
        quality=total / size,
    )
