"""The ledger of empty masks as a table: who was empty how often, and the mean under each policy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from overread.analysis.empty_masks import (
    POLICIES,
    LedgerRow,
    Policy,
    has_worst_value,
    ledger_of_labels,
    mask_ledger,
)
from overread.registry import metric_spec
from overread.report.masks.scales import mask_number, metric_title
from overread.report.masks.sides import MaskSide, shown_metrics, unit_of
from overread.report.wording import MISSING, count

__all__ = ["LedgerLine", "LedgerTable", "ledger_metrics", "ledger_tables"]

_WORDS: Final[dict[Policy, str]] = {
    "defined": "Where defined",
    "reference present": "Reference present",
    "empty agreement is perfect": "Empty agreement is perfect",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerLine:
    """One label of one side, or all of them together."""

    label: str
    side: str
    colour: int
    n: str
    counts: tuple[str, str, str, str, str]
    """Both present, missed, invented, both empty, no prediction."""
    means: tuple[tuple[str, str], ...]
    """Under each policy: the mean, and over how many cases."""
    is_moved: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerTable:
    """One metric."""

    title: str
    lines: tuple[LedgerLine, ...]
    policies: tuple[tuple[str, str], ...]
    """Heading and what it counts."""
    n_moved: int


def ledger_tables(sides: Sequence[MaskSide]) -> tuple[LedgerTable, ...]:
    """Lay out the ledger of every overlap and distance that has one, the headline first."""
    tables: list[LedgerTable] = []
    for metric in ledger_metrics(shown_metrics(sides)):
        unit = unit_of(sides, metric)
        lines = [line for side in sides for line in _lines(side, metric, unit)]
        tables.append(
            LedgerTable(
                title=metric_title(metric, unit),
                lines=tuple(lines),
                policies=tuple((_WORDS[policy], POLICIES[policy]) for policy in POLICIES),
                n_moved=sum(line.is_moved for line in lines),
            )
        )
    return tuple(tables)


def ledger_metrics(metrics: Sequence[str]) -> list[str]:
    """Keep the metrics that a ledger can count: overlaps from 0 to 1 and distances."""
    specs = {one: metric_spec(one) for one in metrics}
    return [one for one, spec in specs.items() if spec is not None and has_worst_value(spec)]


def _lines(side: MaskSide, metric: str, unit: str) -> list[LedgerLine]:
    """Order the rows as labels stand, all together first; a case's mean over labels is none."""
    rows = ledger_of_labels(mask_ledger(side.results.scores, metrics=[metric]))
    order = {name: place for place, name in enumerate(side.results.labels.values())}
    whole = "every label" if len(rows) > 1 else "case"
    ordered = sorted(rows, key=lambda row: order.get(row.target or "", -1))
    return [_line(row, side, metric, unit, whole) for row in ordered]


def _line(row: LedgerRow, side: MaskSide, metric: str, unit: str, whole: str) -> LedgerLine:
    counts = (
        row.n_both_present,
        row.n_missed,
        row.n_invented,
        row.n_both_empty,
        row.n_without_prediction,
    )
    first, second, third, fourth, fifth = map(count, counts)
    return LedgerLine(
        label=row.target or whole,
        side=side.label,
        colour=side.colour,
        n=count(row.n),
        counts=(first, second, third, fourth, fifth),
        means=tuple(
            (
                MISSING
                if row.means[policy] is None
                else mask_number(row.means[policy], metric, unit),
                count(row.counted[policy]),
            )
            for policy in POLICIES
        ),
        is_moved=row.is_moved and any(counts[1:]),
    )
