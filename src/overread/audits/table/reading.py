"""A table read for its arithmetic: which columns are names, numbers, counts, and shares of what."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal

from overread.audits.table.claims import Claims, Scale
from overread.audits.table.spans import Rounding, Span, printed_span, span_of_digits
from overread.errors import UsageError, expected
from overread.store.printed_number import PrintedNumber, without_markup
from overread.store.printed_table import PrintedTable

__all__ = ["Column", "ReadTable", "read_for_audit"]

_ORDER: Final = re.compile(
    r"(?:#|no\.?|nr\.?|place|pos(?:ition)?|rank(?:ing)?|id|year|params?|size|seed|epochs?)",
    re.IGNORECASE,
)
_COUNT: Final = re.compile(
    r"(?:n|#\s?\w+|(?:n|num|number|no\.?)[ _]?(?:of[ _])?\w*|counts?|support|"
    r"(?:cases|questions|items|patients|images|samples|volumes|studies)(?:[ _]n)?)",
    re.IGNORECASE,
)
_RANK: Final = re.compile(r"(?:#|place|pos(?:ition)?|rank(?:ing)?)", re.IGNORECASE)
_SHARE: Final = re.compile(
    r"%|acc|dice|\bdsc\b|\bauc|auroc|\bf1\b|f-score|sens|spec|recall|precision|\bppv\b|\bnpv\b|"
    r"iou|jaccard|kappa|share|rate|overall|correct",
    re.IGNORECASE,
)
_PART: Final = re.compile(r"(?P<column>.*)#(?P<part>rank|spread|low|high|n|count)")


Reference = tuple[int, str]
"""A column and which number of its cells: ``value``, ``rank``, ``spread``, ``low``, ``high``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """What a column holds."""

    name: str
    place: int
    kind: Literal["name", "text", "number", "count", "order"]
    """`number` is what relations are looked for in; `count` is how many, `order` a rank or id."""
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
            tuple(table.number(row, column) for column in range(len(table.columns)))
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
        """Cells on another scale than their column: no other check reads them."""

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

        A rank in brackets and a count are known exactly.
        """
        column, part = reference
        number = self.number(row, column)
        if number is None:
            return None
        if part == "value":
            return printed_span(number, self.rounding)
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
        return span_of_digits(digits, len(digits.partition(".")[2]), self.rounding)

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
        return None if found is None else found * counts.runs

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
        found = _scale_of(read, has_sign="%" in name or signs * 2 > len(read))
        return Column(
            name=name,
            place=place,
            kind=kind,
            scale=found if claimed is None else claimed,
            is_share=claimed in ("percent", "fraction")
            or (claimed is None and found != "other" and (signs > 0 or bool(_SHARE.search(name)))),
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
        if name == self.claims.n.column or (whole and _COUNT.fullmatch(name)):
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


def _scale_of(read: Sequence[PrintedNumber], *, has_sign: bool) -> Scale:
    if has_sign:
        return "percent"
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

    Percentages have a sign, or fewer digits behind the decimal mark.
    """
    small = Counter(cell.decimals for cell in read if (cell.value or 0) <= 1)
    decimals = small.most_common(1)[0][0]
    return all(
        cell.is_percent or ((cell.value or 0) <= 100 and cell.decimals < decimals)
        for cell in read
        if (cell.value or 0) > 1
    )
