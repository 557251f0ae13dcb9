"""Votes as rows of the run file and back: the raw reply of a judge is kept once a batch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from overread.records import Profile, Status, Vote
from overread.store.rows import (
    Rows,
    bind_hash,
    bind_text,
    read_json,
    unbind_hash,
    unbind_text,
    write_json,
)

__all__ = ["VOTE_COLUMNS", "add_votes", "vote_of"]

VOTE_COLUMNS = (
    "request.hash, v.item, v.draw, v.position, v.profile, v.form, v.verdict, v.status, v.reason,"
    " v.rationale"
)
"""What `vote_of` takes, before the raw text."""


def add_votes(rows: Rows, votes: Sequence[Vote]) -> None:
    """Append the votes of one reply; earlier ones stay."""
    connection = rows.connection
    replies: dict[str, int] = {}
    for vote in votes:
        if vote.text is not None and vote.text not in replies:
            cursor = connection.execute(
                "INSERT INTO judgement (text) VALUES (?)", (bind_text(vote.text),)
            )
            replies[vote.text] = cast("int", cursor.lastrowid)
        connection.execute(
            "INSERT INTO vote (request, position, item, draw, profile, judgement, form, verdict,"
            " status, reason, rationale) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                rows.find_or_add("request", "hash", bind_hash(vote.request_hash)),
                vote.position,
                rows.word_id(vote.item),
                vote.draw,
                vote.profile,
                None if vote.text is None else replies[vote.text],
                rows.word_id(write_json([vote.run, vote.judge, vote.judge_hash])),
                None if vote.verdict is None else int(vote.verdict),
                vote.status.value,
                rows.word_id(vote.reason),
                bind_text(vote.rationale),
            ),
        )


def vote_of(rows: Rows, row: tuple[Any, ...]) -> Vote:
    """Make a vote of `VOTE_COLUMNS` and the raw text (None where it is not wanted)."""
    digest, item, draw, position, profile, form, verdict, status, reason, rationale, text = row
    run, judge, judge_hash = read_json(rows.needed_word(form))
    return Vote(
        run=run,
        item=rows.needed_word(item),
        draw=draw,
        profile=cast("Profile", profile),
        judge=judge,
        judge_hash=judge_hash,
        request_hash=unbind_hash(digest),
        position=position,
        verdict=None if verdict is None else bool(verdict),
        status=Status(status),
        reason=rows.word(reason),
        rationale=unbind_text(rationale),
        text=unbind_text(text),
    )
