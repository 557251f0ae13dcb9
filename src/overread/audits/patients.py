"""Audit: cases of one patient taken as if they were independent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

import numpy as np

from overread.audits.joined import join_all
from overread.audits.replay_audit import ReplayAudit
from overread.audits.reproduce.vote_cells import jury_verdicts
from overread.audits.wording import counted
from overread.contracts import Audit, Release
from overread.contracts.replay import Replay
from overread.records import Finding, Severity
from overread.stats.bootstrap import cluster_codes
from overread.stats.cluster_wilson import SHARE
from overread.stats.few_clusters import cluster_interval
from overread.stats.intervals import Interval, wilson

__all__ = ["AUDIT"]

_SEED: Final = 20260219


def _look(replay: Replay, release: Release) -> Iterator[Finding]:
    cases = {one.case: one.patient for one in replay.questions}
    per_patient = Counter(cases.values())
    several = {patient: n for patient, n in per_patient.items() if n > 1}
    if several:
        patient, most = max(several.items(), key=lambda each: each[1])
        yield Finding(
            severity=Severity.WARNING,
            code="cases-share-patients",
            where="questions",
            evidence=f"{len(cases):,} cases are of {counted(len(per_patient), 'patient')}: "
            f"{len(several):,} have several ({patient}: {most})",
            effect="cases of a patient are no independent samples" + _width(replay),
            remedy="Resample patients, not questions or cases.",
            count=len(several),
        )


def _width(replay: Replay) -> str:
    """Say how much wider the jury's interval is when patients, not questions, are resampled."""
    joined = join_all(replay)
    ratios: list[float] = []
    for model, graded in joined.graded.items():
        jury = jury_verdicts(graded) if joined.has_all_votes(model) else {}
        if not jury:
            continue
        clusters = cluster_codes([replay.questions[place].patient for place in jury])
        rng = np.random.default_rng(_SEED)
        (found,) = cluster_interval(
            list(jury.values()), clusters, ends=(SHARE,), draws=500, rng=rng
        )
        naive = wilson(sum(jury.values()), len(jury))
        width, plain = _span(found), _span(naive)
        if width and plain:
            ratios.append(width / plain)
    if not ratios:
        return ""
    low, high = f"{min(ratios):.2f}", f"{max(ratios):.2f}"
    times = low if low == high else f"{low} to {high}"
    return f": the jury's interval is {times} times as wide as if its questions were"


def _span(found: Interval) -> float | None:
    return None if found.low is None or found.high is None else found.high - found.low


AUDIT: Audit = ReplayAudit(
    name="patients",
    summary="cases of one patient taken as independent",
    look_at=_look,
)
