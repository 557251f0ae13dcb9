"""`overread check`: what a release holds."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.table import Table

from overread.cli.compare_tables import counted
from overread.cli.output import (
    findings_table,
    interval,
    notice,
    percent,
    print_json,
    safe,
    show,
    stratum_name,
)
from overread.registry import find_benchmark
from overread.run.check import CountRow, ReleaseCheck, SplitCheck, check_release

__all__ = ["check_command"]


def check_command(
    benchmark: str, release: Path, /, *, media: Path | None = None, json: bool = False
) -> int:
    """Say what a release holds, what is missing, and what blind policies score on it.

    Exit status 1 when something of it is broken.

    Parameters
    ----------
    benchmark
        A name of `overread list benchmarks`.
    release
        The folder of the release.
    media
        The folder of pictures or volumes, where they do not lie in the release.
    json
        Print JSON for machines.
    """
    check = check_release(find_benchmark(benchmark).open(release, media=media))
    if json:
        print_json({"benchmark": benchmark, "release": str(release), **_json(check)})
        return 0 if check.ok else 1
    for split in check.splits:
        if split.total.n:
            show(_counts(split))
        if split.by_name:
            show(_by_name(split))
        if split.total.n and any(not floor.stratum for floor in split.floors):
            show(_floors(split))
    if check.findings:
        show(findings_table(check.findings))
    notice(_last_line(check, release))
    return 0 if check.ok else 1


def _json(check: ReleaseCheck) -> dict[str, Any]:
    """Give the check as JSON, without the item-by-item credit of blind policies."""
    value = asdict(check)
    for split, checked in zip(value["splits"], check.splits, strict=True):
        for row, floor in zip(split["floors"], checked.floors, strict=True):
            del row["credit"]
            row["is_leak"] = floor.is_leak
    return value


def _counts(split: SplitCheck) -> Table:
    letters = sorted({letter for row in split.rows for letter in row.letters})
    which = ", and how often each letter is right" if letters else ""
    table = Table(title=safe(f"{split.split}: questions{which}"), title_justify="left")
    table.add_column("setting", overflow="fold")
    for name in ("questions", "complete", f"{split.unit}s", "patients"):
        table.add_column(name, justify="right", no_wrap=True)
    for letter in letters:
        table.add_column(safe(letter), justify="right", no_wrap=True)
    for row in (*split.rows, split.total):
        table.add_row(
            safe(stratum_name(row.stratum)),
            _count(row),
            str(row.n_expected if row.n_expected is not None else "–"),
            str(row.n_units),
            str(row.n_patients),
            *(str(row.letters.get(letter, 0)) for letter in letters),
            style="bold" if row is split.total else None,
        )
    return table


def _by_name(split: SplitCheck) -> Table:
    title = f"{split.split}: asked only when named, and not counted above"
    table = Table(title=safe(title), title_justify="left")
    table.add_column("task")
    for name in ("questions", f"{split.unit}s", "patients"):
        table.add_column(name, justify="right")
    for row in split.by_name:
        name = f"--task {row.stratum['task']}"
        table.add_row(safe(name), str(row.n), str(row.n_units), str(row.n_patients))
    return table


def _count(row: CountRow) -> str:
    return str(row.n) if row.n_expected in (None, row.n) else f"[yellow]{row.n}[/]"


def _floors(split: SplitCheck) -> Table:
    table = Table(
        title=safe(f"{split.split}: what policies that see no picture score (%)"),
        title_justify="left",
    )
    table.add_column("policy")
    for name in ("questions", "score", "95 %", "luck up to"):
        table.add_column(name, justify="right")
    table.add_column("verdict")
    for floor in (floor for floor in split.floors if not floor.stratum):  # the best first
        table.add_row(
            safe(floor.policy),
            str(floor.n),
            percent(floor.value),
            interval(floor.low, floor.high),
            percent(floor.chance_best_high),
            "[red]gives answers away[/]" if floor.is_leak else "within luck",
        )
    return table


def _last_line(check: ReleaseCheck, release: Path) -> str:
    counts = ", ".join(f"{split.total.n} {split.split}" for split in check.splits)
    state = "nothing is broken" if check.ok else "something is broken: see the findings"
    return f"{release}: {counts} questions; {counted(len(check.findings), 'finding')}; {state}."
