"""Outlines of flat masks as SVG paths: exact to half a pixel, closed, small."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

__all__ = ["outline"]

_TOLERANCE_PX: Final = 0.3
"""A corner that moves the line by less is left out: below half a pixel, so that no pixel changes
sides."""


def outline(mask: NDArray[np.bool_]) -> str:
    """Trace a mask as an SVG path in units of half a pixel.

    Lines run midway between pixels of the mask and others, with corners cut. The centre of the
    pixel in column c and row r lies at (2c + 1, 2r + 1), so that a picture of the same pixels fills
    ``0 0 2w 2h``. Holes are lines of their own; fill with the rule ``evenodd``.

    Parameters
    ----------
    mask
        (rows, columns)

    Returns
    -------
    str
        Empty for an empty mask.

    Examples
    --------
    >>> import numpy as np
    >>> outline(np.array([[False, False], [False, True]]))
    'M3 4l-1 -1l1 -1l1 1z'
    """
    from skimage.measure import approximate_polygon, find_contours

    if not mask.any():
        return ""
    around = np.pad(mask, 1).astype(np.float32)
    pieces: list[str] = []
    for line in find_contours(around, 0.5):
        corners = approximate_polygon(line, _TOLERANCE_PX)
        # Padding moved everything by one pixel; half pixels are whole numbers.
        places: NDArray[Any] = np.rint(2 * corners - 1).astype(np.int64)
        pieces.append(_path(places[:, ::-1]))
    return "".join(pieces)


def _path(places: NDArray[np.int64]) -> str:
    steps = np.diff(places[:-1], axis=0)  # the last place is the first again
    start = f"M{places[0, 0]} {places[0, 1]}"
    return start + "".join(f"l{x} {y}" for x, y in steps.tolist()) + "z"
