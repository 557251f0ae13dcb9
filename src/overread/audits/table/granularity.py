"""Shares that no whole count can give for the number of items behind them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Literal

from overread.audits.table.flaws import Check, Flaw, flaw
from overread.audits.table.reading import Column, ReadTable
from overread.audits.table.spans import Rounding, show, step_of
from overread.records import Severity
from overread.store.printed_number import PrintedNumber

__all__ = ["check_granularity", "how_possible", "nearest_counts"]


def how_possible(
    value: Fraction, decimals: int, n: int, whole: int
) -> Literal["nearest", "truncated", "none"]:
    """Say how a share can come from a whole count: by rounding, only by cutting digits, or not.

    Parameters
    ----------
    value
        The printed share.
    decimals
        Its digits after the decimal mark.
    n
        How many items it is a share of, at least 1.
    whole
        What all of them are printed as: 100 or 1.

    Returns
    -------
    str
        ``nearest`` when a count of 0 to `n` rounds to it, halves up, to even or down; else
        ``truncated`` when cutting digits off a share gives it; else ``none``.

    Examples
    --------
    >>> how_possible(Fraction("24.5"), 1, 100, 100)
    'none'
    >>> how_possible(Fraction("66.6"), 1, 3, 100)
    'truncated'
    """
    step = step_of(decimals)
    if _has_count(value - step / 2, value + step / 2, n, whole):
        return "nearest"
    # The next higher printed value is not reached by truncation: its end is left out.
    low = math.ceil(value * n / whole)
    if 0 <= low <= n and Fraction(low * whole, n) < value + step:
        return "truncated"
    return "none"


def nearest_counts(value: Fraction, n: int, whole: int) -> tuple[int, ...]:
    """Give the counts just below and above a share, within 0 to `n`."""
    below = math.floor(value * n / whole)
    return tuple(count for count in (below, below + 1) if 0 <= count <= n)


def _has_count(low: Fraction, high: Fraction, n: int, whole: int) -> bool:
    first = max(0, math.ceil(low * n / whole))
    return first <= n and Fraction(first * whole, n) <= high


def check_granularity(read: ReadTable) -> Iterator[Flaw | Check]:
    """Try every share with a known number of items behind it."""
    tried = off = 0
    coarse: list[tuple[int, Column]] = []
    cut: list[tuple[int, Column]] = []
    only_rounded = False
    for row, column, number in read.each():
        n = read.n_of(row, column.place)
        if n is None or column.scale == "other" or number.exact is None or number.count is not None:
            continue
        whole = 100 if column.scale == "percent" else 1
        value = Fraction(number.exact)
        if not 0 <= value <= whole:
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
            yield _impossible(read, row, column, number, n, whole)
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
    read: ReadTable, row: int, column: Column, number: PrintedNumber, n: int, whole: int
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
        f"{read.printed(row, column.place)} of {counts}: the nearest that can be is {near}",
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
    """Compare a share with the count printed beside it: ``28.4 (540/1900)``."""
    for row, column, number in read.each():
        if number.count is None or not number.n or number.decimals == 28:
            continue
        whole = 100 if column.scale == "percent" else 1
        share = Fraction(number.count * whole, number.n)
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
                f"{number.count} of {number.n} is {show(share, number.decimals + 1)}, printed "
                f"{read.printed(row, column.place)}",
                cells=[(row, column.place)],
                effect="the share and the count are of different answers",
                remedy="Keep the count: an interval can be made from it.",
            )
