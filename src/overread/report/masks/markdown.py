"""The tables of a report on masks as Markdown: score card, labels, ledger, the worst."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from overread.report.data import ReportData
from overread.report.masks.card import CardLine, mask_card, mask_settings
from overread.report.masks.ledger import LedgerTable, ledger_tables
from overread.report.masks.problems import case_problems
from overread.report.masks.scales import mask_number
from overread.report.masks.sentences import mask_sentences
from overread.report.masks.sides import MaskSide, row_name
from overread.report.masks.tables import StripTable, class_tables, label_tables
from overread.report.masks.worst import worst_rows
from overread.report.wording import MISSING

__all__ = ["mask_parts"]

_MOST_WORST: Final = 12
_MOST_PROBLEMS: Final = 60


def mask_parts(
    data: ReportData, sides: Sequence[MaskSide], cell: Callable[[str], str]
) -> list[str]:
    """Write the parts between the title and the findings.

    Parameters
    ----------
    cell
        Escapes foreign text (`markdown.cell`).
    """
    parts = [" ".join(map(cell, mask_sentences(sides))), "## Score card", _card(data, cell)]
    parts += [cell(note) for note in data.notes]
    parts += _problems(sides, cell)
    for table in label_tables(sides)[:1]:
        parts += [f"## {cell(table.title)}", _strips(table, cell)]
    parts += _worst(sides, cell)
    parts += _settings(data, cell)
    for table in class_tables(sides):
        parts += [f"### {cell(table.title)}", _strips(table, cell)]
    for ledger in ledger_tables(sides)[:1]:
        parts += [f"## Ledger of empty masks: {cell(ledger.title)}", _ledger(ledger, cell)]
    return parts


def _table(head: Sequence[str], rows: Sequence[Sequence[str]], numbers_from: int) -> str:
    rule = ["---" if place < numbers_from else "---:" for place in range(len(head))]
    return "\n".join(f"| {' | '.join(line)} |" for line in (head, rule, *rows))


def _with(value: str, interval: str) -> str:
    return f"{value} ({interval})" if interval else value


def _who(row: CardLine, cell: Callable[[str], str]) -> str:
    return f"*{cell(row.label)}*" if row.is_paper else cell(row.label)


def _card(data: ReportData, cell: Callable[[str], str]) -> str:
    rows = [
        [cell(group.title), _who(row, cell), row.n, _with(row.value, row.interval), row.published]
        for group in mask_card(data)
        for row in group.rows
    ]
    return _table(("Metric", "Who", "Cases", "Value", "Published reading"), rows, 2)


def _settings(data: ReportData, cell: Callable[[str], str]) -> list[str]:
    rows = [
        [cell(group.label), _who(row, cell), row.n, _with(row.value, row.interval)]
        for group in mask_settings(data)
        for row in group.rows
    ]
    if not rows:
        return []
    return ["## In every setting", _table(("Setting", "Who", "Cases", "Value"), rows, 2)]


def _problems(sides: Sequence[MaskSide], cell: Callable[[str], str]) -> list[str]:
    found = case_problems(sides)[:_MOST_PROBLEMS]
    if not found:
        return []
    rows = [
        [cell(one.case), cell(one.side or MISSING), one.kind, cell(" ".join(one.said))]
        for one in found
    ]
    return ["## Before the scores", _table(("Case", "Who", "State", "What was found"), rows, 4)]


def _strips(table: StripTable, cell: Callable[[str], str]) -> str:
    rows = [
        [
            cell(group.name),
            cell(line.label or MISSING),
            line.strip.n,
            line.strip.median,
            line.strip.quarters,
            _with(line.strip.mean, line.strip.interval),
            line.strip.n_missed,
            line.strip.n_invented,
            line.strip.n_without,
        ]
        for group in table.groups
        for line in group.lines
    ]
    head = (
        "", "Who", "Values", "Median", "Quarters", "Mean (interval)", "Missed", "Invented",
        "No mask",
    )  # fmt: skip
    return _table(head, rows, 2)


def _worst(sides: Sequence[MaskSide], cell: Callable[[str], str]) -> list[str]:
    rows: list[list[str]] = []
    for side in sides:
        own = side.results
        for row in worst_rows(own, most=max(1, _MOST_WORST // len(sides))):
            value = row.values.get(own.headline)
            text = mask_number(value, own.headline, own.units[own.headline])
            name, who = cell(row_name(row, own)), cell(side.label or MISSING)
            rows.append([name, who, row.fate or MISSING, text])
    if not rows:
        return []
    return ["## Worst cases", _table(("Case", "Who", "What became of it", "Value"), rows, 3)]


def _ledger(ledger: LedgerTable, cell: Callable[[str], str]) -> str:
    head = (
        "Label", "Who", "Cases", "Both present", "Missed", "Invented", "Both empty", "No mask",
        *(name for name, _ in ledger.policies),
    )  # fmt: skip
    rows = [
        [
            cell(line.label),
            cell(line.side or MISSING),
            line.n,
            *line.counts,
            *(f"{mean} ({n})" for mean, n in line.means),
        ]
        for line in ledger.lines
    ]
    return _table(head, rows, 2)
