"""Finds out how a folder names its masks: what stands around the case in the names of files."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from string import Formatter

from overread.errors import UsageError, expected
from overread.models.masks.listing import MaskFile
from overread.models.masks.target import ANYTHING, Pattern, values_of
from overread.records import Item

__all__ = ["infer_pattern"]

_FIRST_KEYS = ("id", "name", "case", "study", "series", "scan", "image", "patient")
_SHOWN_KEYS = ("case", "study", "series", "scan", "image", "patient", "name")
"""What a missing mask is named after where no file names any case: what people know cases by."""
_NUMBER = re.compile(r"\d+")
_RIVAL_SHARE = 0.5
"""A second naming that fits more than this share of the items makes the folder ambiguous."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Naming:
    """One way of naming: its keys, what stands around them, and the stem of each item's file."""

    text: str
    key: str
    """The key that tells the items apart."""
    stems: Mapping[str, str]
    """Item → stem of its file."""

    @property
    def is_bare(self) -> bool:
        return self.text == f"{{{self.key}}}"

    @property
    def pattern(self) -> Pattern:
        fields = [field for _, field, _, _ in Formatter().parse(self.text) if field]
        return Pattern(text=self.text, keys=tuple(dict.fromkeys(fields)))

    @property
    def rank(self) -> tuple[int, bool, int, int, int]:
        """Sort those first that fit most items.

        Of equals the bare name, then what leaves least open, then the shortest of what does not.
        """
        n_open, n_fields = self.text.count(ANYTHING), self.text.count("{")
        length = -len(self.text) if n_open else len(self.text)
        return -len(self.stems), not self.is_bare, n_open, n_fields, length


def infer_pattern(files: Sequence[MaskFile], items: Sequence[Item]) -> Pattern:
    """Find the pattern that the names of files follow: the one that fits most items.

    Folders before the name may be another key of the item (``{case}/{id}``), and they and numbers
    around it may be any (``*/{id}``, ``*_{id}``) where each item still has one file.

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
        Two namings fit most items with different files, or none fits more than another that
        fits other items: nothing says which is meant.
    """
    keys = list(_keys(items))
    namings: list[_Naming] = []
    for key in keys:
        namings += _namings(key, files, items)
        if any(len(each.stems) == len(items) for each in namings):
            break  # further keys would only say the same in other words
    namings.sort(key=lambda each: each.rank)  # stable: of equals the first key
    if not namings:
        return _pattern(next((key for key in _SHOWN_KEYS if key in keys), keys[0]))
    best = namings[0]
    rival = next((each for each in namings[1:] if _is_rival(each, best, len(items))), None)
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
    return best.pattern


def _keys(items: Sequence[Item]) -> Iterator[str]:
    """Give the keys that tell all items apart, the id and its like first; always at least one."""
    values = [values_of(item, draw=0) for item in items]
    for key in _common_keys(items):
        if len({each[key] for each in values}) == len(items) and all(each[key] for each in values):
            yield key


def _common_keys(items: Sequence[Item]) -> list[str]:
    """Give the keys that all items have, the id and its like first; a draw is none."""
    common = set.intersection(*(set(values_of(item, draw=0)) for item in items))
    first = [key for key in _FIRST_KEYS if key in common]
    return list(dict.fromkeys([*first, *sorted(common - {"draw"})]))


def _namings(key: str, files: Sequence[MaskFile], items: Sequence[Item]) -> Iterator[_Naming]:
    found: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    stems = sorted({file.stem for file in files})
    common = _common_keys(items)
    for item in items:
        values = values_of(item, draw=0)
        holds = _as_word(values[key])
        for stem in stems:
            if values[key] in stem and holds.search(stem):
                around = [_braced(part) for part in holds.split(stem)]
                for text in _texts(key, around, {each: values[each] for each in common}):
                    found[text][item.id].append(stem)
    for text, by_item in found.items():
        # Of several files none is an item's own.
        single = {item: stems[0] for item, stems in by_item.items() if len(stems) == 1}
        if single:
            yield _Naming(text=text, key=key, stems=single)


def _texts(key: str, around: Sequence[str], values: Mapping[str, str]) -> Iterator[str]:
    """Give the namings of one file.

    They are to the letter, with keys as its folders, with any folders, and with any numbers.
    """
    field = f"{{{key}}}"
    text = field.join(around)
    folders, slash, name = text.rpartition("/")
    by_value = {_braced(value): f"{{{each}}}" for each, value in reversed(list(values.items()))}
    parts = folders.split("/") if slash else []
    keyed = [by_value.get(part, part) for part in parts]
    anywhere = [part if field in part else ANYTHING for part in parts]
    numbered = field.join(_NUMBER.sub(lambda _: ANYTHING, part) for part in around)
    yield from dict.fromkeys(
        (text, "/".join((*keyed, name)), "/".join((*anywhere, name)), numbered)
    )


def _as_word(value: str) -> re.Pattern[str]:
    """Match a value that no further letter or digit makes another one: 1 is not in 10."""
    start = r"(?<!\d)" if value[0].isdigit() else r"(?<![^\W\d_])" if value[0].isalpha() else ""
    end = r"(?!\d)" if value[-1].isdigit() else r"(?![^\W\d_])" if value[-1].isalpha() else ""
    return re.compile(start + re.escape(value) + end)


def _braced(literal: str) -> str:
    return literal.replace("{", "{{").replace("}", "}}")


def _is_rival(naming: _Naming, best: _Naming, n_items: int) -> bool:
    """Tell whether a naming might be meant as well as the one that fits most."""
    differs = any(
        naming.stems[item] != best.stems[item] for item in naming.stems.keys() & best.stems.keys()
    )
    fits_as_many = len(naming.stems) == len(best.stems)
    if differs:  # then names without anything around them are meant, where they fit as many
        return not best.is_bare and (fits_as_many or len(naming.stems) > _RIVAL_SHARE * n_items)
    return fits_as_many and naming.stems.keys() != best.stems.keys()


def _pattern(key: str) -> Pattern:
    return Pattern(text=f"{{{key}}}", keys=(key,))
