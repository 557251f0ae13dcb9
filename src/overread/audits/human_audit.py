"""Audit: how much of a release people have looked at, and what they said."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from overread.audits.replay_audit import ReplayAudit
from overread.audits.wording import counted
from overread.contracts import Audit, Release
from overread.contracts.replay import Replay
from overread.records import Finding, Severity

__all__ = ["AUDIT"]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Claim:
    share: float
    agreement: float
    source: str


_CLAIMS: Final[Mapping[str, _Claim]] = {
    "ct-spatialvqa": _Claim(share=0.12, agreement=0.95, source="the paper 'Lost in Volume'"),
}
"""What a benchmark's paper says of its human audit."""


def _look(replay: Replay, release: Release) -> Iterator[Finding]:
    labels = replay.audit
    if not labels:
        return
    whole = [one for one in labels if one.is_spatial is not None and one.is_relevant is not None]
    counts = Counter((one.is_spatial, one.is_relevant) for one in whole)
    n_both = counts[True, True]
    people = len({one.annotator for one in labels})
    evidence = (
        f"{counted(people, 'annotator')} answered {counted(len(labels), 'pair')}: {n_both} spatial "
        f"and relevant, {counts[False, True]} relevant but not spatial, {counts[True, False]} "
        f"spatial but not relevant, {counts[False, False]} neither, {len(labels) - len(whole)} "
        "incomplete"
    )
    # A synthetic release, and one built from other reports, is not the paper's.
    is_papers = any(one in replay.published for one in release.published())
    claim = _CLAIMS.get(release.card.name) if is_papers else None
    n = len(replay.questions)
    found_share = len(labels) / n if n else 0.0
    agreement = n_both / len(whole) if whole else None
    is_short = claim is not None and (
        found_share < claim.share - 0.005 or (agreement or 0.0) < claim.agreement - 0.005
    )
    effect = f"that is {100 * found_share:.1f} % of {n:,} questions"
    if agreement is not None:
        effect += f", and {100 * agreement:.1f} % of the complete ones are spatial and relevant"
    if claim is not None and is_short:
        effect += (
            f"; {claim.source} says {100 * claim.share:.0f} % and {100 * claim.agreement:.0f} %"
        )
    yield Finding(
        severity=Severity.WARNING if is_short else Severity.INFO,
        code="human-audit",
        where="human audit",
        evidence=evidence,
        effect=effect,
        count=len(labels),
    )


AUDIT: Audit = ReplayAudit(
    name="human-audit",
    summary="how much people have audited, against what the paper says",
    look_at=_look,
)
