"""The votes of judges in a run file, and which judges make its jury.

Every reply of a judge is kept, also one that cannot be read; nothing is overwritten. A vote belongs
to the request whose hash it carries (`hashes.vote_hash`): another judge, another setting, another
word in the prompt or in the graded texts is another request.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from overread.records import Profile, Status, Vote
from overread.store import database
from overread.store.parameters import ParameterStore
from overread.store.records_json import to_json
from overread.store.rows import bind_hash, bind_word, unbind_hash, unbind_text
from overread.store.vote_rows import VOTE_COLUMNS, vote_of

__all__ = ["Juror", "VoteStore"]

_COUNTS = (
    "v.id = (SELECT id FROM vote WHERE request = v.request AND position = v.position"
    " AND item = v.item AND draw = v.draw ORDER BY verdict IS NULL, id DESC LIMIT 1)"
)
"""The vote that counts for one place of one request: the latest that was read, else the latest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Juror:
    """One judge of a run's jury."""

    judge: str
    """The judge model's label."""
    judge_hash: str
    """As in its votes."""
    form: str
    """Name of the form it was asked in."""


class VoteStore(ParameterStore):
    """The part of a run store that holds votes; `RunStore` is the class to use."""

    def add_votes(self, votes: Sequence[Vote]) -> None:
        """Store the votes of one reply soon, all or none of them; never waits for the disk.

        Raises
        ------
        StoreFullError
            A batch before these votes did not fit. They wait with it for a `flush`.
        StoreError
            The store is open for reading, or a field holds what its type does not allow.
        """
        batches = self._writing()
        for vote in votes:
            to_json(vote)  # refuses, in the caller's thread, what could not be stored later
        batches.add(tuple(votes))

    def votes(self, profile: Profile | None = None, *, texts: bool = True) -> Iterator[Vote]:
        """Go over the votes that count, in the order they were stored.

        Of several votes on one place of one request, the latest that was read counts, else the
        latest. Votes of earlier judges and prompts come as well: the jury is told by `jury`.

        Parameters
        ----------
        profile
            Only votes under this profile.
        texts
            Read the raw replies too; without them `Vote.text` is None.
        """
        self.flush()
        if not self._has_votes():
            return
        values = () if profile is None else (profile,)
        chosen = "" if profile is None else "v.profile = ? AND"
        yield from self._pages(
            f"SELECT v.id, {VOTE_COLUMNS}, {'judgement.text' if texts else 'NULL'} FROM vote AS v"
            " JOIN request ON request.id = v.request"
            " LEFT JOIN judgement ON judgement.id = v.judgement"
            f" WHERE {chosen} {_COUNTS} AND v.id > ? ORDER BY v.id LIMIT ?",
            lambda row: vote_of(self._rows, row),
            *values,
        )

    def voted(self, profile: Profile) -> set[str]:
        """Give the request hashes that a judge replied to, readable or not."""
        self.flush()
        if not self._has_votes():
            return set()
        with self._reading():
            rows = self._connection.execute(
                "SELECT DISTINCT hash FROM vote JOIN request ON request.id = vote.request"
                " WHERE profile = ? AND (judgement IS NOT NULL OR status != ?)",
                (profile, Status.FAILED.value),
            )
            return {unbind_hash(digest) for (digest,) in rows}

    def set_jury(self, profile: Profile, jurors: Sequence[Juror]) -> None:
        """Say which judges make the jury under a profile; votes of others stay and do not count."""
        self._writing().flush()
        with self._transaction():
            self._connection.execute("DELETE FROM juror WHERE profile = ?", (profile,))
            self._connection.executemany(
                "INSERT INTO juror VALUES (?, ?, ?, ?, ?)",
                (
                    (
                        profile,
                        place,
                        bind_word(each.judge),
                        bind_hash(each.judge_hash),
                        bind_word(each.form),
                    )
                    for place, each in enumerate(jurors)
                ),
            )

    def jury(self, profile: Profile) -> list[Juror]:
        """Give the judges of the jury in their order; none where nobody was asked to judge."""
        if not self._has_votes():
            return []
        with self._reading():
            rows = self._connection.execute(
                "SELECT judge, judge_hash, form FROM juror WHERE profile = ? ORDER BY place",
                (profile,),
            ).fetchall()
            return [
                Juror(
                    judge=unbind_text(judge) or "",
                    judge_hash=unbind_hash(digest),
                    form=unbind_text(form) or "",
                )
                for judge, digest, form in rows
            ]

    def _has_votes(self) -> bool:
        with self._reading():
            return database.has_votes(self._connection)
