"""Intervals and ± that contradict their value, their number of items, or their scale."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from overread.audits.table.claims import Intervals
from overread.audits.table.flaws import Check, Flaw, flaw
from overread.audits.table.inferred_columns import ends_of
from overread.audits.table.reading import Column, ReadTable, Reference
from overread.audits.table.spans import Span
from overread.errors import listed
from overread.records import Severity
from overread.stats.intervals import clopper_pearson, two_sided_z, wilson

__all__ = ["check_intervals", "check_spreads"]

_TOO_NARROW: Final = 0.85
"""Of the narrowest of the usual intervals: a bootstrap's own noise stays above it."""
_TOO_WIDE: Final = 1.25
"""Of the widest of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Interval:
    row: int
    column: Column
    value: Span
    low: Span
    high: Span
    level: float
    cells: tuple[tuple[int, int], ...]
    said: str = ""
    """By which headings columns were taken for an interval; empty where it is known."""
    is_interval: bool = True
    """Whether it is said to be an interval: ``low`` and ``high`` may be other things too."""
    is_n_sure: bool = True
    """Whether the number of items is said, and not inferred."""

    @property
    def width(self) -> Span:
        return self.high - self.low


def check_intervals(read: ReadTable) -> Iterator[Flaw | Check]:
    """Try every printed interval: in its cell, or in columns that a claim names."""
    found = list(_intervals(read))
    flaws: list[Flaw] = []
    with_n = 0
    for each in found:
        wrong = list(_order(read, each))
        n = read.n_of(each.row, each.column.place)
        if not wrong and n is not None and each.column.scale != "other":
            with_n += 1
            wrong += _width(read, each, n)
        flaws += wrong
    yield from flaws
    if found:
        inferred = listed(list(dict.fromkeys(each.said for each in found if each.said)))
        yield Check(
            name="intervals",
            tried=len(found),
            off=sum(each.finding.severity != Severity.INFO for each in flaws),
            note=f"{with_n} of them against their number of items"
            + (f"; inferred: {inferred}" if inferred else ""),
        )


def _intervals(read: ReadTable) -> Iterator[_Interval]:
    columns = {column.place: column for column in read.columns}
    claimed = {
        read.table.column(each.value, argument="interval.value"): each
        for each in read.claims.intervals
    }
    for place, column in columns.items():
        if column.kind != "number":
            continue
        claim = claimed.get(place, Intervals(value=column.name))
        low: Reference = (place, "low")
        high: Reference = (place, "high")
        if claim.low is not None and claim.high is not None:
            low = read.reference(claim.low, argument="interval.low")
            high = read.reference(claim.high, argument="interval.high")
        for row in read.rows:
            low_span = read.span(row, low)
            if low_span is None:
                continue
            high_span, value = read.span(row, high), read.span(row, (place, "value"))
            if value is None or high_span is None:
                continue
            yield _Interval(
                row=row,
                column=column,
                value=value,
                low=low_span,
                high=high_span,
                level=claim.level,
                cells=tuple(dict.fromkeys((row, each) for each in (place, low[0], high[0]))),
            )
    yield from _inferred(read)


def _inferred(read: ReadTable) -> Iterator[_Interval]:
    """Give the intervals of columns whose headings say that they are the ends of one."""
    for each in read.inferred.intervals:
        places = tuple(dict.fromkeys((each.value, each.low, each.high)))
        names = " and ".join(dict.fromkeys(read.table.columns[place] for place in places[1:]))
        for row in read.rows:
            value = read.span(row, (each.value, "value"))
            ends = ends_of(read, row, each.low, each.high, each.factor)
            if value is None or ends is None:
                continue
            yield _Interval(
                row=row,
                column=read.columns[each.value],
                value=value,
                low=ends[0],
                high=ends[1],
                level=each.level,
                cells=tuple((row, place) for place in places),
                said=f"{names} of {read.table.columns[each.value]}",
                is_interval=each.says_interval,
                is_n_sure=not read.is_n_inferred(row, each.value),
            )


def _order(read: ReadTable, each: _Interval) -> Iterator[Flaw]:
    low, high = float(each.low.middle), float(each.high.middle)
    where = read.where(each.row, each.column.place)
    severity = Severity.ERROR if each.is_interval else Severity.WARNING
    if each.low.low > each.high.high:
        yield flaw(
            severity,
            "interval-reversed",
            where,
            f"from {low:g} to {high:g}: its lower end is above its upper end" + _told(each),
            cells=each.cells,
            effect="the interval cannot be right",
        )
    elif each.value.high < each.low.low or each.value.low > each.high.high:
        yield flaw(
            severity,
            "value-outside-interval",
            where,
            f"{float(each.value.middle):g} does not lie in {low:g} to {high:g}"
            + _on_another_scale(each)
            + _told(each),
            cells=each.cells,
            effect="value and interval are of different answers",
            remedy="Compare the cell with its source.",
        )
    whole = {"percent": 100, "fraction": 1}.get(each.column.scale)
    if whole is not None and each.column.is_share and (each.low.high < 0 or each.high.low > whole):
        yield flaw(
            Severity.WARNING,
            "interval-outside-range",
            where,
            f"{low:g} to {high:g} leaves the range of a share, 0 to {whole}",
            cells=each.cells,
            effect="an interval of this kind (Wald) covers too little near the ends",
            remedy="Use Wilson's or the exact interval.",
        )


def _on_another_scale(each: _Interval) -> str:
    """Say that a value would lie in its interval if both were percentages, or both fractions."""
    for factor, words in ((Fraction(100), "a hundred times it"), (Fraction(1, 100), "a hundredth")):
        value = each.value.scaled(factor)
        if each.low.low <= value.high and value.low <= each.high.high:
            return f"; {words} does, so the two seem to be on two scales"
    return ""


def _told(each: _Interval) -> str:
    return f" (inferred: {each.said})" if each.said else ""


def _width(read: ReadTable, each: _Interval, n: int) -> Iterator[Flaw]:
    """Compare an interval's width with those that so many independent items allow."""
    whole = 100.0 if each.column.scale == "percent" else 1.0
    share = float(each.value.middle) / whole
    if n < 2 or not 0 <= share <= 1:
        return
    widths = _usual_widths(share, n, each.level)
    printed = each.width
    narrowest, widest = min(widths.values()) * whole, max(widths.values()) * whole
    shown = ", ".join(f"{name} {width * whole:.3g}" for name, width in widths.items())
    where = read.where(each.row, each.column.place)
    width = f"{float(printed.middle):.3g} wide for {n:,} items; independent items give {shown}"
    width += _told(each)
    is_sure = each.is_interval and each.is_n_sure
    if float(printed.high) < _TOO_NARROW * narrowest:
        ratio = (narrowest / max(float(printed.middle), 1e-9)) ** 2
        yield flaw(
            Severity.ERROR if is_sure else Severity.WARNING,
            "interval-too-narrow",
            where,
            width,
            cells=each.cells,
            effect=f"so narrow an interval takes {ratio:.1f} times as many items",
            remedy="Say how it was made; ± may be a standard error, or items were counted twice."
            if is_sure
            else "Say how it was made; it may be a range of runs or sites, or of more items.",
        )
    elif float(printed.low) > _TOO_WIDE * widest:
        effect = (float(printed.middle) / widest) ** 2
        yield flaw(
            Severity.INFO,
            "interval-wide",
            where,
            width,
            cells=each.cells,
            effect=f"as of {n / effect:,.0f} independent items: clustered, or of fewer items than "
            "said",
        )


def _usual_widths(share: float, n: int, level: float) -> dict[str, float]:
    z = two_sided_z(level)
    count = min(max(share * n, 0.0), float(n))
    score, exact = wilson(count, n, level=level), clopper_pearson(round(count), n, level=level)
    widths = {
        "Wilson": (score.high or 0.0) - (score.low or 0.0),
        "exact": (exact.high or 0.0) - (exact.low or 0.0),
    }
    if 0 < share < 1:
        widths["Wald"] = 2 * z * math.sqrt(share * (1 - share) / n)
    return widths


# ---------------------------------------------------------------- ±


def check_spreads(read: ReadTable) -> Iterator[Flaw | Check]:
    """Try every ±: no values from 0 to 1 spread wider than their mean allows."""
    kinds = {
        read.table.column(each.value, argument="interval.value"): each
        for each in read.claims.intervals
    }
    tried = 0
    flaws: list[Flaw] = []
    for row, column, number in read.each():
        if number.spread is None or not column.is_share:
            continue
        spread = read.span(row, (column.place, "spread"))
        value = read.span(row, (column.place, "value"))
        if spread is None or value is None:
            continue
        tried += 1
        whole = 100.0 if column.scale == "percent" else 1.0
        claim = kinds.get(column.place, Intervals(value=column.name))
        n = read.n_of(row, column.place)
        flaws += _too_wide(read, row, column, value, spread, whole)
        if n is not None and n > 1 and claim.spread in ("se", "half-width"):
            flaws += _standard_error(read, row, column, (value, spread), (whole, n), claim)
    yield from flaws
    if tried:
        yield Check(name="± against the scale", tried=tried, off=len(flaws))


def _too_wide(
    read: ReadTable, row: int, column: Column, value: Span, spread: Span, whole: float
) -> Iterator[Flaw]:
    """Compare with the widest spread: half the values at 0 and half at 1, of two values."""
    ends = [min(max(float(end) / whole, 0.0), 1.0) for end in (value.low, value.high)]
    share = min(ends, key=lambda end: abs(end - 0.5))
    most = math.sqrt(2 * share * (1 - share)) * whole
    if float(spread.low) > most + 1e-9:
        yield flaw(
            Severity.ERROR,
            "spread-too-wide",
            read.where(row, column.place),
            f"± {float(spread.middle):g} around {float(value.middle):g}: values from 0 to "
            f"{whole:g} with this mean have a standard deviation of {most:.3g} at most",
            cells=[(row, column.place)],
            effect="the mean or its spread cannot be right",
            remedy="Check whether one of them is on another scale.",
        )


def _standard_error(
    read: ReadTable,
    row: int,
    column: Column,
    spans: tuple[Span, Span],
    known: tuple[float, int],
    claim: Intervals,
) -> Iterator[Flaw]:
    (value, spread), (whole, n) = spans, known
    share = min(max(float(value.middle) / whole, 0.0), 1.0)
    z = two_sided_z(claim.level) if claim.spread == "half-width" else 1.0
    expected_spread = z * math.sqrt(share * (1 - share) / n) * whole
    if float(spread.high) < _TOO_NARROW * expected_spread:
        ratio = (expected_spread / max(float(spread.middle), 1e-9)) ** 2
        yield flaw(
            Severity.ERROR,
            "spread-too-narrow",
            read.where(row, column.place),
            f"± {float(spread.middle):g} around {float(value.middle):g} of {n:,} items: "
            f"{expected_spread:.3g} if they are independent",
            cells=[(row, column.place)],
            effect=f"so narrow a spread takes {ratio:.1f} times as many items",
            remedy="Say what ± is.",
        )
