"""What is true of ratios over all cases together; `analysis.pooled_ratios` computes them."""

from __future__ import annotations

from typing import Final

from overread.metrics.spec import MetricSpec

__all__ = ["POOLED_DICE", "POOLED_IOU", "POOLED_MIOU"]


def _spec(name: str, title: str, undefined: str) -> MetricSpec:
    return MetricSpec(
        name=name,
        version="1",
        title=title,
        direction="up",
        low=0.0,
        high=1.0,
        unit="share",
        properties=frozenset({"order invariant", "symmetric"}),
        undefined=undefined,
    )


POOLED_DICE: Final = _spec(
    "pooled_dice", "Dice of all voxels of all cases", "all masks of both sides are empty"
)
POOLED_IOU: Final = _spec(
    "pooled_iou", "IoU of all voxels of all cases", "the class is nowhere on either side"
)
POOLED_MIOU: Final = _spec(
    "pooled_miou",
    "Mean over classes of the IoU of all voxels",
    "no class is anywhere on either side",
)
"""Large cases and large classes lead each class's own value; the mean weighs classes alike."""
