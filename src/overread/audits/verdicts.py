"""Audit: votes that are missing or contradict themselves."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

from overread.audits.replay_audit import ReplayAudit
from overread.audits.wording import counted
from overread.contracts import Audit, Release
from overread.contracts.replay import ReleasedVotes, Replay
from overread.errors import listed
from overread.records import Finding, Severity

__all__ = ["AUDIT"]


def _look(replay: Replay, release: Release) -> Iterator[Finding]:
    for votes in replay.votes:
        yield from _missing(votes)
    yield from _about_nothing(replay)
    yield from _against_the_same_words(replay)
    yield from _in_two_minds(replay)


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


def _about_nothing(replay: Replay) -> Iterator[Finding]:
    right: dict[str, int] = {}
    n_empty = 0
    for votes in replay.votes:
        empty = [one for one in votes.rows if not (one.prediction or "").strip()]
        n_empty += len(empty)
        right[votes.file] = sum(one.verdict is True for one in empty)
    n = sum(right.values())
    if n:
        yield Finding(
            severity=Severity.WARNING,
            code="empty-answer-right",
            where=_most(right),
            evidence=f"{n} of {counted(n_empty, 'vote')} on empty answers are yes",
            effect="a model earns credit for saying nothing",
            remedy="Count an empty answer as not right without a judge.",
            count=n,
        )


def _against_the_same_words(replay: Replay) -> Iterator[Finding]:
    wrong = {
        votes.file: sum(
            one.verdict is False
            and bool(_words(one.answer))
            and _words(one.prediction or "") == _words(one.answer)
            for one in votes.rows
        )
        for votes in replay.votes
    }
    n = sum(wrong.values())
    if n:
        yield Finding(
            severity=Severity.WARNING,
            code="same-words-wrong",
            where=_most(wrong),
            evidence=f"{counted(n, 'answer')} that repeat the reference word for word are judged "
            "wrong",
            effect="these votes are noise, or belong to other rows",
            count=n,
        )


def _in_two_minds(replay: Replay) -> Iterator[Finding]:
    torn: dict[str, int] = {}
    n_again = 0
    for votes in replay.votes:
        verdicts: defaultdict[tuple[str, str, str | None], list[bool]] = defaultdict(list)
        for one in votes.rows:
            if one.verdict is not None:
                verdicts[one.question, one.answer, one.prediction].append(one.verdict)
        n_again += sum(len(each) > 1 for each in verdicts.values())
        torn[votes.file] = sum(len(set(each)) > 1 for each in verdicts.values())
    n = sum(torn.values())
    if n:
        yield Finding(
            severity=Severity.INFO,
            code="contradictory-verdicts",
            where=_most(torn),
            evidence=f"{n:,} of {n_again:,} times that a judge saw the same question, answer and "
            "prediction again it said both yes and no",
            effect="this much of a verdict is chance",
            count=n,
        )


def _most(counts: Mapping[str, int]) -> str:
    """Name the files with a count above 0, the highest first."""
    found = sorted((file for file, n in counts.items() if n), key=lambda file: -counts[file])
    return listed([f"{file} ({counts[file]})" for file in found], most=3)


def _words(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip(".")


AUDIT: Audit = ReplayAudit(
    name="verdicts",
    summary="votes that are missing, or contradict themselves or the texts they judge",
    look_at=_look,
)
