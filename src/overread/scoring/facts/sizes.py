"""Sizes in a sentence, in mm: "2.3 x 1.5 cm", "5-8 mm", "up to 12 mm", "thirty millimetres"."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from overread.scoring.facts.facts import Size

__all__ = ["SizeMention", "size_mentions"]

_ONES: Final = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_TEENS: Final = (
    "ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen",
    "eighteen", "nineteen",
)  # fmt: skip
_TENS: Final = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_WORDS: Final = {
    "half a": 0.5,
    "a half": 0.5,
    "half": 0.5,
    "a": 1.0,
    **{word: float(number) for number, word in enumerate((*_ONES, *_TEENS), 1)},
    **{word: 10.0 * number for number, word in enumerate(_TENS, 2)},
}
_ONE: Final = rf"(?:{'|'.join(_ONES)})"
_NUMBER: Final = (
    r"(?:(?<![\d.,])\d{1,4}(?:[.,]\d{1,3})?|(?<![\d.,])[.]\d{1,2}|\b(?:half a|a half|half|"
    rf"(?:(?:{'|'.join(_TENS)})(?:[ -]{_ONE}\b)?|{'|'.join(_TEENS)}|{_ONE})"
    rf"(?: and a half| point {_ONE})?|a)\b(?=[ -]))"
)
_UNIT: Final = r"(?:mms?\b|cms?\b|millimet(?:er|re)s?\b|centimet(?:er|re)s?\b)"
_AXIS: Final = (
    r"(?: ?\((?:[a-z ]{1,20})\)| (?:ap|tr|cc|transverse|craniocaudal|anteroposterior|long|wide|"
    r"tall|in (?:length|width|height))\b)?"
)
_TIMES: Final = r" ?(?:x|×|\*|by) ?"
_BOUND: Final = (
    r"(?:(?P<upto>\bup to|\bas large as)|(?P<less>\bsub(?=-)|\bless than|\bsmaller than|"
    r"\bunder|\bbelow|<|≤|"
    r"\bat most|\bnot exceeding|"
    r"\bno(?:t)? (?:more|larger|greater) than)|(?P<more>\bmore than|\bgreater than|"
    r"\blarger than|\bover|\bexceeding|>|≥|\bat least))?[ -]?"
)
_SIZE: Final = re.compile(
    rf"{_BOUND}(?P<a>{_NUMBER})(?:[ -]?(?P<ua>{_UNIT}))?{_AXIS}"
    rf"(?:(?P<to> ?(?:-|\bto\b|\band\b) ?)(?P<r>{_NUMBER})"
    rf"|{_TIMES}(?P<b>{_NUMBER})(?:[ -]?(?P<ub>{_UNIT}))?{_AXIS}"
    rf"(?:{_TIMES}(?P<c>{_NUMBER}){_AXIS})?)?(?:[ -]?(?P<u>{_UNIT}))?"
)
_EARLIER: Final = re.compile(
    r"(?:\bpreviously|\bprior|\bformerly|\bcompared (?:to|with)|(?<!apart )(?<!aside )"
    r"(?<!ing )\bfrom|\bversus|\bvs\.?|\bwas|\bwere|\bearlier|\bbefore|\boriginally|\binitially)"
    r"(?: (?:measured|measuring|size|of|a|about|approximately|it|scan|study))*[ (:]*$"
)
_DISTANCE: Final = re.compile(
    r"^[ -]?(?:away|from|above|below|(?:distal|proximal|deep|superior|inferior|caudal|cranial|"
    r"lateral|medial|anterior|posterior)(?:ly)? (?:to|from)|thick(?:ness)?\b(?= (?:slices?|"
    r"sections?|cuts))|slices?|sections?|collimation|reconstructions?|apart|beyond|off|"
    r"(?:solid|calcified|enhancing|cystic) components?)\b"
)
_SUBCENTIMETRE: Final = re.compile(r"\bsub-?centimet(?:er|re)\b|\bsub-?cm\b")
_LARGEST_MM: Final = 600.0
"""No lesion is longer; a larger number is something else."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SizeMention:
    """A size and the part of the text that it takes up."""

    size: Size
    start: int
    end: int


def size_mentions(text: str) -> list[SizeMention]:
    """List the sizes in a prepared text, without distances, slice widths and earlier sizes.

    Examples
    --------
    >>> size_mentions("a 2.3 x 1.5 cm mass, previously 18 mm")[0].size.axes_mm
    (23.0, 15.0)
    >>> len(size_mentions("a 2.3 x 1.5 cm mass, previously 18 mm"))
    1
    """
    found: list[SizeMention] = []
    for match in _SIZE.finditer(text):
        unit = match["u"] or match["ub"] or match["ua"]
        if unit is None or _is_no_size(text, match):
            continue
        size = _size(match, unit)
        if size is not None:
            found.append(SizeMention(size=size, start=match.start(), end=match.end()))
    for match in _SUBCENTIMETRE.finditer(text):
        size = Size(axes_mm=(10.0,), low_mm=0.0, high_mm=10.0)
        found.append(SizeMention(size=size, start=match.start(), end=match.end()))
    return sorted(found, key=lambda each: each.start)


def _is_no_size(text: str, match: re.Match[str]) -> bool:
    before = text[max(0, match.start() - 40) : match.start()].rstrip()
    if match["to"] is not None and re.search(r"\bfrom$", before):
        return False  # "from 8 to 12 mm": the later one is taken
    return (
        _EARLIER.search(before) is not None
        or _DISTANCE.match(text[match.end() : match.end() + 40]) is not None
    )


def _size(match: re.Match[str], unit: str) -> Size | None:
    first = _mm(match["a"], match["ua"] or match["ub"] or unit)
    if match["r"] is not None:
        second = _mm(match["r"], match["u"] or unit)
        if first > _LARGEST_MM or second > _LARGEST_MM or not second:
            return None
        before = match.string[max(0, match.start() - 12) : match.start()]
        if re.search(r"\bfrom\s*$", before):
            return Size(axes_mm=(second,), low_mm=second, high_mm=second)
        low, high = sorted((first, second))
        return Size(axes_mm=(high, low), low_mm=low, high_mm=high)
    parts = [first]
    if match["b"] is not None:
        parts.append(_mm(match["b"], match["ub"] or unit))
    if match["c"] is not None:
        parts.append(_mm(match["c"], match["u"] or unit))
    axes = tuple(sorted(parts, reverse=True))
    if not 0 < axes[-1] <= axes[0] <= _LARGEST_MM:
        return None
    if match["less"]:
        return Size(axes_mm=axes, low_mm=0.0, high_mm=axes[0])
    return Size(axes_mm=axes, low_mm=axes[0], high_mm=None if match["more"] else axes[0])


def _mm(number: str, unit: str) -> float:
    value = _value(number)
    return round(value * (10.0 if unit.startswith("c") else 1.0), 3)


def _value(number: str) -> float:
    """Give the value of a number in digits or words: ``2,3``, ``twenty-five``, ``one point two``.

    Examples
    --------
    >>> [_value(each) for each in ("2,3", "twenty-five", "one and a half", "two point five")]
    [2.3, 25.0, 1.5, 2.5]
    """
    if number[0].isdigit() or number[0] == ".":
        return float(number.replace(",", "."))
    if number in _WORDS:
        return _WORDS[number]
    whole, _, tenths = number.partition(" point ")
    whole, _, half = whole.partition(" and a ")
    parts = sum(_WORDS[word] for word in re.split("[ -]", whole))
    return parts + (0.5 if half else 0.0) + (_WORDS[tenths] / 10 if tenths else 0.0)
