"""Bold cells that are not the best, in a table where bold marks the best."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from overread.audits.table.flaws import Flaw, flaw
from overread.audits.table.reading import Column, ReadTable
from overread.records import Severity

__all__ = ["check_bold"]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Marked:
    """The bold cells of a column, or of a block of its rows: all print one value."""

    column: Column
    bold: tuple[int, ...]
    values: Mapping[int, float]
    """Row → value, of all rows of the block that have one."""

    @property
    def value(self) -> float:
        return self.values[self.bold[0]]

    @property
    def end(self) -> int:
        """1 for the greatest, -1 for the smallest, 0 for neither."""
        if self.value == max(self.values.values()):
            return 1
        return -1 if self.value == min(self.values.values()) else 0


def check_bold(read: ReadTable) -> Iterator[Flaw]:
    """Find a bold cell that is neither the greatest nor the smallest where bold marks the best.

    Bold marks the best where the bold cells are at an end in at least half of all columns that
    have any, and there are two such columns or more. Ties may all be bold, or one of them. Where
    a column has several bold values, blocks of rows are looked at, each with a best of its own;
    a column whose bold values no blocks explain says something else with them, and is left out.
    """
    marked = list(_all_marked(read))
    at_end = sum(each.end != 0 for each in marked)
    if len(marked) < 2 or at_end * 2 < len(marked):
        return
    for each in marked:
        if each.end == 0:
            yield _flaw(read, each, at_end, len(marked))


def _flaw(read: ReadTable, each: _Marked, at_end: int, n: int) -> Flaw:
    row, place = each.bold[0], each.column.place
    least, most = (
        next(row for row, value in each.values.items() if value == end)
        for end in (min(each.values.values()), max(each.values.values()))
    )
    ends = " and ".join(
        f"{read.printed(other, place)} ({read.row_names[other]}"
        + (", underlined)" if "underline" in read.numbers[other][place].marks else ")")
        for other in (least, most)
    )
    return flaw(
        Severity.WARNING,
        "bold-not-best",
        read.where(row, place),
        f"{read.printed(row, place)} is bold and lies between {ends}, while bold is at an end in "
        f"{at_end} of {n} columns or blocks",
        cells=[(row, place) for row in each.bold],
        effect="readers take the bold cell for the best one",
        remedy="Mark the best value, or say what bold means.",
    )


def _all_marked(read: ReadTable) -> Iterator[_Marked]:
    blocks = _blocks(read)
    for column in read.value_columns:
        whole = _marked(read, column, read.rows)
        if whole is not None:
            yield whole
            continue
        parts = [_marked(read, column, block) for block in blocks]
        if len(blocks) > 1:
            yield from (part for part in parts if part is not None)


def _marked(read: ReadTable, column: Column, rows: Sequence[int]) -> _Marked | None:
    """Give the bold cells of some rows, if they print one value and not all cells are bold."""
    values = {row: value for row in rows if (value := read.value(row, column.place)) is not None}
    bold = tuple(row for row in values if "bold" in read.numbers[row][column.place].marks)
    if not bold or len(bold) == len(values) or len({values[row] for row in bold}) > 1:
        return None
    return _Marked(column=column, bold=bold, values=values)


def _blocks(read: ReadTable) -> tuple[tuple[int, ...], ...]:
    """Part the rows at blank lines, at rows without a number, or where a repeated word changes."""
    by_gap = _parted_at_gaps(read)
    if len(by_gap) > 1:
        return by_gap
    for column in read.columns:
        if column.kind not in ("name", "text"):
            continue
        words = [read.printed(row, column.place) for row in read.rows]
        runs = sum(a != b for a, b in pairwise(words)) + 1
        if 1 < runs == len(set(words)) and min(Counter(words).values()) > 1:
            return tuple(
                tuple(row for row, word in zip(read.rows, words, strict=True) if word == each)
                for each in dict.fromkeys(words)
            )
    return by_gap


def _parted_at_gaps(read: ReadTable) -> tuple[tuple[int, ...], ...]:
    blocks: list[list[int]] = [[]]
    before: int | None = None
    for row in read.rows:
        line = read.table.line_of_row[row]
        is_title = all(number.value is None for number in read.numbers[row])
        if (is_title or (before is not None and line > before + 1)) and blocks[-1]:
            blocks.append([])
        if not is_title:
            blocks[-1].append(row)
        before = line
    return tuple(tuple(block) for block in blocks if block)
