"""A table read for its arithmetic: which columns are names, numbers, counts, and shares of what."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Final, Literal

from overread.audits.table.claims import Claims, Scale
from overread.audits.table.headings import is_count, is_how_many, is_right, is_share_name
from overread.audits.table.inferred_columns import Inferred, infer_columns
from overread.audits.table.scales import is_fraction, odd_cells, scale_of
from overread.audits.table.spans import Rounding, Span, printed_span, span_of_digits
from overread.errors import UsageError, expected
from overread.store.printed_number import PrintedNumber, without_markup
from overread.store.printed_table import PrintedTable

__all__ = ["Column", "ReadTable", "read_for_audit"]

_ORDER: Final = re.compile(
    r"(?:#|no\.?|nr\.?|place|pos(?:ition)?|rank(?:ing)?|id|year|params?|size|seed|epochs?)",
    re.IGNORECASE,
)
_RANK: Final = re.compile(r"(?:#|place|pos(?:ition)?|rank(?:ing)?)", re.IGNORECASE)
_WHOLES: Final = {"percent": 100, "fraction": 1, "other": None}
_COUNT_AND_SHARE: Final = re.compile(
    r"(?:^|\W)(?:n|no\.?|number|counts?)\W{0,3}%|^(?:cases|patients)\W{0,3}%", re.IGNORECASE
)
"""A heading such as ``n (%)``, above cells such as ``45 (75.0)``."""
_PART: Final = re.compile(r"(?P<column>.*)#(?P<part>rank|spread|low|high|n|count)")


Reference = tuple[int, str]
"""A column and which number of its cells: ``value``, ``rank``, ``spread``, ``low``, ``high``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """What a column holds."""

    name: str
    place: int
    kind: Literal["name", "text", "number", "count", "order", "bound"]
    """`number` is what relations are looked for in; `count` is how many, `order` a rank or id,
    `bound` an end of an interval."""
    scale: Scale
    is_share: bool
    """Whether its cells are surely shares: a percent sign, a claim, or the name of a share."""
    decimals: int
    """Digits after the decimal mark in most of its cells."""


class ReadTable:
    """A table with its numbers read."""

    def __init__(self, table: PrintedTable, claims: Claims, *, label: str) -> None:
        self.table = table
        self.claims = claims
        self.label = label
        self.numbers = tuple(
            tuple(
                _count_and_share(table.number(row, place), name)
                for place, name in enumerate(table.columns)
            )
            for row in range(len(table.rows))
        )
        for name in (*claims.names, *claims.ignore_columns):
            table.column(name, argument="names" if name in claims.names else "ignore_columns")
        self.columns = tuple(self._column(place) for place in range(len(table.columns)))
        ignored = {name.casefold() for name in claims.ignore_rows}
        self.rows = tuple(
            row for row in range(len(table.rows)) if self.row_names[row].casefold() not in ignored
        )
        """Rows that are looked at."""
        self.left_out: set[tuple[int, int]] = set()
        """Cells outside the range of their column: no other check reads them."""
        self.inferred = Inferred()
        self.odd: dict[tuple[int, int], bool] = {}
        """Cells on the other scale than their column, and whether that is sure."""
        if claims.infer:
            self.odd = self._odd()
            self.inferred = infer_columns(self)
        # What the number of items says of scales is known only now.
        self.odd = self._odd()
        bounds = self._bounds()
        self.columns = tuple(
            replace(each, kind="bound") if each.place in bounds else each for each in self.columns
        )

    def _odd(self) -> dict[tuple[int, int], bool]:
        found: dict[tuple[int, int], bool] = {}
        for column in self.value_columns:
            cells = {
                row: number
                for row in self.rows
                if (number := self.number(row, column.place)) is not None
            }

            def n_of(row: int, place: int = column.place) -> int | None:
                return self.n_of(row, place)

            odd = odd_cells(cells, column.scale, is_share=column.is_share, n_of=n_of)
            found |= {(row, column.place): is_sure for row, is_sure in odd.items()}
        return found

    def _bounds(self) -> frozenset[int]:
        claimed = [
            self.table.column(name, argument="interval")
            for each in self.claims.intervals
            if each.low is not None and each.high is not None
            for name in (each.low, each.high)
            if name in self.table.columns
        ]
        inferred = [place for each in self.inferred.intervals for place in (each.low, each.high)]
        return frozenset((*claimed, *inferred))

    @property
    def rounding(self) -> Rounding:
        """How the table rounds."""
        return self.claims.rounding

    @cached_property
    def name_columns(self) -> tuple[int, ...]:
        """Columns that name a row: those claimed, else the first that holds no numbers."""
        if self.claims.names:
            return tuple(self.table.column(name) for name in self.claims.names)
        for place in range(len(self.table.columns)):
            cells = [row[place] for row in self.numbers]
            texts = sum(cell.value is None and not cell.is_missing for cell in cells)
            if texts * 2 > len(cells):
                return (place,)
        return ()

    @cached_property
    def row_names(self) -> tuple[str, ...]:
        """Names of all rows, without markup; ``row 3`` where the table gives none."""
        names = [
            " / ".join(
                text for place in self.name_columns if (text := without_markup(cells[place]))
            )
            for cells in self.table.rows
        ]
        return tuple(name or f"row {row + 1}" for row, name in enumerate(names))

    @property
    def value_columns(self) -> tuple[Column, ...]:
        """Columns of numbers that relations are looked for in."""
        return tuple(column for column in self.columns if column.kind == "number")

    # ------------------------------------------------------------ cells

    def number(self, row: int, column: int) -> PrintedNumber | None:
        """Give a cell's number; None where it has none or is on another scale."""
        found = self.numbers[row][column]
        return None if found.value is None or (row, column) in self.left_out else found

    def span(self, row: int, reference: Reference) -> Span | None:
        """Give what the number of a cell can be the rounding of; None where there is none.

        A rank in brackets and a count are known exactly. All numbers of a column stand on its
        scale here, also those of a cell that is printed on the other one.
        """
        column, part = reference
        number = self.number(row, column)
        if number is None:
            return None
        if part == "value":
            span = printed_span(number, self.rounding)
            return None if span is None else span.scaled(self._factor(row, column))
        if part == "spread":
            digits = number.spread_digits
        elif part in ("low", "high"):
            ends = number.interval_digits
            digits = None if ends is None else ends[part == "high"]
        else:
            whole = {"rank": number.rank, "n": number.n, "count": number.count}[part]
            return None if whole is None else Span.at(whole)
        if digits is None:
            return None
        span = span_of_digits(digits, len(digits.partition(".")[2]), self.rounding)
        return span.scaled(self._factor(row, column))

    def whole_of(self, row: int, column: int) -> int | None:
        """Give what all items are printed as in a cell: 100, 1, or None where it is no share."""
        whole = _WHOLES[self.columns[column].scale]
        number = self.numbers[row][column]
        if whole is None or is_fraction(number):
            return None if whole is None else 100 if number.is_percent else 1
        return 101 - whole if (row, column) in self.odd else whole

    def _factor(self, row: int, column: int) -> Fraction:
        """Give what takes a cell to the scale of its column."""
        whole, own = _WHOLES[self.columns[column].scale], self.whole_of(row, column)
        return Fraction(1) if whole is None or own is None else Fraction(whole, own)

    def value(self, row: int, column: int) -> float | None:
        """Give a cell's number on the scale of its column; None where it has none."""
        number = self.number(row, column)
        if number is None or number.value is None:
            return None
        factor = self._factor(row, column)
        return number.value if factor == 1 else number.value * float(factor)

    def reference(self, text: str, *, argument: str) -> Reference:
        """Read ``COLUMN`` or ``COLUMN#rank``. UsageError lists the columns."""
        found = _PART.fullmatch(text)
        if found and text not in self.table.columns:
            return self.table.column(found["column"], argument=argument), found["part"]
        return self.table.column(text, argument=argument), "value"

    def row(self, name: str, *, argument: str) -> int:
        """Find a row by its name. UsageError where none or several have it."""
        found = [row for row, each in enumerate(self.row_names) if each == name]
        if not found:
            folded = name.casefold()
            found = [row for row, each in enumerate(self.row_names) if each.casefold() == folded]
        if len(found) == 1:
            return found[0]
        raise UsageError(
            expected(
                argument,
                rule="the name of one row",
                got=f"{name!r}, which {len(found)} rows have",
                remedy="Rows are called "
                + ", ".join(repr(each) for each in self.row_names[:8])
                + (", …" if len(self.row_names) > 8 else ".")
                + " 'names' says which columns name a row.",
            )
        )

    def n_of(self, row: int, column: int) -> int | None:
        """Give how many items stand behind a cell; None where nothing says it."""
        counts = self.claims.n
        name, row_name = self.table.columns[column], self.row_names[row]
        found = counts.cells.get((row_name, name))
        if found is None:
            found = self.numbers[row][column].n
        if found is None:
            found = counts.rows.get(row_name)
        if found is None and counts.column is not None:
            number = self.numbers[row][self.table.column(counts.column, argument="n.column")]
            if number.value is not None and number.value >= 1 and number.value == int(number.value):
                found = int(number.value)
        if found is None:
            found = counts.columns.get(name, counts.all)
        if found is None and (place := self.inferred.n_columns.get(column)) is not None:
            number = self.numbers[row][place]
            if number.value is not None and number.value >= 1 and number.value == int(number.value):
                found = int(number.value)
        return None if found is None else found * counts.runs

    def is_n_inferred(self, row: int, column: int) -> bool:
        """Tell whether how many items stand behind a cell is only inferred from a heading."""
        counts = self.claims.n
        return (
            column in self.inferred.n_columns
            and self.numbers[row][column].n is None
            and counts.column is None
            and counts.all is None
            and self.table.columns[column] not in counts.columns
            and self.row_names[row] not in counts.rows
            and (self.row_names[row], self.table.columns[column]) not in counts.cells
        )

    def where(self, row: int, column: int | None = None) -> str:
        """Name a cell or row for people: its row, its column, the line in the file."""
        line = f"line {self.table.line_of_row[row]}"
        if column is None:
            return f"{self.row_names[row]} ({line})"
        return f"{self.row_names[row]}, {self.table.columns[column]} ({line})"

    def printed(self, row: int, column: int) -> str:
        """Give a cell as it stands, without markup."""
        return without_markup(self.table.rows[row][column])

    # ------------------------------------------------------------ columns

    def _column(self, place: int) -> Column:
        name = self.table.columns[place]
        cells = [row[place] for row in self.numbers]
        read = [cell for cell in cells if cell.value is not None]
        filled = [cell for cell in cells if not cell.is_missing]
        kind = self._kind(place, name, read, filled)
        decimals = Counter(cell.decimals for cell in read).most_common(1)
        signs = sum(cell.is_percent for cell in read)
        scales = self.claims.scale
        claimed: Scale | None = scales[name] if name in scales else scales.get("*")
        is_share = is_share_name(name)
        found = scale_of(read, has_sign="%" in name or signs * 2 > len(read))
        return Column(
            name=name,
            place=place,
            kind=kind,
            scale=found if claimed is None else claimed,
            is_share=claimed in ("percent", "fraction")
            or (claimed is None and found != "other" and (signs > 0 or is_share)),
            decimals=decimals[0][0] if decimals else 0,
        )

    def _kind(
        self,
        place: int,
        name: str,
        read: Sequence[PrintedNumber],
        filled: Sequence[PrintedNumber],
    ) -> Literal["name", "text", "number", "count", "order"]:
        if place in self.name_columns:
            return "name"
        if not read or len(read) * 2 < len(filled) or name in self.claims.ignore_columns:
            return "text"
        whole = all(cell.decimals <= 0 for cell in read)
        signs = any(cell.is_percent or cell.count is not None for cell in read)
        # Some programs write counts as 60.0; a share of 60.0 looks alike, so its heading decides.
        is_whole = whole or (
            (is_how_many(name) or is_right(name))
            and all(cell.value == int(cell.value or 0) for cell in read)
        )
        if name == self.claims.n.column or (is_whole and not signs and is_count(name)):
            return "count"
        return "order" if whole and _ORDER.fullmatch(name) else "number"

    def is_rank(self, column: Column) -> bool:
        """Tell whether a column is named as a rank."""
        return column.kind == "order" and bool(_RANK.fullmatch(column.name))

    def each(self) -> Iterator[tuple[int, Column, PrintedNumber]]:
        """Go through all numbers of value columns: row, column, number."""
        for row in self.rows:
            for column in self.value_columns:
                number = self.number(row, column.place)
                if number is not None:
                    yield row, column, number


def read_for_audit(table: PrintedTable, claims: Claims, *, label: str) -> ReadTable:
    """Read a table for its arithmetic.

    Parameters
    ----------
    table
        As printed.
    claims
        What is known beside it.
    label
        What findings call it: the file.

    Raises
    ------
    UsageError
        A claim names a column or row that is not there, or the table holds no number at all.
    """
    read = ReadTable(table, claims, label=label)
    for names, argument in (
        (claims.n.columns, "n.columns"),
        ({name: 0 for name in claims.scale if name != "*"}, "scale"),
        ({column: 0 for _, column in claims.n.cells}, "n.cells"),
    ):
        for name in names:
            table.column(name, argument=argument)
    for name in (*claims.n.rows, *(row for row, _ in claims.n.cells), *claims.ignore_rows):
        if name.casefold() not in {each.casefold() for each in read.row_names}:
            read.row(name, argument="a row of the claims")
    if not any(number.value is not None for row in read.numbers for number in row):
        raise UsageError(
            expected(
                label,
                rule="a table with numbers",
                got="not one cell that can be read as a number",
                remedy="Name the decimal mark with --decimal if it is a comma.",
            )
        )
    return read


def _count_and_share(number: PrintedNumber, heading: str) -> PrintedNumber:
    """Read ``45 (75.0)`` below ``n (%)`` as the share that it is, with its count beside it."""
    whole = number.exact is not None and number.decimals == 0 and number.count is None
    if not whole or number.is_percent or not _COUNT_AND_SHARE.search(heading):
        return number
    digits = number.spread_digits or (None if number.rank is None else str(number.rank))
    if digits is None or "±" in number.text or float(digits) > 100:
        return number
    return replace(
        number,
        value=float(digits),
        digits=digits,
        decimals=len(digits.partition(".")[2]),
        is_percent=True,
        spread=None,
        spread_digits=None,
        count=int(number.exact or 0),
        marks=tuple(mark for mark in number.marks if not mark.startswith("rank ")),
    )
