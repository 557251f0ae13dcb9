"""Audit: parts of a release that are absent, cannot be read, or hold rows that cannot be used."""

from __future__ import annotations

from collections.abc import Iterable

from overread.audits.replay_audit import ReplayAudit
from overread.contracts import Audit, Release
from overread.contracts.replay import Replay
from overread.records import Finding

__all__ = ["AUDIT"]


def _look(replay: Replay, release: Release) -> Iterable[Finding]:
    # Whoever read the files knows; without this a broken copy looks like a smaller release.
    return replay.findings


AUDIT: Audit = ReplayAudit(
    name="parts",
    summary="parts that are absent or cannot be read, and rows that cannot be used",
    look_at=_look,
)
