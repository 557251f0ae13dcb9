"""The SQLite file under a run: its schema, how it is made, checked and opened.

Version 2 of the schema; version 1 had no votes, is read as it is and upgraded in place when it is
opened for writing. Texts that repeat (item ids, metrics, reasons, strata) are kept once, in
`word`; request hashes once, in `request`; receipts once, however many answers they belong to; a
judge's reply once, however many votes were read from it. A file at rest is one file; while it is
written it has two companions (``-wal``, ``-shm``) and a lock.
"""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
import zlib
from collections.abc import Generator
from pathlib import Path
from typing import Any

from overread.errors import StoreDamagedError, StoreError, StoreFullError, expected

__all__ = [
    "SCHEMA_VERSION",
    "check",
    "check_header",
    "connect",
    "create",
    "has_journal",
    "has_votes",
    "rest",
    "roll_back",
    "transaction",
    "translated",
]

SCHEMA_VERSION = 2
_FIRST_VERSION = 1
_APPLICATION_ID = 0x4F564552
"""``OVER`` in ASCII: tells a run from another program's SQLite file."""
_MAGIC = b"SQLite format 3\x00"
_BUSY_S = 10.0
_CHECKPOINT_PAGES = 256
_CACHE_KIB = 32_768
"""At most; a run of a thousand questions fills a twentieth of it."""
_FULL = frozenset(
    {
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_IOERR_WRITE,
        sqlite3.SQLITE_IOERR_FSYNC,
        sqlite3.SQLITE_IOERR_SHMSIZE,
        sqlite3.SQLITE_IOERR_TRUNCATE,
    }
)
"""What SQLite says when the disk, a quota or a file size limit takes no more."""

_SCHEMA = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE word (id INTEGER PRIMARY KEY, text NOT NULL UNIQUE);
CREATE TABLE request (id INTEGER PRIMARY KEY, hash NOT NULL UNIQUE);
CREATE TABLE plan (
    ordinal INTEGER PRIMARY KEY, item INTEGER NOT NULL, draw INTEGER NOT NULL,
    request INTEGER NOT NULL UNIQUE, groups TEXT NOT NULL, strata INTEGER NOT NULL, chance REAL,
    UNIQUE (item, draw)
);
CREATE TABLE response (
    id INTEGER PRIMARY KEY, request INTEGER NOT NULL, item INTEGER NOT NULL,
    draw INTEGER NOT NULL, run INTEGER, status TEXT NOT NULL, text, path INTEGER, reason INTEGER,
    finish_reason INTEGER, tokens_in INTEGER, tokens_out INTEGER, seconds REAL, receipts TEXT
);
CREATE INDEX response_request ON response (request);
CREATE TABLE receipt (
    id INTEGER PRIMARY KEY, sha256 NOT NULL, size_bytes INTEGER NOT NULL, sources TEXT NOT NULL,
    form INTEGER NOT NULL
);
CREATE INDEX receipt_sha256 ON receipt (sha256);
CREATE TABLE score (
    ordinal INTEGER PRIMARY KEY, item INTEGER NOT NULL, draw INTEGER NOT NULL,
    patient INTEGER, value REAL, answer INTEGER, reason INTEGER, form INTEGER NOT NULL
);
CREATE TABLE estimate (ordinal INTEGER PRIMARY KEY, body TEXT NOT NULL);
CREATE TABLE finding (ordinal INTEGER PRIMARY KEY, kind TEXT NOT NULL, body TEXT NOT NULL);
CREATE TABLE media (
    path TEXT PRIMARY KEY, size_bytes INTEGER NOT NULL, mtime_ns INTEGER NOT NULL, sha256 NOT NULL
) WITHOUT ROWID;
"""
_VOTES = """
CREATE TABLE judgement (id INTEGER PRIMARY KEY, text NOT NULL);
CREATE TABLE vote (
    id INTEGER PRIMARY KEY, request INTEGER NOT NULL, position INTEGER NOT NULL,
    item INTEGER NOT NULL, draw INTEGER NOT NULL, profile TEXT NOT NULL, judgement INTEGER,
    form INTEGER NOT NULL, verdict INTEGER, status TEXT NOT NULL, reason INTEGER, rationale
);
CREATE INDEX vote_request ON vote (request);
CREATE TABLE juror (
    profile TEXT NOT NULL, place INTEGER NOT NULL, judge NOT NULL, judge_hash NOT NULL,
    form NOT NULL, PRIMARY KEY (profile, place)
) WITHOUT ROWID;
"""
"""What version 2 added."""
_TABLES = frozenset(
    {"meta", "word", "request", "plan", "response"}
    | {"receipt", "score", "estimate", "finding", "media"}
)
_VOTE_TABLES = frozenset({"judgement", "vote", "juror"})


@contextlib.contextmanager
def translated(path: Path) -> Generator[None]:
    """Turn what sqlite3 raises about the file at `path` into overread's own errors."""
    try:
        yield
    except sqlite3.Error as error:
        raise _own(path, error) from error
    except (zlib.error, json.JSONDecodeError) as error:
        raise _damaged(path, f"a row that cannot be read: {error}") from error


def _own(path: Path, error: sqlite3.Error) -> StoreError:
    code = getattr(error, "sqlite_errorcode", None)
    if code in _FULL:
        return StoreFullError(
            expected(
                str(path),
                rule="a disk that takes the next answers",
                got=str(error),
                remedy="All answers stored before are safe: make room and start again.",
            )
        )
    # The low byte is the kind; the rest only says where SQLite met it.
    if code is not None and code & 0xFF in _BROKEN:
        return _damaged(path, str(error))
    return StoreError(
        expected(
            str(path),
            rule="a run file that can be read and written",
            got=str(error),
            remedy="Check the permissions of the file and of its folder.",
        )
    )


_BROKEN = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})


def _damaged(path: Path, what: str) -> StoreDamagedError:
    return StoreDamagedError(
        expected(
            str(path),
            rule="a whole run file of overread",
            got=what,
            remedy="It was left as it is: restore a copy, or start a new run elsewhere.",
        )
    )


def create(path: Path, meta: dict[str, str]) -> None:
    """Make an empty run file with its meta data, whole or not at all.

    Raises
    ------
    StoreError
        The folder cannot be written. StoreFullError when the disk is full.
    """
    unfinished = path.with_name(f".{path.name}.new")
    unfinished.unlink(missing_ok=True)
    try:
        with (
            translated(path),
            contextlib.closing(_connect(unfinished, "rwc")) as connection,
            transaction(connection),
        ):
            connection.execute(f"PRAGMA application_id={_APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version={SCHEMA_VERSION}")
            _make_tables(connection, _SCHEMA + _VOTES)
            connection.executemany("INSERT INTO meta VALUES (?, ?)", meta.items())
        unfinished.replace(path)
        _sync_folder(path.parent)
    finally:
        unfinished.unlink(missing_ok=True)


def _make_tables(connection: sqlite3.Connection, schema: str) -> None:
    for statement in schema.split(";"):
        connection.execute(statement)


def has_votes(connection: sqlite3.Connection) -> bool:
    """Tell whether a run file has room for votes: a file of version 1 has none."""
    return _pragma(connection, "user_version") != _FIRST_VERSION


def _upgrade(connection: sqlite3.Connection) -> None:
    """Bring a file of version 1 to this version, whole or not at all; nothing in it is touched."""
    if has_votes(connection):
        return
    with transaction(connection):
        _make_tables(connection, _VOTES)
        connection.execute(f"PRAGMA user_version={SCHEMA_VERSION}")


def _sync_folder(folder: Path) -> None:
    # So that the new name, too, survives a power cut.
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def check(path: Path) -> dict[str, str]:
    """Find out whether a file is a whole run, through a connection that can write nothing.

    Returns
    -------
    dict
        The meta data that `create` was given.

    Raises
    ------
    StoreDamagedError
        It is empty, no SQLite file, another program's, cut short, or damaged inside.
    StoreError
        It is absent, unreadable, or written by a newer overread.
    """
    check_header(path)
    with translated(path), contextlib.closing(connect(path, write=False)) as connection:
        if _pragma(connection, "application_id") != _APPLICATION_ID:
            raise _damaged(path, "an SQLite file of another program")
        version = _pragma(connection, "user_version")
        if version not in (_FIRST_VERSION, SCHEMA_VERSION):
            raise StoreError(
                expected(
                    str(path),
                    rule=f"a run file of schema version {_FIRST_VERSION} or {SCHEMA_VERSION}",
                    got=f"version {version}",
                    remedy="Use the version of overread that wrote it, or a newer one.",
                )
            )
        verdict = _pragma(connection, "integrity_check(1)")
        if verdict != "ok":
            raise _damaged(path, f"one that fails SQLite's check: {verdict}")
        names = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        tables = _TABLES if version == _FIRST_VERSION else _TABLES | _VOTE_TABLES
        if missing := tables - {name for (name,) in names}:
            raise _damaged(path, "one without the tables " + ", ".join(sorted(missing)))
        meta = dict(connection.execute("SELECT key, value FROM meta"))
        if "manifest" not in meta:
            raise _damaged(path, "one without its manifest")
        return meta


def check_header(path: Path) -> None:
    """Look at a file's first 100 bytes and its size only; raises as `check` does."""
    try:
        with path.open("rb") as file:
            head = file.read(100)
            size = os.fstat(file.fileno()).st_size
    except OSError as error:
        raise StoreError(
            expected(
                str(path),
                rule="a run file",
                got=error.strerror,
                remedy="'overread run … --out' makes one.",
            )
        ) from error
    if size == 0:
        raise _damaged(path, "an empty file")
    if len(head) < 100 or not head.startswith(_MAGIC):
        raise _damaged(path, "a file that is no SQLite file")
    page = int.from_bytes(head[16:18], "big")
    page = 65536 if page == 1 else page
    stated = page * int.from_bytes(head[28:32], "big")
    # With a write-ahead log beside it the file may lag behind; then SQLite's own check decides.
    if size < stated and not Path(f"{path}-wal").exists():
        raise _damaged(path, f"{size} bytes of the {stated} that its header states")


def has_journal(path: Path) -> bool:
    """Tell whether a rollback journal lies beside the file."""
    return Path(f"{path}-journal").exists()


def roll_back(path: Path) -> None:
    """Let SQLite undo an unfinished change of the file, from the journal beside it, if any.

    Only a process killed while it folded the companions into the file leaves one. The caller
    holds the writer's lock.
    """
    if has_journal(path):
        check_header(path)
        with translated(path), contextlib.closing(_connect(path, "rw")) as connection:
            _pragma(connection, "schema_version")


def _pragma(connection: sqlite3.Connection, name: str) -> Any:
    return connection.execute(f"PRAGMA {name}").fetchone()[0]


def connect(path: Path, *, write: bool) -> sqlite3.Connection:
    """Open an existing run file, for reading only or for writing in write-ahead mode.

    A reader needs no lock and leaves nothing behind. A writer's commits are on the disk when
    they return.
    """
    with translated(path):
        connection = _connect(path, "rw" if write else "ro")
        try:
            if write:
                _prepare_for_writing(connection)
        except BaseException:
            connection.close()
            raise
        return connection


def _prepare_for_writing(connection: sqlite3.Connection) -> None:
    try:
        connection.execute("PRAGMA journal_mode=WAL")
    except sqlite3.OperationalError as error:
        # A reader in the middle of a query can refuse the change of mode; the rollback journal
        # that stays in use then is as safe, only slower.
        if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
            raise
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute(f"PRAGMA wal_autocheckpoint={_CHECKPOINT_PAGES}")
    connection.execute(f"PRAGMA cache_size={-_CACHE_KIB}")
    _upgrade(connection)


def _connect(path: Path, mode: str) -> sqlite3.Connection:
    return sqlite3.connect(
        f"{path.resolve().as_uri()}?mode={mode}",
        uri=True,
        timeout=_BUSY_S,
        isolation_level=None,
        check_same_thread=False,
        cached_statements=256,
    )


def rest(connection: sqlite3.Connection) -> None:
    """Fold the companions into the one file, as far as readers and the disk allow it."""
    # What cannot be folded now stays in the log, committed, and is read from there.
    with contextlib.suppress(sqlite3.Error):
        connection.execute("PRAGMA busy_timeout=200")
        connection.execute("PRAGMA journal_mode=DELETE")


@contextlib.contextmanager
def transaction(connection: sqlite3.Connection) -> Generator[sqlite3.Connection]:
    """Commit all of the block or nothing of it."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield connection
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
