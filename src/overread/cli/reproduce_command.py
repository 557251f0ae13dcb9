"""`overread reproduce`: a published table, rebuilt from the files released with it."""

from __future__ import annotations

import shutil
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from pathlib import Path
from typing import Any, Final

from rich.table import Table

from overread.audits.inspection import inspect_release
from overread.audits.reproduce.cells import Cell, Reproduction
from overread.audits.reproduce.table import reproduce
from overread.cli.output import (
    findings_table,
    is_wide,
    notice,
    number_table,
    print_json,
    safe,
    show,
)
from overread.cli.waiting import slowly
from overread.records import Severity
from overread.registry import find_benchmark

__all__ = ["reproduce_command"]

_JSON_FIELDS: Final = (
    "row",
    "column",
    "published",
    "recomputed",
    "corrected",
    "n_published",
    "n_corrected",
    "fault",
)
_CHANGED_ORDER: Final = "changed-order"
"""Code of the finding that says which models change places."""
_SLIPPED: Final = "slipped-rows"
"""Code of the finding that counts rows with another question and answer."""
_OTHER_COLUMNS: Final = 74
"""Characters that the numbers of a table take."""
_SHORTEST_FAULT: Final = 26
"""A fault of so many characters stands in a wide table in any case; in a slim one none does."""


def reproduce_command(benchmark: str, release: Path, /, *, json: bool = False) -> int:
    """Rebuild a published table from its released files: published, recomputed, corrected, faults.

    Recomputed is the release's own way, faults included; corrected is the honest way, with an
    interval clustered by patient. Values are shares (0 to 1) in JSON, per cent in the tables.

    Parameters
    ----------
    benchmark
        A name of `overread list benchmarks`.
    release
        The folder of the release.
    json
        Print JSON for machines.
    """
    opened = find_benchmark(benchmark).open(release)
    tell = slowly("reproduce", quiet=json)
    findings = inspect_release(opened, on_progress=tell)
    found = reproduce(opened, findings=findings, on_progress=tell)
    if json:
        print_json(
            {
                "benchmark": benchmark,
                "cells": [_json(cell) for cell in found.cells],
                "findings": [asdict(each) for each in found.findings],
            }
        )
        return 0
    _show(found)
    _say_legend(found)
    notice(_last_line(found, release))
    return 0


def _show(found: Reproduction) -> None:
    """Print the verdict, the headline and what is wrong with it; then all else, the worst first."""
    columns = [list(cells) for _, cells in groupby(found.cells, key=lambda cell: cell.column)]
    errors = [each for each in found.findings if each.severity is Severity.ERROR]
    warnings = [each for each in found.findings if each.severity is Severity.WARNING]
    show(_summary(found), "")
    for place, cells in enumerate(columns):
        _show_column(cells)
        show("")
        if place == 0 and errors:
            show(findings_table(errors, title="Errors"), "")
    if warnings:
        show(findings_table(warnings, title="Warnings"))


def _summary(found: Reproduction) -> Table:
    """Tabulate how many published numbers come out, and name those that do not."""
    table = number_table(f"{found.benchmark}: the published table, rebuilt")
    table.show_header = False
    table.add_column("what", no_wrap=True)
    table.add_column("count", justify="right", no_wrap=True)
    table.add_column("which", overflow="fold")
    tally = _Tally.of(found)
    for what, cells, which in (
        ("published numbers", tally.published, ""),
        ("come out to the last digit", tally.same, ""),
        ("do not come out", tally.off, ", ".join(f"{c.column} of {c.row}" for c in tally.off)),
        ("cannot be computed here", tally.absent, _by_column(tally.absent)),
        ("move when corrected", tally.moved, _farthest(tally.moved)),
    ):
        table.add_row(what, str(len(cells)), safe(which))
    for each in found.findings:
        if each.code == _CHANGED_ORDER:
            table.add_row(
                "pairs of models that change places", str(each.count), safe(each.evidence)
            )
    return table


@dataclass(frozen=True, slots=True, kw_only=True)
class _Tally:
    """What became of the cells of a table."""

    published: list[Cell]
    same: list[Cell]
    off: list[Cell]
    absent: list[Cell]
    moved: list[Cell]
    """With or without a published number: kappas too."""

    @classmethod
    def of(cls, found: Reproduction) -> _Tally:
        published = [cell for cell in found.cells if cell.published is not None]
        computed = [cell for cell in published if cell.recomputed is not None]
        return cls(
            published=published,
            same=[cell for cell in computed if not cell.differs],
            off=[cell for cell in computed if cell.differs],
            absent=[cell for cell in published if cell.recomputed is None],
            moved=[cell for cell in found.cells if cell.moved],
        )


def _by_column(cells: Sequence[Cell]) -> str:
    counts = Counter(cell.column for cell in cells)
    return ", ".join(f"{column} {n}" for column, n in counts.items())


def _farthest(cells: Sequence[Cell]) -> str:
    """Say which share moves most, and from where to where."""
    moves = [
        (abs(cell.corrected - cell.published), cell)
        for cell in cells
        if cell.unit == "share" and cell.published is not None and cell.corrected is not None
    ]
    if not moves:
        return ""
    _, cell = max(moves, key=lambda move: move[0])
    before, after = _number(cell.published, cell), _number(cell.corrected, cell)
    return f"most of all {cell.column} of {cell.row}, from {before} to {after} %"


def _json(cell: Cell) -> dict[str, Any]:
    return {name: getattr(cell, name) for name in _JSON_FIELDS}


def _show_column(cells: Sequence[Cell]) -> None:
    title = f"{cells[0].column} (%)" if cells[0].unit == "share" else cells[0].column
    sources = dict.fromkeys(cell.source for cell in cells if cell.source is not None)
    table = number_table(f"{title}, published in {' and '.join(sources)}" if sources else title)
    table.add_column("model", no_wrap=True)
    names = ["published", "recomputed", "corrected", "95 %", "n"]
    for name in names:
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("what is off", overflow="fold")
    notes: list[str] = []
    for cell in cells:
        shown = {
            "published": _number(cell.published, cell),
            "recomputed": _coloured(_number(cell.recomputed, cell), "red", cell.differs),
            "corrected": _coloured(_number(cell.corrected, cell), "yellow", cell.moved),
            "95 %": _interval(cell),
            "n": _n(cell),
        }
        table.add_row(safe(cell.row), *(shown[name] for name in names), _fault(cell, notes))
    show(table)
    for number, note in enumerate(notes, start=1):
        show(f"  note {number}: {safe(note)}")


def _number(value: float | None, cell: Cell) -> str:
    if value is None:
        return "–"
    return f"{100 * value:.2f}" if cell.unit == "share" else f"{value:.4f}"


def _interval(cell: Cell) -> str:
    if cell.low is None or cell.high is None:
        return "–"
    scale, digits = (100, 1) if cell.unit == "share" else (1, 2 if cell.unit == "points" else 3)
    return f"{scale * cell.low:.{digits}f} to {scale * cell.high:.{digits}f}"


def _n(cell: Cell) -> str:
    """Give the denominator, or both where the corrected one is another."""
    counts = dict.fromkeys(n for n in (cell.n_published, cell.n_corrected) if n is not None)
    return ", ".join(str(n) for n in counts) or "–"


def _fault(cell: Cell, notes: list[str]) -> str:
    if cell.fault is None:
        return ""
    if is_wide() and len(cell.fault) <= max(_SHORTEST_FAULT, _width() - _OTHER_COLUMNS):
        return safe(cell.fault)
    if cell.fault not in notes:
        notes.append(cell.fault)
    return f"note {notes.index(cell.fault) + 1}"


def _width() -> int:
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else 0


def _coloured(text: str, colour: str, is_marked: bool) -> str:
    return f"[{colour}]{text}[/]" if is_marked else text


def _say_legend(found: Reproduction) -> None:
    notice(
        "recomputed: the release's own way, red where it is not the published number; corrected: "
        "joined by key, every question in the denominator that can be, yellow where it moves; "
        "n: of the published and, where it is another, of the corrected number."
    )
    if any(each.code == _SLIPPED for each in found.findings):
        notice(
            "rows that mix questions: joined by row number, the judges' records are about "
            f"different questions; {_SLIPPED}: rows of one judge's file whose question or answer "
            "reads otherwise. A few questions stand twice, word for word: such rows mix questions "
            "and read alike, so the second count is smaller."
        )


def _last_line(found: Reproduction, release: Path) -> str:
    tally = _Tally.of(found)
    n_computed = len(tally.same) + len(tally.off)
    order = any(each.code == _CHANGED_ORDER for each in found.findings)
    kinds = Counter(each.severity for each in found.findings)
    return (
        f"{release}: of {len(tally.published)} published numbers {n_computed} can be computed "
        f"here, {len(tally.same)} come out to the last digit and {len(tally.off)} do not; "
        f"corrected, {len(tally.moved)} numbers move"
        + (" and the order of models changes" if order else "")
        + f". {kinds[Severity.ERROR]} errors, {kinds[Severity.WARNING]} warnings: "
        f"'overread audit {found.benchmark} {release}' lists them."
    )
