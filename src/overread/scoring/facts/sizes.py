"""Sizes in a sentence, in mm: "2.3 x 1.5 cm", "5-8 mm", "up to 12 mm", "thirty millimetres"."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from overread.scoring.facts.facts import Size
from overread.scoring.facts.numbers_in_text import (
    NUMBER,
    WORD,
    begins_amid,
    ends_amid,
    value_of,
)

__all__ = ["SizeMention", "size_mentions", "unread_sizes"]

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
    rf"{_BOUND}(?P<a>{NUMBER})(?:[ -]?(?P<ua>{_UNIT}))?{_AXIS}"
    rf"(?:(?P<to> ?(?:-|\bto\b|\band\b) ?)(?P<r>{NUMBER})"
    rf"|{_TIMES}(?P<b>{NUMBER})(?:[ -]?(?P<ub>{_UNIT}))?{_AXIS}"
    rf"(?:{_TIMES}(?P<c>{NUMBER}){_AXIS})?)?(?:[ -]?(?P<u>{_UNIT}))?"
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
_SPLIT: Final = re.compile(
    rf"(?:\d|[¼-¾⅐-⅞]|\b{WORD}|\b(?:halves|thirds?|quarters?|fourths?|fifths?|tenths?)(?: of an?)?)"
    rf"[ -]?{_UNIT}"
)
"""A number and a unit, read or not."""
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
    return _read(text)[0]


def unread_sizes(text: str) -> list[str]:
    """List lengths in a prepared text that are written in a way that is not read.

    Examples
    --------
    >>> unread_sizes("a nodule of 1 . 5 cm"), unread_sizes("a nodule of a hundred millimetres")
    (['5 cm'], ['hundred millimetres'])
    >>> unread_sizes("a 2.3 x 1.5 cm mass, previously 18 mm")
    []
    """
    _, known = _read(text)
    found: list[str] = []
    spans = iter(known)
    span = next(spans, None)
    for match in _SPLIT.finditer(text):
        while span is not None and span[1] < match.end():
            span = next(spans, None)
        if span is None or span[0] > match.start():
            found.append(match[0])
    return found


def _read(text: str) -> tuple[list[SizeMention], list[tuple[int, int]]]:
    """Give the sizes, and where lengths stand that were understood, those of no lesion included."""
    found: list[SizeMention] = []
    known: list[tuple[int, int]] = []
    for match in _SIZE.finditer(text):
        unit = match["u"] or match["ub"] or match["ua"]
        if unit is None or _is_part(text, match):
            continue
        if _is_no_size(text, match):
            known.append(match.span())
            continue
        size = _size(match, unit)
        if size is not None:
            known.append(match.span())
            found.append(SizeMention(size=size, start=match.start(), end=match.end()))
    for match in _SUBCENTIMETRE.finditer(text):
        size = Size(axes_mm=(10.0,), low_mm=0.0, high_mm=10.0)
        found.append(SizeMention(size=size, start=match.start(), end=match.end()))
    return sorted(found, key=lambda each: each.start), known


def _is_part(text: str, match: re.Match[str]) -> bool:
    """Whether its first number is the end, or its last the beginning, of a longer one."""
    if begins_amid(text, match.start("a")):
        return True
    last = next(name for name in ("c", "b", "r", "a") if match[name] is not None)
    return match.end() == match.end(last) and ends_amid(text, match.end())


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
    others = [
        _mm(match[name], match[own] or unit)
        for name, own in (("r", "u"), ("b", "ub"), ("c", "u"))
        if match[name] is not None
    ]
    read = [each for each in (first, *others) if each is not None and 0 <= each <= _LARGEST_MM]
    if first is None or len(read) <= len(others) or not all(read[1:] if match["r"] else read):
        return None
    if match["r"] is not None:
        second = read[1]
        before = match.string[max(0, match.start() - 12) : match.start()]
        if re.search(r"\bfrom\s*$", before):
            return Size(axes_mm=(second,), low_mm=second, high_mm=second)
        low, high = sorted((first, second))
        return Size(axes_mm=(high, low), low_mm=low, high_mm=high)
    axes = tuple(sorted(read, reverse=True))
    if match["less"]:
        return Size(axes_mm=axes, low_mm=0.0, high_mm=axes[0])
    return Size(axes_mm=axes, low_mm=axes[0], high_mm=None if match["more"] else axes[0])


def _mm(number: str, unit: str) -> float | None:
    value = value_of(number)
    return None if value is None else round(value * (10.0 if unit.startswith("c") else 1.0), 3)
