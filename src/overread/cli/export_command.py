"""`overread export`: a run's tables for other programs."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from overread.cli.output import notice
from overread.store.export import export
from overread.store.run_store import RunStore

__all__ = ["export_command"]


def export_command(
    run: Path, out: Path, /, *, format: Literal["parquet", "jsonl"] = "parquet"
) -> None:
    """Write a run's tables: responses, scores, estimates, plan, findings.

    Parameters
    ----------
    run
        A run file.
    out
        The folder to write into.
    format
        Parquet (for pandas and polars), or JSON Lines.
    """
    with RunStore.open(run) as store:
        export(store, out, format)
    notice(f"Wrote the tables of {run} as {format}: {out}")
