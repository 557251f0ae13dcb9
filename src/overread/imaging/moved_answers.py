"""Boxes and points written in an answer, moved along with the picture they are on."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from overread.imaging.picture_effect import change_boxes
from overread.records import Box, Effect

__all__ = ["moved_boxes_answer", "moved_points_answer"]

_NUMBER: Final = re.compile(r"[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")


def moved_boxes_answer(
    answer: str, effects: Sequence[Effect], *, width: int, height: int
) -> str | None:
    """Move the boxes of an answer, x_min, y_min, x_max, y_max each, in pixels.

    Parameters
    ----------
    answer
        Four numbers a box, whatever stands between them.
    effects
        What was done to the picture.
    width, height
        Of the picture, in pixels.

    Returns
    -------
    str or None
        The boxes cut at the picture's edge, parted by ``"; "``; None where one of them has left
        it, or the numbers make no boxes.

    Examples
    --------
    >>> moved_boxes_answer("[1, 2, 3, 4]", [Effect(name="mirror")], width=10, height=10)
    '6, 2, 8, 4'
    """
    numbers = [float(each) for each in _NUMBER.findall(answer)]
    if not numbers or len(numbers) % 4:
        return None
    boxes = [
        Box(x_min=numbers[at], y_min=numbers[at + 1], x_max=numbers[at + 2], y_max=numbers[at + 3])
        for at in range(0, len(numbers), 4)
    ]
    moved = change_boxes(boxes, effects, width=width, height=height)
    shown = [_cut(box, width, height) for box in moved]
    if any(box is None for box in shown):
        return None
    return "; ".join(
        ", ".join(_written(each) for each in (box.x_min, box.y_min, box.x_max, box.y_max))
        for box in shown
        if box is not None
    )


def moved_points_answer(
    answer: str, effects: Sequence[Effect], *, width: int, height: int
) -> str | None:
    """Move the points of an answer, x and y each, in pixels; None where one has left the picture.

    Examples
    --------
    >>> moved_points_answer("(1, 2)", [Effect(name="mirror")], width=10, height=10)
    '8, 2'
    """
    numbers = [float(each) for each in _NUMBER.findall(answer)]
    if not numbers or len(numbers) % 2:
        return None
    pairs = zip(numbers[::2], numbers[1::2], strict=True)
    points = [Box(x_min=x, y_min=y, x_max=x, y_max=y) for x, y in pairs]
    moved = change_boxes(points, effects, width=width, height=height)
    if any(_cut(box, width, height) is None for box in moved):
        return None
    return "; ".join(f"{_written(box.x_min)}, {_written(box.y_min)}" for box in moved)


def _cut(box: Box, width: int, height: int) -> Box | None:
    """Cut a box at the edges of the picture, where pixel centres end; None for one beyond."""
    x_min, y_min = max(box.x_min, 0.0), max(box.y_min, 0.0)
    x_max, y_max = min(box.x_max, width - 1.0), min(box.y_max, height - 1.0)
    if x_min > x_max or y_min > y_max:
        return None
    return Box(x_min=x_min, y_min=y_min, x_max=x_max, y_max=y_max)


def _written(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")
