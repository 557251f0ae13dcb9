"""Finds out how a folder names its masks: what stands around the case in the names of files."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from overread.errors import UsageError, expected
from overread.models.masks.listing import MaskFile
from overread.models.masks.target import Pattern, values_of
from overread.records import Item

__all__ = ["infer_pattern"]

_FIRST_KEYS = ("id", "name", "case", "study", "series", "scan", "image", "patient")
_SHOWN_KEYS = ("case", "study", "series", "scan", "image", "patient", "name")
"""What a missing mask is named after where no file names any case: what people know cases by."""
_RIVAL_SHARE = 0.5
"""A second naming that fits more than this share of the items makes the folder ambiguous."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Naming:
    """One way of naming: the key, what stands around it, and the stem of each item's file."""

    text: str
    key: str
    stems: Mapping[str, str]
    """Item → stem of its file."""

    @property
    def is_bare(self) -> bool:
        return self.text == f"{{{self.key}}}"


def infer_pattern(files: Sequence[MaskFile], items: Sequence[Item]) -> Pattern:
    """Find the pattern that the names of files follow.

    Parameters
    ----------
    files
        All mask files of the folder.
    items
        All items that ask for a mask, at least one.

    Returns
    -------
    Pattern
        Without an ending. Where no file names an item, the one that was looked for first.

    Raises
    ------
    UsageError
        Two namings fit most items with different files: nothing says which is meant.
    """
    keys = list(_keys(items))
    namings: list[_Naming] = []
    for key in keys:
        namings += _namings(key, files, items)
        if any(len(each.stems) == len(items) for each in namings):
            break  # further keys would only say the same in other words
    # Stable: of equals the bare name, then the shortest, then the first key.
    namings.sort(key=lambda each: (-len(each.stems), not each.is_bare, len(each.text)))
    if not namings:
        return _pattern(next((key for key in _SHOWN_KEYS if key in keys), keys[0]))
    bare = [each for each in namings if each.is_bare and _is_rival(each, items)]
    best = bare[0] if bare else namings[0]
    rival = next(
        (
            each
            for each in namings
            if not bare and _is_rival(each, items) and _differs(each.stems, best.stems)
        ),
        None,
    )
    if rival is not None:
        raise UsageError(
            expected(
                "masks",
                rule="a folder whose files name their cases in one way",
                got=f"{best.text} ({len(best.stems)} of {len(items)}) and {rival.text} "
                f"({len(rival.stems)})",
                remedy="Say which are meant by a pattern: masks:FOLDER/" + best.text + ".nii.gz.",
            )
        )
    return Pattern(text=best.text, keys=(best.key,))


def _keys(items: Sequence[Item]) -> Iterator[str]:
    """Give the keys that tell all items apart, the id and its like first; always at least one."""
    values = [values_of(item, draw=0) for item in items]
    common = set.intersection(*(set(each) for each in values))
    first = [key for key in _FIRST_KEYS if key in common]
    for key in dict.fromkeys([*first, *sorted(common - {"draw"})]):
        if len({each[key] for each in values}) == len(items) and all(each[key] for each in values):
            yield key


def _namings(key: str, files: Sequence[MaskFile], items: Sequence[Item]) -> Iterator[_Naming]:
    found: dict[str, dict[str, str]] = defaultdict(dict)
    stems = sorted({file.stem for file in files})
    for item in items:
        value = values_of(item, draw=0)[key]
        holds = _as_word(value)
        for stem in stems:
            if value in stem and holds.search(stem):
                around = holds.split(stem)
                text = f"{{{key}}}".join(_braced(part) for part in around)
                found[text][item.id] = stem
    for text, by_item in found.items():
        yield _Naming(text=text, key=key, stems=by_item)


def _as_word(value: str) -> re.Pattern[str]:
    """Match a value that no further letter or digit makes another one: 1 is not in 10."""
    start = r"(?<!\d)" if value[0].isdigit() else r"(?<![^\W\d_])" if value[0].isalpha() else ""
    end = r"(?!\d)" if value[-1].isdigit() else r"(?![^\W\d_])" if value[-1].isalpha() else ""
    return re.compile(start + re.escape(value) + end)


def _braced(literal: str) -> str:
    return literal.replace("{", "{{").replace("}", "}}")


def _is_rival(naming: _Naming, items: Sequence[Item]) -> bool:
    return len(naming.stems) > _RIVAL_SHARE * len(items)


def _differs(one: Mapping[str, str], other: Mapping[str, str]) -> bool:
    return any(one[item] != other[item] for item in one.keys() & other.keys())


def _pattern(key: str) -> Pattern:
    return Pattern(text=f"{{{key}}}", keys=(key,))
