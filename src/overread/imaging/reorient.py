"""The 48 ways an array can lie in the patient, and how to turn one into another without a copy.

A code of three letters says where each axis of an array grows: ``LPS`` grows to the patient's
left, to posterior and to superior. NIfTI people call the same array LPS, and so does DICOM; ITK's
older "from" codes name the opposite ends and are not meant here.
"""

from __future__ import annotations

from itertools import permutations, product
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from overread.errors import UsageError, expected

__all__ = ["AXES_CODES", "check_axes", "reorient", "turn_of"]

_PAIRS: Final = ("LR", "PA", "SI")
_PAIR_OF: Final = {letter: number for number, pair in enumerate(_PAIRS) for letter in pair}

AXES_CODES: Final[tuple[str, ...]] = tuple(
    "".join(letters) for order in permutations(_PAIRS) for letters in product(*order)
)
"""All 48: six orders of the axes, each axis in either direction."""


def check_axes(axes: str) -> str:
    """Give the code back when it is one of the 48. UsageError when it is not."""
    if axes not in AXES_CODES:
        raise UsageError(
            expected(
                "axes",
                rule="three letters, one each of L or R, P or A, S or I",
                got=repr(axes),
                remedy="Write for instance SPL: slices to the head, rows to the back, columns to "
                "the left.",
            )
        )
    return axes


def turn_of(stored: str, wanted: str) -> tuple[tuple[int, int, int], tuple[bool, bool, bool]]:
    """Find which stored axis becomes each wanted axis, and which of them run the other way.

    Returns
    -------
    order, flipped
        Wanted axis `n` is stored axis ``order[n]``, reversed where ``flipped[n]``.

    Examples
    --------
    >>> turn_of("RAS", "SPL")
    ((2, 1, 0), (False, True, True))
    """
    check_axes(stored)
    check_axes(wanted)
    place = {_PAIR_OF[letter]: number for number, letter in enumerate(stored)}
    order = tuple(place[_PAIR_OF[letter]] for letter in wanted)
    flipped = tuple(stored[axis] != letter for axis, letter in zip(order, wanted, strict=True))
    return (order[0], order[1], order[2]), (flipped[0], flipped[1], flipped[2])


def reorient(array: NDArray[Any], stored: str, wanted: str) -> NDArray[Any]:
    """Turn an array so that its axes grow as wanted: a view, no voxel is copied or changed.

    Parameters
    ----------
    array
        Three axes, which grow as `stored` says.
    stored, wanted
        Codes of three letters, see `AXES_CODES`.

    Raises
    ------
    UsageError
        A code is none of the 48.
    """
    order, flipped = turn_of(stored, wanted)
    steps = tuple(slice(None, None, -1 if flip else 1) for flip in flipped)
    return np.transpose(array, order)[steps]
