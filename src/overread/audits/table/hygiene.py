"""What must be told before any arithmetic: mixed scales, cells unread, names twice, bold marks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from overread.audits.table.flaws import Check, Flaw, flaw
from overread.audits.table.reading import Column, ReadTable
from overread.audits.wording import counted, listed
from overread.records import Severity
from overread.store.printed_number import PrintedNumber

__all__ = ["check_hygiene"]


def check_hygiene(read: ReadTable) -> Iterator[Flaw | Check]:
    """Look at names, scales, ranges and marks. Cells on another scale are left out from here on."""
    yield from _names(read)
    yield from _unread(read)
    scales = list(_scales(read))
    yield from scales
    ranges = list(_ranges(read))
    read.left_out |= {cell for each in ranges for cell in each.cells}
    yield from ranges
    bold = list(_bold(read))
    yield from bold
    n_cells = sum(1 for _ in read.each())
    yield Check(
        name="cells on the scale of their column",
        tried=n_cells + len(read.left_out),
        off=len(read.left_out),
    )


def _names(read: ReadTable) -> Iterator[Flaw]:
    rows_of: defaultdict[str, list[int]] = defaultdict(list)
    for row in read.rows:
        rows_of[read.row_names[row].casefold()].append(row)
    for rows in rows_of.values():
        if len(rows) < 2 or not read.name_columns:
            continue
        cells = {
            tuple(read.printed(row, column.place) for column in read.value_columns) for row in rows
        }
        other = [
            column.name
            for column in read.columns
            if column.kind == "text"
            and len({read.printed(row, column.place) for row in rows}) == len(rows)
        ]
        lines = listed([read.table.line_of_row[row] for row in rows])
        yield flaw(
            Severity.WARNING,
            "duplicate-name",
            f"{read.row_names[rows[0]]} (lines {lines})",
            f"{len(rows)} rows have this name, with "
            + ("the same numbers" if len(cells) == 1 else "different numbers"),
            cells=[(row, read.name_columns[0]) for row in rows],
            effect="a rank or a total may count one method several times",
            remedy=f"Columns {listed(other)} tell them apart: name them as --names."
            if other
            else "Give every row a name of its own.",
            count=len(rows),
        )


def _unread(read: ReadTable) -> Iterator[Flaw]:
    for column in read.columns:
        if column.kind not in ("number", "count"):
            continue
        odd = [
            row
            for row in read.rows
            if (number := read.numbers[row][column.place]).value is None and not number.is_missing
        ]
        if odd:
            texts = listed([repr(read.printed(row, column.place)) for row in odd])
            yield flaw(
                Severity.WARNING,
                "unread-cell",
                f"column {column.name}",
                f"{counted(len(odd), 'cell')} cannot be read as a number: {texts}",
                cells=[(row, column.place) for row in odd],
                effect="no check looks at them",
                remedy="Write numbers with one decimal mark; leave a cell empty where there is "
                "none.",
                count=len(odd),
            )


def _scales(read: ReadTable) -> Iterator[Flaw]:
    """Find shares among percentages and percentages among shares.

    A cell is on another scale when its sign says so, or when its value and its digits both do:
    0.613 among 61.3, where two more decimals stand for the two digits that moved.
    """
    for column in read.value_columns:
        if column.scale == "other":
            continue
        odd = [
            row
            for row in read.rows
            if (number := read.numbers[row][column.place]).value is not None
            and _is_odd(number, column)
        ]
        if not odd or len(odd) * 2 > len(read.rows):
            continue
        read.left_out |= {(row, column.place) for row in odd}
        other = "fractions" if column.scale == "percent" else "percentages"
        most = "percentages" if column.scale == "percent" else "fractions"
        texts = listed([f"{read.where(row)}: {read.printed(row, column.place)}" for row in odd])
        yield flaw(
            Severity.ERROR,
            "mixed-scale",
            f"column {column.name}",
            f"{other} among {most}: {texts}",
            cells=[(row, column.place) for row in odd],
            effect="such a cell is off by a factor of 100; other checks leave it out",
            remedy="Write the column on one scale.",
            count=len(odd),
        )


def _is_odd(number: PrintedNumber, column: Column) -> bool:
    value = number.value or 0.0
    if column.scale == "fraction":
        return value >= 2 and (number.is_percent or number.decimals <= column.decimals - 2)
    return (
        0 < value <= 1
        and not number.is_percent
        and number.decimals >= column.decimals + 2
        and number.count is None
    )


def _ranges(read: ReadTable) -> Iterator[Flaw]:
    for row, column, number in read.each():
        whole = {"percent": 100.0, "fraction": 1.0}.get(column.scale)
        value = number.value or 0.0
        if whole is None or not column.is_share or 0 <= value <= whole:
            continue
        yield flaw(
            Severity.ERROR,
            "outside-range",
            read.where(row, column.place),
            f"{read.printed(row, column.place)} is no share: 0 to {whole:g} is all there is",
            cells=[(row, column.place)],
            effect="the cell cannot be right",
            remedy="If the column holds no shares, claim scale = 'other' for it.",
            group=f"column {column.name}",
        )


def _bold(read: ReadTable) -> Iterator[Flaw]:
    """Find a bold cell that is not the best of its column, where bold marks the best elsewhere."""
    single = {
        column: row
        for column in read.value_columns
        if (row := _only_bold(read, column)) is not None
    }
    ends = {column: _end(read, column, row) for column, row in single.items()}
    if sum(end != 0 for end in ends.values()) * 2 < len(ends) or len(ends) < 2:
        return
    for column, end in ends.items():
        if end == 0:
            row = single[column]
            yield flaw(
                Severity.WARNING,
                "bold-not-best",
                read.where(row, column.place),
                f"{read.printed(row, column.place)} is the only bold cell of its column and "
                f"neither its greatest nor its smallest value ({_extremes(read, column)})",
                cells=[(row, column.place)],
                effect="readers take the bold cell for the best one",
                remedy="Mark the best value, or say what bold means.",
            )


def _only_bold(read: ReadTable, column: Column) -> int | None:
    rows = [
        row
        for row in read.rows
        if (number := read.number(row, column.place)) is not None and "bold" in number.marks
    ]
    return rows[0] if len(rows) == 1 else None


def _values(read: ReadTable, column: Column) -> Mapping[int, float]:
    found = {row: read.number(row, column.place) for row in read.rows}
    return {
        row: number.value for row, number in found.items() if number and number.value is not None
    }


def _end(read: ReadTable, column: Column, row: int) -> int:
    values = _values(read, column)
    if values[row] == max(values.values()):
        return 1
    return -1 if values[row] == min(values.values()) else 0


def _extremes(read: ReadTable, column: Column) -> str:
    values: Sequence[float] = list(_values(read, column).values())
    return f"{min(values):g} to {max(values):g}"
