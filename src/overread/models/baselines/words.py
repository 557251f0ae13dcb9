"""Words and sizes in a text, as the built-in readers count them."""

from __future__ import annotations

import re
from itertools import pairwise

__all__ = ["sizes_mm", "terms"]

_WORD = re.compile(r"[a-z]+(?:-[a-z]+)*")
_LENGTH = re.compile(
    r"(?P<first>\d{1,4}(?:\.\d{1,3})?)\s*(?P<first_unit>mm|cm)?"
    r"(?:\s*(?:x|×|by)\s*(?P<second>\d{1,4}(?:\.\d{1,3})?)\s*(?P<second_unit>mm|cm)?)?",
    re.IGNORECASE,
)
_MM = {"mm": 1.0, "cm": 10.0}


def terms(text: str) -> frozenset[str]:
    """List the distinct words and pairs of neighbouring words, in lower case, without numbers.

    Examples
    --------
    >>> sorted(terms("Left lung"))
    ['left', 'left lung', 'lung']
    """
    words = _WORD.findall(text.lower())
    pairs = (f"{first} {second}" for first, second in pairwise(words))
    return frozenset(words).union(pairs)


def sizes_mm(text: str) -> tuple[float, ...]:
    """Read the first size of a text: one or two lengths in mm, none where no length has a unit.

    ``23 x 15 mm`` states the unit once for both; ``2.3 cm`` becomes 23 mm.

    Examples
    --------
    >>> sizes_mm("A nodule of 2.3 × 1.5 cm in the left lung")
    (23.0, 15.0)
    """
    for match in _LENGTH.finditer(text):
        first_unit, second_unit = match["first_unit"], match["second_unit"]
        unit = second_unit or first_unit
        if unit is None:
            continue
        first = float(match["first"]) * _MM[(first_unit or unit).lower()]
        if match["second"] is None:
            return (first,)
        return (first, float(match["second"]) * _MM[unit.lower()])
    return ()
