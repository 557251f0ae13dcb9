"""Audit: how far scores depend on who reads the replies that a release ships."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from overread.audits.parser_replay import ParserTable, StoredReply, replay_parsers
from overread.audits.replay_audit import ReplayAudit
from overread.contracts import Audit, Release, Selection
from overread.contracts.replay import ReleasedPrediction, Replay
from overread.records import Finding, Item, Response, Severity, Status
from overread.scoring.published.parser import kind_of

__all__ = ["AUDIT", "KIND_WORDS", "parser_findings", "released_tables"]

KIND_WORDS: Final = {
    "choice": "choice questions",
    "several": "questions with several options to choose",
    "number": "questions for a number",
    "yes-no": "yes-or-no questions",
}
_LEAST_POINTS: Final = 1.0
"""A difference of so many percentage points is a finding."""
_MOST_UNREAD: Final = 0.01
"""A larger share of replies without an answer is a finding."""


def parser_findings(table: ParserTable) -> Iterator[Finding]:
    """Report where the score of a model depends on parsing by a point or more."""
    what = f"{table.who}: {table.n:,} {KIND_WORDS[table.kind]}"
    honest = table.honest
    moved = [row for row in table.rows[1:] if abs(row.points) >= _LEAST_POINTS]
    if moved:
        rows = sorted(moved, key=lambda row: (-abs(row.points), row.parser))
        told = ", ".join(f"{row.parser} {100 * row.score:.1f} ({row.points:+.1f})" for row in rows)
        yield Finding(
            severity=Severity.WARNING,
            code="score-depends-on-parsing",
            where=what,
            evidence=f"{100 * honest.score:.1f} % by careful reading; {told}",
            effect=f"the score depends on parsing by {table.spread:.1f} points, by "
            f"{table.close_spread:.1f} among the {len(table.close)} parsers that read such replies "
            "much as a careful person does",
            remedy="Name the parser beside the score, show the share without an answer, and keep "
            "raw replies.",
            count=max(row.n_differ for row in moved),
        )
    n_unread = round(honest.unread * table.n) - table.n_no_reply
    if n_unread > _MOST_UNREAD * table.n:
        read = [row for row in table.rows[1:] if row.n_invented]
        worst = max(read, key=lambda row: row.n_invented, default=None)
        told = f"; {worst.parser} reads an answer in {worst.n_invented} of them" if worst else ""
        yield Finding(
            severity=Severity.WARNING,
            code="replies-without-answer",
            where=what,
            evidence=f"{n_unread} replies ({100 * n_unread / table.n:.1f} %) state no answer{told}",
            effect="whether they count as wrong, are left out or become a letter decides the score",
            remedy="Count them as not right, and show their share beside the score.",
            count=n_unread,
        )


def released_tables(replay: Replay, release: Release, *, examples: int) -> Iterator[ParserTable]:
    """Read the predictions that a release ships by all parsers, model by model."""
    items = {item.id: item for item in _items(release)}
    found = _Finder(replay, items)
    for one in replay.predictions:
        who = replay.title_of.get(one.model, one.model)
        replies = [
            StoredReply(
                item=items[name],
                reference=release.reference(name),
                response=Response(
                    run=one.model,
                    item=name,
                    status=Status.FAILED if row.prediction is None else Status.OK,
                    text=row.prediction,
                    request_hash="",
                ),
            )
            for row in one.rows
            if (name := found.item_of(row)) is not None
        ]
        yield from replay_parsers(who, replies, release, examples=examples)


class _Finder:
    """Finds the question of a released row: by case and question, by case alone where that is one.

    A pair that stands several times in the release names none of its questions.
    """

    def __init__(self, replay: Replay, items: Mapping[str, Item]) -> None:
        self._by_both: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
        for one in replay.questions:
            if one.item in items:
                self._by_both[one.case, one.question].append(one.item)

    def item_of(self, row: ReleasedPrediction) -> str | None:
        named = [] if row.case is None else self._by_both.get((row.case, row.question), [])
        return named[0] if len(named) == 1 else None


def _items(release: Release) -> Sequence[Item]:
    return [
        item
        for split in release.card.splits
        for item in release.items(Selection(split=split))
        if kind_of(item) is not None
    ]


def _look(replay: Replay, release: Release) -> Iterator[Finding]:
    if replay.predictions:
        for table in released_tables(replay, release, examples=0):
            yield from parser_findings(table)


AUDIT: Audit = ReplayAudit(
    name="parsers",
    summary="how far scores depend on who reads the stored replies",
    look_at=_look,
)
