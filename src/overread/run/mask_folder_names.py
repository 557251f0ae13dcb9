"""Joins the masks of two folders by the names of their files, whatever either side adds to them."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Final

from overread.errors import UsageError, expected
from overread.imaging.label_map import MASK_SUFFIXES, mask_suffix

__all__ = ["CaseNames", "NamedFiles", "by_names", "list_masks", "named_by"]

_ADDED: Final = re.compile(
    r"([ _.-]*(gt|seg|segs|segmentation|segmentations|mask|masks|label|labels|labelmap|pred|preds|"
    r"prediction|predictions|predicted|ref|reference|truth|groundtruth|output|result|0000))+$",
    re.IGNORECASE,
)
"""What people add to the name of a case to say that this is its mask."""

_KEY: Final = "{case}"


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedFiles:
    """The files of one folder by case."""

    files: Mapping[str, tuple[Path, ...]]
    """Case → its files: more than one is one too many."""
    left: tuple[str, ...] = ()
    """Names of files that name no case by the pattern."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseNames:
    """Two folders joined."""

    reference: NamedFiles
    prediction: NamedFiles
    how: str
    """How names were read where they are not simply equal; empty where they are."""
    shared: tuple[str, ...] = field(default=())
    """Cases that both have."""


def list_masks(folder: Path) -> dict[str, Path]:
    """Find the masks of a folder and of folders in it: name from the folder on → file.

    Raises
    ------
    UsageError
        There is none.
    """
    found: dict[str, Path] = {}
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            if mask_suffix(name) is not None and not name.startswith("."):
                path = Path(place, name)
                found[path.relative_to(folder).as_posix()] = path
    if not found:
        raise UsageError(
            expected(
                str(folder),
                rule=f"a folder with masks ({', '.join(MASK_SUFFIXES)})",
                got="none in it",
                remedy="Name the folder that holds them.",
            )
        )
    return found


def named_by(files: Mapping[str, Path], pattern: str) -> NamedFiles:
    """Read the case out of each name by a pattern, such as ``{case}/seg.nii.gz``.

    A pattern without an ending takes files of any. ``*`` stands for anything within a name.

    Raises
    ------
    UsageError
        The pattern has no ``{case}``, or more than one.
    """
    if pattern.count(_KEY) != 1:
        raise UsageError(
            expected(
                "--pattern",
                rule="a file name with one {case} in it",
                got=repr(pattern),
                remedy="Write for instance '{case}_pred.nii.gz' or '{case}/seg.nii.gz'.",
            )
        )
    before, after = (re.escape(each).replace(r"\*", "[^/]*") for each in pattern.split(_KEY))
    has_suffix = mask_suffix(pattern) is not None
    regex = re.compile(f"{before}(?P<case>[^/]+){after}")
    cases: dict[str, list[Path]] = {}
    left: list[str] = []
    for name, path in files.items():
        found = regex.fullmatch(name if has_suffix else _stem(name))
        if found is None:
            left.append(name)
        else:
            cases.setdefault(found["case"], []).append(path)
    return NamedFiles(files={case: tuple(paths) for case, paths in cases.items()}, left=tuple(left))


def by_names(reference: Mapping[str, Path], prediction: Mapping[str, Path]) -> CaseNames:
    """Join two folders: by equal names if any are, else by what the names have in common.

    The names of either side are read in four ways (whole, without folders, without words such as
    ``_pred`` at the end, by the folder that they stand in); the pair of ways that joins most cases
    is taken, the plainest of several.
    """
    best: tuple[int, NamedFiles, NamedFiles, str] | None = None
    for (first, one), (second, other) in product(_WAYS.items(), repeat=2):
        references, predictions = _grouped(reference, one), _grouped(prediction, other)
        if references is None or predictions is None:
            continue
        n_shared = len(references.keys() & predictions.keys())
        if best is None or n_shared > best[0]:
            how = "" if first == second == _WHOLE else f"references {first}, predictions {second}"
            best = (n_shared, NamedFiles(files=references), NamedFiles(files=predictions), how)
    if best is None:  # pragma: no cover - whole names are always told apart
        raise AssertionError
    _, references, predictions, how = best
    shared = tuple(case for case in references.files if case in predictions.files)
    return CaseNames(reference=references, prediction=predictions, how=how, shared=shared)


def _stem(name: str) -> str:
    return name[: -len(mask_suffix(name) or "")]


def _bare(name: str) -> str:
    """Take off what says that this is a mask; a name of nothing else stays."""
    stem = _stem(name).rpartition("/")[2]
    return _ADDED.sub("", stem) or stem


_WHOLE: Final = "by their whole names"
_WAYS: Final[Mapping[str, Callable[[str], str]]] = {
    _WHOLE: _stem,
    "by their names without folders": lambda name: _stem(name).rpartition("/")[2],
    "by their names without endings such as _seg": _bare,
    "by the folders they stand in": lambda name: name.rpartition("/")[0],
}


def _grouped(
    files: Mapping[str, Path], way: Callable[[str], str]
) -> dict[str, tuple[Path, ...]] | None:
    """Read all names one way; None where it does not tell the files apart or finds no name.

    Files of one stem and two endings are one case: that is to be seen, not to be read otherwise.
    """
    cases: dict[str, list[tuple[str, Path]]] = {}
    for name, path in files.items():
        cases.setdefault(way(name), []).append((_stem(name), path))
    if "" in cases or any(len({stem for stem, _ in each}) > 1 for each in cases.values()):
        return None
    return {case: _paths(each) for case, each in cases.items()}


def _paths(files: Sequence[tuple[str, Path]]) -> tuple[Path, ...]:
    return tuple(path for _, path in files)
