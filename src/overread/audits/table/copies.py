"""Cells, rows and blocks that are equal to all digits where chance would not make them so."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Final

import numpy as np

from overread.audits.table.claims import Block
from overread.audits.table.flaws import Check, Flaw, flaw
from overread.audits.table.reading import Column, ReadTable
from overread.audits.table.whole_counts import how_possible
from overread.audits.wording import counted
from overread.errors import listed
from overread.records import Severity
from overread.stats.intervals import binomial_mass

__all__ = ["check_blocks", "check_copies"]

_RARE: Final = 0.02
"""A likeness is told when fewer than so many of its kind are expected by chance."""
_MOST_ROWS: Final = 500
_FEWEST_ALIKE: Final = 3
_EXTREME: Final = re.compile(
    r"best|worst|\bmin|\bmax|highest|lowest|median|\bgap\b|dispar", re.IGNORECASE
)


def check_copies(read: ReadTable) -> Iterator[Flaw | Check]:
    """Find rows of two methods, and cells of one row, that repeat each other."""
    rows, columns = read.rows[:_MOST_ROWS], read.value_columns
    chances = {column.place: _chance(read, column) for column in columns}
    n_pairs = math.comb(len(rows), 2)
    off = 0
    unlike = _said_once(read, rows, columns)
    for first, second in combinations(rows, 2):
        alike = [column for column in unlike if _same(read, first, second, column, column)]
        if len(alike) < _FEWEST_ALIKE:
            continue
        chance = math.prod(_of_value(read, first, column, chances) for column in alike)
        if n_pairs * math.comb(len(unlike), len(alike)) * chance < _RARE:
            off += 1
            yield _equal_rows(read, first, second, alike, len(unlike))
    across = list(_across(read, rows, columns, chances))
    yield from across
    yield Check(
        name="rows and cells that repeat each other",
        tried=n_pairs,
        off=off + len(across),
        note=f"only the first {_MOST_ROWS} rows" if len(read.rows) > _MOST_ROWS else "",
    )


def _said_once(
    read: ReadTable, rows: Sequence[int], columns: Sequence[Column]
) -> tuple[Column, ...]:
    """Leave out columns that say what others say: in every row, as ``45/60`` does, or the best.

    Two rows that are alike in one of them are alike in the other, whatever chance does.
    """
    kept: list[Column] = []
    for column in columns:
        if _EXTREME.search(column.name):
            continue
        if not any(_says_the_same(read, rows, column, each) for each in kept):
            kept.append(column)
    return tuple(kept)


def _says_the_same(read: ReadTable, rows: Sequence[int], one: Column, two: Column) -> bool:
    if "other" in (one.scale, two.scale):
        return False
    wholes = [Fraction(1, 100 if column.scale == "percent" else 1) for column in (one, two)]
    for row in rows:
        spans = [read.span(row, (column.place, "value")) for column in (one, two)]
        first, second = spans
        if first is None or second is None:
            return False
        if not first.scaled(wholes[0]).meets(second.scaled(wholes[1])):
            return False
    # Columns equal to all digits are a finding of their own.
    pairs = [(read.numbers[row][one.place], read.numbers[row][two.place]) for row in rows]
    return any((a.digits, a.n) != (b.digits, b.n) for a, b in pairs)


def _same(read: ReadTable, row: int, other_row: int, column: Column, other: Column) -> bool:
    a, b = read.number(row, column.place), read.number(other_row, other.place)
    if a is None or b is None or a.spread != b.spread or (a.count, a.n) != (b.count, b.n):
        return False
    return a.digits == b.digits


def _chance(read: ReadTable, column: Column) -> float:
    """Estimate how often two unlike cells of a column print the same digits.

    One over the number of printed values within the middle half of the column, doubled: coarse,
    and on the safe side for values that crowd in the middle. Where the number of items is known, as
    of ``45/60``, a column has no more values than it gives.
    """
    values = [value for row in read.rows if (value := read.value(row, column.place)) is not None]
    if len(values) < 3:
        return 1.0
    low, high = np.quantile(values, [0.25, 0.75])
    whole = 100.0 if column.scale == "percent" else 1.0
    steps = 10.0**column.decimals
    behind = [n for row in read.rows if (n := read.n_of(row, column.place)) is not None]
    if behind:
        steps = min(steps, float(np.median(behind)) / whole)
    return 1.0 / max(1.0, float(high - low) * steps)


def _of_value(read: ReadTable, row: int, column: Column, chances: dict[int, float]) -> float:
    """Give the chance that another row prints this very cell: frequent cells tell nothing."""
    digits = read.numbers[row][column.place].digits
    n = sum(read.numbers[each][column.place].digits == digits for each in read.rows)
    return max(chances[column.place], (n - 2) / len(read.rows)) if n > 2 else chances[column.place]


def _equal_rows(
    read: ReadTable, first: int, second: int, alike: Sequence[Column], n_columns: int
) -> Flaw:
    names = read.row_names[first].casefold() == read.row_names[second].casefold()
    return flaw(
        Severity.WARNING,
        "repeated-row" if len(alike) == n_columns else "repeated-cells",
        f"{read.where(first)} and {read.where(second)}",
        f"{len(alike)} of {counted(n_columns, 'number')} are equal to all digits: "
        + listed([f"{each.name} {read.printed(first, each.place)}" for each in alike]),
        cells=[(row, each.place) for row in (first, second) for each in alike],
        effect="one row may have been entered twice"
        if names
        else "one of the two rows may hold the other's numbers",
        remedy="Compare both rows with their source.",
    )


def _across(
    read: ReadTable, rows: Sequence[int], columns: Sequence[Column], chances: dict[int, float]
) -> Iterator[Flaw]:
    """Find two columns that hold the same number in one row (or in many)."""
    if len(rows) < _FEWEST_ALIKE:
        return
    n_pairs = math.comb(len(columns), 2)
    for a, b in combinations(columns, 2):
        if _EXTREME.search(a.name) or _EXTREME.search(b.name):
            continue  # the best of several columns is one of them
        alike = [row for row in rows if _same(read, row, row, a, b)]
        alike = [row for row in alike if read.numbers[row][a.place].value != 0]
        chance = min(chances[a.place], chances[b.place])
        if not alike or chance == 1.0:
            continue
        if n_pairs * math.comb(len(rows), len(alike)) * chance ** len(alike) >= _RARE:
            continue
        whole = len(alike) == len(rows)
        yield flaw(
            Severity.WARNING,
            "repeated-column" if whole else "repeated-value",
            f"columns {a.name} and {b.name}",
            "all rows are equal to all digits"
            if whole
            else listed(
                [f"{read.where(row)}: {read.printed(row, a.place)} in both" for row in alike]
            ),
            cells=[(row, place) for row in alike for place in (a.place, b.place)],
            effect="one column may hold the other's numbers",
            remedy="Compare both cells with their source.",
            count=len(alike),
        )


# ---------------------------------------------------------------- blocks


def check_blocks(read: ReadTable) -> Iterator[Flaw | Check]:
    """Compare claimed blocks: the same settings on two splits should not print the same digits."""
    tried = off = 0
    for first, second in combinations(read.claims.blocks, 2):
        cells = list(_pairs(read, first, second))
        alike = [each for each in cells if _same(read, each[0], each[0], each[1], each[2])]
        tried += len(cells)
        if not alike:
            continue
        chances = [_match_chance(read, *each) for each in cells]
        impossible = [each for each in alike if _match_chance(read, *each) == 0.0]
        tail = _tail(chances, len(alike))
        if impossible or tail < _RARE:
            off += len(alike)
            yield _copied(read, first, second, alike, len(cells), sum(chances), impossible)
    if read.claims.blocks:
        yield Check(name="cells of one block against another", tried=tried, off=off)


_Pair = tuple[int, Column, Column]


def _pairs(read: ReadTable, first: Block, second: Block) -> Iterator[_Pair]:
    columns = {column.place: column for column in read.columns}
    for a, b in zip(first.columns, second.columns, strict=False):
        left, right = (read.table.column(name, argument="block.columns") for name in (a, b))
        for row in read.rows:
            if read.number(row, left) is not None and read.number(row, right) is not None:
                yield row, columns[left], columns[right]


def _match_chance(read: ReadTable, row: int, a: Column, b: Column) -> float:
    """Give the chance that the second block prints the first one's digits, if both are as good.

    The second cell is then a binomial share; 0 where no count of it prints these digits.
    """
    number, n = read.number(row, a.place), read.n_of(row, b.place)
    if number is None or number.exact is None:
        return 0.0
    whole = read.whole_of(row, b.place) or 1
    value = Fraction(number.exact)
    if n is None or not 0 <= value <= whole:
        return min(_chance(read, a), _chance(read, b))
    mass = binomial_mass(n, float(value) / whole)
    near = int(value * n / whole)
    counts = range(max(0, near - 2), min(n, near + 2) + 1)
    step = Fraction(10) ** -number.decimals
    return float(
        sum(mass[k] for k in counts if abs(Fraction(k * whole, n) - value) <= step / 2)
        if how_possible(value, number.decimals, n, whole) != "none"
        else 0.0
    )


def _tail(chances: Sequence[float], observed: int) -> float:
    """Give the probability of so many equal cells or more, if cells are independent."""
    mass = np.ones(1)
    for chance in chances:
        mass = np.convolve(mass, [1 - chance, chance])
    return float(mass[observed:].sum())


def _copied(
    read: ReadTable,
    first: Block,
    second: Block,
    alike: Sequence[_Pair],
    n: int,
    by_chance: float,
    impossible: Sequence[_Pair],
) -> Flaw:
    shown = listed(
        [f"{read.row_names[row]}, {b.name}: {read.printed(row, b.place)}" for row, _, b in alike]
    )
    return flaw(
        Severity.ERROR if impossible else Severity.WARNING,
        "copied-cells",
        f"{first.name} and {second.name}",
        f"{len(alike)} of {counted(n, 'cell')} are equal to all digits ({by_chance:.1f} by chance"
        + (f"; {len(impossible)} cannot be in {second.name} at all" if impossible else "")
        + f"): {shown}",
        cells=[(row, each.place) for row, a, b in alike for each in (a, b)],
        effect=f"cells of {second.name} may be those of {first.name}",
        remedy="Compare both with their source.",
        count=len(alike),
    )
