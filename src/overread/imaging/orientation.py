"""Which way a slice lies in the patient, and how to turn it the way a radiologist looks at it.

Directions are letters of the patient: L left, R right, A anterior, P posterior, S superior,
I inferior. A picture's orientation is two of them: where x grows (to the right along a row), then
where y grows (down a column). Shown pictures are ``LP`` (axial: the patient's right on the left of
the picture, anterior on top), ``LI`` (coronal) or ``PI`` (sagittal).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from overread.records import Box

__all__ = ["AS_STORED", "Turn", "direction_letter", "turn_for_display"]

_AXIS = {"L": 0, "R": 0, "P": 1, "A": 1, "S": 2, "I": 2}
_SHOWN = {frozenset({0, 1}): "LP", frozenset({0, 2}): "LI", frozenset({1, 2}): "PI"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """How stored pixels become shown ones: transposed first, then mirrored."""

    transpose: bool
    flip_x: bool
    flip_y: bool

    def pixels(self, stored: NDArray[Any]) -> NDArray[Any]:
        """Turn an array of shape (rows, columns) or (rows, columns, channels)."""
        shown = stored.swapaxes(0, 1) if self.transpose else stored
        if self.flip_x:
            shown = shown[:, ::-1]
        if self.flip_y:
            shown = shown[::-1]
        return np.ascontiguousarray(shown)

    def box(self, stored: Box, *, shown_width: int, shown_height: int) -> Box:
        """Turn a box along with its picture, whose size after the turn is given."""
        x, y = (stored.x_min, stored.x_max), (stored.y_min, stored.y_max)
        if self.transpose:
            x, y = y, x
        if self.flip_x:
            x = (shown_width - 1 - x[1], shown_width - 1 - x[0])
        if self.flip_y:
            y = (shown_height - 1 - y[1], shown_height - 1 - y[0])
        return Box(x_min=x[0], y_min=y[0], x_max=x[1], y_max=y[1])


AS_STORED = Turn(transpose=False, flip_x=False, flip_y=False)


def direction_letter(direction_lps: Sequence[float]) -> str | None:
    """Name the patient's direction that a vector points to most.

    Parameters
    ----------
    direction_lps
        Three components towards the patient's left, posterior and superior.

    Returns
    -------
    str or None
        One of ``LRAPSI``; None for a vector without length or with a value that is no number.

    Examples
    --------
    >>> direction_letter((0.99, 0.1, 0.0)), direction_letter((0, -1, 0))
    ('L', 'A')
    """
    vector = np.asarray(direction_lps, dtype=float)
    if vector.shape != (3,) or not np.isfinite(vector).all() or not vector.any():
        return None
    axis = int(np.argmax(np.abs(vector)))
    return ("LPS" if vector[axis] > 0 else "RAI")[axis]


def turn_for_display(x_runs: str | None, y_runs: str | None) -> tuple[Turn, str]:
    """Find the turn that makes a slice look the way it is read, and the orientation after it.

    Returns
    -------
    tuple of Turn and str
        ``(AS_STORED, "as stored")`` where the directions are unknown or name one axis twice.

    Examples
    --------
    >>> turn_for_display("R", "A")  # a NIfTI slice in RAS: turned by half a circle
    (Turn(transpose=False, flip_x=True, flip_y=True), 'LP')
    """
    if x_runs is None or y_runs is None or _AXIS[x_runs] == _AXIS[y_runs]:
        return AS_STORED, "as stored"
    shown = _SHOWN[frozenset({_AXIS[x_runs], _AXIS[y_runs]})]
    transpose = _AXIS[x_runs] != _AXIS[shown[0]]
    first, second = (y_runs, x_runs) if transpose else (x_runs, y_runs)
    turn = Turn(transpose=transpose, flip_x=first != shown[0], flip_y=second != shown[1])
    return turn, shown
