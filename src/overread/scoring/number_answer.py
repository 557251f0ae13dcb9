"""Reading the number that a reply answers: one number, or no answer and why.

Numbers are kept as decimals: "600", "600.0" and "６００ mL" are one answer, "0.1" is exactly that.
Comma groups of three are thousands; "0,5" could be a decimal or a list and is no answer. Two
different numbers are no answer either ("10-20", "27 or 28"), but a calculation answers what stands
behind its last equals sign.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from enum import StrEnum
from typing import Final, TypeAlias

from overread.records import Status
from overread.scoring.answer_field import find_field, is_placeholder, tell
from overread.scoring.reading import Reading, Rule, no_answer
from overread.scoring.refusals import declines
from overread.scoring.reply_text import plain

__all__ = ["NumberReader", "NumberRule", "as_decimal", "read_number_answer"]

NumberReader: TypeAlias = Callable[[str | None], Reading]
"""Reads a number in a reply and writes it in digits; it never raises."""


class NumberRule(StrEnum):
    """Rules of this reader beside those of `reading.Rule`."""

    WHOLE_REPLY = "only-number"
    """The reply holds one number."""
    SEVERAL_NUMBERS = "several-numbers"
    """Different numbers are answered."""
    NO_NUMBER = "no-number"
    """No number is answered."""


_LONGEST_NUMBER: Final = 40
_LONGEST_LOOKED_AT: Final = 20_000
_MINUS = str.maketrans({"−": "-", "‐": "-", "‑": "-", "＋": "+"})
# Quantifiers take all they can and give nothing back: a hostile row of digits stays linear.
_NUMBER = re.compile(
    r"(?<![0-9A-Za-z\u00C0-\u024F_.,])(?P<sign>[+-]?)"
    r"(?P<digits>\d{1,3}(?:,\d{3})++(?:\.\d++)?|\d++(?:\.\d++)?|\.\d++)"
    r"(?:[eE](?P<power>[+-]?\d{1,2})(?!\d)| ?[×x] ?10\^(?P<ten>[+-]?\d{1,2})(?!\d))?(?!\.?\d|,\d)"
)
_BRACKETS = re.compile(r"\([^()\n]{0,200}\)|（[^（）\n]{0,200}）")
_RESULT = re.compile(r"[=≒≈→⇒]")
_COMMA_DECIMAL = re.compile(r"\d,\d")


def as_decimal(text: str | None) -> Decimal | None:
    """Give a plain number as a decimal; None when the text is none, or beyond bounds.

    Examples
    --------
    >>> as_decimal("1,200"), as_decimal("36"), as_decimal("a"), as_decimal("1e999999999")
    (Decimal('1200'), Decimal('36'), None, None)
    """
    if text is None or len(text) > _LONGEST_NUMBER:
        return None
    found = _NUMBER.fullmatch(text.translate(_MINUS).strip())
    return _value(found) if found else None


def read_number_answer(text: str | None) -> Reading:
    r"""Read the number that a raw reply answers.

    Parameters
    ----------
    text
        The reply as it came; any length, any content.

    Returns
    -------
    Reading
        The number in plain digits, or no answer; and the rule that fired. Never raises.

    Examples
    --------
    >>> read_number_answer("answer: ６００ mL").answer
    '600'
    >>> read_number_answer("It is 10-20").rule
    <NumberRule.SEVERAL_NUMBERS: 'several-numbers'>
    >>> read_number_answer("780 x 0.05 = 39\nanswer: 1,234.50").answer
    '1234.5'
    """
    told = tell(text)
    if told.problem is not None:
        return no_answer(told.problem)
    field = find_field(told.prose)
    if field is not None:
        if is_placeholder(field.value):
            return no_answer(Rule.PLACEHOLDER)
        return _read(field.value, field.rule)
    prose = plain(told.prose)[-_LONGEST_LOOKED_AT:]
    if is_placeholder(prose):
        return no_answer(Rule.PLACEHOLDER)
    whole = _read(prose, NumberRule.WHOLE_REPLY)
    if whole.answer is not None or "\n" not in prose:
        return whole
    last = _read(prose.rpartition("\n")[2], Rule.LAST_LINE)
    return last if last.answer is not None else whole


def _read(value: str, rule: str) -> Reading:
    """Read a value that holds one number, or a calculation with its result."""
    value = value.translate(_MINUS)
    # Brackets remark ("27 (rounded to 1)"), and what stands before the last equals sign or arrow
    # is the calculation; neither is taken away where the number stands in it.
    for lessen in (_without_brackets, _result):
        less = lessen(value)
        value = less if _NUMBER.search(less) else value
    found: dict[Decimal, None] = {}
    for match in _NUMBER.finditer(value):
        number = _value(match)
        if number is None:
            return _none(NumberRule.NO_NUMBER)
        found[number] = None
    if len(found) == 1:
        return Reading(answer=_write(next(iter(found))), status=Status.OK, rule=rule)
    if found or _COMMA_DECIMAL.search(value):
        return _none(NumberRule.SEVERAL_NUMBERS)
    return no_answer(declined) if (declined := declines(value)) else _none(NumberRule.NO_NUMBER)


def _without_brackets(value: str) -> str:
    return _BRACKETS.sub(" ", value)


def _result(value: str) -> str:
    return _RESULT.split(value)[-1]


def _value(match: re.Match[str]) -> Decimal | None:
    digits = match["digits"].replace(",", "")
    if len(digits) > _LONGEST_NUMBER:
        return None
    try:
        number = Decimal(f"{match['sign']}{digits}e{match['power'] or match['ten'] or 0}")
    except InvalidOperation:  # pragma: no cover - the pattern lets numbers through alone
        return None
    return number


def _write(number: Decimal) -> str:
    """Write a number in digits, without needless zeros or an exponent."""
    text = f"{number:f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text in ("-0", "") else text.removeprefix("+")


def _none(rule: NumberRule) -> Reading:
    return Reading(answer=None, status=Status.UNPARSED, rule=rule)
