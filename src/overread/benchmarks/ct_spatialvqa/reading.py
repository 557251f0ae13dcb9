"""Reads the files of a release: bounded, inside the folder, without an exception for one row.

What Python's JSON reader lets pass and JSON has not (``NaN``, ``Infinity``) comes back as a number
that is no text and no verdict, so it counts as missing wherever it stands.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, cast

from overread.errors import ReleaseError, UnsafePathError, expected
from overread.imaging.safe_path import resolve_inside

__all__ = [
    "RepeatedKey",
    "entries_of",
    "read_csv",
    "read_json",
    "read_json_lines",
    "read_text",
    "text_of",
]

_MAX_FILE_BYTES: Final = 512 * 2**20
_MAX_CELL_CHARACTERS: Final = 2**27


@dataclass(frozen=True, slots=True)
class RepeatedKey:
    """Both values of a key that stands twice in a JSON object, in order."""

    values: tuple[object, ...]


def read_text(root: Path, name: str) -> str:
    """Read a text file of the release as UTF-8, with or without a byte order mark.

    Raises
    ------
    ReleaseError
        Absent, larger than 512 MiB, no UTF-8, or the name leads out of the release.
    """
    try:
        path = resolve_inside(root, name)
        size = path.stat().st_size
        if size > _MAX_FILE_BYTES:
            raise _unreadable(name, f"a file of at most {_MAX_FILE_BYTES:,} bytes", f"{size:,}")
        return path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        raise _unreadable(name, "a file in the release", "nothing there") from None
    except (OSError, UnsafePathError) as error:
        raise _unreadable(name, "a file that can be read", str(error).rstrip(".")) from None
    except UnicodeDecodeError as error:
        raise _unreadable(name, "text in UTF-8", f"byte {error.start} that is none") from None


def read_json(root: Path, name: str) -> object:
    """Read a JSON file. A key that stands twice in an object has a `RepeatedKey` for its value.

    Raises
    ------
    ReleaseError
        It cannot be read, or it is no whole JSON.
    """
    text = read_text(root, name)
    try:
        return json.loads(text, object_pairs_hook=_object)
    except (ValueError, RecursionError) as error:
        raise _unreadable(name, "whole JSON", str(error)) from None


def read_json_lines(root: Path, name: str) -> Iterator[tuple[int, object]]:
    """Read a JSON Lines file; lines without words are passed over.

    Yields
    ------
    tuple[int, object]
        Number of the line from 1, and its value; None for a line that is no JSON.

    Raises
    ------
    ReleaseError
        The file cannot be read.
    """
    text = read_text(root, name)
    return _lines(text)


def read_csv(root: Path, name: str) -> tuple[dict[str, str], ...]:
    """Read a table with a header; a short row lacks its last columns.

    Raises
    ------
    ReleaseError
        The file cannot be read, or its quotes never end.
    """
    text = read_text(root, name)
    limit = csv.field_size_limit(_MAX_CELL_CHARACTERS)
    try:
        rows = csv.DictReader(io.StringIO(text, newline=""))
        return tuple(
            {key: value for key, value in row.items() if isinstance(key, str) and value is not None}
            for row in cast("Iterator[dict[str | None, str | None]]", rows)
        )
    except csv.Error as error:
        raise _unreadable(name, "a table", str(error)) from None
    finally:
        csv.field_size_limit(limit)


def entries_of(value: object) -> Mapping[str, object]:
    """Give a JSON object's fields; nothing where the value is no object."""
    return cast("Mapping[str, object]", value) if isinstance(value, dict) else {}


def text_of(value: object) -> str | None:
    """Give a text; None where the value is none."""
    return value if isinstance(value, str) else None


def _lines(text: str) -> Iterator[tuple[int, object]]:
    # Not str.splitlines: it also breaks at characters that may stand inside a JSON text.
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            yield number, json.loads(line)
        except (ValueError, RecursionError):
            yield number, None


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        values: dict[str, list[object]] = {}
        for key, value in pairs:
            values.setdefault(key, []).append(value)
        found |= {key: RepeatedKey(tuple(all_)) for key, all_ in values.items() if len(all_) > 1}
    return found


def _unreadable(name: str, rule: str, got: str) -> ReleaseError:
    return ReleaseError(expected(name, rule=rule, got=got, remedy="Download the release again."))
