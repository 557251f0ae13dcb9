"""Counts that contradict each other: parts that must overlap, rows that are not there."""

from __future__ import annotations

from collections.abc import Iterator

from overread.audits.table.flaws import Check, Flaw, flaw
from overread.audits.table.reading import ReadTable
from overread.records import Severity

__all__ = ["check_counts"]


def check_counts(read: ReadTable) -> Iterator[Flaw | Check]:
    """Try what is claimed of counts: parts against the distinct whole, rows against a text."""
    for claim in read.claims.unions:
        whole = sum(claim.parts.values())
        shared = whole - claim.distinct
        parts = " + ".join(f"{n:,} {name}" for name, n in claim.parts.items())
        largest = max(claim.parts.values())
        if shared > 0 and claim.distinct >= largest:
            yield flaw(
                Severity.ERROR,
                "implied-overlap",
                claim.what,
                f"{parts} = {whole:,}, and {claim.distinct:,} are distinct: {shared:,} stand in "
                "more than one part",
                effect="what is tested was learned from, as far as the parts are splits",
                remedy="Intersect the ids, and those of the patients behind them.",
                count=shared,
            )
        elif shared:
            yield flaw(
                Severity.ERROR,
                "counts-off",
                claim.what,
                f"{parts} = {whole:,} cannot give {claim.distinct:,} distinct ones",
                effect="a count is wrong",
            )
        yield Check(name=f"distinct {claim.what}", tried=1, off=int(shared != 0))
    for stated in read.claims.row_counts:
        places = {
            read.table.column(name, argument="row_count.where"): value.casefold()
            for name, value in stated.where.items()
        }
        rows = [
            row
            for row in read.rows
            if all(read.printed(row, place).casefold() == value for place, value in places.items())
        ]
        which = ", ".join(f"{name} {value}" for name, value in stated.where.items())
        if len(rows) != stated.stated:
            yield flaw(
                Severity.WARNING,
                "row-count",
                f"{read.label}" + (f", rows of {which}" if which else ""),
                f"{len(rows)} rows are there, {stated.stated} by {stated.source}",
                effect="a place among them is a place in another table",
                remedy="List every row that is counted.",
                count=abs(len(rows) - stated.stated),
            )
        yield Check(
            name="rows" + (f" of {which}" if which else "") + f" by {stated.source}",
            tried=1,
            off=int(len(rows) != stated.stated),
        )
