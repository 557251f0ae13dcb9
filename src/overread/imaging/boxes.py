"""Rectangles on pictures: drawn as in a release, and found again by a reader of pixels."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from overread.records import Box

__all__ = ["BOX_COLOUR", "draw_box", "find_drawn_boxes", "to_rgb"]

BOX_COLOUR = (0, 255, 0)
"""Our choice: the colour of the published boxes was not seen."""

_CHROMA = 40
"""Least difference between colour channels of a drawn pixel. JPEG halves the colour of a line one
pixel wide (255 becomes about 100) and adds up to 20 of its own around it."""

_MIN_SIDE_PX = 3
_COVERED = 0.7
"""Least share of a rectangle's outline that is coloured."""

_MAX_LINES = 10
"""Most candidate lines of one shape in one direction; a colour photograph has thousands."""


def to_rgb(pixels: NDArray[Any]) -> NDArray[np.uint8]:
    """Copy a grey or colour picture as RGB, shape (rows, columns, 3), uint8."""
    grey_or_rgb = np.asarray(pixels, dtype=np.uint8)
    if grey_or_rgb.ndim == 2:
        return np.repeat(grey_or_rgb[:, :, None], 3, axis=2)
    return np.array(grey_or_rgb[:, :, :3])


def draw_box(
    pixels: NDArray[Any],
    box: Box,
    *,
    colour: tuple[int, int, int] = BOX_COLOUR,
    thickness_px: int = 1,
) -> NDArray[np.uint8]:
    """Draw the outline of a box on a copy of a picture.

    The outer line lies on the pixels nearest to the box's edges; further lines lie inside it. What
    reaches beyond the picture is cut, so a lesion at the rim keeps its visible sides.

    Parameters
    ----------
    pixels
        uint8, shape (rows, columns) or (rows, columns, 3).
    box
        In pixels; the first pixel is at 0.

    Returns
    -------
    ndarray of uint8
        RGB, shape (rows, columns, 3).
    """
    drawn = to_rgb(pixels)
    rows, columns = drawn.shape[:2]
    x_low, x_high = sorted((_nearest(box.x_min), _nearest(box.x_max)))
    y_low, y_high = sorted((_nearest(box.y_min), _nearest(box.y_max)))
    across = slice(max(x_low, 0), min(x_high + 1, columns))
    down = slice(max(y_low, 0), min(y_high + 1, rows))
    for inset in range(thickness_px):
        for y in {y_low + inset, y_high - inset}:
            if 0 <= y < rows:
                drawn[y, across] = colour
        for x in {x_low + inset, x_high - inset}:
            if 0 <= x < columns:
                drawn[down, x] = colour
    return drawn


def find_drawn_boxes(rgb: NDArray[Any]) -> list[Box]:
    """Find rectangles drawn in colour on a grey picture.

    Any hue is found, since releases differ; a JPEG's or a resized picture's washed-out colour too
    (there an edge may be off by one pixel). Grey boxes, and boxes on colour photographs, are not.

    Parameters
    ----------
    rgb
        uint8, shape (rows, columns, 3); a grey picture of shape (rows, columns) has none.

    Returns
    -------
    list of Box
        From top to bottom, then left to right; x_min and x_max are the columns of the lines.
    """
    from scipy import ndimage

    picture = np.asarray(rgb)
    if picture.ndim != 3 or picture.shape[2] < 3:
        return []
    red, green, blue = (picture[:, :, channel] for channel in range(3))
    brightest = np.maximum(np.maximum(red, green), blue)
    chroma = brightest - np.minimum(np.minimum(red, green), blue)
    coloured = chroma > _CHROMA
    rows, columns = np.flatnonzero(coloured.any(axis=1)), np.flatnonzero(coloured.any(axis=0))
    if not rows.size:
        return []
    y_first, x_first = int(rows[0]), int(columns[0])
    around = slice(y_first, rows[-1] + 1), slice(x_first, columns[-1] + 1)
    coloured, chroma = coloured[around], chroma[around]
    # A gap of one pixel (an overlay, a JPEG block) must not split a line in two.
    joined = _thicken(coloured)
    labels: NDArray[np.int32] = np.zeros(joined.shape, dtype=np.int32)
    ndimage.label(joined, structure=np.ones((3, 3), dtype=int), output=labels)
    found: list[Box] = []
    for number, place in enumerate(ndimage.find_objects(labels), start=1):
        part = coloured[place] & (labels[place] == number)
        weight = np.where(part, chroma[place], 0)
        top, left = y_first + place[0].start, x_first + place[1].start
        found.extend(_shift(box, left, top) for box in _rectangles(part, weight))
    return sorted(found, key=lambda box: (box.y_min, box.x_min))


def _rectangles(part: NDArray[np.bool_], weight: NDArray[Any]) -> list[Box]:
    """Take one connected coloured shape apart into outlines of rectangles."""
    vertical = _lines(part, weight)
    horizontal = _lines(part.T, weight.T)
    candidates = [
        (_outline_share(part, x_low, y_low, x_high, y_high), x_low, y_low, x_high, y_high)
        for i, x_low in enumerate(vertical)
        for x_high in vertical[i + 1 :]
        for j, y_low in enumerate(horizontal)
        for y_high in horizontal[j + 1 :]
        if x_high - x_low >= _MIN_SIDE_PX and y_high - y_low >= _MIN_SIDE_PX
    ]
    good = [one for one in candidates if one[0] >= _COVERED]
    # The largest first: what two crossing boxes enclose together is no box of its own, because
    # its sides are already explained.
    good.sort(key=lambda one: -(one[3] - one[1]) * (one[4] - one[2]))
    explained = np.zeros_like(part)
    boxes: list[Box] = []
    for _share, x_low, y_low, x_high, y_high in good:
        outline = np.zeros_like(part)
        outline[[y_low, y_high], x_low : x_high + 1] = True
        outline[y_low : y_high + 1, [x_low, x_high]] = True
        new = outline & part & ~explained
        if new.sum() >= 0.4 * outline.sum():
            boxes.append(Box(x_min=x_low, y_min=y_low, x_max=x_high, y_max=y_high))
            explained |= _thicken(outline)
    return boxes


def _lines(part: NDArray[np.bool_], weight: NDArray[Any]) -> list[int]:
    """Find the columns that hold a line: long in colour, and the strongest of their neighbours."""
    length = part.sum(axis=0)
    strength = weight.sum(axis=0, dtype=np.int64)
    enough = max(_MIN_SIDE_PX + 1, int(_COVERED * 0.5 * length.max(initial=0)))
    columns: list[int] = []
    for x in np.argsort(-strength, kind="stable").tolist():
        if length[x] >= enough and all(abs(x - taken) > 2 for taken in columns):
            columns.append(int(x))
        if len(columns) == _MAX_LINES:
            break
    return sorted(columns)


def _outline_share(
    part: NDArray[np.bool_], x_low: int, y_low: int, x_high: int, y_high: int
) -> float:
    """Give the coloured share of the worst side, a pixel of slack to either side allowed."""
    near = slice(max(x_low, 0), x_high + 1), slice(max(y_low, 0), y_high + 1)
    sides = (
        part[max(y_low - 1, 0) : y_low + 2, near[0]].any(axis=0),
        part[max(y_high - 1, 0) : y_high + 2, near[0]].any(axis=0),
        part[near[1], max(x_low - 1, 0) : x_low + 2].any(axis=1),
        part[near[1], max(x_high - 1, 0) : x_high + 2].any(axis=1),
    )
    return float(min(side.mean() for side in sides))


def _thicken(mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
    from scipy import ndimage

    thick = ndimage.binary_dilation(mask, structure=np.ones((3, 3), dtype=bool))
    return np.asarray(thick, dtype=np.bool_)


def _shift(box: Box, left: int, top: int) -> Box:
    return Box(
        x_min=box.x_min + left,
        y_min=box.y_min + top,
        x_max=box.x_max + left,
        y_max=box.y_max + top,
    )


def _nearest(edge: float) -> int:
    return int(np.floor(edge + 0.5))
