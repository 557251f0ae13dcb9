"""Parts the text of a file into rows of cells: delimited text, Markdown pipe tables, JSON rows."""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeAlias, cast

from overread.errors import UsageError, expected
from overread.records import Finding, Severity

__all__ = [
    "MOST_CELLS",
    "MOST_COLUMNS",
    "delimited_records",
    "json_records",
    "markdown_records",
    "too_large",
]

Record: TypeAlias = tuple[int, list[str]]
"""Line, from 1, and cells."""

MOST_COLUMNS: Final = 2_000
MOST_CELLS: Final = 20_000_000
_DELIMITERS: Final = ("\t", ";", "|", ",")
"""Of two that part the rows alike, the first: a comma may be a decimal mark or stand in a name."""
_RULE: Final = re.compile(r"[|:\- ]*-[|:\- ]*")


def delimited_records(text: str, path: Path) -> list[Record]:
    """Part text at commas, semicolons, tabs or bars. UsageError for a broken quote or no row."""
    delimiter = _delimiter(text)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    records: list[Record] = []
    before = 0
    n_cells = 0
    try:
        for row in reader:
            records.append((before + 1, [cell.strip() for cell in row]))
            n_cells += len(row)
            before = reader.line_num
            if n_cells > MOST_CELLS:
                raise too_large(path)
    except csv.Error as error:
        raise UsageError(
            expected(
                f"{path}, line {reader.line_num}",
                rule="a row of cells",
                got=str(error),
                remedy="Check the quotes in this row.",
            )
        ) from error
    while records and not any(records[0][1]):
        records.pop(0)
    if delimiter == "|":
        records = [(line, cells) for line, cells in records if not _RULE.fullmatch("|".join(cells))]
        records = _without_outer_bars(records)
    return _some(records, path)


def _delimiter(text: str) -> str:
    """Choose what parts the heading into most cells and stands in the next rows as often."""
    lines = [line for line in text[:100_000].split("\n")[:40] if line.strip()][:20]
    bare = [re.sub(r'"[^"]*"', "", line) for line in lines] or [""]
    return max(
        _DELIMITERS,
        key=lambda mark: (min(line.count(mark) for line in bare[:2]), bare[0].count(mark)),
    )


def _without_outer_bars(records: list[Record]) -> list[Record]:
    filled = [cells for _, cells in records if any(cells)]
    if all(cells[0] == "" for cells in filled) and all(cells[-1] == "" for cells in filled):
        return [(line, cells[1:-1]) for line, cells in records]
    return records


def markdown_records(text: str, path: Path, *, table: int, findings: list[Finding]) -> list[Record]:
    """Give one pipe table: a line with bars, a rule of dashes, and the lines with bars below."""
    lines = text.split("\n")
    heads = [
        place
        for place, line in enumerate(lines[1:])
        if "|" in lines[place] and "-" in line and _is_rule(line, lines[place])
    ]
    if not 1 <= table <= len(heads):
        raise UsageError(
            expected(
                str(path),
                rule="a pipe table" if table == 1 else f"at least {table} pipe tables",
                got=f"{len(heads)} of them",
                remedy="A table has a rule of dashes (|---|---|) below its headings.",
            )
        )
    if len(heads) > 1:
        findings.append(
            Finding(
                severity=Severity.INFO,
                code="several-tables",
                where=str(path),
                evidence=f"{len(heads)} tables; number {table} was read, from line "
                f"{heads[table - 1] + 1}",
                remedy="Name another one with --table.",
            )
        )
    start = heads[table - 1]
    records = [(start + 1, _bars(lines[start]))]
    for place in range(start + 2, len(lines)):
        if "|" not in lines[place]:
            break
        records.append((place + 1, _bars(lines[place])))
    return records


def _is_rule(line: str, heading: str) -> bool:
    return (
        len(line) <= 100_000
        and all(re.fullmatch(r":?-+:?", cell) for cell in _bars(line))
        and len(_bars(line)) == len(_bars(heading))
    )


def _bars(line: str) -> list[str]:
    r"""Part a line at its bars; ``\|`` is a bar within a cell."""
    body = line.strip()
    body = body.removeprefix("|")
    if body.endswith("|") and not body.endswith("\\|"):
        body = body[:-1]
    return [cell.replace("\\|", "|").strip() for cell in re.split(r"(?<!\\)\|", body)]


def json_records(text: str, path: Path, *, lines: bool) -> list[Record]:
    """Read JSON rows, of JSON Lines where `lines`, numbers as the digits that stand there."""
    if lines:
        numbered = [(n, line) for n, line in enumerate(text.split("\n"), 1) if line.strip()]
        rows = [(n, _parsed(line, f"{path}, line {n}")) for n, line in numbered]
    else:
        whole = _parsed(text, str(path))
        rows = list(enumerate(_row_list(whole, path), 1))
    names: dict[str, None] = {}
    for _, row in rows:
        if isinstance(row, Mapping):
            names.update(dict.fromkeys(cast("Mapping[str, Any]", row)))
    if rows and all(isinstance(row, list) for _, row in rows):
        return [(n, _json_cells(cast("list[Any]", row))) for n, row in rows]
    for n, row in rows:
        if not isinstance(row, Mapping):
            raise UsageError(
                expected(
                    f"{path}, row {n}",
                    rule="an object with a value for each column",
                    got=type(row).__name__,
                    remedy="Write every row in the same form.",
                )
            )
    if len(names) > MOST_COLUMNS or len(names) * len(rows) > MOST_CELLS:
        raise too_large(path)
    records = [(0, list(names))]
    for n, row in rows:
        values = cast("Mapping[str, Any]", row)
        records.append((n, _json_cells([values.get(name) for name in names])))
    return _some(records if names else [], path)


def _row_list(value: Any, path: Path) -> list[Any]:
    if isinstance(value, Mapping):
        table = cast("Mapping[str, Any]", value)
        columns, rows = table.get("columns"), table.get("rows")
        if isinstance(columns, list) and isinstance(rows, list):
            return [columns, *cast("list[Any]", rows)]
        lists: list[Any] = [each for each in table.values() if isinstance(each, list)]
        if len(lists) == 1:
            return lists[0]
    if isinstance(value, list):
        return cast("list[Any]", value)
    raise UsageError(
        expected(
            str(path),
            rule="a list of rows",
            got="something else",
            remedy='Write [{"model": "…", "accuracy": "…"}, …].',
        )
    )


def _parsed(text: str, where: str) -> Any:
    """Parse JSON with every number as the digits that stand there."""

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            twice = [name for name, n in Counter(name for name, _ in pairs).items() if n > 1]
            raise ValueError(f"the name {twice[0]!r} twice in one object")
        return found

    try:
        return json.loads(
            text,
            parse_float=str,
            parse_int=str,
            parse_constant=str,
            object_pairs_hook=unique,
        )
    except (ValueError, RecursionError) as error:
        raise UsageError(
            expected(
                where,
                rule="JSON rows",
                got=str(error) or type(error).__name__,
                remedy="Write one object a row.",
            )
        ) from error


def _json_cells(values: Sequence[Any]) -> list[str]:
    return ["" if value is None else _json_cell(value) for value in values]


def _json_cell(value: Any) -> str:
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, bool):
        return "true" if value else "false"
    return json.dumps(value, ensure_ascii=False)


def _some(records: list[Record], path: Path) -> list[Record]:
    if records:
        return records
    raise UsageError(
        expected(
            str(path),
            rule="a table with a heading and at least one row",
            got="an empty file",
            remedy="Add the rows.",
        )
    )


def too_large(path: Path) -> UsageError:
    """Word the refusal of a table that is too large."""
    return UsageError(
        expected(
            str(path),
            rule=f"at most {MOST_COLUMNS:,} columns and {MOST_CELLS:,} cells",
            got="more",
            remedy="Take the part of the table that is asked about.",
        )
    )
