"""Audit: votes that are missing or contradict themselves."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from overread.audits.replay_audit import ReplayAudit
from overread.audits.wording import counted, listed
from overread.contracts import Audit, Release
from overread.contracts.replay import ReleasedVotes, Replay
from overread.records import Finding, Severity

__all__ = ["AUDIT"]


def _look(replay: Replay, release: Release) -> Iterator[Finding]:
    for votes in replay.votes:
        yield from _missing(votes)
        yield from _about_nothing(votes)
        yield from _against_the_same_words(votes)
        yield from _in_two_minds(votes)


def _missing(votes: ReleasedVotes) -> Iterator[Finding]:
    rows = [row for row, vote in enumerate(votes.rows) if vote.verdict is None]
    if rows:
        said = sorted({votes.rows[row].reasoning or "" for row in rows} - {""})
        yield Finding(
            severity=Severity.WARNING,
            code="null-verdicts",
            where=votes.file,
            evidence=f"{counted(len(rows), 'record')} without a verdict (rows {listed(rows)}, "
            "from 0)" + (f", marked '{listed(said)}'" if said else ""),
            effect="the jury counts a verdict that is missing as a no",
            remedy="Ask again, or leave the vote out: it is missing, not wrong.",
            count=len(rows),
        )


def _about_nothing(votes: ReleasedVotes) -> Iterator[Finding]:
    empty = [one for one in votes.rows if not (one.prediction or "").strip()]
    right = sum(one.verdict is True for one in empty)
    if right:
        yield Finding(
            severity=Severity.WARNING,
            code="empty-answer-right",
            where=votes.file,
            evidence=f"{right} of {counted(len(empty), 'empty answer')} are judged right",
            effect="a model earns credit for saying nothing",
            remedy="Count an empty answer as not right without a judge.",
            count=right,
        )


def _against_the_same_words(votes: ReleasedVotes) -> Iterator[Finding]:
    wrong = sum(
        one.verdict is False
        and bool(_words(one.answer))
        and _words(one.prediction or "") == _words(one.answer)
        for one in votes.rows
    )
    if wrong:
        yield Finding(
            severity=Severity.WARNING,
            code="same-words-wrong",
            where=votes.file,
            evidence=f"{counted(wrong, 'answer')} that repeat the reference word for word are "
            "judged wrong",
            effect="these votes are noise, or belong to other rows",
            count=wrong,
        )


def _in_two_minds(votes: ReleasedVotes) -> Iterator[Finding]:
    verdicts: defaultdict[tuple[str, str, str | None], list[bool]] = defaultdict(list)
    for one in votes.rows:
        if one.verdict is not None:
            verdicts[one.question, one.answer, one.prediction].append(one.verdict)
    torn = [each for each in verdicts.values() if len(set(each)) > 1]
    if torn:
        n_again = sum(len(each) > 1 for each in verdicts.values())
        yield Finding(
            severity=Severity.INFO,
            code="contradictory-verdicts",
            where=votes.file,
            evidence=f"{len(torn)} of {n_again:,} triples of question, answer and prediction that "
            "stand several times got a yes and a no",
            effect="this much of a judge's verdict is chance",
            count=len(torn),
        )


def _words(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip(".")


AUDIT: Audit = ReplayAudit(
    name="verdicts",
    summary="votes that are missing, or contradict themselves or the texts they judge",
    look_at=_look,
)
