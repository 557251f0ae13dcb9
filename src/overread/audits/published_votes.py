"""Audit: published numbers that do not follow from the votes released with them."""

from __future__ import annotations

from collections.abc import Iterator

from overread.audits.joined import join_all
from overread.audits.replay_audit import ReplayAudit
from overread.audits.reproduce.category_cells import category_cells
from overread.audits.reproduce.cells import agrees
from overread.audits.reproduce.published_values import PublishedTable
from overread.audits.reproduce.vote_cells import vote_cells
from overread.contracts import Audit, Release
from overread.contracts.replay import Replay
from overread.records import Finding, Severity

__all__ = ["AUDIT"]


def _look(replay: Replay, release: Release) -> Iterator[Finding]:
    joined, table = join_all(replay), PublishedTable(replay.published)
    for draft in (*vote_cells(replay, joined), *category_cells(replay, joined)):
        value = table.find(draft.metric, draft.title, draft.stratum)
        if value is None or draft.recomputed is None:
            continue
        digits = table.digits(value)
        if not agrees(value.value, draft.recomputed, within=0.5 * 10.0**-digits):
            shown = _digits_apart(100 * value.value, 100 * draft.recomputed)
            yield Finding(
                severity=Severity.WARNING,
                code="not-reproduced",
                where=f"{draft.column} of {draft.title}",
                evidence=f"published {100 * value.value:.{shown}f} %, the released votes give "
                f"{100 * draft.recomputed:.{shown}f} % "
                f"({draft.recomputed * (draft.n_recomputed or 0):,.0f} of {draft.n_recomputed:,})",
                effect="; ".join(
                    ("the number was made from other votes than those read here", *draft.faults)
                ),
            )


def _digits_apart(one: float, other: float) -> int:
    """Give the fewest decimals, from two on, with which two numbers look different."""
    return next((n for n in range(2, 12) if f"{one:.{n}f}" != f"{other:.{n}f}"), 12)


AUDIT: Audit = ReplayAudit(
    name="published-votes",
    summary="published numbers that do not follow from the released votes",
    look_at=_look,
)
