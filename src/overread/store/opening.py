"""How a run file is made and opened: check first, lock before writing, damage left as it is."""

from __future__ import annotations

import contextlib
from pathlib import Path

from overread.errors import StoreError, expected
from overread.records import Manifest
from overread.store import database
from overread.store.lock import WriterLock
from overread.store.records_json import from_json, to_json
from overread.store.rows import read_json, write_json

__all__ = ["checked", "locked", "make", "unusable"]


def make(path: Path, manifest: Manifest) -> WriterLock:
    """Make a new run file, whole or not at all, and give the lock to write it.

    Raises
    ------
    StoreError
        The name is taken, or the folder cannot be written.
    StoreBusyError
        Another process is making the same run.
    StoreFullError
        The disk is full.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise unusable(path, "a folder that can be written", error.strerror) from error
    lock = WriterLock(path)
    try:
        if path.exists() or path.is_symlink():
            raise unusable(path, "a name that is free for a new run", "one that is taken")
        database.create(path, {"manifest": write_json(to_json(manifest))})
    except BaseException:
        lock.release()
        raise
    return lock


def checked(path: Path) -> Manifest:
    """Check a run file without changing it, and give its manifest.

    Raises
    ------
    StoreError
        It is absent, unreadable, or of another schema version.
    StoreDamagedError
        It is no whole run file.
    """
    _roll_back_if_nobody_writes(path)
    meta = database.check(path)
    with database.translated(path):
        return from_json(Manifest, read_json(meta["manifest"]))


def locked(path: Path) -> tuple[Manifest, WriterLock]:
    """Check a run file and give its manifest and the lock to write it.

    Raises
    ------
    StoreError
        As `checked`; StoreBusyError when another process is writing the run.
    """
    database.check_header(path)  # before a lock file is made beside something else
    lock = WriterLock(path)
    try:
        database.roll_back(path)
        return checked(path), lock
    except BaseException:
        lock.release()
        raise


def _roll_back_if_nobody_writes(path: Path) -> None:
    """Undo what a process killed while it closed the file left half done."""
    if not database.has_journal(path):
        return
    # A writer at work owns its journal; where no lock can be had, the check decides.
    with contextlib.suppress(StoreError):
        lock = WriterLock(path)
        try:
            database.roll_back(path)
        finally:
            lock.release()


def unusable(path: Path, rule: str, got: object) -> StoreError:
    """Word the error of a run that is there, or open, in another way than the caller needs."""
    return StoreError(
        expected(
            str(path),
            rule=rule,
            got=got,
            remedy="Open the run that is there, or choose another name.",
        )
    )
