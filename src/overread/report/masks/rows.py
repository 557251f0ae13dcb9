"""All rows as a table: the worst first, those without a value before them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from overread.analysis.mask_results import MaskRow
from overread.records import Status
from overread.report.masks.scales import larger_is_better, mask_number, metric_title
from overread.report.masks.sides import MaskSide, shown_metrics

__all__ = ["RowLine", "RowTable", "row_tables"]

_MOST_ROWS: Final = 2000
"""Of one side, so that a page with 200 cases of 40 labels still opens at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RowLine:
    """One label of one case."""

    case: str
    label: str
    fate: str
    """Or why it was not scored."""
    cells: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RowTable:
    """The rows of one side."""

    label: str
    colour: int
    n: int
    headings: tuple[str, ...]
    lines: tuple[RowLine, ...]


def row_tables(sides: Sequence[MaskSide]) -> tuple[RowTable, ...]:
    """Lay out the rows of each side."""
    return tuple(map(_table, sides))


def _table(side: MaskSide) -> RowTable:
    results = side.results
    metrics = shown_metrics([side])
    sign = 1 if larger_is_better(results.headline) else -1

    def order(row: MaskRow) -> tuple[bool, float, str, str]:
        value = row.values.get(results.headline)
        return row.status is Status.OK, sign * (value or 0.0), row.case, row.label or ""

    rows = sorted(results.label_rows, key=order)
    return RowTable(
        label=side.label,
        colour=side.colour,
        n=len(rows),
        headings=tuple(metric_title(metric, results.units[metric]) for metric in metrics),
        lines=tuple(
            RowLine(
                case=row.case,
                label=row.label or "",
                fate=row.fate or row.reason or row.status.value,
                cells=tuple(
                    mask_number(row.values.get(metric), metric, results.units[metric])
                    for metric in metrics
                ),
            )
            for row in rows[:_MOST_ROWS]
        ),
    )
