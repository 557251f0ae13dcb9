"""What DeepTumorVQA's released scorer reads in a reply: letters, numbers, yes and no.

Source: the rules of ``eval/metrics.py`` in the public code Schuture/DeepTumorVQA, branch v2.

Seen there: what stands between ``<think>`` and ``</think>`` goes, and all after a ``<think>`` that
is not closed. Letters: the text in capitals; its first character if that is a letter on offer, else
the first letter that stands alone, else nothing, which is wrong. So a sentence is read by its first
character: "Based on…" is B, "Cannot…" is C, "As an AI…" is A. Numbers: the first match of an
optional minus, digits, an optional point and digits; a comma of thousands, a leading point and an
exponent cut a number in two. Yes and no: the whole text, then how it starts, then yes before no
anywhere as whole words; "normal", "not sure" and "none" start with "no".

Our choice: blanks at both ends do not count; where a question offers other letters than A to D,
those are looked for; "whole word" ends where a letter, digit or underscore does.
"""

from __future__ import annotations

import re
from typing import Final

from overread.records import Option, Status
from overread.scoring.published.parser import Parser, letter
from overread.scoring.reading import Reading

__all__ = [
    "DEEPTUMORVQA",
    "read_deeptumorvqa_binary",
    "read_deeptumorvqa_letter",
    "read_deeptumorvqa_number",
]

_OPEN: Final = "<think>"
_CLOSE: Final = "</think>"
_NUMBER = re.compile(r"-?\d+\.?\d*")


def read_deeptumorvqa_letter(text: str | None, options: tuple[Option, ...]) -> Reading:
    """Read a letter as the released scorer does.

    Examples
    --------
    >>> options = tuple(Option(letter=each) for each in "ABCD")
    >>> read_deeptumorvqa_letter("Based on the image, C", options).answer
    'B'
    >>> read_deeptumorvqa_letter("I am unable to answer", options).answer is None
    True
    """
    told = _told(text).upper()
    offered = {option.letter.upper() for option in options}
    if told[:1] in offered and told[:1]:
        return letter(told[:1], options, "script:first-character")
    alone = next((each for each in re.findall(r"(?<!\w)\w(?!\w)", told) if each in offered), None)
    return letter(alone, options, "script:stands-alone" if alone else "script:no-letter")


def read_deeptumorvqa_number(text: str | None) -> Reading:
    """Read a number as the released scorer does.

    Examples
    --------
    >>> [read_deeptumorvqa_number(each).answer for each in ("1,234.5", ".5", "-35 HU", "none")]
    ['1', '5', '-35', None]
    """
    found = _NUMBER.search(_told(text))
    if found is None:
        return Reading(answer=None, status=Status.UNPARSED, rule="script:no-number")
    return Reading(answer=found[0].rstrip("."), status=Status.OK, rule="script:first-number")


def read_deeptumorvqa_binary(text: str | None) -> Reading:
    """Read yes or no as the released scorer does.

    Examples
    --------
    >>> [read_deeptumorvqa_binary(each).answer for each in ("Normal", "yesterday", "cannot say")]
    ['no', 'yes', None]
    """
    told = _told(text).lower()
    for answer in ("yes", "no"):
        if told == answer or told.startswith(answer):
            return Reading(answer=answer, status=Status.OK, rule="script:starts-with")
    for answer in ("yes", "no"):
        if re.search(rf"\b{answer}\b", told):
            return Reading(answer=answer, status=Status.OK, rule="script:whole-word")
    return Reading(answer=None, status=Status.UNPARSED, rule="script:neither")


def _told(text: str | None) -> str:
    """Take thinking away, from each opening mark to its next closing one, or to the end."""
    told, rest = "", text or ""
    while _OPEN in rest:
        before, _, rest = rest.partition(_OPEN)
        told += before
        _, _, rest = rest.partition(_CLOSE)
    return (told + rest).strip()


DEEPTUMORVQA: Final = Parser(
    name="deeptumorvqa",
    summary="the first character, else the first letter that stands alone; the first number; "
    "how the reply starts",
    source="Schuture/DeepTumorVQA, eval/metrics.py",
    silence="wrong",
    choice=read_deeptumorvqa_letter,
    number=read_deeptumorvqa_number,
    binary=read_deeptumorvqa_binary,
)
