"""Numbers of a sentence, in digits or words, and whether one is whole or the end of another.

"1 . 5 cm", "one point five", "1 200 mm", "1/2 cm", "-3 mm", "1e400 mm": where a number is split or
spoken in a way that is not read, its last part would pass for the whole. Better read nothing.
"""

from __future__ import annotations

import re
from typing import Final

__all__ = ["NUMBER", "WORD", "begins_amid", "ends_amid", "value_of"]

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
NUMBER: Final = (
    r"(?:(?<![\d.,])\d{1,4}(?:[.,]\d{1,3}| and a half\b)?|(?<![\d.,])[.]\d{1,2}|"
    r"\b(?:half a|a half|half|"
    rf"(?:(?:{'|'.join(_TENS)})(?:[ -]{_ONE}\b)?|{'|'.join(_TEENS)}|{_ONE})"
    rf"(?: and a half| point {_ONE})?|a)\b(?=[ -]))"
)
"""A number that is read, as a regular expression on a prepared text."""
WORD: Final = (
    rf"(?:{'|'.join((*_TENS, *_TEENS, *_ONES))}|zero|nought|hundred|thousand|dozen|point|dot|"
    r"decimal|minus)"
)
"""A word of which numbers are made, those that are not read included."""
_PARTS: Final = r"(?:half|halves|thirds?|quarters?|fourths?|fifths?|tenths?|fraction)"
_FRACTIONS: Final = "¼-¾⅐-⅞"
_COUNTED: Final = re.compile(
    r"(?:\b(?:segments?|levels?|stations?|images?|im|slices?|series|se|figures?|grade|stage|rib)"
    r"(?: (?:no|number))?[ #.]{0,3}\d{1,4}|(?<![^\W_])[a-z]\d{1,2}|\b(?:19|20)\d\d)[ ,.;:)]{1,3}$"
)
"""A name or a year, which no digit after it continues: "segment 7, 12 mm", "L3 5 mm"."""
_UNFINISHED: Final = re.compile(
    rf"(?:\b{_PARTS} of |\d ?[ ,.]{{1,2}}|(?:^|\s)[.] ?|[\d{_FRACTIONS}] ?[-/^'·_⁄]+ ?|[·^±_]"
    rf"|[{_FRACTIONS}] ?|[+]/?- ?|(?:^|[\s(,;:=-])-|(?:[^\W\d_]|_)\d*)$"
)
"""What a number cannot follow: it would be its end."""
_UNFINISHED_WORDS: Final = re.compile(rf"\b{WORD}[ -](?:and )?$")
_UNFINISHED_DIGITS: Final = re.compile(
    r"\b(?:zero|nought|hundred|thousand|dozen|point|dot|decimal|minus)[ -](?:and )?$"
)
"""Before digits, other words count things: "two 5 mm nodules"."""
_CONTINUED: Final = re.compile(
    rf" ?[.,·'^⁄] ?\d| ?[/_] ?\d| \d|-\d|[^\W_]| ?[{_FRACTIONS}]|[ -]{WORD}\b"
    r"| and (?:a|one|two|three)\b"
)


def begins_amid(text: str, start: int) -> bool:
    """Whether a number at `start` is the end of a longer one, or belongs to a name.

    Examples
    --------
    >>> [begins_amid(each, each.rindex("5")) for each in ("1 . 5 cm", "segment 7, 5 mm", "2 5 mm")]
    [True, False, True]
    """
    before = text[max(0, start - 32) : start]
    if _COUNTED.search(before):
        return False
    words = _UNFINISHED_DIGITS if text[start].isdigit() or text[start] == "." else _UNFINISHED_WORDS
    return _UNFINISHED.search(before) is not None or words.search(before) is not None


def ends_amid(text: str, end: int) -> bool:
    """Whether a number that ends at `end`, and no unit follows, goes on: "8 . 5 mm"."""
    return _CONTINUED.match(text, end) is not None


def value_of(number: str) -> float | None:
    """Give the value of a number in digits or words; None where a comma may part thousands.

    Examples
    --------
    >>> [value_of(each) for each in ("2,3", "twenty-five", "1 and a half", "two point five")]
    [2.3, 25.0, 1.5, 2.5]
    >>> value_of("1,200") is None
    True
    """
    if number in _WORDS:
        return _WORDS[number]
    whole, _, tenths = number.partition(" point ")
    whole, _, half = whole.partition(" and a ")
    if whole[0].isdigit() or whole[0] == ".":
        if re.fullmatch(r"[^0]\d*,\d{3}", whole):
            return None
        parts = float(whole.replace(",", "."))
    else:
        parts = sum(_WORDS[word] for word in re.split("[ -]", whole))
    return parts + (0.5 if half else 0.0) + (_WORDS[tenths] / 10 if tenths else 0.0)
