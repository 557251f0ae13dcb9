"""What a table's readers know and its cells do not say: questions behind a cell, what a total is.

Claims come from a TOML file beside the table (`read_claims`) or from options of the command.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal

from overread.audits.table.spans import Rounding

__all__ = [
    "Block",
    "Claims",
    "Counts",
    "Equation",
    "Intervals",
    "Ranks",
    "RowCount",
    "Rule",
    "Scale",
    "Summary",
    "Total",
    "Union",
]

Rule = Literal["pooled", "mean", "sum"]
Scale = Literal["percent", "fraction", "other"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """How many items stand behind a cell."""

    all: int | None = None
    columns: Mapping[str, int] = field(default_factory=dict[str, int])
    rows: Mapping[str, int] = field(default_factory=dict[str, int])
    """They stand above `columns`: a row of another study has its own."""
    cells: Mapping[tuple[str, str], int] = field(default_factory=dict[tuple[str, str], int])
    column: str | None = None
    """The column in which the table says it itself."""
    runs: int = 1
    """Cells are means over so many runs of the same items."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Total:
    """A column that follows from others."""

    column: str
    parts: tuple[str, ...]
    weights: tuple[Fraction, ...] = ()
    """None: the counts of the parts where they are known."""
    rule: Rule | None = None
    """None finds out which one fits."""
    tolerance: Fraction = Fraction(0)
    """Beyond what rounding explains, in printed units."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """Columns that sum up the same values over sites, classes or readers."""

    mean: str | None = None
    best: str | None = None
    worst: str | None = None
    gap: str | None = None
    """Best minus worst."""
    sites: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranks:
    """A rank and the value it ranks."""

    value: str
    rank: str | None = None
    """A column; None is the number in brackets behind the value."""
    smaller_is_better: bool | None = None
    """None finds out from the ranks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """The columns of one split, edition or reader; blocks are compared column by column."""

    name: str
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Equation:
    """Something a text says about the table, as an equation between cells."""

    says: str
    equation: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Union:
    """Counts of parts that are said to share nothing, and of the whole."""

    what: str
    parts: Mapping[str, int]
    distinct: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RowCount:
    """How many rows a text says there are."""

    stated: int
    source: str
    where: Mapping[str, str] = field(default_factory=dict[str, str])
    """Only rows with these cells."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Intervals:
    """An interval in columns of its own, or what ± means."""

    value: str
    low: str | None = None
    high: str | None = None
    spread: Literal["sd", "se", "half-width"] | None = None
    level: float = 0.95


@dataclass(frozen=True, slots=True, kw_only=True)
class Claims:
    """All that is claimed."""

    table: str = ""
    """What the table is."""
    source: str = ""
    names: tuple[str, ...] = ()
    """Columns that name a row together."""
    ignore_rows: tuple[str, ...] = ()
    ignore_columns: tuple[str, ...] = ()
    scale: Mapping[str, Scale] = field(default_factory=dict[str, Scale])
    """Column → in what its cells are shares; ``*`` is every other column."""
    rounding: Rounding = "nearest"
    n: Counts = Counts()
    totals: tuple[Total, ...] = ()
    summaries: tuple[Summary, ...] = ()
    ranks: tuple[Ranks, ...] = ()
    blocks: tuple[Block, ...] = ()
    equations: tuple[Equation, ...] = ()
    unions: tuple[Union, ...] = ()
    row_counts: tuple[RowCount, ...] = ()
    intervals: tuple[Intervals, ...] = ()
    sites: int | None = None
    """How many sites stand behind a summary that is inferred from headings."""
    infer: bool = True
    """Look for totals, differences and ranks that hold in most rows, where none are claimed."""
