"""Rows of cases as they are scored: a scoring that is killed goes on where it was.

They lie in ``RUN.sqlite.scoring``, one line of JSON a case, until the run file has them all. A line
counts only for what it was made of: the same code, scorers, answer and reference.
"""

from __future__ import annotations

import json
import pickle  # noqa: TID251  to hash scorers; nothing is read back
from collections.abc import Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import IO, Final, cast

import overread
from overread.contracts import CaseScorer, Release
from overread.errors import StoreError, UnsafePathError
from overread.imaging.safe_path import resolve_inside
from overread.records import JsonValue, Score
from overread.run.case_worker import Case, Scored
from overread.store.hashes import canonical_json, sha256_bytes, sha256_text
from overread.store.records_json import from_json, to_json

__all__ = ["CaseJournal"]

_FORM: Final = "overread scoring 1"


class CaseJournal:
    """What an earlier start scored of a run, and what this one adds; a context manager.

    Its file goes when the block is left in order, once the run file has all rows.

    Parameters
    ----------
    run_file
        The run, opened for writing by this process alone.
    release
        Where reference masks lie.
    scorers
        All scorers of cases.
    """

    def __init__(self, run_file: Path, release: Release, scorers: Sequence[CaseScorer]) -> None:
        self._path = run_file.with_name(f"{run_file.name}.scoring")
        self._root = release.root
        self._scorers = list(scorers)
        self._file: IO[str] | None = None

    def __enter__(self) -> CaseJournal:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        with suppress(OSError):
            if self._file is not None:
                self._file.close()
            if kind is None:
                self._path.unlink(missing_ok=True)

    @cached_property
    def _made_by(self) -> list[JsonValue]:
        scorers = sha256_bytes(pickle.dumps(self._scorers))
        return [_FORM, overread.__version__, _newest_source(), scorers]

    @cached_property
    def _known(self) -> dict[str, tuple[Score, ...]]:
        return dict(_read(self._path))

    def rows(self, case: Case) -> tuple[Score, ...] | None:
        """Give the rows that an earlier start made of this very case; None where it made none."""
        return self._known.get(self._key(case))

    def keep(self, case: Case, scored: Scored) -> None:
        """Keep the rows of a case, unless its scoring broke: that is tried again."""
        if scored.broken is not None:
            return
        # Without room for it the scoring goes on; what cannot be stored is said when it is stored.
        with suppress(OSError, StoreError):
            line = {"key": self._key(case), "rows": [to_json(row) for row in scored.rows]}
            if self._file is None:
                self._file = self._path.open("a", encoding="utf-8")
            self._file.write(json.dumps(line, allow_nan=False) + "\n")
            self._file.flush()

    def _key(self, case: Case) -> str:
        response, reference, item = case.response, case.reference, case.item
        made_of: list[JsonValue] = [
            *self._made_by,
            [response.request_hash, response.draw, response.status, response.text, response.reason],
            [reference.path, reference.answer, reference.problem, self._mark(reference.path)],
            [item.id, dict(item.groups), dict(item.strata), list(case.takers)],
        ]
        return sha256_text(canonical_json(made_of))

    def _mark(self, reference: str | None) -> list[JsonValue]:
        """Give size and time of change of a reference mask."""
        if reference is None:
            return []
        try:
            about = resolve_inside(self._root, reference).stat()
        except (OSError, UnsafePathError):
            return []
        return [about.st_size, about.st_mtime_ns]


def _newest_source() -> int:
    """Give the time of the last change of this package's code, in nanoseconds."""
    folder = Path(overread.__file__).parent
    return max(path.stat().st_mtime_ns for path in folder.rglob("*.py"))


def _read(path: Path) -> list[tuple[str, tuple[Score, ...]]]:
    found: list[tuple[str, tuple[Score, ...]]] = []
    try:
        lines = path.read_text("utf-8").splitlines()
    except (OSError, ValueError):
        return found
    for line in lines:
        # Cut off, or of another version.
        with suppress(ValueError, KeyError, TypeError, StoreError):
            held = cast("dict[str, list[dict[str, JsonValue]]]", json.loads(line))
            rows = tuple(from_json(Score, row) for row in held["rows"])
            found.append((str(held["key"]), rows))
    return found
