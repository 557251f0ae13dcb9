"""Reading an answer the exact way: the form that was asked for, or the answer and nothing else.

This is the published profile's rule and our choice: the benchmark's own parser was not seen. Its
metric is the exact set; width, order, quotes and what parts labels do not count.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from overread.records import Option, Status
from overread.scoring.json_fields import json_answers
from overread.scoring.multi_choice import SetRule, join_letters
from overread.scoring.number_answer import as_decimal
from overread.scoring.reading import Reading, Rule, no_answer

__all__ = ["exact_letter", "exact_letters", "exact_number"]

_FIELD = re.compile(r"^[ \t]*(?:answer|回答|解答|答え|答)[ \t]*[:：][ \t]*(.*)$", re.I | re.M)
_APART = re.compile(r"[\s,、，・;/()\[\]{}\"'「」.]+")
_LONGEST: Final = 200
_TAIL: Final = 100_000


def exact_letter(text: str | None, options: tuple[Option, ...]) -> Reading:
    """Read one label.

    Examples
    --------
    >>> options = tuple(Option(letter=letter) for letter in "abcde")
    >>> exact_letter('"a"', options).answer, exact_letter("I think a", options).answer
    ('a', None)
    """
    reading = exact_letters(text, options, None)
    if reading.answer is not None and reading.answer not in {one.letter for one in options}:
        return no_answer(Rule.SEVERAL_LETTERS)
    return reading


def exact_letters(text: str | None, options: tuple[Option, ...], count: int | None) -> Reading:
    """Read a set of labels; one of another size than `count` is no answer, of its own kind.

    Examples
    --------
    >>> options = tuple(Option(letter=letter) for letter in "abcde")
    >>> exact_letters("answer: e, c", options, 2).answer, exact_letters("ec", options, 2).answer
    ('ce', 'ce')
    >>> exact_letters("c", options, 2).rule
    <SetRule.WRONG_SIZE: 'wrong-size'>
    """
    value = _value(text)
    spelt = {option.letter.lower(): option.letter for option in options}
    parts = [part for part in _APART.split(value.lower()) if part]
    if not all(part in spelt for part in parts):
        parts = [each for part in parts for each in part]
    if not parts or not all(part in spelt for part in parts):
        return no_answer(Rule.NOTHING_NAMED if value else Rule.EMPTY)
    letters = {spelt[part] for part in parts}
    if count is not None and len(letters) != count:
        return Reading(answer=None, status=Status.UNPARSED, rule=SetRule.WRONG_SIZE)
    return Reading(
        answer=join_letters(letters, options), status=Status.OK, rule="exact:answer-field"
    )


def exact_number(text: str | None) -> Reading:
    """Read a number that stands by itself.

    Examples
    --------
    >>> exact_number("answer: ６００").answer, exact_number("600 mL").answer
    ('600', None)
    """
    value = _value(text).strip("\"' ")
    if as_decimal(value) is None:
        return no_answer(Rule.NOTHING_NAMED if value else Rule.EMPTY)
    return Reading(answer=value, status=Status.OK, rule="exact:answer-field")


def _value(text: str | None) -> str:
    """Give what stands in the last answer's field, of lines or of JSON, or a whole short reply."""
    plain = unicodedata.normalize("NFKC", (text or "")[-_TAIL:])
    fields = [*_FIELD.findall(plain), *(each.value for each in json_answers(plain))]
    value = (fields[-1] if fields else plain).strip()
    return value if len(value) <= _LONGEST else "…"
