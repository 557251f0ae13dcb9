"""The files of a release: tables of attributes in two families, pictures, component masks.

WBCAtt has ``pbc_attr_v1_{split}.csv`` whose paths lead into the PBC picture set; WBCAtt+ has
``pbc_attr_v1_ccrop_{split}.csv`` with crops and index masks in ``pbcseg_final_v1``.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Final, Literal

from overread.records import Finding, Severity

__all__ = [
    "ATTRIBUTES",
    "COMPONENTS",
    "CROP_FOLDER",
    "REANNOTATIONS",
    "SPLITS",
    "SYNTHETIC_MARK",
    "Cell",
    "Family",
    "Table",
    "mask_path",
    "picture_path",
    "read_table",
    "reannotation_file",
    "table_file",
    "unknown_values",
]

Family = Literal["wbcatt", "wbcatt+"]

SPLITS: Final = ("test", "val", "train")
REANNOTATIONS: Final = "pbc_attr_reannotations.csv"
CROP_FOLDER: Final = "pbcseg_final_v1"
SYNTHETIC_MARK: Final = "SYNTHETIC.txt"

ATTRIBUTES: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "cell_size": ("big", "small"),
        "cell_shape": ("irregular", "round"),
        "nucleus_shape": (
            "irregular",
            "segmented-bilobed",
            "segmented-multilobed",
            "unsegmented-band",
            "unsegmented-indented",
            "unsegmented-round",
        ),
        "nuclear_cytoplasmic_ratio": ("high", "low"),
        "chromatin_density": ("densely", "loosely"),
        "cytoplasm_vacuole": ("no", "yes"),
        "cytoplasm_texture": ("clear", "frosted"),
        "cytoplasm_colour": ("blue", "light blue", "purple blue"),
        "granule_type": ("coarse", "nil", "round", "small"),
        "granule_colour": ("nil", "pink", "purple", "red"),
        "granularity": ("no", "yes"),
    }
)
"""Column → its values in alphabetical order, as the released encoders sort them. ``nil`` is a word,
no gap."""

COMPONENTS: Final[Mapping[int, str]] = {
    1: "cytoplasm",
    2: "nucleus",
    3: "platelets",
    4: "red blood cell",
    5: "vacuoles",
}
"""Value in a mask → component; 0 is the background. The order is that of the authors' notebook,
where another white cell seems to share class 4."""

_COLUMNS: Final = ("img_name", "label", *ATTRIBUTES, "path")
_FOLDERS: Final = ("", "submission", "submission/re-annotation", "re-annotation")
_LARGEST_FILE_BYTES: Final = 2**28
_SHOWN: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One row of a table: a picture of one white blood cell."""

    name: str
    """``img_name``: unique over all splits."""
    cell_type: str
    """``Neutrophil`` and so on, as the PBC set has it."""
    values: Mapping[str, str]
    """Attribute → value as released."""
    path: str
    """As stated in the table."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """One table as read, with what is odd in it."""

    file: str
    """Relative to the release."""
    data: bytes
    cells: tuple[Cell, ...]
    findings: tuple[Finding, ...]


def table_file(root: Path, split: str) -> tuple[Path, Family] | None:
    """Find the table of a split: the crops' where there is one, else the first release's."""
    if (found := _find(root, f"pbc_attr_v1_ccrop_{split}.csv")) is not None:
        return found, "wbcatt+"
    if (found := _find(root, f"pbc_attr_v1_{split}.csv")) is not None:
        return found, "wbcatt"
    return None


def reannotation_file(root: Path) -> Path | None:
    """Find the table of the second reading."""
    return _find(root, REANNOTATIONS)


def read_table(path: Path, root: Path) -> Table:
    """Read a table; rows that cannot be used are told in its findings and left out.

    A repeated name keeps its row under a name of its own: no row is dropped for it.
    """
    file = path.relative_to(root).as_posix()
    try:
        size = path.stat().st_size
        if size > _LARGEST_FILE_BYTES:
            raise ValueError(f"{size:,} bytes")
        data = path.read_bytes()
        rows = list(csv.DictReader(io.StringIO(data.decode("utf-8-sig"), newline="")))
    except (OSError, ValueError, csv.Error) as error:
        return Table(file=file, data=b"", cells=(), findings=(_unreadable(file, str(error)),))
    missing = [name for name in _COLUMNS if not rows or name not in rows[0]]
    if missing:
        got = f"no column {', '.join(missing[:_SHOWN])}" if rows else "no row"
        return Table(file=file, data=data, cells=(), findings=(_unreadable(file, got),))
    cells: dict[str, Cell] = {}
    short: list[str] = []
    for line, row in enumerate(rows, start=2):
        values = {name: row[name] for name in _COLUMNS}
        if any(value is None for value in values.values()) or not values["img_name"].strip():
            short.append(f"line {line}")
            continue
        name = values["img_name"].strip()
        name = name if name not in cells else f"{name}#{line}"
        cells[name] = Cell(
            name=name,
            cell_type=values["label"].strip(),
            values={each: values[each].strip() for each in ATTRIBUTES},
            path=values["path"].strip(),
        )
    findings = [_short(file, short)] if short else []
    return Table(file=file, data=data, cells=tuple(cells.values()), findings=tuple(findings))


def picture_path(cell: Cell, family: Family) -> str:
    """Give the picture of a cell, relative to the folder of the pictures."""
    if family == "wbcatt" or "/" in cell.path:
        return cell.path
    return f"{CROP_FOLDER}/{cell.path}"


def mask_path(cell: Cell, family: Family) -> str | None:
    """Give the component mask of a crop; None for pictures that have none."""
    if family == "wbcatt":
        return None
    picture = picture_path(cell, family)
    return f"{picture.rpartition('.')[0] or picture}_mask.png"


def _find(root: Path, name: str) -> Path | None:
    paths = (root / folder / name for folder in _FOLDERS)
    return next((path for path in paths if path.is_file()), None)


def _unreadable(file: str, why: str) -> Finding:
    return Finding(
        severity=Severity.ERROR,
        code="unreadable-file",
        where=file,
        evidence=why,
        effect="none of its cells is asked about",
        remedy="Restore the file from the release.",
    )


def _short(file: str, lines: Sequence[str]) -> Finding:
    return Finding(
        severity=Severity.ERROR,
        code="unusable-rows",
        where=file,
        evidence=f"rows cut short: {', '.join(lines[:_SHOWN])}",
        effect="they are not asked about",
        remedy="Restore the file from the release.",
        count=len(lines),
    )


def unknown_values(cells: Sequence[Cell]) -> Iterator[tuple[Cell, str]]:
    """Give the cells and attributes whose value is none of the listed ones."""
    for cell in cells:
        for name, values in ATTRIBUTES.items():
            if cell.values[name] not in values:
                yield cell, name
