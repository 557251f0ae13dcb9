"""Which values a printed number can be the rounding of, as exact spans.

All arithmetic on printed numbers is interval arithmetic over fractions: a total that no choice of
unrounded parts can give is wrong for certain, and nothing else is called wrong.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Literal

from overread.store.printed_number import PrintedNumber

__all__ = [
    "Rounding",
    "Span",
    "greatest",
    "least",
    "printed_span",
    "show",
    "span_of_digits",
    "step_of",
    "weighted_mean",
]

Rounding = Literal["nearest", "truncated"]
"""`nearest` covers halves rounded up, to even or down; `truncated` cuts digits off."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """All values from `low` to `high`, ends included."""

    low: Fraction
    high: Fraction

    @classmethod
    def at(cls, value: Fraction | int) -> Span:
        """Give the span of a number that is known exactly."""
        return cls(low=Fraction(value), high=Fraction(value))

    @property
    def middle(self) -> Fraction:
        """The value in its middle."""
        return (self.low + self.high) / 2

    def meets(self, other: Span, *, slack: Fraction = Fraction(0)) -> bool:
        """Tell whether both can be the same value."""
        return self.low <= other.high + slack and other.low <= self.high + slack

    def clearly_misses(self, other: Span) -> bool:
        """Tell whether two values differ by twice what rounding explains or more.

        A near miss speaks against an inferred rule as much as against the number.
        """
        reach = (self.high - self.low + other.high - other.low) / 2
        return abs(self.middle - other.middle) >= 2 * reach

    def __add__(self, other: Span) -> Span:
        return Span(low=self.low + other.low, high=self.high + other.high)

    def __sub__(self, other: Span) -> Span:
        return Span(low=self.low - other.high, high=self.high - other.low)

    def __mul__(self, other: Span) -> Span:
        ends = [a * b for a in (self.low, self.high) for b in (other.low, other.high)]
        return Span(low=min(ends), high=max(ends))

    def __truediv__(self, other: Span) -> Span:
        """Divide. ZeroDivisionError where the divisor can be 0."""
        if other.low <= 0 <= other.high:
            raise ZeroDivisionError
        return self * Span(low=1 / other.high, high=1 / other.low)

    def scaled(self, factor: Fraction) -> Span:
        """Multiply by a number that is known exactly."""
        return self * Span.at(factor)


def step_of(decimals: int) -> Fraction:
    """Give what the last printed digit is worth: 1/10 for one decimal."""
    return Fraction(10) ** -decimals


def span_of_digits(digits: str, decimals: int, rounding: Rounding) -> Span:
    """Give what a number in plain digits can be the rounding of."""
    value, step = Fraction(Decimal(digits)), step_of(decimals)
    if rounding == "nearest":
        return Span(low=value - step / 2, high=value + step / 2)
    return Span(low=value, high=value + step) if value >= 0 else Span(low=value - step, high=value)


def printed_span(number: PrintedNumber, rounding: Rounding) -> Span | None:
    """Give what a printed number can be the rounding of; None where there is none.

    A fraction (``47/55``) is exact.
    """
    if number.digits is None:
        return None
    if number.count is not None and number.n and number.decimals == 28:
        return Span.at(Fraction(number.count * (100 if number.is_percent else 1), number.n))
    return span_of_digits(number.digits, number.decimals, rounding)


def weighted_mean(parts: Sequence[Span], weights: Sequence[Fraction]) -> Span:
    """Give the span of a weighted mean; weights are 0 or more, and not all 0."""
    whole = sum(weights, Fraction(0))
    pairs = list(zip(parts, weights, strict=True))
    return Span(
        low=sum((part.low * weight for part, weight in pairs), Fraction(0)) / whole,
        high=sum((part.high * weight for part, weight in pairs), Fraction(0)) / whole,
    )


def show(value: Fraction | float, decimals: int) -> str:
    """Write a value with so many decimals, at least 0.

    Examples
    --------
    >>> show(Fraction(2, 3), 3)
    '0.667'
    """
    return f"{float(value):,.{max(decimals, 0)}f}"


def least(spans: Iterable[Span]) -> Span:
    """Give the span of the smallest of several values."""
    several = list(spans)
    return Span(low=min(one.low for one in several), high=min(one.high for one in several))


def greatest(spans: Iterable[Span]) -> Span:
    """Give the span of the greatest of several values."""
    several = list(spans)
    return Span(low=max(one.low for one in several), high=max(one.high for one in several))
