"""What a run's replies give away: too many without an answer, and why the two profiles differ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from overread.analysis.reasons import plain_reason
from overread.analysis.strata import is_within
from overread.contracts import AnalysisPlan
from overread.records import Finding, PlannedItem, Score, Severity, Status

__all__ = ["reply_findings"]

_BEARABLE_SHARE: Final = 0.01
"""Above one per cent without an answer a table is about formats as well: a peer lost 254 of 792
answers to a wrapper and printed 58.7 % for 87.5 %."""
_MOST_REASONS: Final = 3
_LONGEST_REASON: Final = 120
_WORDS: Final = {
    Status.UNPARSED: ("unread-replies", "a reply came and no answer was read in it"),
    Status.REFUSED: ("refusals", "the reply declines to answer"),
    Status.FAILED: ("failed-requests", "no reply came"),
}


def reply_findings(
    scores: Iterable[Score], planned: Sequence[PlannedItem], plan: AnalysisPlan
) -> tuple[Finding, ...]:
    """Look through the scores of one run.

    Parameters
    ----------
    scores
        Score rows of both profiles.
    planned
        The run's plan.
    plan
        Names the headline metric and what the benchmark's own code drops.

    Returns
    -------
    tuple of Finding
        One for each kind of reply without an answer above 1 % of the questions that the headline
        is about, and one where the
        profiles read replies differently.
    """
    rows = [s for s in scores if s.metric == plan.headline and s.target is None]
    honest = {(s.item, s.draw): s for s in rows if s.profile == "honest"}
    published = {(s.item, s.draw): s for s in rows if s.profile == "published"}
    return (
        *_without_answer(
            honest.values(), sum(is_within(line.strata, plan.headline_only) for line in planned)
        ),
        *_profile_gap(honest, published, plan),
    )


def _without_answer(honest: Iterable[Score], n: int) -> Iterator[Finding]:
    rows = list(honest)
    for status, (code, words) in _WORDS.items():
        reasons = Counter(plain_reason(score.reason) for score in rows if score.status is status)
        count = reasons.total()
        if count > _BEARABLE_SHARE * n:
            yield Finding(
                severity=Severity.WARNING,
                code=code,
                where=f"{count} of {n} questions",
                evidence=f"{words}: {_most(reasons)}",
                effect="they count as not right in accuracy, and are left out of 'answered'",
                remedy="Look at them in the gallery: filter for no answer.",
                count=count,
            )


_Key = tuple[str, int]


def _profile_gap(
    honest: dict[_Key, Score], published: dict[_Key, Score], plan: AnalysisPlan
) -> Iterator[Finding]:
    """Say which fault of the published reading moves the number, and for how many replies."""
    faults: Counter[str] = Counter()
    for key, careful in honest.items():
        script = published.get(key)
        if script is None:
            continue
        if script.status in plan.published_drops:
            faults[f"the script drops what it calls {script.status}"] += 1
        elif script.answer is None and careful.answer is not None:
            faults[f"the script reads no answer ({script.reason})"] += 1
        elif script.answer is not None and careful.answer is None:
            faults[f"the script reads an answer where there is none ({careful.reason})"] += 1
        elif script.answer != careful.answer:
            faults["the script reads another answer"] += 1
    if faults:
        yield Finding(
            severity=Severity.WARNING,
            code="profile-gap",
            where=f"{faults.total()} of {len(honest)} replies",
            evidence=_most(faults),
            effect="this is why the published and the honest score differ",
            count=faults.total(),
        )


def _most(reasons: Counter[str]) -> str:
    shown = [f"{count} × {_short(reason)}" for reason, count in reasons.most_common(_MOST_REASONS)]
    left = len(reasons) - len(shown)
    return "; ".join(shown) + (f"; and {left} other reasons" if left > 0 else "")


def _short(reason: str) -> str:
    return reason if len(reason) <= _LONGEST_REASON else f"{reason[:_LONGEST_REASON]}…"
