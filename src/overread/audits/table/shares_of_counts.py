"""Shares that the counts in columns beside them do not give: ``n``, ``correct``, ``accuracy``."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from overread.audits.table.flaws import Check, Flaw, flaw
from overread.audits.table.headings import is_total_row
from overread.audits.table.inferred_columns import (
    CountedShare,
    counts_give,
    is_borne_out,
    rows_with_counts,
)
from overread.audits.table.reading import ReadTable
from overread.audits.table.spans import show
from overread.records import Severity

__all__ = ["check_shares_of_counts"]


def check_shares_of_counts(read: ReadTable) -> Iterator[Flaw | Check]:
    """Try every accuracy beside which a column says how many are right, and one of how many."""
    for each in read.inferred.shares:
        if each.right is None:
            yield from _of_items(read, each)
            continue
        told = _told(read, each)
        off = list(_off(read, each, told)) if is_borne_out(each) else []
        yield from off
        if not is_borne_out(each):
            yield _unlike(read, each, told)
        yield Check(
            name=f"{read.table.columns[each.share]} from its counts",
            tried=each.tried,
            off=each.tried - each.fitting,
            note=f"inferred: {told}; fits {each.fitting} of {each.tried} rows",
        )


def _of_items(read: ReadTable, each: CountedShare) -> Iterator[Check]:
    """Say which column was taken for the number of items, or why it was not."""
    if each.n is None:
        return
    name, fits = read.table.columns[each.n], f"fits {each.fitting} of {each.tried} rows"
    taken = each.share in read.inferred.n_columns
    yield Check(
        name=f"{read.table.columns[each.share]} as a share of {name}",
        tried=each.tried if taken else 0,
        off=each.tried - each.fitting if taken else 0,
        note=f"inferred: column {name} counts its items; {fits}"
        if taken
        else f"column {name} is not taken to count its items: {fits}; state them with --n",
    )


def _told(read: ReadTable, each: CountedShare) -> str:
    right, share = (read.table.columns[place] for place in (each.right or 0, each.share))
    whole = "the items" if each.n is None else read.table.columns[each.n]
    return f"{share} is {right} of {whole}"


def _off(read: ReadTable, each: CountedShare, told: str) -> Iterator[Flaw]:
    for row, count, n in rows_with_counts(read, each.share, each.n, each.right or 0):
        # A mean of shares is no share of the sums.
        if counts_give(read, row, each.share, count, n) or is_total_row(read.row_names[row]):
            continue
        whole, decimals = read.whole_of(row, each.share) or 1, read.columns[each.share].decimals
        places = [place for place in (each.n, each.right, each.share) if place is not None]
        given = show(Fraction(count * whole, n), decimals + 1)
        yield flaw(
            Severity.ERROR,
            "count-off",
            read.where(row, each.share),
            f"{count:,} of {n:,} is {given}, printed {read.printed(row, each.share)} (inferred: "
            f"{told}; fits {each.fitting} of {each.tried} rows)",
            cells=[(row, place) for place in places],
            effect="more are right than there are"
            if count > n
            else "the share and the counts are of different answers",
            remedy="Compare the cells with their source.",
            group=f"column {read.table.columns[each.share]}",
        )


def _unlike(read: ReadTable, each: CountedShare, told: str) -> Flaw:
    places = [place for place in (each.n, each.right, each.share) if place is not None]
    return flaw(
        Severity.WARNING,
        "count-off",
        f"column {read.table.columns[each.share]}",
        f"by the headings {told}; that fits {each.fitting} of {each.tried} rows",
        cells=[(row, place) for row in read.rows for place in places],
        effect="the counts are of other items than the share, or the headings mean something else",
        remedy="Say which items stand behind the share.",
        count=each.tried - each.fitting,
    )
