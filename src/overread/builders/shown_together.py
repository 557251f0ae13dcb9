"""Which lesions a question shows beside the one it asks about.

Without a box nobody can tell which lesion of a picture is meant: an option that is right for
another lesion in it is a second right answer.
"""

from __future__ import annotations

import re
from typing import Final

from overread.benchmarks.ct_bench.layout import KEY_SLICE, STACK_TASKS

__all__ = ["shows_also"]

_NAME: Final = re.compile(r"(?P<series>\d+_\d+_\d+)_(?P<slice>\d+)")


def shows_also(task: str, one: str, other: str) -> bool:
    """Whether a question about one lesion shows another lesion of its patient.

    Parameters
    ----------
    task
        A question type: stacks show four slices on each side of the key slice.
    one, other
        DeepLesion's names of both key slices without ending, ``PPPPPP_SS_RR_KKK`` (patient,
        study, series, key slice). A name of another form may be of any slice: in a stack both
        are shown then.

    Examples
    --------
    >>> shows_also("ct2txt", "000001_01_02_050", "000001_01_02_054")
    True
    >>> shows_also("img2txt", "000001_01_02_050", "000001_01_02_054")
    False
    """
    if one == other and one:
        return True
    if task not in STACK_TASKS:
        return False
    names = _NAME.fullmatch(one), _NAME.fullmatch(other)
    if names[0] is None or names[1] is None:
        return True
    apart = abs(int(names[0]["slice"]) - int(names[1]["slice"]))
    return names[0]["series"] == names[1]["series"] and apart <= KEY_SLICE
