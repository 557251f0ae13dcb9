"""Which cells of a column stand on the other scale: 0.62 among 58.1 and 61.4."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Final, Literal

from overread.audits.table.whole_counts import how_possible
from overread.store.printed_number import PrintedNumber

__all__ = ["is_fraction", "odd_cells", "scale_of"]

_GAP: Final = 5
"""The least percentage is so many times the greatest fraction, or the column just spreads."""
_NEAR: Final = 3
"""A hundred times a fraction lies within the percentages, widened by this factor."""
_EXACT: Final = 28


def is_fraction(number: PrintedNumber) -> bool:
    """Tell whether a cell is a pair of counts, as ``45/60``."""
    return number.count is not None and number.decimals == _EXACT


def scale_of(
    read: Sequence[PrintedNumber], *, has_sign: bool
) -> Literal["percent", "fraction", "other"]:
    """Say on which scale most cells of a column are.

    Parameters
    ----------
    read
        The cells that hold a number.
    has_sign
        Whether the heading or most cells have a percent sign.
    """
    if has_sign:
        return "percent"
    read = [cell for cell in read if not is_fraction(cell)] or read
    values = sorted(cell.value for cell in read if cell.value is not None)
    if not values or values[0] < 0:
        return "other"
    # Most cells decide: a few cells on another scale must not change what the column is.
    middle, most = values[len(values) // 2], values[int(0.9 * (len(values) - 1))]
    if middle <= 1 and any(cell.decimals > 0 for cell in read):
        return "fraction" if _others_are_percent(read) else "other"
    return "percent" if middle <= 100 and most <= 100 else "other"


def _others_are_percent(read: Sequence[PrintedNumber]) -> bool:
    """Tell whether what exceeds 1 among fractions looks like percentages, and not like millilitres.

    Percentages have a sign, or fewer digits behind the decimal mark. With as many digits all may be
    percentages, most of them low.
    """
    decimals = _usual([cell for cell in read if (cell.value or 0) <= 1 and not cell.is_percent])
    return all(
        cell.is_percent or ((cell.value or 0) <= 100 and cell.decimals < decimals)
        for cell in read
        if (cell.value or 0) > 1
    )


def _usual(cells: Sequence[PrintedNumber]) -> int:
    counts = Counter(cell.decimals for cell in cells)
    return max(counts, key=lambda decimals: (counts[decimals], decimals)) if counts else 0


def _near(percentage: PrintedNumber, fractions: Sequence[PrintedNumber]) -> bool:
    values = [100 * cell.value for cell in fractions if cell.value]
    value = percentage.value or 0.0
    return bool(values) and min(values) / _NEAR <= value <= _NEAR * max(values)


def odd_cells(
    cells: Mapping[int, PrintedNumber],
    scale: Literal["percent", "fraction", "other"],
    *,
    is_share: bool,
    n_of: Callable[[int], int | None],
) -> dict[int, bool]:
    """Find the cells of a column that are on the other scale.

    A cell is when its sign says so, or when its value fits the others a hundredfold and its digits
    or its number of items say the same: 0.62 among 58.1 has the digits of a fraction, and of 100
    items 0.62 % is no whole count. 0.6 among 58.1 may well be 0.6 %.

    Parameters
    ----------
    cells
        Row → number, of all rows that have one.
    scale
        Of most cells.
    is_share
        Whether the column surely holds shares.
    n_of
        Items behind a row's cell; None where unknown.

    Returns
    -------
    dict
        Row → whether it is sure.
    """
    plain = {row: cell for row, cell in cells.items() if not is_fraction(cell)}
    small = {
        row: cell
        for row, cell in plain.items()
        if 0 < (cell.value or 0.0) <= 1 and cell.decimals > 0 and not cell.is_percent
    }
    large = {row: cell for row, cell in plain.items() if (cell.value or 0.0) > 1 or cell.is_percent}
    if scale == "other" or not small or not large:
        return {}
    if scale == "percent":
        found = _fractions(small, list(large.values()), is_share=is_share, n_of=n_of)
    else:
        found = _percentages(large, list(small.values()))
    return found if 2 * len(found) <= len(plain) else {}


def _fractions(
    small: Mapping[int, PrintedNumber],
    large: Sequence[PrintedNumber],
    *,
    is_share: bool,
    n_of: Callable[[int], int | None],
) -> dict[int, bool]:
    values = [cell.value or 0.0 for cell in large]
    decimals = _usual(large)
    found: dict[int, bool] = {}
    for row, cell in small.items():
        value = cell.value or 0.0
        near = min(values) / _NEAR <= 100 * value <= _NEAR * max(values)
        told = is_share and _only_as_fraction(cell, n_of(row))
        more = cell.decimals - decimals
        if not near or (min(values) < _GAP * value and not (told and more >= 1)):
            continue
        if more >= 2 or told or (is_share and more >= 1):
            found[row] = more >= 2 or told
    return found


def _percentages(
    large: Mapping[int, PrintedNumber], small: Sequence[PrintedNumber]
) -> dict[int, bool]:
    decimals = _usual(small)
    found: dict[int, bool] = {}
    for row, cell in large.items():
        fewer = decimals - cell.decimals
        looks = (cell.value or 0.0) >= 2 and (fewer >= 2 or (fewer >= 1 and _near(cell, small)))
        if cell.is_percent or looks:
            found[row] = cell.is_percent or fewer >= 2
    return found


def _only_as_fraction(cell: PrintedNumber, n: int | None) -> bool:
    """Tell whether a count of the items gives the cell as a fraction, and none as a percentage."""
    if cell.exact is None:
        return False
    value = Fraction(cell.exact)
    if cell.count is not None and cell.n:
        return abs(value - Fraction(cell.count, cell.n)) <= Fraction(10) ** -cell.decimals
    if n is None:
        return False
    return (
        how_possible(value, cell.decimals, n, 100) == "none"
        and how_possible(value, cell.decimals, n, 1) != "none"
    )
