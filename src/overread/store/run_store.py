"""The run store: all that a run asked, what came back, and what was made of it, in one file.

Answers are committed in small batches as they come, so a killed process loses at most the last
quarter of a second; nothing stored is ever overwritten by a later attempt. An answer counts only
for the request whose hash it carries (see `hashes.request_hash`): another model, another prompt,
another picture is another request, and stays unanswered.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from overread.records import Estimate, Finding, Manifest, PlannedItem, Response, Score
from overread.store.fact_replies import FactReplyStore
from overread.store.opening import checked, locked, make, unusable
from overread.store.records_json import to_json
from overread.store.rows import (
    ANSWERED,
    bind_hash,
    bind_word,
    unbind_hash,
    unbind_text,
    write_json,
)

__all__ = ["RunStore"]

_RESPONSE = (
    "request.hash, r.item, r.draw, r.run, r.status, r.text, r.path, r.reason, r.finish_reason,"
    " r.tokens_in, r.tokens_out, r.seconds, r.receipts"
)
_IS_ANSWERED = "status IN (" + ", ".join(f"'{status.value}'" for status in ANSWERED) + ")"
_CREDITED = (
    "FROM plan JOIN request ON request.id = plan.request JOIN response AS r ON r.id ="
    " (SELECT id FROM response WHERE request = plan.request AND item = plan.item"
    f" AND draw = plan.draw ORDER BY {_IS_ANSWERED} DESC, id DESC LIMIT 1)"
)
"""The attempt that counts for each line of the plan: the latest answer, else the latest failure."""

_OF_REQUEST = "WHERE response.request = request.id"


class RunStore(FactReplyStore):
    """One run file, open for reading or for writing. Make one with `create` or `open`.

    Use it as a context manager, or call `close`. All methods may be called from any thread.
    Every method raises StoreDamagedError when the file turns out damaged; every writing one
    raises StoreError on a store opened for reading, and StoreFullError when the disk takes no
    more: what was stored before is safe then, and what waits is tried again at the next `flush`.
    """

    # ------------------------------------------------------------ open and close

    @classmethod
    def create(cls, path: Path, manifest: Manifest) -> RunStore:
        """Make a new run file and open it for writing; folders above it are made as needed.

        Raises
        ------
        StoreError
            Something of this name is there already, or the folder cannot be written.
        StoreBusyError
            Another process is making the same run.
        """
        return cls(path, manifest, make(path, manifest))

    @classmethod
    def open(cls, path: Path, *, write: bool = False) -> RunStore:
        """Open an existing run file after checking it; a damaged one is left as it is.

        Parameters
        ----------
        path
            The run file.
        write
            Take the writer's lock. Reading needs none and works while another process writes:
            it sees what was committed when each method was called.

        Raises
        ------
        StoreError
            It is absent, unreadable, or of another schema version.
        StoreDamagedError
            It is no whole run file.
        StoreBusyError
            `write`, and another process (named in the message) is writing this run.
        """
        if not write:
            return cls(path, checked(path), None)
        manifest, lock = locked(path)
        return cls(path, manifest, lock)

    # ------------------------------------------------------------ manifest and plan

    def update_manifest(self, manifest: Manifest) -> None:
        """Replace the manifest of the same run, for instance when its limit has grown.

        Raises
        ------
        StoreError
            It is another run's manifest.
        """
        self._writing()
        if manifest.run != self._manifest.run:
            raise unusable(
                self._path, f"a manifest of run {self._manifest.run}", f"one of {manifest.run}"
            )
        with self._transaction():
            self._connection.execute(
                "UPDATE meta SET value = ? WHERE key = 'manifest'",
                (write_json(to_json(manifest)),),
            )
        self._manifest = manifest

    def set_plan(self, planned: Iterable[PlannedItem]) -> None:
        """Replace the plan. Responses stay, and count again when their request is planned again.

        Raises
        ------
        StoreError
            Two lines ask the same: an item and draw, or a request hash, comes twice.
        """
        with self._replacing("plan", "TRUE"):
            self._rows.add_plan(planned)

    def plan(self) -> list[PlannedItem]:
        """Give the plan in its order."""
        return list(
            self._pages(
                "SELECT plan.ordinal, item, draw, hash, groups, strata, chance FROM plan"
                " JOIN request ON request.id = plan.request WHERE plan.ordinal > ?"
                " ORDER BY plan.ordinal LIMIT ?",
                self._rows.planned,
            )
        )

    # ------------------------------------------------------------ responses

    def add(self, response: Response) -> None:
        """Store one response soon; never waits for the disk.

        Raises
        ------
        StoreFullError
            A batch before this response did not fit. This one waits with it for a `flush`.
        StoreError
            The store is open for reading, or a field holds what its type does not allow.
        """
        batches = self._writing()
        to_json(response)  # refuses, in the caller's thread, what could not be stored later
        batches.add(response)

    def answered(self) -> set[str]:
        """Give the request hashes that have an answer: status OK or REFUSED."""
        return self._hashes(f"EXISTS (SELECT 1 FROM response {_OF_REQUEST} AND {_IS_ANSWERED})")

    def failed(self) -> set[str]:
        """Give the request hashes that were tried and have no answer."""
        return self._hashes(
            f"EXISTS (SELECT 1 FROM response {_OF_REQUEST}) AND NOT"
            f" EXISTS (SELECT 1 FROM response {_OF_REQUEST} AND {_IS_ANSWERED})"
        )

    def responses(self) -> Iterator[Response]:
        """Go over the response that counts for each planned item, in the order of the plan.

        The latest answer counts; where none came, the latest failure. A planned item without any
        attempt is passed over. Responses whose request is not in the plan do not count.
        """
        self.flush()
        return self._pages(
            f"SELECT plan.ordinal, {_RESPONSE} {_CREDITED} WHERE plan.ordinal > ?"
            " ORDER BY plan.ordinal LIMIT ?",
            self._rows.response,
        )

    def response(self, item: str, draw: int = 0) -> Response | None:
        """Give the response that counts for one planned item; None when there is none."""
        self.flush()
        with self._reading():
            row = self._connection.execute(
                f"SELECT {_RESPONSE} {_CREDITED} WHERE plan.item = ? AND plan.draw = ?",
                (self._rows.item_id(item), draw),
            ).fetchone()
            return self._rows.response(row) if row else None

    def attempts(self, item: str, draw: int = 0) -> list[Response]:
        """Give every response ever stored for an item, the oldest first, planned or not."""
        self.flush()
        with self._reading():
            rows = self._connection.execute(
                f"SELECT {_RESPONSE} FROM response AS r JOIN request ON request.id = r.request"
                " WHERE r.item = ? AND r.draw = ? ORDER BY r.id",
                (self._rows.item_id(item), draw),
            ).fetchall()
            return [self._rows.response(row) for row in rows]

    # ------------------------------------------------------------ what was made of them

    def replace_scores(self, scores: Iterable[Score]) -> None:
        """Put these scores in the place of all before, or leave those when one cannot be stored.

        Raises
        ------
        StoreError
            A value is NaN or infinite.
        """
        with self._replacing("score", "TRUE"):
            self._rows.add_scores(scores)

    def scores(self) -> list[Score]:
        """Give the scores in the order they were stored."""
        return list(
            self._pages(
                "SELECT ordinal, item, draw, patient, value, answer, reason, form FROM score"
                " WHERE ordinal > ? ORDER BY ordinal LIMIT ?",
                self._rows.score,
            )
        )

    def replace_estimates(self, estimates: Iterable[Estimate]) -> None:
        """Put these estimates in the place of all before."""
        with self._replacing("estimate", "TRUE"):
            self._connection.executemany(
                "INSERT INTO estimate (body) VALUES (?)",
                ((write_json(to_json(each)),) for each in estimates),
            )

    def estimates(self) -> list[Estimate]:
        """Give the estimates in the order they were stored."""
        return self._bodies(Estimate, "SELECT body FROM estimate ORDER BY ordinal", ())

    def replace_findings(self, kind: str, findings: Iterable[Finding]) -> None:
        """Put these findings in the place of all before of the same kind (``release``)."""
        with self._replacing("finding", "kind = ?", kind):
            self._connection.executemany(
                "INSERT INTO finding (kind, body) VALUES (?, ?)",
                ((kind, write_json(to_json(each))) for each in findings),
            )

    def findings(self, kind: str | None = None) -> list[Finding]:
        """Give the findings of one kind, or of all kinds in the order they were stored."""
        if kind is None:
            return self._bodies(Finding, "SELECT body FROM finding ORDER BY ordinal", ())
        query = "SELECT body FROM finding WHERE kind = ? ORDER BY ordinal"
        return self._bodies(Finding, query, (kind,))

    def finding_kinds(self) -> list[str]:
        """Give the kinds that have findings, in alphabetical order."""
        with self._reading():
            rows = self._connection.execute("SELECT DISTINCT kind FROM finding ORDER BY kind")
            return [kind for (kind,) in rows]

    # ------------------------------------------------------------ hashes of media

    def media_hash(self, path: str, size_bytes: int, mtime_ns: int) -> str | None:
        """Give the SHA-256 remembered for a file of the release.

        None when none is remembered, or when the file has another size or time of change now.
        """
        with self._reading():
            row = self._connection.execute(
                "SELECT sha256 FROM media WHERE path = ? AND size_bytes = ? AND mtime_ns = ?",
                (bind_word(path), size_bytes, mtime_ns),
            ).fetchone()
            return unbind_hash(row[0]) if row else None

    def media_hashes(self) -> dict[tuple[str, int, int], str]:
        """Give all remembered SHA-256, by path, size in bytes and time of change in ns."""
        with self._reading():
            rows = self._connection.execute("SELECT path, size_bytes, mtime_ns, sha256 FROM media")
            return {
                (unbind_text(path) or "", size, time): unbind_hash(digest)
                for path, size, time, digest in rows
            }

    def remember_media_hashes(self, entries: Iterable[tuple[str, int, int, str]]) -> None:
        """Remember files of the release: path, size in bytes, time of change in ns, SHA-256."""
        self._writing()
        with self._transaction():
            self._connection.executemany(
                "INSERT OR REPLACE INTO media VALUES (?, ?, ?, ?)",
                (
                    (bind_word(path), size, time, bind_hash(digest))
                    for path, size, time, digest in entries
                ),
            )
