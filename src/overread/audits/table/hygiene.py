"""What must be told before any arithmetic: mixed scales, cells unread, names twice."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from overread.audits.table.bold import check_bold
from overread.audits.table.flaws import Check, Flaw, flaw
from overread.audits.table.headings import share_word
from overread.audits.table.reading import Column, ReadTable
from overread.audits.wording import counted
from overread.errors import listed
from overread.records import Severity

__all__ = ["check_hygiene"]


def check_hygiene(read: ReadTable) -> Iterator[Flaw | Check]:
    """Look at names, scales, ranges and marks.

    Cells outside the range of shares are left out from here on.
    """
    yield from _names(read)
    yield from _unread(read)
    yield from _scales(read)
    yield from _two_scales(read)
    ranges = list(_ranges(read))
    read.left_out |= {cell for each in ranges for cell in each.cells}
    yield from ranges
    yield from check_bold(read)
    n_cells = sum(1 for _ in read.each())
    yield Check(
        name="cells on the scale of their column",
        tried=n_cells + len(read.left_out),
        off=len(read.left_out) + len(read.odd),
        note="each cell is read on its own scale" if read.odd else "",
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
        if column.kind not in ("number", "count", "bound"):
            continue
        odd = [
            row
            for row in read.rows
            if (number := read.numbers[row][column.place]).value is None
            and (column.kind != "bound" or number.low is None)
            and not number.is_missing
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
    """Tell once of all shares among percentages, and of percentages among shares."""
    places = {place for _, place in read.odd}
    columns = [column for column in read.value_columns if column.place in places]
    if not columns:
        return
    kinds = {column.scale for column in columns}
    other = "fractions" if kinds == {"percent"} else "percentages"
    most = "percentages" if kinds == {"percent"} else "fractions"
    told = f"{other} among {most}" if len(kinds) == 1 else "percentages and fractions in one column"
    cells = [cell for column in columns for cell in sorted(read.odd) if cell[1] == column.place]
    texts = listed(
        [
            f"{read.where(cell[0], cell[1] if len(columns) > 1 else None)}: {read.printed(*cell)}"
            for cell in cells
        ]
    )
    is_sure = all(read.odd[cell] for cell in cells)
    names = listed([column.name for column in columns])
    yield flaw(
        Severity.ERROR if is_sure else Severity.WARNING,
        "mixed-scale",
        f"column {names}" if len(columns) == 1 else f"columns {names}",
        f"{told}{'' if is_sure else ', as it seems'}: {texts}",
        cells=cells,
        effect="who computes with such a cell is off by a factor of 100; here each cell is read on "
        "its own scale",
        remedy="Write the column on one scale.",
        count=len(cells),
    )


def _two_scales(read: ReadTable) -> Iterator[Flaw]:
    """Tell of columns of one measure of which one is in percent and another in fractions."""
    found: defaultdict[str, list[Column]] = defaultdict(list)
    for column in read.value_columns:
        if column.is_share and column.scale != "other" and (word := share_word(column.name)):
            found[word].append(column)
    for columns in found.values():
        kinds = {column.scale for column in columns}
        if len(kinds) < 2:
            continue
        named = {
            scale: listed([column.name for column in columns if column.scale == scale])
            for scale in ("percent", "fraction")
        }
        yield flaw(
            Severity.INFO,
            "mixed-scale",
            read.label,
            f"in percent: {named['percent']}; as fractions: {named['fraction']}",
            effect="one measure on two scales is read wrongly at a glance; here each column is "
            "read on its own",
            remedy="Write one measure on one scale.",
        )


def _ranges(read: ReadTable) -> Iterator[Flaw]:
    for row, column, number in read.each():
        whole = read.whole_of(row, column.place)
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
