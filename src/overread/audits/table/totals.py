"""Totals and averages that do not follow from their parts: pooled, plain mean or sum, and which."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from overread.audits.table.claims import Rule, Total
from overread.audits.table.flaws import Check, Flaw, flaw
from overread.audits.table.reading import ReadTable, Reference
from overread.audits.table.spans import Span, show, weighted_mean
from overread.audits.wording import counted
from overread.records import Severity

__all__ = ["Line", "check_totals", "given_by", "rule_words", "total_flaw", "totals_of"]


_MOST_SHOWN: Final = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One total with its parts: a row, or a column of a table whose total is a row."""

    row: int
    total: Span
    parts: tuple[Span, ...]
    weights: tuple[Fraction, ...] = ()
    """Empty where nothing says how to pool."""


def check_totals(read: ReadTable) -> Iterator[Flaw | Check]:
    """Try every claimed total in every row."""
    for claim in read.claims.totals:
        yield from _claimed(read, claim)


def totals_of(read: ReadTable, claim: Total) -> tuple[Line, ...]:
    """Read a total and its parts, of every row that has all of them."""
    total = read.reference(claim.column, argument="total.column")
    parts = [read.reference(part, argument="total.parts") for part in claim.parts]
    lines: list[Line] = []
    for row in read.rows:
        spans = [read.span(row, each) for each in (total, *parts)]
        whole = [span for span in spans if span is not None]
        if len(whole) == len(spans):
            weights = claim.weights or _counts(read, row, parts)
            lines.append(Line(row=row, total=whole[0], parts=tuple(whole[1:]), weights=weights))
    return tuple(lines)


def _counts(read: ReadTable, row: int, parts: Sequence[Reference]) -> tuple[Fraction, ...]:
    counts = [read.n_of(row, column) for column, _ in parts]
    known = [Fraction(count) for count in counts if count is not None]
    return tuple(known) if len(known) == len(parts) else ()


def given_by(line: Line, rule: Rule) -> Span | None:
    """Give what a rule makes of the parts; None where it needs weights that nobody knows."""
    if rule == "pooled":
        return weighted_mean(line.parts, line.weights) if line.weights else None
    whole = weighted_mean(line.parts, [Fraction(1)] * len(line.parts))
    return whole if rule == "mean" else whole.scaled(Fraction(len(line.parts)))


def rule_words(rule: Rule) -> str:
    """Name a rule."""
    return {"pooled": "the weighted mean", "mean": "the plain mean", "sum": "the sum"}[rule]


def _claimed(read: ReadTable, claim: Total) -> Iterator[Flaw | Check]:
    lines = totals_of(read, claim)
    parts = ", ".join(claim.parts)
    name = f"{claim.column} from {parts}"
    if not lines:
        yield Check(name=name, tried=0, off=0, note="no row has the total and all of its parts")
        return
    fits = {rule: _fitting(lines, rule, claim.tolerance) for rule in ("pooled", "mean", "sum")}
    order: tuple[Rule, ...] = ("pooled", "mean", "sum")
    rule: Rule = claim.rule or max(order, key=lambda each: len(fits[each]))
    off = [line for line in lines if line.row not in fits[rule]]
    told = ", ".join(
        f"{rule_words(each)} fits {len(fits[each])}"
        for each in order
        if given_by(lines[0], each) is not None
        and (each != "sum" or fits["sum"] or claim.rule == "sum")
    )
    yield Check(
        name=name, tried=len(lines), off=len(off), note=f"{told} of {counted(len(lines), 'row')}"
    )
    total = read.reference(claim.column, argument="total.column")
    places = [read.reference(part, argument="total.parts")[0] for part in claim.parts]
    for line in off:
        yield total_flaw(read, line, rule=rule, total=total, places=places, said="")


def _fitting(lines: Sequence[Line], rule: Rule, tolerance: Fraction) -> frozenset[int]:
    found: list[int] = []
    for line in lines:
        given = given_by(line, rule)
        if given is not None and given.meets(line.total, slack=tolerance):
            found.append(line.row)
    return frozenset(found)


def total_flaw(
    read: ReadTable,
    line: Line,
    *,
    rule: Rule,
    total: Reference,
    places: Sequence[int],
    said: str,
) -> Flaw:
    """Word a total that does not follow from its parts."""
    given = given_by(line, rule)
    decimals = read.columns[total[0]].decimals
    others: Mapping[Rule, Span | None] = {
        each: given_by(line, each) for each in ("pooled", "mean") if each != rule
    }
    fitting = [
        f"; {rule_words(each)}, {show(span.middle, decimals + 1)}, does"
        for each, span in others.items()
        if span is not None and span.meets(line.total)
    ]
    tie = _tie(read, line, rule, places)
    value = "cannot be computed" if given is None else f"is {show(given.middle, decimals + 1)}"
    parts = ", ".join(f"{float(part.middle):g}" for part in line.parts)
    shown = f" ({parts})" if len(line.parts) <= _MOST_SHOWN else ""
    return flaw(
        Severity.WARNING if tie else Severity.ERROR,
        "total-off",
        read.where(line.row, total[0]),
        f"printed {read.printed(line.row, total[0])}; {rule_words(rule)} of its parts{shown} "
        f"{value}{said}" + "".join(fitting) + tie,
        cells=[(line.row, place) for place in dict.fromkeys((total[0], *places))],
        effect="the total and its parts are not of the same answers, or a cell is wrong",
        remedy="Compute it again from the parts, and say by which rule.",
        group=f"column {read.table.columns[total[0]]}",
    )


def _tie(read: ReadTable, line: Line, rule: Rule, places: Sequence[int]) -> str:
    """Say whether one tied rank, printed without its half, would explain a mean of ranks."""
    exact = all(part.low == part.high and part.low.denominator == 1 for part in line.parts)
    in_brackets = all(read.numbers[line.row][place].rank is not None for place in places)
    given = given_by(line, rule)
    if not exact or not in_brackets or given is None:
        return ""
    weights = line.weights if rule == "pooled" else tuple(Fraction(1) for _ in line.parts)
    half = max(weights) / sum(weights, Fraction(0)) / 2
    if given.meets(line.total, slack=half):
        return ": half a place, as of one tie whose rank was printed as a whole number"
    return ""
