"""Improvements that do not follow: columns and rows that are differences of two others."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations
from typing import Final

from overread.audits.table.flaws import Check, Flaw, flaw
from overread.audits.table.reading import ReadTable
from overread.audits.table.spans import Span, show
from overread.audits.wording import counted
from overread.records import Severity

__all__ = ["check_differences"]

_NAME: Final = re.compile(
    r"gain|improv|delta|[δ∆Δ]|\bdiff|increase|decrease|\bdrop\b|\bchange\b", re.IGNORECASE
)
_MOST: Final = 0.6
_MOST_OTHERS: Final = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class _Vector:
    """A column (its cells by row) or a row (its cells by column)."""

    name: str
    spans: Mapping[int, Span]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    first: _Vector
    second: _Vector
    is_percent: bool
    fitting: frozenset[int]
    tried: tuple[int, ...]


def check_differences(read: ReadTable) -> Iterator[Flaw | Check]:
    """Find columns and rows named as differences, and what they are differences of."""
    if not any(
        _NAME.search(name)
        for name in (*read.row_names, *(column.name for column in read.value_columns))
    ):
        return
    columns = {
        column.place: _Vector(
            name=column.name,
            spans={
                row: span
                for row in read.rows
                if (span := read.span(row, (column.place, "value"))) is not None
            },
        )
        for column in read.value_columns
    }
    for place, vector in columns.items():
        if _NAME.search(vector.name):
            others = [each for other, each in columns.items() if other != place]
            yield from _told(read, vector, others, place, is_column=True)
    rows = {
        row: _Vector(
            name=read.row_names[row],
            spans={
                column.place: span
                for column in read.value_columns
                if (span := read.span(row, (column.place, "value"))) is not None
            },
        )
        for row in read.rows
    }
    for place, vector in rows.items():
        if read.name_columns and _NAME.search(vector.name):
            others = [each for other, each in rows.items() if other != place]
            yield from _told(read, vector, others, place, is_column=False)


def _told(
    read: ReadTable, target: _Vector, others: Sequence[_Vector], place: int, *, is_column: bool
) -> Iterator[Flaw | Check]:
    found = _find(target, others)
    if found is None:
        return
    what = f"{found.first.name} minus {found.second.name}"
    if found.is_percent:
        what += f", in percent of {found.second.name}"
    fits = f"it fits {len(found.fitting)} of {len(found.tried)}"
    off = [each for each in found.tried if each not in found.fitting]
    yield Check(
        name=f"{target.name} as a difference",
        tried=len(found.tried),
        off=len(off),
        note=f"inferred: {what}; fits {len(found.fitting)} of "
        + counted(len(found.tried), "row" if is_column else "column"),
    )
    for each in off:
        row, column = (each, place) if is_column else (place, each)
        given = _given(found, each)
        decimals = read.columns[column].decimals
        yield flaw(
            Severity.ERROR,
            "difference-off",
            read.where(row, column),
            f"printed {read.printed(row, column)}; {what} is "
            + ("undefined" if given is None else show(given.middle, decimals))
            + f" (inferred: {fits})",
            cells=[(row, column)],
            effect="the improvement does not follow from the two values",
            remedy="Compute it again.",
        )


def _find(target: _Vector, others: Sequence[_Vector]) -> _Found | None:
    """Give the pair whose difference fits most; the sign may be left out where all are drops."""
    best: _Found | None = None
    for first, second in permutations(others[:_MOST_OTHERS], 2):
        shared = [each for each in target.spans if each in first.spans and each in second.spans]
        if len(shared) < 2:
            continue
        for is_percent in (False, True):
            trial = _Found(
                first=first,
                second=second,
                is_percent=is_percent,
                fitting=frozenset(),
                tried=tuple(shared),
            )
            fitting = frozenset(
                each
                for each in shared
                if (given := _given(trial, each)) is not None and given.meets(target.spans[each])
            )
            if len(fitting) >= 2 and (best is None or len(fitting) > len(best.fitting)):
                best = _Found(
                    first=first,
                    second=second,
                    is_percent=is_percent,
                    fitting=fitting,
                    tried=tuple(shared),
                )
    if best is None or len(best.fitting) < _MOST * len(best.tried):
        return None
    for each in best.tried:
        given = _given(best, each)
        off = each not in best.fitting
        if off and given is not None and not given.clearly_misses(target.spans[each]):
            return None
    return best


def _given(found: _Found, place: int) -> Span | None:
    first, second = found.first.spans[place], found.second.spans[place]
    difference = first - second
    if not found.is_percent:
        return difference
    try:
        return (difference / second).scaled(Fraction(100))
    except ZeroDivisionError:
        return None
