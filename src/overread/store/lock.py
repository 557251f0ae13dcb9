"""The lock of a run: one process writes, and the lock dies with it, even by kill -9."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from overread.errors import StoreBusyError, StoreError, expected

try:
    import fcntl
except ImportError:  # pragma: no cover - Windows
    fcntl = None

__all__ = ["WriterLock"]

_held_here: set[Path] = set()
"""Locks of this process: record locks do not hold a process off from itself, and closing any
other descriptor of the same file would let go of them."""


class WriterLock:
    """Holds the right to write a run, from construction to `release`.

    A POSIX record lock on ``<run file>.lock``, which also holds the writer's process id. A record
    lock is not inherited by a forked worker, so it ends exactly with the process that took it.

    Raises
    ------
    StoreBusyError
        Another process holds it (or this one, a second time); the message names the process.
    StoreError
        The lock file cannot be made here.
    """

    def __init__(self, run_file: Path) -> None:
        self._path = Path(f"{run_file.resolve()}.lock")
        self._run_file = run_file
        if self._path in _held_here:
            raise self._busy(str(os.getpid()))
        self._descriptor = self._take()
        _held_here.add(self._path)
        # On a full disk the lock still holds; only the number in the message is missing then.
        with contextlib.suppress(OSError):
            os.ftruncate(self._descriptor, 0)
            os.pwrite(self._descriptor, f"{os.getpid()}\n".encode(), 0)

    def release(self) -> None:
        """Let go, and remove the lock file."""
        if self._path in _held_here:
            # Removed while still held: whoever opened it meanwhile notices (see `_take`).
            self._path.unlink(missing_ok=True)
            os.close(self._descriptor)
            _held_here.discard(self._path)

    def _take(self) -> int:
        while True:
            descriptor = self._lock_file()
            # The holder before us removes the file when it is done. A lock on a removed file
            # keeps nobody off: then take the one that has its name now.
            if self._is_current(descriptor):
                return descriptor
            os.close(descriptor)

    def _lock_file(self) -> int:
        if fcntl is None:  # pragma: no cover - Windows
            raise StoreError(
                expected(
                    str(self._run_file),
                    rule="a system with POSIX file locks",
                    got=os.name,
                    remedy="Write runs on Linux or macOS; reading them works anywhere.",
                )
            )
        try:
            descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as error:
            raise self._unusable(error) from error
        try:
            fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if not isinstance(error, BlockingIOError | PermissionError):
                os.close(descriptor)
                raise self._unusable(error) from error
            holder = os.pread(descriptor, 32, 0).decode("ascii", "replace").strip()
            os.close(descriptor)
            raise self._busy(holder or "unknown") from error
        return descriptor

    def _is_current(self, descriptor: int) -> bool:
        try:
            named = self._path.stat()
        except FileNotFoundError:
            return False
        mine = os.fstat(descriptor)
        return (named.st_dev, named.st_ino) == (mine.st_dev, mine.st_ino)

    def _unusable(self, error: OSError) -> StoreError:
        return StoreError(
            expected(
                str(self._run_file),
                rule="a run in a folder that can be written and takes file locks",
                got=error.strerror,
                remedy="Choose another place, or open the run for reading.",
            )
        )

    def _busy(self, holder: str) -> StoreBusyError:
        return StoreBusyError(
            expected(
                str(self._run_file),
                rule="a run that no other process writes",
                got=f"one being written by process {holder}",
                remedy="Wait until it is done, or stop that process: nothing it stored is lost.",
            )
        )
