"""What stands after ``masks:``: a folder, and the pattern of the names in it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from string import Formatter

from overread.errors import UsageError, expected
from overread.records import Item

__all__ = [
    "ANYTHING",
    "SUFFIXES",
    "Pattern",
    "Target",
    "file_name_of",
    "folder_of",
    "read_target",
    "stem_of",
    "values_of",
]

ANYTHING = "*"
"""In a pattern: any part of a name, or the name of any folder."""

SUFFIXES = (".nii.gz", ".nii", ".mha", ".png")
"""Endings of mask files, in the order in which messages name them. A ``.mhd`` is none: its voxels
lie in another file, which could change unseen."""

_SOURCES = (*SUFFIXES, ".mhd", ".jpg", ".jpeg", ".webp", ".bmp", ".tif", ".tiff", ".dcm")
"""Endings of what masks are made of."""

_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9.+-]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Pattern:
    """The names of masks relative to their folder: ``{case}/seg_{id}.nii.gz``."""

    text: str
    keys: tuple[str, ...]
    """Those in braces, in order, each once."""

    @property
    def has_suffix(self) -> bool:
        """Whether it says how the file's name ends."""
        return self.text.endswith(SUFFIXES)

    def name(self, values: Mapping[str, str]) -> str:
        """Give the relative path of a mask. KeyError for a key that the item lacks."""
        return "".join(
            literal + (values[key] if key is not None else "")
            for literal, key, _, _ in Formatter().parse(self.text)
        )

    @property
    def is_open(self) -> bool:
        """Whether something in it stands for anything."""
        return ANYTHING in self.text

    def matcher(self, values: Mapping[str, str]) -> re.Pattern[str]:
        """Give what the relative path of a mask matches. KeyError for a key that the item lacks."""
        return re.compile(
            "".join(
                "[^/]*".join(re.escape(part) for part in literal.split(ANYTHING))
                + (re.escape(values[key]) if key is not None else "")
                for literal, key, _, _ in Formatter().parse(self.text)
            )
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A folder of masks."""

    folder: Path
    pattern: Pattern | None
    """None where the folder itself must show how it names its files."""

    @property
    def name(self) -> str:
        """The folder's own name with the pattern, as shown to people."""
        folder = self.folder.name or self.folder.resolve().name or str(self.folder)
        return folder if self.pattern is None else f"{folder}/{self.pattern.text}"


def read_target(text: str) -> Target:
    """Read a folder, or a folder with a pattern.

    Raises
    ------
    UsageError
        There is no such folder, or the braces cannot be read.
    """
    if not text.strip():
        raise _wrong("no folder")
    folder = folder_of(Path(text))
    parts = Path(text).parts[len(folder.parts) :]
    pattern = _pattern("/".join(parts)) if parts else None
    try:
        is_folder = folder.is_dir()
    except (OSError, ValueError) as error:
        raise _wrong(f"{text!r} ({error})") from None
    if not is_folder:
        got = f"{str(folder)!r}, which is {'a file' if folder.is_file() else 'not there'}"
        raise _wrong(got)
    return Target(folder=folder, pattern=pattern)


def folder_of(place: Path) -> Path:
    """Give the folder before a pattern; the place itself where there is none.

    Examples
    --------
    >>> folder_of(Path("runs/masks/*/{case}.nii.gz")).as_posix()
    'runs/masks'
    """
    parts = place.parts
    braced = next((n for n, part in enumerate(parts) if "{" in part or "}" in part), len(parts))
    if braced == len(parts):
        return place
    first = next(n for n, part in enumerate(parts) if n == braced or ANYTHING in part)
    return Path(*parts[:first])


def values_of(item: Item, *, draw: int) -> dict[str, str]:
    """Give what may stand in braces for an item; a group named by a file goes without its ending.

    A mask of ``cell_7.jpg`` is called ``cell_7.png``.
    """
    return {
        **item.strata,
        **{key: _without_ending(value) for key, value in item.groups.items()},
        "id": item.id,
        "name": file_name_of(item.id),
        "task": item.task,
        "condition": item.condition,
        "draw": str(draw),
    }


def file_name_of(item_id: str) -> str:
    """Turn an id into the name of a file: ``_`` for slashes, colons, spaces and the like.

    Examples
    --------
    >>> file_name_of("test/segment/case 7")
    'test_segment_case_7'
    """
    return _NOT_IN_NAMES.sub("_", item_id)


def _without_ending(value: str) -> str:
    lower = value.lower()
    ending = next((each for each in _SOURCES if lower.endswith(each)), "")
    return value[: len(value) - len(ending)] or value


def stem_of(name: str) -> str:
    """Take the ending of a mask file off its name.

    Examples
    --------
    >>> stem_of("case_07/seg.nii.gz")
    'case_07/seg'
    """
    return next((name.removesuffix(end) for end in SUFFIXES if name.endswith(end)), name)


def _pattern(text: str) -> Pattern:
    try:
        parsed = list(Formatter().parse(text))
    except ValueError as error:
        raise _wrong(f"{text!r} ({error})") from None
    keys = [key for _, key, _, _ in parsed if key is not None]
    odd = [key for _, key, form, turn in parsed if key is not None and (not key or form or turn)]
    if odd or not keys:
        raise _wrong(f"{text!r}, with braces that hold no bare key")
    return Pattern(text=text, keys=tuple(dict.fromkeys(keys)))


def _wrong(got: str) -> UsageError:
    return UsageError(
        expected(
            "--model",
            rule="masks:FOLDER or masks:FOLDER/PATTERN, a folder of mask files",
            got=got,
            remedy="Write for instance masks:predictions or "
            "masks:predictions/{case}/seg_{id}.nii.gz.",
        )
    )
