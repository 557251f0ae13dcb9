"""Writes entries in small batches from a thread of its own, so that nobody waits for the disk."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from overread.errors import OverreadError

__all__ = ["Batches"]

_Entry = TypeVar("_Entry")
_BACKLOG = 16
"""This many full batches may wait; then `add` writes them itself and so slows its caller."""


class Batches(Generic[_Entry]):
    """Collects entries and hands them to `write`: by count, by time, and on `flush`.

    An entry waits at most `seconds` (and the write before it), even when no other follows. A
    batch that could not be written stays collected: the next `add` or `flush` raises what `write`
    raised, and a later `flush` tries the same entries again.
    """

    def __init__(
        self, write: Callable[[Sequence[_Entry]], None], *, count: int, seconds: float
    ) -> None:
        self._write = write
        self._count = count
        self._seconds = seconds
        self._pending: list[_Entry] = []
        self._failure: OverreadError | None = None
        self._closed = False
        self._changed = threading.Condition()
        self._one_writer = threading.Lock()
        self._thread = threading.Thread(target=self._work, name="overread store", daemon=True)
        self._thread.start()

    def add(self, entry: _Entry) -> None:
        """Collect an entry. Raises what the last write raised, after collecting."""
        with self._changed:
            self._pending.append(entry)
            waiting = len(self._pending)
            failure = self._failure
            if waiting == 1 or waiting == self._count:
                self._changed.notify()
        if failure is not None:
            raise failure
        if waiting >= _BACKLOG * self._count:
            self.flush()

    def flush(self) -> None:
        """Write all that waits, now, and return when it is written."""
        with self._one_writer:
            with self._changed:
                batch = tuple(self._pending)
            if not batch:
                return
            try:
                self._write(batch)
            except OverreadError as error:
                with self._changed:
                    self._failure = error
                raise
            with self._changed:
                del self._pending[: len(batch)]
                self._failure = None
                self._changed.notify()

    def close(self) -> None:
        """Stop the thread, then write what waits."""
        with self._changed:
            self._closed = True
            self._changed.notify()
        self._thread.join()
        self.flush()

    def _work(self) -> None:
        while self._wait_for_batch():
            try:
                self.flush()
            except OverreadError:
                continue  # kept in `_failure`: the next `add` raises it, in the caller's thread

    def _wait_for_batch(self) -> bool:
        """Wait for a first entry, then for a full batch or the time; False when closed."""
        with self._changed:
            self._changed.wait_for(lambda: self._closed or self._ready(1))
            self._changed.wait_for(
                lambda: self._closed or self._ready(self._count), timeout=self._seconds
            )
            return not self._closed

    def _ready(self, count: int) -> bool:
        # After a failure the thread rests until a flush of the owner has gone well.
        return self._failure is None and len(self._pending) >= count
