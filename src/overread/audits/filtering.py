"""Audit: whether the released questions are what filtering the released candidates left."""

from __future__ import annotations

from collections.abc import Iterator

from overread.audits.replay_audit import ReplayAudit
from overread.audits.wording import counted, share
from overread.contracts import Audit, Release
from overread.contracts.replay import Replay
from overread.records import Finding, Severity

__all__ = ["AUDIT"]


def _look(replay: Replay, release: Release) -> Iterator[Finding]:
    if not replay.candidates:
        return
    candidates = set(replay.candidates)
    strange = [
        one for one in replay.questions if (one.case, one.question, one.answer) not in candidates
    ]
    kept = len(replay.questions) - len(strange)
    yield Finding(
        severity=Severity.INFO,
        code="filtered-candidates",
        where="questions",
        evidence=f"{share(kept, len(replay.candidates))} of the candidates were kept",
        effect="which of them another validator would keep is not known",
        count=len(replay.candidates) - kept,
    )
    if strange:
        yield Finding(
            severity=Severity.WARNING,
            code="no-candidate",
            where=strange[0].item,
            evidence=f"{counted(len(strange), 'question')} are among no released candidates",
            effect="where they come from is not known",
            count=len(strange),
        )


AUDIT: Audit = ReplayAudit(
    name="filtering",
    summary="questions that are no filtered candidates of the release",
    look_at=_look,
)
