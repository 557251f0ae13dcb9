"""Ranks that contradict the values they rank."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from overread.audits.table.claims import Ranks
from overread.audits.table.flaws import Check, Flaw, flaw
from overread.audits.table.reading import Column, ReadTable, Reference
from overread.audits.table.spans import show
from overread.errors import listed
from overread.records import Severity

__all__ = ["check_ranks"]

_FEWEST: Final = 3
_MOST_ROWS: Final = 2_000
_AGREES: Final = 0.8
"""Share of pairs in one order from which a column is taken to rank another."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ranked:
    row: int
    value: Fraction
    rank: Fraction


def check_ranks(read: ReadTable) -> Iterator[Flaw | Check]:
    """Try every rank: those claimed, those in brackets behind a value, and rank columns."""
    claims = list(read.claims.ranks)
    if read.claims.infer:
        claims += _inferred(read)
    for claim in claims:
        value = read.reference(claim.value, argument="rank.value")
        rank = (
            (value[0], "rank")
            if claim.rank is None
            else read.reference(claim.rank, argument="rank.rank")
        )
        yield from _check(read, value, rank, claim.smaller_is_better)


def _inferred(read: ReadTable) -> Iterator[Ranks]:
    spoken = {claim.value for claim in read.claims.ranks}
    columns = [column for column in read.value_columns if column.name not in spoken]
    for column in columns:
        in_brackets = sum(read.numbers[row][column.place].rank is not None for row in read.rows)
        if in_brackets >= _FEWEST:
            yield Ranks(value=column.name)
    ranked = {claim.rank for claim in read.claims.ranks}
    for column in read.columns:
        if read.is_rank(column) and column.name not in ranked:
            best = _best_match(read, column, columns)
            if best is not None:
                yield Ranks(value=best.name, rank=column.name)


def _best_match(read: ReadTable, rank: Column, columns: Sequence[Column]) -> Column | None:
    agreements = {
        column: max(share, 1 - share)
        for column in columns
        if (rows := _ranked(read, (column.place, "value"), (rank.place, "value")))
        and len(rows) > _FEWEST
        and (share := _share_smaller(rows)) is not None
    }
    if not agreements:
        return None
    # Several columns may agree in all pairs of unlike ranks; tied ranks tell them apart.
    best = max(
        agreements, key=lambda column: (agreements[column], -_unlike_in_ties(read, rank, column))
    )
    return best if agreements[best] >= _AGREES else None


def _unlike_in_ties(read: ReadTable, rank: Column, column: Column) -> int:
    """Count, over all ranks, the further values that share one."""
    rows = _ranked(read, (column.place, "value"), (rank.place, "value"))
    values_of: dict[Fraction, list[Fraction]] = {}
    for each in rows:
        values_of.setdefault(each.rank, []).append(each.value)
    return sum(len(set(values)) - 1 for values in values_of.values())


def _ranked(read: ReadTable, value: Reference, rank: Reference) -> tuple[_Ranked, ...]:
    found: list[_Ranked] = []
    for row in read.rows[:_MOST_ROWS]:
        span, place = read.span(row, value), read.span(row, rank)
        if span is not None and place is not None:
            found.append(_Ranked(row=row, value=span.middle, rank=place.middle))
    return tuple(found)


def _share_smaller(rows: Sequence[_Ranked]) -> float | None:
    """Give the share of unlike pairs in which the smaller value has the better rank."""
    agree = total = 0
    for place, first in enumerate(rows):
        for second in rows[place + 1 :]:
            if first.value != second.value and first.rank != second.rank:
                total += 1
                agree += (first.value < second.value) == (first.rank < second.rank)
    return agree / total if total else None


def _check(
    read: ReadTable, value: Reference, rank: Reference, smaller: bool | None
) -> Iterator[Flaw | Check]:
    rows = list(_ranked(read, value, rank))
    share = _share_smaller(rows)
    if share is None:
        return
    inferred = smaller is None
    smaller = share > 0.5 if smaller is None else smaller
    better = {each.row: _better(each, rows, smaller=smaller) for each in rows}
    against = {
        each.row: [other for other in rows if _contradict(each, other, smaller=smaller)]
        for each in rows
    }
    blamed = _blamed(against)
    name = read.table.columns[value[0]]
    for each in rows:
        if each.row in blamed:
            others = [other for other in against[each.row] if other.row not in blamed]
            yield _flaw(read, each, others or against[each.row], value, rank, better[each.row])
    yield Check(
        name=f"ranks of {name}",
        tried=len(rows),
        off=len(blamed),
        note=("inferred: " if inferred else "")
        + ("the smaller the better" if smaller else "the larger the better"),
    )


def _better(each: _Ranked, rows: Sequence[_Ranked], *, smaller: bool) -> int:
    """Count the distinct values of the table that are better: at least so many ranks come first."""
    return len(
        {
            other.value
            for other in rows
            if (other.value < each.value if smaller else other.value > each.value)
        }
    )


def _contradict(first: _Ranked, second: _Ranked, *, smaller: bool) -> bool:
    """Tell whether two rows cannot stand in one ranking: a better value without a better rank.

    Equal printed values may have any order: their digits end too early to tell.
    """
    if first.value == second.value:
        return False
    is_better = (first.value < second.value) == smaller
    return first.rank >= second.rank if is_better else first.rank <= second.rank


def _blamed(against: dict[int, list[_Ranked]]) -> frozenset[int]:
    """Give few rows without which all ranks agree: the one in most contradictions, then again."""
    left = {row: {other.row for other in others} for row, others in against.items() if others}
    blamed: set[int] = set()
    while any(left.values()):
        worst = max(left, key=lambda row: len(left[row]))
        blamed.add(worst)
        for other in left.pop(worst):
            left[other].discard(worst)
    return frozenset(blamed)


def _flaw(
    read: ReadTable,
    each: _Ranked,
    others: Sequence[_Ranked],
    value: Reference,
    rank: Reference,
    n_better: int,
) -> Flaw:
    decimals = read.columns[value[0]].decimals
    shown = listed(
        [
            f"{show(other.value, decimals)} ({read.row_names[other.row]}) has rank "
            f"{float(other.rank):g}"
            for other in others
        ],
        most=4,
    )
    at_least = (
        f"; {n_better} listed values are better, so its rank is {n_better + 1} or more"
        if each.rank < n_better + 1
        else ""
    )
    return flaw(
        Severity.ERROR,
        "rank-off",
        read.where(each.row, value[0]),
        f"rank {float(each.rank):g} for {show(each.value, decimals)}, while {shown}{at_least}",
        cells=list(dict.fromkeys([(each.row, value[0]), (each.row, rank[0])])),
        effect="what is averaged from such ranks is off as well",
        remedy="Rank the column again.",
        group=f"column {read.table.columns[value[0]]}",
    )
