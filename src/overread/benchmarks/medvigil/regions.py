"""The region an answer rests on: what may be wrong with its box, and the pictures made from it.

The release fills by its own rules, which are kept here to hold its pictures against: corners are
``int(share * size)``; the grey rectangle includes its last row and column, the kept region does
not, so that a masked picture hides one row and one column more than the other one shows.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

__all__ = ["GREY", "REMADE", "box_problem", "grey_region", "mirrored", "only_region", "region_px"]

GREY: Final = 128
_COVERS: Final = 0.97

_Corners = tuple[int, int, int, int]


def box_problem(box: tuple[float, ...] | None) -> str | None:
    """Say what is wrong with a box of shares x0, y0, x1, y1; None where nothing is.

    Examples
    --------
    >>> box_problem((0.1, 0.1, 1.2, 0.5)), box_problem((0.3, 0.2, 0.3, 0.8))
    ('it leaves the picture', 'it has no area')
    """
    if box is None or len(box) != 4 or not all(np.isfinite(box)):
        return "it is no list of four numbers"
    x0, y0, x1, y1 = box
    if x1 <= x0 or y1 <= y0:
        return "it has no area"
    if min(x0, y0) < 0 or max(x1, y1) > 1:
        return "it leaves the picture"
    return None


def region_px(box: tuple[float, ...] | None, width: int, height: int) -> _Corners | None:
    """Give the corners in pixels as the release computes them, clipped to the picture.

    None where the box cannot be used, or covers at least 97 % of both sides: no picture is made of
    such a case.
    """
    if box is None or len(box) != 4 or not all(np.isfinite(box)):
        return None
    x0, y0, x1, y1 = (min(1.0, max(0.0, each)) for each in box)
    if x1 <= x0 or y1 <= y0:
        return None
    corners = int(x0 * width), int(y0 * height), int(x1 * width), int(y1 * height)
    wide = corners[2] - corners[0] >= _COVERS * width
    return None if wide and corners[3] - corners[1] >= _COVERS * height else corners


def grey_region(pixels: NDArray[Any], corners: _Corners) -> NDArray[Any]:
    """Fill the region with grey, its last row and column included; (rows, columns, …)."""
    made = pixels.copy()
    x0, y0, x1, y1 = corners
    made[y0 : y1 + 1, x0 : x1 + 1] = GREY
    return made


def only_region(pixels: NDArray[Any], corners: _Corners) -> NDArray[Any]:
    """Fill all but the region with grey; its last row and column are filled too."""
    made = np.full_like(pixels, GREY)
    x0, y0, x1, y1 = corners
    made[y0:y1, x0:x1] = pixels[y0:y1, x0:x1]
    return made


def mirrored(pixels: NDArray[Any], corners: _Corners) -> NDArray[Any]:
    """Let left and right change places; the region does not matter."""
    return pixels[:, ::-1].copy()


REMADE: Final[Mapping[str, Any]] = {
    "roi_masked": grey_region,
    "roi_only": only_region,
    "lr_flip": mirrored,
}
"""Kind of probe → how its picture is made from the original."""
