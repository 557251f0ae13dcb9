"""A finding about a table together with the cells it is about."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from overread.records import Finding, Severity

__all__ = ["Check", "Flaw", "flaw", "gathered"]

_MOST_OF_ONE_KIND: Final = 8
"""Flaws of one kind in one column that are listed one by one."""
_SHOWN: Final = 6

Cell = tuple[int, int]
"""Row and column, from 0."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Flaw:
    """A finding and the cells to mark for it."""

    finding: Finding
    cells: tuple[Cell, ...] = ()
    group: str = ""
    """What it is gathered by when there are many of its kind: a column."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One thing that was looked at: nothing found means little where nothing was tried."""

    name: str
    tried: int
    """How many cells, rows or pairs could be tried."""
    off: int
    """How many of them cannot be right."""
    note: str = ""
    """By which rule, or why nothing could be tried."""


def flaw(
    severity: Severity,
    code: str,
    where: str,
    evidence: str,
    *,
    cells: Iterable[Cell] = (),
    effect: str = "",
    remedy: str = "",
    count: int = 1,
    group: str = "",
) -> Flaw:
    """Make a flaw."""
    finding = Finding(
        severity=severity,
        code=code,
        where=where,
        evidence=evidence,
        effect=effect,
        remedy=remedy,
        count=count,
    )
    return Flaw(finding=finding, cells=tuple(cells), group=group)


def gathered(flaws: Sequence[Flaw]) -> tuple[Flaw, ...]:
    """Gather flaws of one kind and group into one where there are many; the worst come first."""
    kinds: defaultdict[tuple[str, str], list[Flaw]] = defaultdict(list)
    for each in flaws:
        kinds[each.finding.code, each.group].append(each)
    kept: list[Flaw] = []
    for (_, group), several in kinds.items():
        if len(several) <= _MOST_OF_ONE_KIND or not group:
            kept += several
            continue
        shown = "; ".join(
            f"{each.finding.where}: {each.finding.evidence}" for each in several[:_SHOWN]
        )
        first = several[0].finding
        merged = replace(
            first,
            where=group,
            evidence=f"{shown}; and {len(several) - _SHOWN} more",
            count=sum(each.finding.count for each in several),
        )
        cells = tuple(cell for each in several for cell in each.cells)
        kept.append(Flaw(finding=merged, cells=cells, group=group))
    order = list(reversed(Severity))
    return tuple(sorted(kept, key=lambda each: order.index(each.finding.severity)))
