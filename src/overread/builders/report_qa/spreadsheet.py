"""Tables as spreadsheets save them: any of their encodings, delimiters and line ends."""

from __future__ import annotations

import codecs
import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from overread.benchmarks.ct_bench.index import read_text

__all__ = ["SheetRow", "decode_sheet", "read_sheet"]

_LONGEST_CELL = 2**20
_DELIMITERS = ",;\t"
"""A comma; a semicolon where the comma parts decimals; a tab in what is called Unicode text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetRow:
    """One row below the header."""

    where: str
    """Its last line in the file, for messages."""
    cells: Mapping[str, str]
    """By the name of the column, stripped; a short row lacks its last columns."""
    is_whole: bool
    """Whether no cell stands beyond the header's: a delimiter inside a text that has no quotes
    parts the text, and what the columns hold is then not what they say."""


def decode_sheet(path: Path, *, max_bytes: int) -> tuple[str, str]:
    """Read a text file as UTF-8, UTF-16 with its mark, or else Windows-1252.

    Returns
    -------
    text, encoding
        `encoding` is ``utf-8``, ``utf-16`` or ``cp1252``.

    Raises
    ------
    OSError, ValueError
        It cannot be read, or is larger than `max_bytes`.
    """
    with path.open("rb") as file:
        mark = file.read(2)
    if mark in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE) and path.stat().st_size <= max_bytes:
        return path.read_bytes().decode("utf-16"), "utf-16"
    return read_text(path, max_bytes=max_bytes)


def read_sheet(text: str) -> tuple[tuple[str, ...], tuple[SheetRow, ...]]:
    r"""Read a table with a header; cells are parted by what parts most names of the header.

    Returns
    -------
    names, rows
        Names are stripped. A first line ``sep=;``, which some spreadsheets need, is heeded, and
        rows of empty cells are passed over.

    Raises
    ------
    csv.Error
        Quotes that never end, or a cell of more than a million characters.

    Examples
    --------
    >>> names, rows = read_sheet("case;findings\r\na;two nodules, one of 3,5 mm\r\n")
    >>> names, dict(rows[0].cells)
    (('case', 'findings'), {'case': 'a', 'findings': 'two nodules, one of 3,5 mm'})
    """
    head, _, rest = text.partition("\n")
    told = head.strip().removeprefix("sep=")
    if head.startswith("sep=") and len(told) <= 1:
        delimiter, text = told or "\t", rest
    else:
        delimiter = max(_DELIMITERS, key=lambda each: len(_cells(head, each)))
    before = csv.field_size_limit(_LONGEST_CELL)
    try:
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
        names = tuple(name.strip() for name in next(reader, []))
        return names, tuple(
            SheetRow(
                where=f"line {reader.line_num}",
                cells=dict(zip(names, map(str.strip, cells), strict=False)),
                is_whole=not any(cell.strip() for cell in cells[len(names) :]),
            )
            for cells in reader
            if any(cell.strip() for cell in cells)
        )
    finally:
        csv.field_size_limit(before)


def _cells(line: str, delimiter: str) -> list[str]:
    try:
        return next(csv.reader([line], delimiter=delimiter), [])
    except csv.Error:
        return []
