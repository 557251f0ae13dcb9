"""Masks of one case as a folder: one file a structure, named after it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np

from overread.errors import ImageError, expected
from overread.imaging.label_map import LabelMap, mask_suffix, read_label_map

__all__ = ["in_order", "read_structures", "structure_files"]


def in_order(names: Iterable[str]) -> list[str]:
    """Put names in the order in which people count: ``organ2`` before ``organ13``.

    Examples
    --------
    >>> in_order(["organ13", "organ2", "liver"])
    ['liver', 'organ2', 'organ13']
    """
    return sorted(names, key=_counted)


def _counted(name: str) -> tuple[list[tuple[str, int]], str]:
    parts = re.split(r"([0-9]+)", name)
    words, numbers = parts[::2], [*parts[1::2], "0"]
    return [(word, int(number)) for word, number in zip(words, numbers, strict=True)], name


def structure_files(folder: Path) -> dict[str, Path]:
    """Find the masks of a folder by the structures that their names say, as `in_order` puts them.

    Folders inside it are looked into (``segmentations/liver.nii.gz`` is ``liver``); what is no
    mask is left out.

    Raises
    ------
    ImageError
        There is no mask, or two are of one structure.
    """
    found: dict[str, Path] = {}
    for path in sorted(folder.rglob("*")):
        suffix = mask_suffix(path.name)
        if suffix is None or path.name.startswith(".") or not path.is_file():
            continue
        name = path.name[: -len(suffix)]
        if name in found:
            raise _bad(
                folder,
                f"two of '{name}': {found[name].relative_to(folder)} and "
                f"{path.relative_to(folder)}",
                "Keep one of them.",
            )
        found[name] = path
    if not found:
        raise _bad(folder, "none", "Name the folder that holds them, or a file of all labels.")
    return {name: found[name] for name in in_order(found)}


def read_structures(folder: Path, labels: Mapping[int, str]) -> LabelMap:
    """Put the structures of a folder together into one label map, to look at.

    Where two structures share a voxel the one with the larger label has it, so that nothing is to
    be measured of this map.

    Raises
    ------
    ImageError
        A file cannot be read, or is of another size than the first.
    """
    files = structure_files(folder)
    together: LabelMap | None = None
    for label, name in sorted(labels.items()):
        if name not in files:
            continue
        one = read_label_map(files[name])
        if together is None:
            kind = np.uint8 if max(labels) <= np.iinfo(np.uint8).max else np.uint16
            together = replace(one, array=np.zeros_like(one.array, dtype=kind), source=str(folder))
        if one.array.shape != together.array.shape:
            raise _bad(folder, f"{name} of another size", "Write all on one grid.")
        together.array[one.array > 0] = label
    if together is None:
        raise _bad(folder, "none of those asked for", "Name structures as the labels are named.")
    return together


def _bad(folder: Path, got: str, remedy: str) -> ImageError:
    return ImageError(
        expected(str(folder), rule="a mask file for each structure", got=got, remedy=remedy)
    )
