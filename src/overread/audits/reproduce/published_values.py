"""What was published for a cell, from the source that gives most digits, and how many those are."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Final, TypeAlias

from overread.records import PublishedValue

__all__ = ["PublishedTable", "digits_of"]

_MOST_DIGITS: Final = 10
"""Beyond these, digits are those of floating-point arithmetic."""
_Key: TypeAlias = tuple[str, str, tuple[tuple[str, str], ...]]


class PublishedTable:
    """All published values of a release, by cell.

    Parameters
    ----------
    values
        In any order; one cell may be published several times.
    """

    def __init__(self, values: Iterable[PublishedValue]) -> None:
        self._by_cell: defaultdict[_Key, list[PublishedValue]] = defaultdict(list)
        digits: defaultdict[tuple[str, str], int] = defaultdict(int)
        for one in values:
            if one.kind == "model":
                self._by_cell[one.metric, one.who, tuple(one.stratum.items())].append(one)
                column = one.metric, one.source
                digits[column] = max(digits[column], digits_of(one.value))
        self._digits: Mapping[tuple[str, str], int] = dict(digits)

    def digits(self, value: PublishedValue) -> int:
        """Count the decimals that the value's column was published with."""
        return self._digits[value.metric, value.source]

    def find(
        self, metric: str, who: str, stratum: tuple[tuple[str, str], ...]
    ) -> PublishedValue | None:
        """Give a cell's published value from the source with most digits; None where none is."""
        found = self.all(metric, who, stratum)
        return max(found, key=self.digits) if found else None

    def all(
        self, metric: str, who: str, stratum: tuple[tuple[str, str], ...]
    ) -> tuple[PublishedValue, ...]:
        """Give everything that was published for a cell."""
        return tuple(self._by_cell.get((metric, who, stratum), ()))

    def cells(self) -> Iterable[tuple[PublishedValue, ...]]:
        """Give the values of every cell that has some."""
        return (tuple(values) for values in self._by_cell.values())


def digits_of(value: float) -> int:
    """Count the decimals of a number as printed.

    Examples
    --------
    >>> digits_of(0.3455), digits_of(33.04 / 100), digits_of(8.11), digits_of(0.3057086180295349)
    (4, 4, 2, 9)
    """
    return len(f"{value:.{_MOST_DIGITS}f}".rstrip("0").partition(".")[2])
