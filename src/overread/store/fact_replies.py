"""What a language model replied when it was asked for the facts of texts, and which one counts.

Every reply is kept, nothing is overwritten, and nothing of it is read here: a later way of reading
replies asks no model again. A reply belongs to the request whose hash it carries
(`hashes.vote_hash`): another model, another setting, another word of the text is another request.

The two tables are made when they are first written, so that a run in which no model read anything
is the very file it was before.
"""

from __future__ import annotations

from dataclasses import dataclass

from overread.records import Status
from overread.store.rows import bind_hash, bind_text, bind_word, unbind_hash, unbind_text
from overread.store.votes import VoteStore

__all__ = ["FactReader", "FactReply", "FactReplyStore"]

_TABLES = (
    "CREATE TABLE IF NOT EXISTS fact_reply (id INTEGER PRIMARY KEY, request NOT NULL,"
    " status TEXT NOT NULL, text, reason, finish_reason)",
    "CREATE INDEX IF NOT EXISTS fact_reply_request ON fact_reply (request)",
    "CREATE TABLE IF NOT EXISTS fact_reader (place INTEGER PRIMARY KEY CHECK (place = 0),"
    " model NOT NULL, model_hash NOT NULL, form NOT NULL)",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class FactReader:
    """The model whose reading of facts counts in a run."""

    model: str
    """Its label."""
    model_hash: str
    """The model to its last setting, and the form (`hashes.judge_hash`)."""
    form: str
    """Name of the form it was asked in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FactReply:
    """One raw reply."""

    status: Status
    text: str | None
    reason: str | None
    finish_reason: str | None


class FactReplyStore(VoteStore):
    """The part of a run store that holds replies about facts; `RunStore` is the class to use."""

    def add_fact_reply(self, request_hash: str, reply: FactReply) -> None:
        """Store one reply; it is on the disk when this returns."""
        self._writing()
        with self._transaction():
            self._make_tables()
            self._connection.execute(
                "INSERT INTO fact_reply (request, status, text, reason, finish_reason)"
                " VALUES (?, ?, ?, ?, ?)",
                (
                    bind_hash(request_hash),
                    reply.status.value,
                    bind_text(reply.text),
                    bind_text(reply.reason),
                    bind_text(reply.finish_reason),
                ),
            )

    def fact_replies(self) -> dict[str, FactReply]:
        """Give the reply that counts for each request: the latest that came, else the latest."""
        if not self._has_fact_replies():
            return {}
        with self._reading():
            rows = self._connection.execute(
                "SELECT request, status, text, reason, finish_reason FROM fact_reply"
                " ORDER BY status != ?, id",
                (Status.FAILED.value,),
            ).fetchall()
        return {
            unbind_hash(request): FactReply(
                status=Status(status),
                text=unbind_text(text),
                reason=unbind_text(reason),
                finish_reason=unbind_text(finish),
            )
            for request, status, text, reason, finish in rows
        }

    def set_fact_reader(self, reader: FactReader) -> None:
        """Say whose reading counts; replies of others stay and do not count."""
        self._writing().flush()
        with self._transaction():
            self._make_tables()
            self._connection.execute(
                "INSERT OR REPLACE INTO fact_reader VALUES (0, ?, ?, ?)",
                (bind_word(reader.model), bind_hash(reader.model_hash), bind_word(reader.form)),
            )

    def fact_reader(self) -> FactReader | None:
        """Give the model whose reading counts; None where no model was asked to read facts."""
        if not self._has_fact_replies():
            return None
        with self._reading():
            row = self._connection.execute(
                "SELECT model, model_hash, form FROM fact_reader"
            ).fetchone()
        if row is None:
            return None
        model, digest, form = row
        return FactReader(
            model=unbind_text(model) or "",
            model_hash=unbind_hash(digest),
            form=unbind_text(form) or "",
        )

    def _make_tables(self) -> None:
        for statement in _TABLES:
            self._connection.execute(statement)

    def _has_fact_replies(self) -> bool:
        with self._reading():
            found = self._connection.execute(
                "SELECT count(*) FROM sqlite_master WHERE name IN ('fact_reply', 'fact_reader')"
            ).fetchone()
        return found[0] == 2
