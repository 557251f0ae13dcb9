"""Audit: numbers published twice that are not the same."""

from __future__ import annotations

from collections.abc import Iterator

from overread.audits.replay_audit import ReplayAudit
from overread.audits.reproduce.published_values import PublishedTable
from overread.contracts import Audit, Release
from overread.contracts.replay import Replay
from overread.records import Finding, PublishedValue, Severity

__all__ = ["AUDIT"]


def _look(replay: Replay, release: Release) -> Iterator[Finding]:
    table = PublishedTable(replay.published)
    off: list[str] = []
    for values in table.cells():
        exact = max(values, key=table.digits)
        off += [
            _say(one, exact, table.digits(one))
            for one in values
            if not _is_rounded(one, exact, table)
        ]
    if off:
        yield Finding(
            severity=Severity.INFO,
            code="two-sources",
            where="published numbers",
            evidence="; ".join(off),
            effect="the table's last digit cannot be trusted",
            count=len(off),
        )


def _is_rounded(one: PublishedValue, exact: PublishedValue, table: PublishedTable) -> bool:
    """Tell whether a number is another one, rounded to the digits that it is printed with."""
    if one is exact:
        return True
    unit = 10.0 ** -table.digits(one)
    return abs(one.value - exact.value) <= unit / 2 + 1e-12


def _say(one: PublishedValue, exact: PublishedValue, digits: int) -> str:
    percent = one.metric.endswith("accuracy")
    scale, shown = (100, max(digits - 2, 0)) if percent else (1, digits)
    return (
        f"{one.metric} of {one.who} is {scale * one.value:.{shown}f} in one place and "
        f"{scale * exact.value:.{shown + 2}f} in {exact.source}"
    )


AUDIT: Audit = ReplayAudit(
    name="two-sources",
    summary="numbers published twice that are not the same",
    look_at=_look,
)
