"""A score after 0, 1, 2, … clicks: the area under its curve and its last value.

The released code of TriALS's interactive task puts the masks of a case in the order of their file
names as texts, where ``_10`` stands between ``_1`` and ``_2``: the area has its points at wrong
places, and the last value is that after nine clicks. `text_places` gives that order.

Source: xmed-lab/TriALS, TriALS_2025_Interactive_Task_2/eval_scripts_interactive_task/evaluate.py
(commit de701ea).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from overread.metrics.spec import MetricSpec

__all__ = [
    "ASSD_AUC",
    "ASSD_FINAL",
    "CLICKS",
    "CLICK_METRICS",
    "DICE_AFTER_0",
    "DICE_AFTER_1",
    "DICE_AFTER_2",
    "DICE_AFTER_3",
    "DICE_AFTER_4",
    "DICE_AFTER_5",
    "DICE_AFTER_6",
    "DICE_AFTER_7",
    "DICE_AFTER_8",
    "DICE_AFTER_9",
    "DICE_AFTER_10",
    "DICE_AUC",
    "DICE_AUC_PER_CLICK",
    "DICE_FINAL",
    "MSD_AUC",
    "MSD_FINAL",
    "area_weight",
    "curve_area",
    "text_places",
]

CLICKS: Final = 11
"""Masks of a case: after 0 to 10 clicks."""

DICE_AUC: Final = MetricSpec(
    name="dice_auc",
    version="1",
    title="Area under Dice over 0 to 10 clicks",
    direction="up",
    low=0.0,
    high=float(CLICKS - 1),
    unit="Dice × clicks",
    properties=frozenset(),
    undefined="no case",
)
DICE_AUC_PER_CLICK: Final = MetricSpec(
    name="dice_auc_per_click",
    version="1",
    title="The same over 10: mean Dice along the clicks",
    direction="up",
    low=0.0,
    high=1.0,
    unit="share",
    properties=frozenset(),
    undefined="no case",
)
DICE_FINAL: Final = MetricSpec(
    name="dice_final",
    version="1",
    title="Dice after the last click",
    direction="up",
    low=0.0,
    high=1.0,
    unit="share",
    properties=frozenset(),
    undefined="no case",
)
_DISTANCES: Final = tuple(
    MetricSpec(
        name=f"{name}_{part}",
        version="1",
        title=f"{title}, {words}",
        direction="down",
        low=0.0,
        high=float("inf"),
        unit="mm × clicks" if part == "auc" else "mm",
        properties=frozenset(),
        undefined="no case; a distance without value counts as 9001 mm, as in the released code",
    )
    for name, title in (("assd", "Mean surface distance"), ("msd", "Maximum surface distance"))
    for part, words in (("auc", "area over 0 to 10 clicks"), ("final", "after the last click"))
)
ASSD_AUC, ASSD_FINAL, MSD_AUC, MSD_FINAL = _DISTANCES


def _dice_after(clicks: int) -> MetricSpec:
    return MetricSpec(
        name=f"dice_after_{clicks}",
        version="1",
        title=f"Dice after {clicks} click{'' if clicks == 1 else 's'}",
        direction="up",
        low=0.0,
        high=1.0,
        unit="share",
        properties=frozenset(),
        undefined="no case",
    )


(
    DICE_AFTER_0,
    DICE_AFTER_1,
    DICE_AFTER_2,
    DICE_AFTER_3,
    DICE_AFTER_4,
    DICE_AFTER_5,
    DICE_AFTER_6,
    DICE_AFTER_7,
    DICE_AFTER_8,
    DICE_AFTER_9,
    DICE_AFTER_10,
) = (_dice_after(clicks) for clicks in range(CLICKS))
CLICK_METRICS: Final = (
    DICE_AUC,
    DICE_AUC_PER_CLICK,
    DICE_FINAL,
    *_DISTANCES,
    DICE_AFTER_0,
    DICE_AFTER_1,
    DICE_AFTER_2,
    DICE_AFTER_3,
    DICE_AFTER_4,
    DICE_AFTER_5,
    DICE_AFTER_6,
    DICE_AFTER_7,
    DICE_AFTER_8,
    DICE_AFTER_9,
    DICE_AFTER_10,
)


def area_weight(place: int) -> float:
    """Give what a value at a place of the curve, 0 to 10, weighs in its area by trapezoids.

    Examples
    --------
    >>> [area_weight(place) for place in (0, 1, 10)]
    [0.5, 1.0, 0.5]
    """
    return 0.5 if place in (0, CLICKS - 1) else 1.0


def curve_area(values: Sequence[float]) -> float:
    """Give the area under a curve of 11 values, one click apart, by trapezoids: 0 to 10 for Dice.

    Examples
    --------
    >>> curve_area([1.0] * 11)
    10.0
    """
    return sum(area_weight(place) * value for place, value in enumerate(values))


def text_places() -> tuple[int, ...]:
    """Give the place of each number of clicks, 0 to 10, when they are put in order as texts.

    Examples
    --------
    >>> text_places()
    (0, 1, 3, 4, 5, 6, 7, 8, 9, 10, 2)
    """
    order = sorted(range(CLICKS), key=str)
    return tuple(order.index(clicks) for clicks in range(CLICKS))
