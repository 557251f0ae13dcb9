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
            shown = max(digits - 2, 0)
            yield Finding(
                severity=Severity.WARNING,
                code="not-reproduced",
                where=f"{draft.column} of {draft.title}",
                evidence=f"published {100 * value.value:.{shown}f} %, the released votes give "
                f"{100 * draft.recomputed:.{shown}f} % "
                f"({draft.recomputed * (draft.n_recomputed or 0):,.0f} of {draft.n_recomputed:,})",
                effect=draft.faults[0]
                if draft.faults
                else "the number was made from other votes than those released",
            )


AUDIT: Audit = ReplayAudit(
    name="published-votes",
    summary="published numbers that do not follow from the released votes",
    look_at=_look,
)
