"""Columns whose headings say what nobody claimed: counts behind a share, ends of an interval.

Headings alone are not believed: a number of items has to give the printed shares, and an interval
has to hold its value, in most rows.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from overread.audits.table.headings import (
    interval_heading,
    is_accuracy,
    is_how_many,
    is_right,
    is_total_row,
)
from overread.audits.table.spans import Span, span_of_digits
from overread.audits.table.whole_counts import chance_of_fit, how_possible
from overread.store.printed_number import PrintedNumber

if TYPE_CHECKING:
    from overread.audits.table.reading import Column, ReadTable

__all__ = [
    "CountedShare",
    "Inferred",
    "InferredInterval",
    "counts_give",
    "ends_of",
    "infer_columns",
    "is_borne_out",
    "rows_with_counts",
]

_MOST: Final = 0.6
_BY_CHANCE: Final = 0.02
_SHORTEST_STEM: Final = 3
_PLAIN: Final = ("n", "items", "questions", "n questions", "# questions", "n items", "# items")


@dataclass(frozen=True, slots=True, kw_only=True)
class CountedShare:
    """A share with the columns of its counts."""

    share: int
    n: int | None
    """The column of how many items; None where only a claim says it."""
    right: int | None
    """The column of how many are right."""
    fitting: int
    """Rows whose printed share the counts give."""
    tried: int
    is_shown: bool
    """Whether so many fits are no chance."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InferredInterval:
    """Columns of a value and of both ends of its interval; one column may hold both ends."""

    value: int
    low: int
    high: int
    level: float
    says_interval: bool
    """Whether headings say that it is one: a confidence interval, or ends of the value by name."""
    factor: Fraction
    """What ends are multiplied by: 100 where they are fractions of a percentage."""
    fitting: int
    tried: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Inferred:
    """What headings say, as far as the cells bear it out."""

    shares: tuple[CountedShare, ...] = ()
    intervals: tuple[InferredInterval, ...] = ()
    n_columns: Mapping[int, int] = field(default_factory=dict[int, int])
    """Share column → column of how many items, where the cells bear it out."""


def infer_columns(read: ReadTable) -> Inferred:
    """Read what the headings say, and keep what most rows bear out."""
    shares = tuple(_counted_shares(read))
    return Inferred(
        shares=shares,
        intervals=tuple(_intervals(read)),
        n_columns={
            each.share: each.n for each in shares if each.n is not None and is_borne_out(each)
        },
    )


def is_borne_out(each: CountedShare) -> bool:
    """Tell whether the counts give most of the shares beside them."""
    return each.fitting >= max(1.0, _MOST * each.tried)


# ---------------------------------------------------------------- counts


def _counted_shares(read: ReadTable) -> Iterator[CountedShare]:
    """Give each accuracy with the counts that fit it best."""
    counts = [column for column in read.columns if column.kind == "count"]
    rights = [column for column in counts if is_right(column.name)]
    wholes = [column for column in counts if is_how_many(column.name)]
    accuracies = [
        column
        for column in read.columns
        if column.kind == "number" and column.scale != "other" and is_accuracy(column.name)
    ]
    taken: set[int] = set()
    for share in accuracies:
        found = [
            trial
            for right in rights
            if right.place not in taken
            for n in (*wholes, None)
            if (trial := _with_right(read, share, n, right)) is not None
        ]
        if found:
            best = max(found, key=lambda each: each.fitting)
            # A k may be anything; who writes "correct" means it.
            is_plain = read.columns[best.right or 0].name.casefold() not in ("k", "hits")
            if best.fitting * 2 > best.tried or (len(accuracies) == 1 and is_plain):
                taken.add(best.right or 0)
                yield best
                continue
        alone = [trial for n in wholes if (trial := _with_n(read, share, n)) is not None]
        if alone:
            yield max(alone, key=lambda each: (is_borne_out(each), -each.n if each.n else 0))


def _whole_number(number: PrintedNumber | None) -> int | None:
    """Give a cell's whole number of 0 or more; None where it is none."""
    if number is None or number.exact is None or number.exact < 0:
        return None
    return int(number.exact) if number.exact == int(number.exact) else None


def rows_with_counts(
    read: ReadTable, share: int, n: int | None, right: int
) -> Iterator[tuple[int, int, int]]:
    """Give row, right and all of the rows that have a share and both counts."""
    for row in read.rows:
        total = read.n_of(row, share) if n is None else _whole_number(read.numbers[row][n])
        count = _whole_number(read.numbers[row][right])
        if total and count is not None and read.number(row, share) is not None:
            yield row, count, total


def _with_right(
    read: ReadTable, share: Column, n: Column | None, right: Column
) -> CountedShare | None:
    place = None if n is None else n.place
    rows = [
        each
        for each in rows_with_counts(read, share.place, place, right.place)
        if not is_total_row(read.row_names[each[0]])
    ]
    if not rows:
        return None
    fitting = sum(counts_give(read, row, share.place, count, total) for row, count, total in rows)
    return CountedShare(
        share=share.place,
        n=place,
        right=right.place,
        fitting=fitting,
        tried=len(rows),
        is_shown=fitting > 0,
    )


def counts_give(read: ReadTable, row: int, share: int, count: int, n: int) -> bool:
    """Tell whether a count of items gives the share printed in a cell, rounded or cut."""
    number = read.number(row, share)
    whole = read.whole_of(row, share)
    if number is None or number.exact is None or whole is None:
        return False
    value, step = Fraction(number.exact), Fraction(10) ** -number.decimals
    given = Fraction(count * whole, n)
    return value - step / 2 <= given <= value + step / 2 or value <= given < value + step


def _with_n(read: ReadTable, share: Column, n: Column) -> CountedShare | None:
    """Try a column of counts alone: whole counts of it have to give the shares."""
    fitting = tried = 0
    chances: list[float] = []
    for row in read.rows:
        number, total = read.number(row, share.place), _whole_number(read.numbers[row][n.place])
        whole = read.whole_of(row, share.place)
        if number is None or number.exact is None or not total or whole is None:
            continue
        if is_total_row(read.row_names[row]) or number.count is not None:
            continue
        tried += 1
        fitting += how_possible(Fraction(number.exact), number.decimals, total, whole) != "none"
        chances.append(chance_of_fit(number.decimals, total, whole))
    if not tried:
        return None
    chance = sum(chances) / tried
    is_shown = fitting > 0 and math.comb(tried, fitting) * chance**fitting < _BY_CHANCE
    if not is_shown and n.name.strip().casefold() not in _PLAIN:
        return None
    return CountedShare(
        share=share.place,
        n=n.place,
        right=None,
        fitting=fitting,
        tried=tried,
        is_shown=is_shown,
    )


# ---------------------------------------------------------------- intervals


def _intervals(read: ReadTable) -> Iterator[InferredInterval]:
    spoken = {
        read.table.column(each.value, argument="interval.value")
        for each in read.claims.intervals
        if each.low is not None
    }
    for low, high in _ends(read):
        value = _value_beside(read, low, high)
        if value is None or value.place in spoken:
            continue
        headings = [interval_heading(read.table.columns[place]) for place in (low, high)]
        levels = [each.level for each in headings if each and each.level is not None]
        factor, fitting, tried = _best_factor(read, value.place, low, high)
        # Where not even half of the values lie within, the columns are something else.
        if fitting * 2 < tried or not fitting:
            continue
        yield InferredInterval(
            value=value.place,
            low=low,
            high=high,
            level=levels[0] if levels else 0.95,
            says_interval=any(each.says_interval or each.stem for each in headings if each),
            factor=factor,
            fitting=fitting,
            tried=tried,
        )


def _ends(read: ReadTable) -> Iterator[tuple[int, int]]:
    """Give the places of both ends: two columns with the same rest of a heading, or one column."""
    headings = {
        place: heading
        for place, name in enumerate(read.table.columns)
        if (heading := interval_heading(name)) is not None and place not in read.name_columns
    }
    used: set[int] = set()
    for place, heading in headings.items():
        if heading.end == "both":
            cells = [row[place] for row in read.numbers]
            held = sum(cell.value is None and cell.low is not None for cell in cells)
            if held * 2 > sum(not cell.is_missing for cell in cells):
                yield place, place
        elif heading.end == "low" and read.columns[place].kind == "number":
            for other, partner in headings.items():
                # Lobes are upper and lower as well; ends stand side by side, the lower one first.
                beside = other == place + 1 or (partner.says_interval and abs(other - place) <= 2)
                if (
                    partner.end == "high"
                    and other not in used
                    and beside
                    and read.columns[other].kind == "number"
                    and partner.stem.casefold() == heading.stem.casefold()
                ):
                    used.add(other)
                    yield place, other
                    break


def _value_beside(read: ReadTable, low: int, high: int) -> Column | None:
    """Give the column that an interval is of: the one its heading names, or the one before it."""
    heading = interval_heading(read.table.columns[low])
    values = [
        column
        for column in read.columns
        if column.kind == "number" and interval_heading(column.name) is None
    ]
    if heading is not None and heading.stem:
        named = [column for column in values if _names(heading.stem, column.name)]
        if named:
            return named[0]
        if not heading.says_interval:
            return None  # low-grade and high-grade, upper lobe and lower lobe
    before = [column for column in values if column.place < min(low, high)]
    return before[-1] if before else (values[0] if values else None)


def _names(stem: str, name: str) -> bool:
    """Tell whether the rest of a heading is the name of a column, or its beginning: acc."""
    short, whole = _plain(stem), _plain(name)
    return short == whole or (len(short) >= _SHORTEST_STEM and whole.startswith(short))


def _plain(name: str) -> str:
    return "".join(sign for sign in name.casefold() if sign.isalnum())


def _best_factor(read: ReadTable, value: int, low: int, high: int) -> tuple[Fraction, int, int]:
    """Give what ends are multiplied by to stand on their value's scale, with rows that then fit."""
    tried: list[tuple[Fraction, int, int]] = []
    for factor in (Fraction(1), Fraction(100), Fraction(1, 100)):
        held = [
            ends[0].low <= middle.high and middle.low <= ends[1].high
            for row in read.rows
            if (middle := read.span(row, (value, "value"))) is not None
            and (ends := ends_of(read, row, low, high, factor)) is not None
        ]
        tried.append((factor, sum(held), len(held)))
    return max(tried, key=lambda each: each[1])


def ends_of(
    read: ReadTable, row: int, low: int, high: int, factor: Fraction
) -> tuple[Span, Span] | None:
    """Read both ends of a row's interval; None where one is missing."""
    if low == high:
        digits = read.numbers[row][low].interval_digits
        if digits is None:
            return None
        ends = [span_of_digits(each, len(each.partition(".")[2]), read.rounding) for each in digits]
    else:
        found = [read.span(row, (place, "value")) for place in (low, high)]
        ends = [each for each in found if each is not None]
    if len(ends) < 2:
        return None
    return ends[0].scaled(factor), ends[1].scaled(factor)
