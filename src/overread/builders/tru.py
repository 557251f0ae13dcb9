"""Lesions from a folder of ``.tru`` files, as a public teaching set of DeepLesion slices has them.

One file a key slice, named as the slice (``PPPPPP_SS_RR_KKK.tru``); one line a lesion:
``coarse_type ymin xmin ymax xmax``, the box in shares of the picture's sides (0 to 1), y before x.
A file says nothing of pixel size, diameters or windows: none of them is made up.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterator
from pathlib import Path

from overread.benchmarks.ct_bench import layout
from overread.benchmarks.ct_bench.questions import normal_split
from overread.builders.lesion_table import LesionTable, TableLesion, usable_lesions
from overread.records import Box

__all__ = ["read_tru_folder"]

_NAME = re.compile(r"\d+_\d+_\d+_\d+")
_MAX_BYTES = 2**20


def read_tru_folder(folder: Path) -> LesionTable:
    """Read every ``.tru`` file in a folder and below it, in the order of their names.

    A file below a folder called ``train``, ``val`` or ``test`` has that as its stated split.

    Raises
    ------
    ReleaseError
        There is none, or none holds a usable lesion.
    """
    return usable_lesions(
        _read(folder),
        argument=str(folder),
        rule="a folder of .tru files, one lesion a line",
        remedy="Name the folder, or a CSV in DeepLesion's columns.",
    )


def _read(folder: Path) -> Iterator[tuple[TableLesion | str, str]]:
    for path in _files(folder):
        where = path.relative_to(folder).as_posix()
        for number, line in enumerate(_lines(path), start=1):
            yield _lesion(line, path, f"{where}, line {number}", _stated_split(where)), where


def _files(folder: Path) -> list[Path]:
    found = [
        Path(place) / name
        for place, _folders, names in os.walk(folder)
        for name in names
        if name.lower().endswith(".tru")
    ]
    return sorted(found, key=lambda path: (path.stem, path.as_posix()))


def _lines(path: Path) -> list[str]:
    """Give the lines that hold something; a file beyond all reason counts as one bad line."""
    try:
        if path.stat().st_size > _MAX_BYTES:
            return ["too large"]
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        return [f"unreadable: {error.strerror}"]
    return [line for line in text.splitlines() if line.strip()]


def _stated_split(where: str) -> str | None:
    splits = map(normal_split, where.split("/")[:-1])
    return next((split for split in splits if split is not None), None)


def _lesion(line: str, path: Path, where: str, split: str | None) -> TableLesion | str:
    if _NAME.fullmatch(path.stem) is None:
        return "its file is not named PPPPPP_SS_RR_KKK.tru"
    try:
        coarse_type, *edges = (float(part) for part in line.split())
    except ValueError:
        return "its line is not 'coarse_type ymin xmin ymax xmax'"
    if len(edges) != 4 or not all(map(math.isfinite, (coarse_type, *edges))):
        return "its line is not 'coarse_type ymin xmin ymax xmax'"
    y_min, x_min, y_max, x_max = edges
    if not (0 <= y_min < y_max <= 1 and 0 <= x_min < x_max <= 1):
        return "its box does not lie in 0 to 1"
    if coarse_type not in layout.COARSE_TYPES:
        return "its coarse type is not 1 to 8 or -1"
    patient, study, series, key_slice = (int(part) for part in path.stem.split("_"))
    cells = dict.fromkeys(layout.DEEPLESION_COLUMNS, "") | {
        "File_name": f"{path.stem}.png",
        "Patient_index": str(patient),
        "Study_index": str(study),
        "Series_ID": str(series),
        "Key_slice_index": str(key_slice),
        "Coarse_lesion_type": str(int(coarse_type)),
    }
    return TableLesion(
        where=where,
        stem=path.stem,
        box=Box(x_min=x_min, y_min=y_min, x_max=x_max, y_max=y_max),
        box_is_share=True,
        coarse_type=int(coarse_type),
        stated_split=split,
        cells=cells,
    )
