"""Names of labels, as a person types them or as a file states them."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import cast

from overread.errors import UsageError, expected

__all__ = ["read_label_names"]

_MOST_BYTES = 2**20


def read_label_names(text: str) -> dict[int, str]:
    """Read ``1=liver,2=spleen``, or a JSON or TOML file of names.

    A file holds a table ``1 = "liver"`` or ``liver = 1``, either by itself or under ``labels``, as
    a ``dataset.json`` of nnU-Net has it. Label 0, the background, is left out.

    Returns
    -------
    dict
        Label → name, ascending.

    Raises
    ------
    UsageError
        It cannot be read, names no label, or names one twice.

    Examples
    --------
    >>> read_label_names("2=spleen, 1=liver")
    {1: 'liver', 2: 'spleen'}
    """
    if text.lower().endswith((".json", ".toml")):
        pairs = _pairs(_file(Path(text)), text)
    else:
        pairs = [_typed(each) for each in text.split(",") if each.strip()]
    labels = {number: name for number, name in sorted(pairs) if number}
    numbers = [number for number, _ in pairs if number]
    if not labels or len(labels) < len(numbers) or len({*labels.values()}) < len(labels):
        raise _wrong("no label" if not labels else "a label or a name twice")
    return labels


def _file(path: Path) -> Mapping[str, object]:
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise _wrong(f"a file of {path.stat().st_size:,} bytes")
        held = path.read_text("utf-8-sig")
        found = tomllib.loads(held) if path.suffix.lower() == ".toml" else json.loads(held)
    except OSError as error:
        raise _wrong(f"{path} ({error.strerror or error})") from error
    except (ValueError, RecursionError) as error:
        raise _wrong(f"{path.name}, which cannot be read ({error})") from error
    if not isinstance(found, dict):
        raise _wrong(f"{path.name}, which is no table")
    table = cast("dict[str, object]", found)
    inner = table.get("labels")
    return cast("dict[str, object]", inner) if isinstance(inner, dict) else table


def _pairs(table: Mapping[str, object], source: str) -> list[tuple[int, str]]:
    """Read a table of either direction: numbers to names, or names to numbers."""
    pairs: list[tuple[int, str]] = []
    for key, value in table.items():
        if isinstance(value, str) and key.strip().isdecimal():
            pairs.append((int(key), value))
        elif isinstance(value, int) and not isinstance(value, bool) and value >= 0:
            pairs.append((value, key))
        else:
            raise _wrong(f"{key!r}: {value!r} in {source}")
    return pairs


def _typed(text: str) -> tuple[int, str]:
    number, equals, name = (each.strip() for each in text.partition("="))
    if not equals or not number.isdecimal() or not name:
        raise _wrong(repr(text))
    return int(number), name


def _wrong(got: str) -> UsageError:
    return UsageError(
        expected(
            "--labels",
            rule="names such as 1=liver,2=spleen, or a JSON or TOML file of them",
            got=got,
            remedy="Give each label above 0 one name of its own.",
        )
    )
