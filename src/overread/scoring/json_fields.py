"""Answers stated in JSON objects inside a reply: whole, cut off, or slightly broken ones.

A reply may hold prose around the object, a code fence, single quotes, raw line ends or quotes
inside strings, and it may stop in the middle of the explanation when the tokens ran out.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import cast

__all__ = ["JsonAnswer", "json_answers"]

_NAMES = (
    "selectedoption",
    "selectedchoice",
    "selectedanswer",
    "finalanswer",
    "answer",
    "answerchoice",
    "answerletter",
    "correctanswer",
    "correctoption",
    "correctchoice",
    "choice",
    "option",
    "letter",
    "selected",
    "selection",
)
"""Names of the answer's field, letters only, the most telling first."""

_MOST_OBJECTS = 20
"""Objects looked at in one reply: keeps a hostile reply of nested braces linear."""

_OPENING = re.compile(r"\{(?=\s{0,200}[\"'])")
_KEY = re.compile(r"[\s,]{0,200}([\"'])([^\"'\n]{1,60})\1\s{0,20}:\s{0,20}")
_BARE = re.compile(r"\[[^\]]{0,200}\]|[^\s,}\]\"'\[{]{1,60}")
_STRING_END = {
    quote: re.compile(rf"{quote}(?=\s{{0,200}}(?:\}}|,\s{{0,200}}[\"']|,?\s{{0,200}}\Z))")
    for quote in ("'", '"')
}
_decoder = json.JSONDecoder(strict=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonAnswer:
    """The value of an answer's field, and which part of the reply its object takes up."""

    value: object
    start: int
    end: int


def json_answers(text: str) -> tuple[JsonAnswer, ...]:
    """Find the objects that state an answer, in the order of the reply."""
    found: list[JsonAnswer] = []
    position = 0
    for _ in range(_MOST_OBJECTS):
        opening = _OPENING.search(text, position)
        if opening is None:
            break
        start = opening.start()
        fields, position = _whole_object(text, start) or _broken_object(text, start)
        value = _answer_in(fields, depth=0)
        if value is not _ABSENT:
            found.append(JsonAnswer(value=value, start=start, end=position))
    return tuple(found)


_ABSENT = object()


def _whole_object(text: str, start: int) -> tuple[object, int] | None:
    try:
        return _decoder.raw_decode(text, start)
    except (ValueError, RecursionError):
        return None


def _broken_object(text: str, start: int) -> tuple[object, int]:
    """Read ``"key": value`` pairs one after the other for as long as they look like pairs."""
    fields: dict[str, object] = {}
    position = start + 1
    while key := _KEY.match(text, position):
        quote = text[key.end() : key.end() + 1]
        if quote in _STRING_END:
            ending = _STRING_END[quote].search(text, key.end() + 1)
            value = text[key.end() + 1 : ending.start() if ending else len(text)]
            position = ending.end() if ending else len(text)
        elif bare := _BARE.match(text, key.end()):
            value = None if bare[0] in ("null", "None") else bare[0]
            position = bare.end()
        else:
            break
        fields.setdefault(key[2], value)
    return fields, position


def _answer_in(fields: object, *, depth: int) -> object:
    """Take the most telling answer's field, from nested objects where there is none outside."""
    if not isinstance(fields, dict) or depth > 3:
        return _ABSENT
    pairs = cast("dict[str, object]", fields)
    named = {re.sub(r"[^a-z]", "", key.lower()): value for key, value in pairs.items()}
    for name in _NAMES:
        if name in named:
            inner = _answer_in(named[name], depth=depth + 1)
            return named[name] if inner is _ABSENT else inner
    for value in pairs.values():
        inner = _answer_in(value, depth=depth + 1)
        if inner is not _ABSENT:
            return inner
    return _ABSENT
