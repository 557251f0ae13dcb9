"""Audit: how much of a release people have looked at, and what they said."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from overread.audits.replay_audit import ReplayAudit
from overread.audits.wording import counted, share
from overread.contracts import Audit, Release
from overread.contracts.replay import AUDIT_AGREEMENT, AUDITED_SHARE, Replay
from overread.records import Finding, Severity

__all__ = ["AUDIT"]


_WITHIN = 0.005
"""A claim is printed in whole per cent."""


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
    n = len(replay.questions)
    shares = {
        AUDITED_SHARE: len(labels) / n if n else 0.0,
        AUDIT_AGREEMENT: n_both / len(whole) if whole else 0.0,
    }
    effect = f"that is {100 * shares[AUDITED_SHARE]:.1f} % of {n:,} questions"
    if whole:
        effect += (
            f", and {100 * shares[AUDIT_AGREEMENT]:.1f} % of the complete ones are spatial and "
            "relevant"
        )
    n_disputed = sum(one.is_disputed for one in labels)
    if n_disputed:
        effect += f"; people and the validator differ on {share(n_disputed, len(labels))}"
    claims = [one for one in replay.published if one.metric in shares]
    is_short = any(shares[one.metric] < one.value - _WITHIN for one in claims)
    if is_short:
        said = " and ".join(
            f"{one.metric.replace('_', ' ')} {100 * one.value:.0f} %" for one in claims
        )
        effect += f"; {claims[0].source}: {said}"
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
