"""What looks for faults in a release."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Protocol, runtime_checkable

from overread.contracts.benchmarks import Release
from overread.contracts.replay import RebuiltCell, Replay
from overread.records import Finding

__all__ = [
    "Audit",
    "PrintsTables",
    "Rebuildable",
    "Replayable",
]


@runtime_checkable
class Replayable(Protocol):
    """A release that ships predictions, votes or tables of its own."""

    def replay(self) -> Replay:
        """Give what it ships, in file order, joined with nothing."""
        ...


@runtime_checkable
class Rebuildable(Protocol):
    """A release that computes cells of its published tables again, in its own way."""

    def rebuild(self) -> Iterable[RebuiltCell]:
        """Give the cells, column by column, rows in the order of the table."""
        ...


@runtime_checkable
class PrintsTables(Protocol):
    """A release that knows the printed tables of its benchmark as files."""

    def printed_tables(self) -> Sequence[tuple[Path, Path]]:
        """Give each table (CSV) with what is claimed of it (TOML)."""
        ...


class Audit(Protocol):
    """Looks for one kind of fault in any release that can have it."""

    @property
    def name(self) -> str:
        """``joins``, ``duplicates``: as `overread list audits` shows it."""
        ...

    @property
    def summary(self) -> str:
        """What it looks for, in one line."""
        ...

    def look(self, release: Release) -> Iterable[Finding]:
        """Report what is found; nothing when the release has no part that it could look at."""
        ...
