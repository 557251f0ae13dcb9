"""One connection to a run file, shared by threads: transactions, pages, and a queue of writes."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeAlias, TypeVar

from overread.errors import StoreFullError
from overread.records import Manifest, Response, Vote
from overread.store import database
from overread.store.batches import Batches
from overread.store.lock import WriterLock
from overread.store.opening import unusable
from overread.store.records_json import from_json
from overread.store.rows import Rows, read_json, unbind_hash
from overread.store.vote_rows import add_votes

__all__ = ["ConnectedStore"]

_BATCH_COUNT = 64
_BATCH_SECONDS = 0.25
_PAGE = 100
"""Rows read at once: no query, and so no read lock, stays open while a caller works."""

_Record = TypeVar("_Record")
_Entry: TypeAlias = "Response | tuple[Vote, ...]"
"""What is written in batches: a response, or all votes of one judge's reply."""


class ConnectedStore:
    """What every part of a run store stands on; `RunStore` is the class to use.

    Parameters
    ----------
    path
        The run file.
    manifest
        What it holds, checked.
    lock
        The right to write it; None opens it for reading.
    """

    def __init__(self, path: Path, manifest: Manifest, lock: WriterLock | None) -> None:
        self._path = path
        self._manifest = manifest
        self._lock = lock
        self._guard = threading.RLock()
        try:
            self._connection = database.connect(path, write=lock is not None)
        except BaseException:
            if lock is not None:
                lock.release()
            raise
        self._rows = Rows(self._connection, manifest.run)
        self._batches: Batches[_Entry] | None = None
        if lock is not None:
            self._batches = Batches(self._write_entries, count=_BATCH_COUNT, seconds=_BATCH_SECONDS)

    def close(self) -> None:
        """Store what waits, fold the file into one and let go of the lock. Twice is harmless.

        Raises
        ------
        StoreFullError
            The last answers did not fit on the disk; all before them are safe.
        """
        try:
            if self._batches is not None:
                self._batches.close()
        finally:
            with self._guard:
                self._batches = None
                if self._lock is not None:
                    database.rest(self._connection)
                self._connection.close()
                if self._lock is not None:
                    self._lock.release()
                    self._lock = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is None:
            self.close()
            return
        # The first error is the one to report; a disk still full would only hide it.
        with contextlib.suppress(StoreFullError):
            self.close()

    @property
    def path(self) -> Path:
        """The run file."""
        return self._path

    @property
    def manifest(self) -> Manifest:
        """What the run is."""
        return self._manifest

    def flush(self) -> None:
        """Return when every response and vote added so far is on the disk."""
        if self._batches is not None:
            self._batches.flush()

    # ------------------------------------------------------------ inside

    def _writing(self) -> Batches[_Entry]:
        if self._batches is None:
            raise unusable(self._path, "a run opened for writing", "one opened for reading")
        return self._batches

    def _write_entries(self, batch: Sequence[_Entry]) -> None:
        with self._transaction():
            for entry in batch:
                if isinstance(entry, Response):
                    self._rows.add_response(entry)
                else:
                    add_votes(self._rows, entry)

    @contextlib.contextmanager
    def _transaction(self) -> Generator[None]:
        with self._reading():
            try:
                with database.transaction(self._connection):
                    yield
            except BaseException:
                self._rows.forget()
                raise

    @contextlib.contextmanager
    def _replacing(self, table: str, where: str, *values: str) -> Generator[None]:
        self._writing().flush()
        with self._transaction():
            self._connection.execute(f"DELETE FROM {table} WHERE {where}", values)
            yield

    @contextlib.contextmanager
    def _reading(self) -> Generator[None]:
        with self._guard, database.translated(self._path):
            yield

    def _hashes(self, condition: str) -> set[str]:
        self.flush()
        with self._reading():
            rows = self._connection.execute(f"SELECT hash FROM request WHERE {condition}")
            return {unbind_hash(digest) for (digest,) in rows}

    def _bodies(self, cls: type[_Record], query: str, values: tuple[str, ...]) -> list[_Record]:
        with self._reading():
            rows = self._connection.execute(query, values).fetchall()
            return [from_json(cls, read_json(body)) for (body,) in rows]

    def _pages(
        self, query: str, make: Callable[[tuple[Any, ...]], _Record], *values: str
    ) -> Iterator[_Record]:
        """Go over the rows of a query on an ordinal, page by page."""
        last = -1
        while True:
            with self._reading():
                rows = self._connection.execute(query, (*values, last, _PAGE)).fetchall()
                made = [make(row[1:]) for row in rows]
            yield from made
            if len(rows) < _PAGE:
                return
            last = rows[-1][0]
