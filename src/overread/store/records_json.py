"""Stored records as JSON values, and back: typed and strict.

`from_json` gives back a record equal to the one `to_json` took. It refuses what a record's fields
do not allow: an unknown key, a missing value, a text for a number, a word outside a list. A key
that is absent takes its field's default, so a file written before a field existed stays readable.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from overread.errors import StoreError, expected
from overread.records import (
    Estimate,
    Finding,
    JsonValue,
    Manifest,
    ModelIdentity,
    PlannedItem,
    PublishedValue,
    Receipt,
    Response,
    Score,
    Vote,
)

__all__ = ["STORED", "from_json", "to_json"]

STORED = (
    Estimate,
    Finding,
    Manifest,
    ModelIdentity,
    PlannedItem,
    PublishedValue,
    Receipt,
    Response,
    Score,
    Vote,
)
"""The records that have a JSON form here."""

_INT_LIMIT = 1 << 63
"""SQLite, Parquet and most readers of JSON hold whole numbers of 64 bits with their sign."""

_Record = TypeVar("_Record")
_Code = Callable[[Any, str], Any]
"""Checks and turns one value; the second argument says where it stands, for the message."""


def to_json(record: object) -> dict[str, JsonValue]:
    """Turn a stored record into a JSON object with one key a field.

    Raises
    ------
    StoreError
        It is no stored record, or a field holds what its type does not allow: NaN, an infinity,
        a value of another type.
    """
    cls = type(record)
    return _encoder(_known(cls))(record, cls.__name__)


def from_json(cls: type[_Record], value: JsonValue) -> _Record:
    """Make a record of class `cls` from the JSON object that `to_json` gave.

    Raises
    ------
    StoreError
        The value is no such object: the message names the field.
    """
    return _decoder(_known(cls))(value, cls.__name__)


def _known(cls: type[_Record]) -> type[_Record]:
    if cls not in STORED:
        raise StoreError(
            expected(
                "record",
                rule="one of " + ", ".join(each.__name__ for each in STORED),
                got=cls.__name__,
                remedy="Only these are stored.",
            )
        )
    return cls


def _refuse(where: str, rule: str, got: object) -> StoreError:
    return StoreError(
        expected(where, rule=rule, got=repr(got), remedy="The record cannot be stored or read.")
    )


# ---------------------------------------------------------------- records


@cache
def _encoder(cls: type[Any]) -> _Code:
    codes = [(name, code) for name, code, _ in _field_codes(cls, encode=True)]

    def encode(value: Any, where: str) -> dict[str, JsonValue]:
        if type(value) is not cls:
            raise _refuse(where, f"a {cls.__name__}", value)
        return {name: code(getattr(value, name), f"{where}.{name}") for name, code in codes}

    return encode


@cache
def _decoder(cls: type[Any]) -> _Code:
    codes = _field_codes(cls, encode=False)
    names = frozenset(name for name, _, _ in codes)

    def decode(value: Any, where: str) -> Any:
        if not isinstance(value, Mapping):
            raise _refuse(where, "a JSON object", value)
        held = cast("Mapping[str, Any]", value)
        if unknown := [key for key in held if key not in names]:
            raise _refuse(where, "only the keys " + ", ".join(sorted(names)), unknown)
        found: dict[str, Any] = {}
        for name, code, required in codes:
            if name in held:
                found[name] = code(held[name], f"{where}.{name}")
            elif required:
                raise _refuse(f"{where}.{name}", "a value", "nothing")
        return cls(**found)

    return decode


def _field_codes(cls: type[Any], *, encode: bool) -> list[tuple[str, _Code, bool]]:
    # JsonValue is recursive: it is looked up by name, never expanded.
    hints = get_type_hints(cls, localns={"JsonValue": _AnyJson})
    return [
        (
            each.name,
            _code(hints[each.name], encode=encode),
            each.default is dataclasses.MISSING and each.default_factory is dataclasses.MISSING,
        )
        for each in dataclasses.fields(cls)
    ]


# ---------------------------------------------------------------- fields


class _AnyJson:
    """Stands for `JsonValue` in resolved type hints."""


def _code(hint: Any, *, encode: bool) -> _Code:
    origin, inner = get_origin(hint), get_args(hint)
    if hint in _SCALARS:
        return _SCALARS[hint]
    if hint is _AnyJson:
        return _json
    if origin in (Union, UnionType):
        return _optional(hint, inner, encode=encode)
    if origin is Literal:
        return _one_of(inner)
    if origin is tuple:
        return _items(_code(inner[0], encode=encode), encode=encode)
    if origin is Mapping:
        return _mapping(_code(inner[1], encode=encode))
    if isinstance(hint, type) and issubclass(hint, Enum):
        return _word(hint, encode=encode)
    if hint in STORED:
        return _encoder(hint) if encode else _decoder(hint)
    raise TypeError(f"no JSON form is known for {hint!r}")


def _text(value: Any, where: str) -> str:
    if not isinstance(value, str):
        raise _refuse(where, "a text", value)
    return value


def _whole(value: Any, where: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or abs(value) >= _INT_LIMIT:
        raise _refuse(where, "a whole number of at most 63 bits", value)
    return value


def _real(value: Any, where: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise _refuse(where, "a finite number", value)
    return float(value)


def _yes_or_no(value: Any, where: str) -> bool:
    if not isinstance(value, bool):
        raise _refuse(where, "true or false", value)
    return value


_SCALARS: dict[Any, _Code] = {str: _text, int: _whole, float: _real, bool: _yes_or_no}


def _json(value: Any, where: str) -> JsonValue:
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, str):
        return _text(value, where)
    if isinstance(value, float):
        return _real(value, where)
    if isinstance(value, Mapping):
        held = cast("Mapping[Any, Any]", value)
        return {_text(key, where): _json(each, f"{where}.{key}") for key, each in held.items()}
    if isinstance(value, list | tuple):
        # A list, as json reads it: a tuple in free JSON has no form of its own.
        return [_json(each, where) for each in cast("Sequence[Any]", value)]
    raise _refuse(where, "JSON", value)


def _optional(hint: Any, inner: tuple[Any, ...], *, encode: bool) -> _Code:
    others = [each for each in inner if each is not NoneType]
    if len(others) != 1 or len(others) == len(inner):
        raise TypeError(f"no JSON form is known for {hint!r}")
    code = _code(others[0], encode=encode)
    return lambda value, where: None if value is None else code(value, where)


def _one_of(words: tuple[Any, ...]) -> _Code:
    def choose(value: Any, where: str) -> Any:
        if value not in words:
            raise _refuse(where, "one of " + ", ".join(map(str, words)), value)
        return value

    return choose


def _items(code: _Code, *, encode: bool) -> _Code:
    def each(value: Any, where: str) -> Any:
        if not isinstance(value, tuple if encode else list):
            raise _refuse(where, "a list", value)
        found = [
            code(inner, f"{where}[{place}]")
            for place, inner in enumerate(cast("Sequence[Any]", value))
        ]
        return found if encode else tuple(found)

    return each


def _mapping(code: _Code) -> _Code:
    def each(value: Any, where: str) -> dict[str, Any]:
        if not isinstance(value, Mapping):
            raise _refuse(where, "an object", value)
        held = cast("Mapping[Any, Any]", value)
        return {_text(key, where): code(inner, f"{where}.{key}") for key, inner in held.items()}

    return each


def _word(hint: type[Enum], *, encode: bool) -> _Code:
    words = {member.value: member for member in hint}

    def choose(value: Any, where: str) -> Any:
        if encode and isinstance(value, hint):
            return value.value
        if encode or not isinstance(value, str) or value not in words:
            raise _refuse(where, "one of " + ", ".join(map(str, words)), value)
        return words[value]

    return choose
