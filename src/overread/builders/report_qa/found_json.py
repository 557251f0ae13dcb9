"""JSON objects inside a model's reply, whatever stands around them; linear on hostile text."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import cast

__all__ = ["Found", "TwiceNamed", "find_objects"]

_LONGEST_REPLY = 400_000
"""Characters looked at; a reply as asked for has a hundredth."""
_MOST_FAILURES = 100
"""Braces that open nothing whole: each may cost a look at all that follows."""
_MOST_OBJECTS = 5_000
_DEEPEST = 4


class TwiceNamed(dict[str, object]):
    """An object that gives one key two values: nobody can say which of them was meant."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The objects of a reply that have a wanted key, in its order."""

    objects: tuple[dict[str, object], ...]
    n_broken: int
    """Objects that open and never end well: a reply cut off, or quotes that do not match."""


def find_objects(text: str, key: str) -> Found:
    """Find every whole object that has `key`, in lists and other objects as well.

    Prose, code fences and a list that breaks off hide nothing that is whole.

    Examples
    --------
    >>> find_objects('Sure: [{"id": 1, "a": true}, {"id": 2, "a"', "id").objects
    ({'id': 1, 'a': True},)
    """
    text = text[:_LONGEST_REPLY]
    found: list[dict[str, object]] = []
    position = n_broken = 0
    while n_broken < _MOST_FAILURES and len(found) < _MOST_OBJECTS:
        start = text.find("{", position)
        if start < 0:
            break
        try:
            value, position = _decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            n_broken += 1
            position = start + 1
        else:
            _collect(value, key, found, depth=0)
    return Found(objects=tuple(found[:_MOST_OBJECTS]), n_broken=n_broken)


def _collect(value: object, key: str, found: list[dict[str, object]], *, depth: int) -> None:
    if depth > _DEEPEST:
        return
    if isinstance(value, dict):
        held = cast("dict[str, object]", value)
        if key in held:
            found.append(held)
        else:
            for inner in held.values():
                _collect(inner, key, found, depth=depth + 1)
    elif isinstance(value, list):
        for inner in cast("list[object]", value):
            _collect(inner, key, found, depth=depth + 1)


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    held = dict(pairs)
    return held if len(held) == len(pairs) else TwiceNamed(held)


_decoder = json.JSONDecoder(object_pairs_hook=_object, strict=False)
