"""Shares that no whole count can give for the number of items behind them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

from overread.audits.table.flaws import Check, Flaw, flaw
from overread.audits.table.headings import is_total_row
from overread.audits.table.reading import Column, ReadTable
from overread.audits.table.scales import is_fraction
from overread.audits.table.spans import Rounding, show, step_of
from overread.audits.table.whole_counts import how_possible, nearest_counts
from overread.records import Severity
from overread.store.printed_number import PrintedNumber

__all__ = ["check_granularity", "how_possible", "nearest_counts"]


def check_granularity(read: ReadTable) -> Iterator[Flaw | Check]:
    """Try every share with a known number of items behind it."""
    tried = off = 0
    coarse: list[tuple[int, Column]] = []
    cut: list[tuple[int, Column]] = []
    only_rounded = False
    for row, column, number in read.each():
        n, whole = read.n_of(row, column.place), read.whole_of(row, column.place)
        if n is None or whole is None or number.exact is None or number.count is not None:
            continue
        value = Fraction(number.exact)
        if not 0 <= value <= whole or _is_perhaps_count(read, column):
            continue
        inferred = _inferred(read, row, column)
        if inferred is None:
            continue
        if n >= whole / step_of(number.decimals):
            coarse.append((row, column))
            continue
        tried += 1
        how = how_possible(value, number.decimals, n, whole)
        only_rounded |= how == "nearest" and not _is_cut(value, number.decimals, n, whole)
        if how == "truncated" and read.rounding == "nearest":
            cut.append((row, column))
        elif how == "none":
            off += 1
            yield _impossible(read, row, column, number, n, whole, inferred)
    if cut:
        off += len(cut) if only_rounded else 0
        yield _truncated(read, cut, mixed=only_rounded)
    yield from _counts_beside(read)
    yield Check(
        name="shares against the number of items",
        tried=tried,
        off=off,
        note=_note(tried, off, len(coarse)),
    )


def _is_perhaps_count(read: ReadTable, column: Column) -> bool:
    """Tell whether whole numbers of an unclear name may be counts: other columns have decimals.

    Where all columns hold whole numbers they may all be whole percentages.
    """
    if column.is_share or column.decimals > 0 or column.name in read.claims.n.columns:
        return False
    whole = all(read.numbers[row][column.place].decimals <= 0 for row in read.rows)
    return whole and any(each.decimals > 0 for each in read.value_columns)


def _inferred(read: ReadTable, row: int, column: Column) -> str | None:
    """Say from where the number of items is inferred; empty where it is known.

    None where the row is a mean or a total of others, for a mean of shares is no share, and where
    so many shares might fit by chance.
    """
    if not read.is_n_inferred(row, column.place):
        return ""
    each = next(each for each in read.inferred.shares if each.share == column.place)
    if is_total_row(read.row_names[row]) or not each.is_shown:
        return None
    name = read.table.columns[read.inferred.n_columns[column.place]]
    return f" (inferred: column {name} counts its items; fits {each.fitting} of {each.tried} rows)"


def _note(tried: int, off: int, coarse: int) -> str:
    if off * 2 > tried and tried > 1:
        return (
            "most do not fit: another number of items stands behind them than is claimed, or they "
            "are means over runs"
        )
    if coarse:
        return f"{coarse} further cells have so many items that every printed value is possible"
    return "" if tried else "nothing says how many items stand behind a cell: state it with --n"


def _is_cut(value: Fraction, decimals: int, n: int, whole: int) -> bool:
    low = math.ceil(value * n / whole)
    return low <= n and Fraction(low * whole, n) < value + step_of(decimals)


def _impossible(
    read: ReadTable,
    row: int,
    column: Column,
    number: PrintedNumber,
    n: int,
    whole: int,
    inferred: str,
) -> Flaw:
    decimals = max(number.decimals, 1)
    value = Fraction(number.exact or 0)
    near = " or ".join(
        f"{count} of {n} = {show(Fraction(count * whole, n), decimals + (n > 1000))}"
        for count in nearest_counts(value, n, whole)
    )
    counts = f"{n:,} items" if read.claims.n.runs == 1 else f"{n:,} answers over all runs"
    return flaw(
        Severity.ERROR,
        "impossible-share",
        read.where(row, column.place),
        f"{read.printed(row, column.place)} of {counts}: the nearest that can be is {near}"
        + inferred,
        cells=[(row, column.place)],
        effect="no whole count gives this number, rounded or cut: it comes from other items, "
        "from partial credit, from several runs, or from another cell",
        remedy="Print the count. If cells are means over runs, say so (--runs).",
        group=f"column {column.name}",
    )


def _truncated(read: ReadTable, cells: list[tuple[int, Column]], *, mixed: bool) -> Flaw:
    shown = "; ".join(
        f"{read.where(row, column.place)}: {read.printed(row, column.place)}"
        for row, column in cells[:6]
    )
    return flaw(
        Severity.WARNING if mixed else Severity.INFO,
        "truncated-shares",
        read.label,
        f"{shown}: digits were cut off, not rounded"
        + (", while other cells are rounded" if mixed else ""),
        cells=[(row, column.place) for row, column in cells],
        effect="up to one unit of the last digit is lost" if mixed else "",
        remedy="Round every cell in one way.",
        count=len(cells),
    )


def _counts_beside(read: ReadTable) -> Iterator[Flaw]:
    """Compare a share with the counts in its cell: ``28.4 (540/1900)``, ``540/1900 (28.4 %)``."""
    for row, column, number in read.each():
        n = read.n_of(row, column.place)
        if number.count is None or not n or is_fraction(number):
            continue
        # A sign, or digits beyond 1, say which scale the cell is on, whatever its column is.
        is_percent = number.is_percent or (number.value or 0) > 1
        whole = 100 if is_percent else (read.whole_of(row, column.place) or 1)
        share = Fraction(number.count * whole, n)
        step = step_of(number.decimals)
        value = Fraction(number.exact or 0)
        allowed: Rounding = read.rounding
        low, high = (value - step / 2, value + step / 2)
        if allowed == "truncated":
            low, high = value, value + step
        if not low <= share <= high:
            yield flaw(
                Severity.ERROR,
                "count-off",
                read.where(row, column.place),
                f"{number.count} of {n} is {show(share, number.decimals + 1)}, printed "
                f"{read.printed(row, column.place)}",
                cells=[(row, column.place)],
                effect="the share and the count are of different answers",
                remedy="Keep the count: an interval can be made from it.",
            )
