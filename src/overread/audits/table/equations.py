"""Equations between cells: what a text says about its table, tried on the printed digits.

``{gain} = {ours} - {baseline}`` is tried in every row; ``{FedBN | gap}`` is one cell. A number in
quotes (``'0.41'``) is a printed one and may be the rounding of others; a bare number is exact.
There are ``+ - * /``, brackets, and min, max, mean, sum, abs of several values.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Final

from overread.audits.table.claims import Equation
from overread.audits.table.flaws import Cell, Check, Flaw, flaw
from overread.audits.table.reading import ReadTable
from overread.audits.table.spans import Span, greatest, least, span_of_digits, weighted_mean
from overread.errors import UsageError, expected
from overread.records import Severity

__all__ = ["check_equations"]

_LONGEST: Final = 2_000
_DEEPEST: Final = 40
_TOKEN: Final = re.compile(
    r"\s*(?:(?P<cell>\{[^{}]*\})|(?P<printed>'[^']*')|(?P<number>\d+(?:\.\d+)?)"
    r"|(?P<name>[a-z]+)|(?P<sign>[-+*/(),=]))"
)
_Value = Callable[[int], Span]
"""What an expression is in a row. `_NoCell` where a cell has no number."""


class _NoCell(Exception):
    """A cell of an equation holds no number."""


def check_equations(read: ReadTable) -> Iterator[Flaw | Check]:
    """Try every claimed equation: once where all its cells are named, else in every row."""
    for claim in read.claims.equations:
        parser = _Parser(read, claim)
        left, right = parser.sides()
        rows: Sequence[int] = read.rows if parser.by_row else read.rows[:1]
        tried = off = 0
        for row in rows:
            try:
                first, second = left(row), right(row)
            except (_NoCell, ZeroDivisionError):
                continue
            tried += 1
            if not first.meets(second):
                off += 1
                yield _flaw(read, claim, row if parser.by_row else None, first, second, parser)
        yield Check(
            name=claim.says,
            tried=tried,
            off=off,
            note="" if tried else "a cell has no number, or a divisor can be 0",
        )


def _flaw(
    read: ReadTable, claim: Equation, row: int | None, left: Span, right: Span, parser: _Parser
) -> Flaw:
    cells = list(parser.fixed)
    if row is not None:
        cells += [(row, column) for column in parser.columns]
    where = read.label if row is None else read.where(row)
    return flaw(
        Severity.ERROR,
        "equation-off",
        where,
        f"{claim.says}: {_shown(left)} against {_shown(right)}"
        + (f" ({claim.equation})" if claim.says != claim.equation else ""),
        cells=cells,
        effect="no rounding makes both sides equal",
        remedy="Compute it again from the cells.",
    )


def _shown(span: Span) -> str:
    low, high = f"{float(span.low):.6g}", f"{float(span.high):.6g}"
    return low if low == high else f"{low} to {high}"


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str


class _Parser:
    """A recursive descent over one equation; every name is checked before the first row."""

    def __init__(self, read: ReadTable, claim: Equation) -> None:
        self._read = read
        self._claim = claim
        self._tokens = list(self._split(claim.equation))
        self._place = 0
        self.by_row = False
        self.columns: list[int] = []
        self.fixed: list[Cell] = []

    def sides(self) -> tuple[_Value, _Value]:
        left = self._sum(0)
        self._take("=")
        right = self._sum(0)
        if self._place < len(self._tokens):
            raise self._bad("an end", self._tokens[self._place].text)
        return left, right

    def _split(self, text: str) -> Iterator[_Token]:
        if len(text) > _LONGEST:
            raise self._bad(f"at most {_LONGEST:,} characters", f"{len(text):,}")
        place = 0
        while text[place:].strip():
            found = _TOKEN.match(text, place)
            if found is None or found.lastgroup is None:
                raise self._bad("a cell, a number or a sign", repr(text[place : place + 20]))
            yield _Token(found.lastgroup, found[found.lastgroup])
            place = found.end()

    def _bad(self, rule: str, got: str) -> UsageError:
        return UsageError(
            expected(
                f"equation {self._claim.equation!r}",
                rule=rule,
                got=got,
                remedy='Write such as "{gain} = {ours} - {baseline}" or '
                "\"'0.41' = 1 - {B | gap} / {A | gap}\".",
            )
        )

    def _next(self) -> str:
        return self._tokens[self._place].text if self._place < len(self._tokens) else ""

    def _take(self, sign: str) -> None:
        if self._next() != sign:
            raise self._bad(repr(sign), repr(self._next()) if self._next() else "its end")
        self._place += 1

    def _sum(self, depth: int) -> _Value:
        value = self._product(depth)
        while self._next() in ("+", "-"):
            sign = self._next()
            self._place += 1
            value = _combined(value, self._product(depth), sign)
        return value

    def _product(self, depth: int) -> _Value:
        value = self._factor(depth)
        while self._next() in ("*", "/"):
            sign = self._next()
            self._place += 1
            value = _combined(value, self._factor(depth), sign)
        return value

    def _factor(self, depth: int) -> _Value:
        if depth > _DEEPEST:
            raise self._bad(f"at most {_DEEPEST} brackets within each other", "more")
        if self._place >= len(self._tokens):
            raise self._bad("a value", "its end")
        token = self._tokens[self._place]
        self._place += 1
        if token.text == "-":
            inner = self._factor(depth + 1)
            return lambda row: Span.at(0) - inner(row)
        if token.text == "(":
            value = self._sum(depth + 1)
            self._take(")")
            return value
        if token.kind == "number":
            exact = Span.at(Fraction(token.text))
            return lambda row: exact
        if token.kind == "printed":
            return self._printed(token.text[1:-1])
        if token.kind == "name":
            return self._function(token.text, depth)
        if token.kind == "cell":
            return self._cell(token.text[1:-1])
        raise self._bad("a value", repr(token.text))

    def _printed(self, text: str) -> _Value:
        if not re.fullmatch(r"-?\d+(\.\d+)?", text.strip()):
            raise self._bad("a printed number in quotes", repr(text))
        digits = str(Decimal(text.strip()))
        decimals = len(digits.partition(".")[2])
        span = span_of_digits(digits, decimals, self._read.rounding)
        return lambda row: span

    def _function(self, name: str, depth: int) -> _Value:
        if name not in _FUNCTIONS:
            raise self._bad("one of " + ", ".join(_FUNCTIONS), repr(name))
        self._take("(")
        values = [self._sum(depth + 1)]
        while self._next() == ",":
            self._place += 1
            values.append(self._sum(depth + 1))
        self._take(")")
        function = _FUNCTIONS[name]
        return lambda row: function([value(row) for value in values])

    def _cell(self, text: str) -> _Value:
        read = self._read
        row_name, bar, column_name = text.rpartition("|")
        reference = read.reference(column_name.strip(), argument="equation")
        if not bar:
            self.by_row = True
            self.columns.append(reference[0])

            def by_row(row: int) -> Span:
                span = read.span(row, reference)
                if span is None:
                    raise _NoCell
                return span

            return by_row
        fixed = read.row(row_name.strip(), argument="equation")
        self.fixed.append((fixed, reference[0]))

        def of_cell(row: int) -> Span:
            span = read.span(fixed, reference)
            if span is None:
                raise _NoCell
            return span

        return of_cell


def _combined(left: _Value, right: _Value, sign: str) -> _Value:
    if sign == "+":
        return lambda row: left(row) + right(row)
    if sign == "-":
        return lambda row: left(row) - right(row)
    if sign == "*":
        return lambda row: left(row) * right(row)
    return lambda row: left(row) / right(row)


def _total(values: Sequence[Span]) -> Span:
    return weighted_mean(values, [Fraction(1)] * len(values)).scaled(Fraction(len(values)))


def _mean(values: Sequence[Span]) -> Span:
    return weighted_mean(values, [Fraction(1)] * len(values))


def _size(values: Sequence[Span]) -> Span:
    value = _total(values)
    ends = (abs(value.low), abs(value.high))
    low = Fraction(0) if value.low <= 0 <= value.high else min(ends)
    return Span(low=low, high=max(ends))


_FUNCTIONS: Final[dict[str, Callable[[Sequence[Span]], Span]]] = {
    "min": least,
    "max": greatest,
    "mean": _mean,
    "sum": _total,
    "abs": _size,
}
