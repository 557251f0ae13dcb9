"""What the field ``correct_answer`` of a question says: labels, a number, either of them, nothing.

How the release writes questions that were deleted, and keys that were corrected afterwards, was not
seen. What is read here is every form that its importer had to set aside: no answer, a word in the
answer's place, several answers where one is asked for.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final, cast

from overread.scoring.number_answer import as_decimal

__all__ = ["Key", "plain_label", "read_key"]

_DELETED = re.compile(
    r"削除|除外|対象外|不適切|(?:解|正解|正答|該当)(?:は)?(?:なし|無し)|\b(?:deleted|excluded|void)\b",
    re.I,
)
_EITHER = re.compile(r"\s*(?:または|又は|もしくは|あるいは|\bor\b|/|\|)\s*", re.I)
_AND = re.compile(r"[\s,、，・;]+|と|および|及び")
_LONGEST: Final = 200
_MOST: Final = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """A key as released, taken apart and not yet held against its question."""

    shown: str
    """For people."""
    answers: tuple[tuple[str, ...], ...]
    """The answers accepted, each a row of labels or one number; empty where there is none."""
    is_deleted: bool = False
    """Whether it says that the question does not count."""


def plain_label(raw: object) -> str:
    """Write a label the one way: narrow, small, without a full stop or a bracket behind it.

    Examples
    --------
    >>> plain_label("Ａ．"), plain_label("③"), plain_label(4)
    ('a', '3', '4')
    """
    text = unicodedata.normalize("NFKC", str(raw)[:_LONGEST]).strip().lower()
    return text.strip("()[]. :、")


def read_key(raw: object, labels: Collection[str]) -> Key:
    """Read the field.

    Parameters
    ----------
    raw
        As the file has it: usually a list of labels.
    labels
        Those of the question's options, as `plain_label` writes them; they tell whether ``ce`` is
        two labels.

    Examples
    --------
    >>> read_key(["c", "e"], "abcde").answers, read_key("1または3", "12345").answers
    ((('c', 'e'),), (('1',), ('3',)))
    >>> read_key(["採点除外"], "abcde").is_deleted, read_key(["6", "0", "0"], "").answers
    (True, (('600',),))
    """
    entries = cast("list[object]", raw)[:_MOST] if isinstance(raw, list) else [raw]
    shown = ", ".join(_said(entry) for entry in entries if _said(entry))[:_LONGEST]
    if _DELETED.search(unicodedata.normalize("NFKC", shown)):
        return Key(shown=shown, answers=(), is_deleted=True)
    nested = [cast("list[object]", entry) for entry in entries if isinstance(entry, list)]
    if nested:
        rows = [tuple(_labels(entry, labels)) for entry in nested]
        return Key(shown=shown, answers=_each_once(rows))
    told = [_said(entry) for entry in entries if _said(entry)]
    if len(told) == 1:
        parts = [part for part in _EITHER.split(told[0]) if part]
        return Key(shown=shown, answers=_each_once([tuple(_labels([p], labels)) for p in parts]))
    return Key(shown=shown, answers=_each_once([tuple(_labels(told, labels))]))


def _labels(entries: list[object] | list[str], labels: Collection[str]) -> list[str]:
    found: list[str] = []
    for entry in entries:
        number = unicodedata.normalize("NFKC", _said(entry))
        if not labels and as_decimal(number) is not None:
            found.append(number)
            continue
        label = plain_label(_said(entry))
        if label in labels or not label:
            parts = [label]
        else:
            parts = [plain_label(part) for part in _AND.split(label)]
            if len(parts) == 1 and labels and all(each in labels for each in label):
                parts = list(label)
        found += (part for part in parts if part)
    digits = not labels and len(found) > 1 and all(re.fullmatch(r"\d", each) for each in found)
    # The digits of a number, box by box.
    return ["".join(found)] if digits else found


def _said(entry: object) -> str:
    if isinstance(entry, list):
        return "+".join(_said(each) for each in cast("list[object]", entry)[:_MOST])
    is_told = isinstance(entry, str | int | float) and not isinstance(entry, bool)
    return str(entry).strip()[:_LONGEST] if is_told else ""


def _each_once(rows: list[tuple[str, ...]]) -> tuple[tuple[str, ...], ...]:
    return tuple(dict.fromkeys(row for row in rows if row))
