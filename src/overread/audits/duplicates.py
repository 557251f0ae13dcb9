"""Audit: questions that stand several times, within a case or across cases."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

from overread.audits.replay_audit import ReplayAudit
from overread.audits.wording import counted
from overread.contracts import Audit, Release
from overread.contracts.replay import Replay
from overread.errors import listed
from overread.records import Finding, Severity

__all__ = ["AUDIT"]

_MOST_NAMED: Final = 5


def _look(replay: Replay, release: Release) -> Iterator[Finding]:
    within = Counter((one.case, one.question) for one in replay.questions)
    repeated = sum(n - 1 for n in within.values())
    if repeated:
        first = next(case for (case, _), n in within.items() if n > 1)
        yield Finding(
            severity=Severity.WARNING,
            code="repeated-question",
            where=first,
            evidence=f"{counted(repeated, 'question')} stand again in the same case",
            effect="they count twice, and nothing but their order tells their votes apart",
            count=repeated,
        )
    pairs = Counter((one.question, one.answer) for one in replay.questions)
    n_again = len(replay.questions) - len(pairs)
    if n_again:
        (question, _), n = pairs.most_common(1)[0]
        yield Finding(
            severity=Severity.INFO,
            code="repeated-pairs",
            where="questions",
            evidence=f"{len(pairs):,} distinct pairs of question and answer among "
            f"{len(replay.questions):,}; '{question}' stands {n:,} times with the same answer",
            effect="such an answer can be learnt without a picture",
            count=n_again,
        )
    yield from _same_pairs(replay)


def _same_pairs(replay: Replay) -> Iterator[Finding]:
    """Find cases of one patient that ask the very same pairs."""
    by_case: dict[str, set[tuple[str, str]]] = {}
    patient_of: dict[str, str] = {}
    for one in replay.questions:
        by_case.setdefault(one.case, set()).add((one.question, one.answer))
        patient_of[one.case] = one.patient
    alike: dict[tuple[str, frozenset[tuple[str, str]]], list[str]] = {}
    for case, pairs in by_case.items():
        alike.setdefault((patient_of[case], frozenset(pairs)), []).append(case)
    groups = [cases for cases in alike.values() if len(cases) > 1]
    n_again = sum(len(cases) - 1 for cases in groups)
    if n_again:
        named = [" = ".join(cases) for cases in groups]
        yield Finding(
            severity=Severity.WARNING,
            code="repeated-case",
            where=groups[0][0],
            evidence=f"{counted(n_again, 'case')} with the very pairs of another case of the same "
            f"patient: {listed(named, most=_MOST_NAMED)}",
            effect="one answer counts several times",
            count=n_again,
        )


AUDIT: Audit = ReplayAudit(
    name="duplicates",
    summary="questions that stand several times, within a case or across cases",
    look_at=_look,
)
