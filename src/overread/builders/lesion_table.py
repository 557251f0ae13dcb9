"""Lesions as a table states them: rows in DeepLesion's columns, what is unusable left out aloud.

Columns are found by name, whatever their case and order; three are needed (``File_name``,
``Bounding_boxes``, ``Coarse_lesion_type``). Source of the columns: DL_info.csv of DeepLesion
(arXiv 1710.01766). The reader of the same lesions from a folder of ``.tru`` files is `tru`.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from overread.benchmarks.ct_bench import layout
from overread.benchmarks.ct_bench.index import encoding_finding, read_text
from overread.errors import ReleaseError, expected
from overread.records import Box, Finding, Severity, Window

__all__ = [
    "LesionTable",
    "TableLesion",
    "left_out",
    "read_lesion_table",
    "split_name",
    "usable_lesions",
]

_MAX_TABLE_BYTES = 256 * 2**20
_NAME = re.compile(r"(?P<patient>\d+)_(?P<study>\d+)_(?P<series>\d+)_(?P<slice>\d+)")
_NEEDED = ("File_name", "Bounding_boxes", "Coarse_lesion_type")
_SPLITS = {"1": "train", "2": "validation", "3": "test"}
_EQUAL_SPACING = 0.01


@dataclass(frozen=True, slots=True, kw_only=True)
class TableLesion:
    """One lesion of a table; None where the table does not say."""

    where: str
    """The line or file it came from, for findings."""
    stem: str
    """``PPPPPP_SS_RR_KKK``: patient, study, series, key slice."""
    box: Box
    box_is_share: bool
    """Whether the box is in shares of the picture's sides instead of pixels."""
    coarse_type: int
    """A key of `layout.COARSE_TYPES`."""
    diameters_mm: tuple[float, float] | None = None
    """Long, then short."""
    window: Window | None = None
    stated_split: str | None = None
    cells: Mapping[str, str] = field(default_factory=dict[str, str])
    """The row's own cells, by DeepLesion's column names; passed on as they are."""

    @property
    def patient(self) -> str:
        """First field of the name."""
        return self.stem.split("_")[0]

    @property
    def series(self) -> str:
        """Patient, study and series: the name without the slice."""
        return self.stem.rsplit("_", 1)[0]

    @property
    def key_slice(self) -> int:
        """Number of the key slice in its series."""
        return int(self.stem.rsplit("_", 1)[1])


@dataclass(frozen=True, slots=True, kw_only=True)
class LesionTable:
    """The lesions of a table in its order, and what was left out or odd."""

    lesions: tuple[TableLesion, ...]
    findings: tuple[Finding, ...]


def read_lesion_table(path: Path) -> LesionTable:
    """Read a lesion table in DeepLesion's columns.

    Parameters
    ----------
    path
        CSV, UTF-8 or Windows-1252.

    Raises
    ------
    ReleaseError
        It cannot be read, lacks a needed column, or has no usable row.
    """
    rows, encoding = _rows(path)
    lines = ((row, f"{path.name}, line {number}") for number, row in rows)
    table = usable_lesions(
        ((_lesion(row, where), where) for row, where in lines),
        argument=str(path),
        rule="at least one lesion with a name, a box and a type",
        remedy="Compare it with DeepLesion's DL_info.csv.",
    )
    odd = tuple(_without_mm(table.lesions))
    if encoding != "utf-8":
        odd = (*odd, encoding_finding(path.name, encoding, words="texts"))
    return replace(table, findings=(*table.findings, *odd))


def _without_mm(lesions: Sequence[TableLesion]) -> Iterator[Finding]:
    """Report lesions whose size is told in pixels of their box, by what their row lacks for mm."""
    where: dict[str, list[str]] = defaultdict(list)
    for lesion in lesions:
        if lesion.diameters_mm is None:
            where[_no_mm(lesion.cells)].append(lesion.where)
    for reason, at in where.items():
        yield Finding(
            severity=Severity.WARNING,
            code="size-in-pixels",
            where=at[0],
            evidence=reason,
            effect="its size is told in pixels of its box, and compares with no size in mm",
            count=len(at),
        )


def _no_mm(cells: Mapping[str, str]) -> str:
    for column, count in (("Lesion_diameters_Pixel_", 2), ("Spacing_mm_px_", 3)):
        numbers = _numbers(cells.get(column), count)
        if not cells.get(column):
            return f"{column} is empty"
        if numbers is None or min(numbers[:2]) <= 0:
            return f"{column} is not {count} numbers above 0"
    return "its pixels are not square"


def usable_lesions(
    read: Iterable[tuple[TableLesion | str, str]], *, argument: str, rule: str, remedy: str
) -> LesionTable:
    """Make a table of the lesions that were read, and leave out aloud what could not be.

    Parameters
    ----------
    read
        A lesion, or why it cannot be used, and where it stands.
    argument, rule, remedy
        For the message when there is none.

    Raises
    ------
    ReleaseError
        No lesion can be used.
    """
    lesions: list[TableLesion] = []
    faults: dict[str, list[str]] = {}
    for lesion, where in read:
        if isinstance(lesion, TableLesion):
            lesions.append(lesion)
        else:
            faults.setdefault(lesion, []).append(where)
    if not lesions:
        got = "; ".join(f"{fault} (lines: {len(at)})" for fault, at in faults.items()) or "none"
        raise ReleaseError(expected(argument, rule=rule, got=got, remedy=remedy))
    findings = tuple(left_out(fault, where) for fault, where in faults.items())
    return LesionTable(lesions=tuple(lesions), findings=findings)


def left_out(fault: str, where: list[str]) -> Finding:
    """Word that lesions were left out of a release for a reason."""
    return Finding(
        severity=Severity.WARNING,
        code="lesion-left-out",
        where=where[0],
        evidence=fault,
        effect="the release does not hold it" if len(where) == 1 else "the release holds none",
        count=len(where),
    )


def split_name(code: str | None) -> str | None:
    """Name the split of DeepLesion's code (1, 2, 3). None for any other.

    Examples
    --------
    >>> split_name("3"), split_name("7")
    ('test', None)
    """
    return _SPLITS.get((code or "").strip().removesuffix(".0"))


def _rows(path: Path) -> tuple[list[tuple[int, dict[str, str]]], str]:
    """Read rows as column → cell, with the line each one ends on."""
    try:
        text, encoding = read_text(path, max_bytes=_MAX_TABLE_BYTES)
        reader = csv.reader(io.StringIO(text, newline=""), strict=True)
        spelt = {name.casefold(): name for name in layout.DEEPLESION_COLUMNS}
        columns = [spelt.get(name.strip().casefold(), name.strip()) for name in next(reader, [])]
        rows = [
            (reader.line_num, dict(zip(columns, map(str.strip, cells), strict=False)))
            for cells in reader
            if cells
        ]
    except (OSError, ValueError, csv.Error) as error:
        raise ReleaseError(
            expected(
                str(path),
                rule="a lesion table (CSV)",
                got=f"something else ({error})",
                remedy="Name DeepLesion's DL_info.csv, or a folder of .tru files.",
            )
        ) from error
    missing = [name for name in _NEEDED if name not in columns]
    if missing:
        raise ReleaseError(
            expected(
                str(path),
                rule=f"the columns {', '.join(_NEEDED)}",
                got=f"none named {', '.join(missing)}",
                remedy="Rename the table's columns to DeepLesion's.",
            )
        )
    return rows, encoding


def _lesion(row: Mapping[str, str], where: str) -> TableLesion | str:
    """Read a row, or say why it cannot be used."""
    name = _NAME.fullmatch(row["File_name"].removesuffix(".png"))
    if name is None:
        return "its File_name is not PPPPPP_SS_RR_KKK.png"
    corners = _numbers(row.get("Bounding_boxes"), 4)
    if corners is None or not (corners[0] < corners[2] and corners[1] < corners[3]):
        return "its Bounding_boxes are not x1, y1, x2, y2"
    coarse_type = _numbers(row.get("Coarse_lesion_type"), 1)
    if coarse_type is None or coarse_type[0] not in layout.COARSE_TYPES:
        return "its Coarse_lesion_type is not 1 to 8 or -1"
    if (_numbers(row.get("Possibly_noisy"), 1) or (0,))[0] != 0:
        return "the table calls it possibly noisy"
    window = _numbers(row.get("DICOM_windows"), 2)
    return TableLesion(
        where=where,
        stem=name[0],
        box=Box(x_min=corners[0], y_min=corners[1], x_max=corners[2], y_max=corners[3]),
        box_is_share=False,
        coarse_type=int(coarse_type[0]),
        diameters_mm=_diameters_mm(row),
        window=Window(low_hu=window[0], high_hu=window[1])
        if window and window[0] < window[1]
        else None,
        stated_split=split_name(row.get("Train_Val_Test")) or row.get("Train_Val_Test") or None,
        cells={column: row.get(column, "") for column in layout.DEEPLESION_COLUMNS},
    )


def _diameters_mm(row: Mapping[str, str]) -> tuple[float, float] | None:
    """Give RECIST diameters in mm; None where the table lacks them or pixels are not square."""
    diameters_px = _numbers(row.get("Lesion_diameters_Pixel_"), 2)
    spacing_mm = _numbers(row.get("Spacing_mm_px_"), 3)
    if diameters_px is None or spacing_mm is None or min(*diameters_px, *spacing_mm[:2]) <= 0:
        return None
    if not math.isclose(spacing_mm[0], spacing_mm[1], rel_tol=_EQUAL_SPACING):
        return None
    short, long = sorted(length * spacing_mm[0] for length in diameters_px)
    return long, short


def _numbers(text: str | None, count: int) -> tuple[float, ...] | None:
    numbers = tuple(_parsed(text or ""))
    return numbers if len(numbers) == count else None


def _parsed(text: str) -> Iterator[float]:
    for part in text.split(","):
        try:
            number = float(part)
        except ValueError:
            return
        if not math.isfinite(number):
            return
        yield number
