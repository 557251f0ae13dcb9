"""Audit: printed numbers that their counts, their items or their parts cannot give."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Final

from overread.audits.table.granularity import how_possible, nearest_counts
from overread.audits.table.spans import Span, show, span_of_digits, step_of, weighted_mean
from overread.contracts import Audit, Release
from overread.records import Finding, PublishedValue, Severity

__all__ = ["AUDIT", "PRINTED", "published_findings"]

PRINTED: Final = "printed_"
"""Begins the metric of a number as printed where the release keeps a count beside it: the two are
compared, ``printed_accuracy`` with ``accuracy``."""

_OF_ANSWERS: Final = re.compile(r"accuracy|share|rate|no_answer")
_MOST_DECIMALS: Final = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class _Cell:
    row: PublishedValue
    value: Fraction
    decimals: int
    """Of the share: one more digit or two than of the percentage."""

    @property
    def span(self) -> Span:
        return span_of_digits(str(self.row.value), self.decimals, "nearest")

    @property
    def where(self) -> str:
        stratum = ", ".join(self.row.stratum.values()) or "total"
        return f"{self.row.who}, {self.row.metric.removeprefix(PRINTED)}, {stratum}"

    def show(self, value: Fraction, *, more: int = 0) -> str:
        """Write a share as it is printed: in per cent."""
        return f"{show(100 * value, max(self.decimals - 2, 1) + more)} %"


@dataclass(frozen=True, slots=True)
class _CellAudit:
    """Looks at `Release.published`, whatever else a release ships."""

    name: str
    summary: str

    def look(self, release: Release) -> Iterator[Finding]:
        """Report what the printed numbers contradict."""
        yield from published_findings(release.published())


def published_findings(published: Sequence[PublishedValue]) -> Iterator[Finding]:
    """Find printed shares of answers that cannot be right.

    Parameters
    ----------
    published
        Printed numbers as shares, 0 to 1. Only shares of answers are looked at (accuracies), and
        only numbers with a count or a number of items; digits are those of the most precise number
        of the same source and metric.
    """
    cells = _cells(published)
    counts = _counts(published)
    for cell in cells:
        found = counts.get(_key(cell.row))
        if found is not None and not cell.span.meets(Span.at(Fraction(*found))):
            yield _count_off(cell, *found)
        elif found is None:
            yield from _against_items(cell)
    yield from _totals(cells)


def _cells(published: Sequence[PublishedValue]) -> tuple[_Cell, ...]:
    """Read printed numbers; one that was computed from its count is not printed, and left out."""
    printed = [
        row
        for row in published
        if _OF_ANSWERS.search(row.metric)
        and row.kind != "chance"
        and 0 <= row.value <= 1
        and not (row.count is not None and row.n and row.value == row.count / row.n)
    ]
    decimals: defaultdict[tuple[str, str], int] = defaultdict(int)
    for row in printed:
        key = row.source, row.metric
        decimals[key] = max(decimals[key], _decimals(row.value))
    return tuple(
        _Cell(
            row=row,
            value=Fraction(Decimal(str(row.value))),
            decimals=decimals[row.source, row.metric],
        )
        for row in printed
        if decimals[row.source, row.metric] <= _MOST_DECIMALS
    )


def _decimals(value: float) -> int:
    return max(0, -int(Decimal(str(value)).as_tuple().exponent))


_Key = tuple[str, str, frozenset[tuple[str, str]]]


def _key(row: PublishedValue) -> _Key:
    return row.who, row.metric.removeprefix(PRINTED), frozenset(row.stratum.items())


def _counts(published: Sequence[PublishedValue]) -> Mapping[_Key, tuple[int, int]]:
    """Give the counts that the release keeps: of a number itself, or of the same answers."""
    return {_key(row): (row.count, row.n) for row in published if row.count is not None and row.n}


def _count_off(cell: _Cell, count: int, n: int) -> Finding:
    return Finding(
        severity=Severity.ERROR,
        code="count-off",
        where=cell.where,
        evidence=f"printed {cell.show(cell.value)} ({cell.row.source}); its cells give {count} of "
        f"{n}, {cell.show(Fraction(count, n))}"
        + ("" if _is_possible(cell, n) else f"; no count of {n} gives the printed number"),
        effect="the printed number and the count are of different answers; an interval can only "
        "come from the count",
        remedy="Quote the count.",
    )


def _against_items(cell: _Cell) -> Iterator[Finding]:
    n = cell.row.n
    if n is None or _is_possible(cell, n):
        return
    near = " or ".join(
        f"{count} of {n} = {cell.show(Fraction(count, n), more=1)}"
        for count in nearest_counts(cell.value, n, 1)
    )
    yield Finding(
        severity=Severity.ERROR,
        code="impossible-share",
        where=cell.where,
        evidence=f"printed {cell.show(cell.value)} of {n:,} ({cell.row.source}): the nearest that "
        f"can be is {near}",
        effect="no whole count gives this number: it is a mean of cells of unlike size, of several "
        "runs, or of other items",
        remedy="Quote the count.",
    )


def _is_possible(cell: _Cell, n: int) -> bool:
    """Tell whether some count of n items prints so; of many items every number can come."""
    if n >= 1 / step_of(cell.decimals):
        return True
    return how_possible(cell.value, cell.decimals, n, 1) != "none"


def _totals(cells: Sequence[_Cell]) -> Iterator[Finding]:
    """Try every total whose parts, by one key of the stratum, have all of its items."""
    groups: defaultdict[tuple[str, str, str], list[_Cell]] = defaultdict(list)
    for cell in cells:
        groups[cell.row.who, cell.row.metric, cell.row.source].append(cell)
    for several in groups.values():
        for total in several:
            for key in sorted({key for cell in several for key in cell.row.stratum}):
                parts = [cell for cell in several if _is_part(cell.row, total.row, key)]
                yield from _total(total, parts, key)


def _is_part(part: PublishedValue, total: PublishedValue, key: str) -> bool:
    rest: Mapping[str, str] = {name: part.stratum[name] for name in part.stratum if name != key}
    return key in part.stratum and key not in total.stratum and rest == dict(total.stratum)


def _total(total: _Cell, parts: Sequence[_Cell], key: str) -> Iterator[Finding]:
    counts = [part.row.n for part in parts]
    weights = [Fraction(n) for n in counts if n]
    if len(parts) < 2 or len(weights) < len(parts) or sum(weights) != total.row.n:
        return
    spans = [part.span for part in parts]
    pooled = weighted_mean(spans, weights)
    if pooled.meets(total.span):
        return
    plain = weighted_mean(spans, [Fraction(1)] * len(spans))
    yield Finding(
        severity=Severity.ERROR,
        code="total-off",
        where=total.where,
        evidence=f"printed {total.show(total.value)} ({total.row.source}); pooled over {key} it is "
        f"{total.show(pooled.middle, more=1)}, the plain mean {total.show(plain.middle, more=1)}"
        + (" fits" if plain.meets(total.span) else " does not fit either"),
        effect="the total and its parts are not of the same answers, or not pooled",
        remedy="Compute it again from the parts.",
    )


AUDIT: Audit = _CellAudit(
    name="cells",
    summary="printed shares that no count gives; totals that do not follow from their parts",
)
