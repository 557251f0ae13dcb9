"""Words and sizes in a text, as the built-in readers count them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

__all__ = ["WORD", "StatedSize", "sizes_mm", "stated_size", "terms"]

WORD = re.compile(r"[a-z]+(?:-[a-z]+)*")
"""A word, in lower case and without numbers."""
_UNIT = r"(?:(mm|cm|pixels?|px)\b)"
_NUMBER = r"(\d{1,4}(?:\.\d{1,3})?)"
_LENGTH = re.compile(
    rf"{_NUMBER}\s*{_UNIT}?(?:\s*(?:x|×|by)\s*{_NUMBER}\s*{_UNIT}?)?", re.IGNORECASE
)


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedSize:
    """One or two lengths as a text states them, the first one first."""

    unit: Literal["mm", "px"]
    lengths: tuple[float, ...]


def terms(text: str) -> frozenset[str]:
    """List the distinct words and pairs of neighbouring words, in lower case, without numbers.

    Examples
    --------
    >>> sorted(terms("Left lung"))
    ['left', 'left lung', 'lung']
    """
    words = WORD.findall(text.lower())
    pairs = (f"{first} {second}" for first, second in pairwise(words))
    return frozenset(words).union(pairs)


def stated_size(text: str) -> StatedSize | None:
    """Read the first size of a text that has a unit; None without one.

    ``23 x 15 mm`` states the unit once for both; ``2.3 cm`` becomes 23 mm.

    Examples
    --------
    >>> stated_size("A nodule of 2.3 × 1.5 cm in the left lung")
    StatedSize(unit='mm', lengths=(23.0, 15.0))
    """
    for match in _LENGTH.finditer(text):
        first, first_unit, second, second_unit = match.groups()
        last_unit = second_unit or first_unit
        if last_unit is None:
            continue
        units = (
            [first_unit or last_unit] if second is None else [first_unit or last_unit, last_unit]
        )
        numbers = [first] if second is None else [first, second]
        scales = [_scale(unit.lower()) for unit in units]
        if len({unit for unit, _ in scales}) == 1:
            lengths = tuple(
                float(number) * times for number, (_, times) in zip(numbers, scales, strict=True)
            )
            return StatedSize(unit=scales[0][0], lengths=lengths)
    return None


def sizes_mm(text: str) -> tuple[float, ...]:
    """Read the first size of a text in mm: one or two lengths, none where it states none in mm.

    Examples
    --------
    >>> sizes_mm("2.3 x 1.5 cm"), sizes_mm("23 x 15 pixels")
    ((23.0, 15.0), ())
    """
    size = stated_size(text)
    return size.lengths if size and size.unit == "mm" else ()


def _scale(unit: str) -> tuple[Literal["mm", "px"], float]:
    if unit.startswith("p"):
        return "px", 1.0
    return "mm", 10.0 if unit == "cm" else 1.0
