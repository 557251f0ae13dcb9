"""`overread reproduce`: a published table, rebuilt from the files released with it."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from dataclasses import asdict
from itertools import groupby
from pathlib import Path
from typing import Any, Final

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
_OTHER_COLUMNS: Final = 74
"""Characters that the numbers of a table take."""
_SHORTEST_FAULT: Final = 26
"""A fault of so many characters stands in the table in any case."""


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
    for column, cells in groupby(found.cells, key=lambda cell: cell.column):
        _show_column(column, list(cells))
        show("")
    if found.findings:
        show(findings_table(found.findings))
    _say_legend()
    notice(_last_line(found, release))
    return 0


def _json(cell: Cell) -> dict[str, Any]:
    return {name: getattr(cell, name) for name in _JSON_FIELDS}


def _show_column(column: str, cells: Sequence[Cell]) -> None:
    unit = cells[0].unit
    title = f"{column} (%)" if unit == "share" else column
    table = number_table(title)
    table.add_column("model", no_wrap=True)
    names = ["published", "recomputed", "corrected", "95 %", "n"]
    if not is_wide():
        names.remove("95 %")
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
    if len(cell.fault) <= max(_SHORTEST_FAULT, _width() - _OTHER_COLUMNS):
        return safe(cell.fault)
    if cell.fault not in notes:
        notes.append(cell.fault)
    return f"note {notes.index(cell.fault) + 1}"


def _width() -> int:
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else 0


def _coloured(text: str, colour: str, is_marked: bool) -> str:
    return f"[{colour}]{text}[/]" if is_marked else text


def _say_legend() -> None:
    notice(
        "recomputed: the release's own way, red where it is not the published number; corrected: "
        "joined by key, every question in the denominator that can be, yellow where it moves; "
        "n: of the published and, where it is another, of the corrected number."
    )


def _last_line(found: Reproduction, release: Path) -> str:
    both = [c for c in found.cells if c.published is not None and c.recomputed is not None]
    same = sum(not cell.differs for cell in both)
    moved = sum(cell.moved for cell in found.cells)
    absent = sum(c.published is not None and c.recomputed is None for c in found.cells)
    return (
        f"{release}: {same} of {len(both)} published numbers come out to the last digit, {absent} "
        f"cannot be computed here; {moved} cells move when corrected."
    )
