"""Audit: results without what they must be read against: an interval, chance, a text-only floor."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

from overread.audits.replay_audit import ReplayAudit
from overread.audits.wording import share
from overread.contracts import Audit, Release
from overread.contracts.replay import Replay
from overread.records import Finding, Severity

__all__ = ["AUDIT"]

_ASKS_YES_OR_NO: Final = frozenset(
    (
        *("am", "is", "are", "was", "were", "do", "does", "did", "has", "have", "had"),
        *("can", "could", "may", "might", "must", "should", "will", "would"),
    )
)
"""Words that a question begins with which asks for yes or no, or for one of two things named."""


def _look(replay: Replay, release: Release) -> Iterator[Finding]:
    kinds = Counter(one.kind for one in replay.published)
    if not kinds["model"]:
        return
    if kinds["chance"] == 0:
        yield Finding(
            severity=Severity.WARNING,
            code="no-floor",
            where="published numbers",
            evidence=f"{kinds['model']} numbers of models, none of chance and none of a reader "
            f"that sees no picture{_blind(replay)}",
            effect="nothing says how much of a score needs the picture",
            remedy="Put the best blind policy beside every model ('overread check' computes it).",
        )
    yield Finding(
        severity=Severity.WARNING,
        code="no-interval",
        where="published numbers",
        evidence=f"{kinds['model']} numbers of models, none with an interval",
        effect="nothing says which models can be told apart",
        remedy="Give intervals clustered by patient.",
        count=kinds["model"],
    )


def _blind(replay: Replay) -> str:
    """Say what an unseeing reader gets of the answers that begin with yes or no."""
    first = [_first_word(one.answer) for one in replay.questions]
    counts = Counter(word for word in first if word in ("yes", "no"))
    if not counts:
        return ""
    word, n = counts.most_common(1)[0]
    n_asked = sum(_first_word(one.question) in _ASKS_YES_OR_NO for one in replay.questions)
    return (
        f"; {n_asked:,} questions have yes/no form, {counts.total():,} answers begin with yes or "
        f"no, and '{word}' every time is right for {share(n, counts.total())} of them"
    )


def _first_word(text: str) -> str:
    words = text.casefold().split(maxsplit=1)
    return words[0].strip(".,;:!") if words else ""


AUDIT: Audit = ReplayAudit(
    name="floors",
    summary="results without an interval, chance or a text-only floor",
    look_at=_look,
)
