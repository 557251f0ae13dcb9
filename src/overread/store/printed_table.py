"""Reads a table as people publish it: CSV, TSV, semicolons, a Markdown pipe table, JSON rows.

Cells stay the texts they are, with every printed digit; `PrintedTable.number` reads one. What is
odd about the file is a Finding beside the table; what would put numbers into wrong columns stops
the reading.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from overread.errors import UsageError, expected
from overread.records import Finding, Severity
from overread.store.printed_forms import (
    MOST_COLUMNS,
    Record,
    delimited_records,
    json_records,
    markdown_records,
    too_large,
)
from overread.store.printed_number import (
    DecimalMark,
    PrintedNumber,
    read_number,
    without_markup,
)
from overread.store.printed_refusals import refuse_other_forms

__all__ = ["LARGEST_FILE_BYTES", "PrintedTable", "read_table"]

LARGEST_FILE_BYTES: Final = 2**28
_MARKDOWN: Final = (".md", ".markdown")
_JSON: Final = (".json", ".jsonl", ".ndjson")
_WITH_COMMA: Final = re.compile(r"(?<![\d.,])[+-]?\d*,\d+(?![\d.,])")
_WITH_POINT: Final = re.compile(r"(?<![\d.,])[+-]?\d*\.\d+(?![\d.,])")
_GROUPED: Final = re.compile(r"[+-]?[1-9]\d{0,2}[.,]\d{3}")
_CELLS_TRIED: Final = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class PrintedTable:
    """A table as it stands in its file."""

    columns: tuple[str, ...]
    """Headings without markup, each once: a second ``acc`` is ``acc (2)``."""
    rows: tuple[tuple[str, ...], ...]
    """Cells as printed, as many in every row as there are columns; blank rows are left out."""
    line_of_row: tuple[int, ...]
    """Where each row begins in the file, from 1; of JSON that is no JSON Lines, which row it is."""
    decimal: DecimalMark = "."
    """What parts whole digits from the rest in this table."""
    findings: tuple[Finding, ...] = ()
    """What is odd about the file."""

    def column(self, name: str, *, argument: str = "column") -> int:
        """Give the place of a column. UsageError lists the columns there are."""
        if name in self.columns:
            return self.columns.index(name)
        folded = [column.casefold() for column in self.columns]
        if folded.count(name.casefold()) == 1:
            return folded.index(name.casefold())
        raise UsageError(
            expected(
                argument,
                rule="one of the columns " + ", ".join(repr(each) for each in self.columns),
                got=repr(name),
                remedy="Write the heading as the table has it.",
            )
        )

    def number(self, row: int, column: int) -> PrintedNumber:
        """Read one cell."""
        return read_number(self.rows[row][column], decimal=self.decimal)

    def numbers(self, column: int) -> tuple[PrintedNumber, ...]:
        """Read a whole column."""
        return tuple(read_number(row[column], decimal=self.decimal) for row in self.rows)


def read_table(path: Path, *, decimal: DecimalMark | None = None, table: int = 1) -> PrintedTable:
    """Read a table from a file.

    Parameters
    ----------
    path
        ``.md`` and ``.markdown`` hold pipe tables; ``.json``, ``.jsonl`` and ``.ndjson`` hold
        rows; anything else is text whose cells are parted by a comma, a semicolon, a tab or a
        bar, whichever parts its first row into most cells. At most `LARGEST_FILE_BYTES`.
    decimal
        The decimal mark; None finds out from the cells.
    table
        Which table of a Markdown file, from 1.

    Raises
    ------
    UsageError
        There is no such file; it is too large; it is no text, or LaTeX or HTML; it holds no table
        or no row; a row has more cells than there are columns, so that its numbers would stand
        under wrong headings.
    """
    data = _bytes(path)
    text, findings = _decoded(data, path)
    refuse_other_forms(data, text, path)
    suffix = path.suffix.casefold()
    if suffix in _JSON:
        records = json_records(text, path, lines=suffix != ".json")
    elif suffix in _MARKDOWN:
        records = markdown_records(text, path, table=table, findings=findings)
    else:
        records = delimited_records(text, path)
    header, *rows = records
    columns = _columns(header[1], path, findings)
    kept = list(_whole_rows(rows, len(columns), path, findings))
    if not kept:
        raise UsageError(
            expected(
                str(path),
                rule="a table with a heading and at least one row",
                got="a heading alone",
                remedy="Add the rows.",
            )
        )
    cells = [row for _, row in kept]
    return PrintedTable(
        columns=columns,
        rows=tuple(cells),
        line_of_row=tuple(line for line, _ in kept),
        decimal=decimal or _decimal_mark(cells, path, findings),
        findings=tuple(findings),
    )


def _bytes(path: Path) -> bytes:
    try:
        size = path.stat().st_size
        if size <= LARGEST_FILE_BYTES:
            return path.read_bytes()
    except OSError as error:
        raise UsageError(
            expected(
                str(path),
                rule="a file with a table",
                got=error.strerror or "no readable file",
                remedy="Check the path.",
            )
        ) from error
    raise UsageError(
        expected(
            str(path),
            rule=f"a file of at most {LARGEST_FILE_BYTES:,} bytes",
            got=f"{size:,} bytes",
            remedy="Take the part of the table that is asked about.",
        )
    )


def _decoded(data: bytes, path: Path) -> tuple[str, list[Finding]]:
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return data.decode("utf-16", errors="replace"), []
    try:
        return data.decode("utf-8-sig"), []
    except UnicodeDecodeError:
        finding = Finding(
            severity=Severity.INFO,
            code="not-utf-8",
            where=str(path),
            evidence="the file is not in UTF-8; it was read as Windows-1252",
            effect="names may hold wrong letters; numbers do not",
            remedy="Save it as UTF-8.",
        )
        return data.decode("cp1252", errors="replace"), [finding]


# ---------------------------------------------------------------- what all forms share


def _columns(header: Sequence[str], path: Path, findings: list[Finding]) -> tuple[str, ...]:
    if len(header) > MOST_COLUMNS:
        raise too_large(path)
    plain = [without_markup(name) for name in header]
    while len(plain) > 1 and not plain[-1]:
        plain.pop()
    given = [name or f"column {place}" for place, name in enumerate(plain, 1)]
    names: list[str] = []
    for name in given:
        count = 1
        unique = name
        while unique in names:
            count += 1
            unique = f"{name} ({count})"
        names.append(unique)
    twice = [name for name, n in Counter(given).items() if n > 1]
    if twice:
        findings.append(
            Finding(
                severity=Severity.WARNING,
                code="duplicate-heading",
                where=str(path),
                evidence="columns of one name: " + ", ".join(repr(name) for name in twice),
                effect="the second is called 'NAME (2)' here",
                remedy="Give every column a name of its own.",
                count=len(twice),
            )
        )
    return tuple(names)


def _whole_rows(
    rows: Sequence[Record], width: int, path: Path, findings: list[Finding]
) -> Iterator[tuple[int, tuple[str, ...]]]:
    blank: list[int] = []
    short: list[int] = []
    for line, cells in rows:
        if not any(cells):
            blank.append(line)
            continue
        if any(cells[width:]):
            raise UsageError(
                expected(
                    f"{path}, line {line}",
                    rule=f"{width} cells, as many as there are headings",
                    got=f"{len(cells)} cells",
                    remedy="Quote a cell that holds the character between cells, such as a "
                    "decimal comma.",
                )
            )
        if len(cells) < width:
            short.append(line)
        yield line, (*cells[:width], *("" for _ in range(width - len(cells))))
    if blank:
        findings.append(
            _lines_finding(
                path, blank, code="blank-row", severity=Severity.INFO, what="blank", effect=""
            )
        )
    if short:
        findings.append(
            _lines_finding(
                path,
                short,
                code="short-row",
                severity=Severity.WARNING,
                what=f"shorter than the {width} headings",
                effect="the cells at their end are taken as empty",
            )
        )


def _lines_finding(
    path: Path, lines: Sequence[int], *, code: str, severity: Severity, what: str, effect: str
) -> Finding:
    shown = ", ".join(str(line) for line in lines[:10]) + (", …" if len(lines) > 10 else "")
    return Finding(
        severity=severity,
        code=code,
        where=str(path),
        evidence=f"line {shown}: {what}" if len(lines) == 1 else f"lines {shown}: {what}",
        effect=effect,
        count=len(lines),
    )


def _decimal_mark(
    rows: Sequence[tuple[str, ...]], path: Path, findings: list[Finding]
) -> DecimalMark:
    """Find the decimal mark: ``0,5`` can only have a comma, ``1,234`` may be thousands."""
    comma: list[str] = []
    point: list[str] = []
    maybe_point = 0
    for cell in _some_cells(rows):
        commas, points = _WITH_COMMA.findall(cell), _WITH_POINT.findall(cell)
        comma += [each for each in commas if not _GROUPED.fullmatch(each)]
        sure = [each for each in points if not _GROUPED.fullmatch(each)]
        point += sure
        maybe_point += len(points) - len(sure)
    if not comma:
        return "."
    decimal: DecimalMark = "," if len(comma) > len(point) else "."
    if point:
        odd = point if decimal == "," else comma
        findings.append(
            Finding(
                severity=Severity.WARNING,
                code="mixed-decimal-marks",
                where=str(path),
                evidence=f"{len(comma)} cells with a decimal comma ({comma[0]!r}), {len(point)} "
                f"with a decimal point ({point[0]!r})",
                effect=f"{len(odd)} cells cannot be read and are left out",
                remedy="Write all numbers with one mark, or name it with --decimal.",
                count=len(odd),
            )
        )
    return decimal


def _some_cells(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    seen = 0
    for row in rows:
        for cell in row:
            if cell and len(cell) <= 200:
                yield cell
                seen += 1
        if seen > _CELLS_TRIED:
            return
