"""Audit: paths of somebody's own machine written into released files."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Final

from overread.audits.replay_audit import ReplayAudit
from overread.contracts import Audit, Release
from overread.contracts.replay import Replay
from overread.errors import UnsafePathError
from overread.imaging.safe_path import resolve_inside
from overread.records import Finding, Severity

__all__ = ["AUDIT"]

_PATH: Final = re.compile(r'"[^"\\]{0,40}path"\s*:\s*"((?:[^"\\]|\\.){1,1000})"')
_MOST_LINES: Final = 1_000_000
_LONGEST_LINE: Final = 10_000_000
_SHOWN_FOLDERS: Final = 3


def _look(replay: Replay, release: Release) -> Iterator[Finding]:
    for one in replay.predictions:
        path = resolve_inside(release.root, one.file)
        if path.is_file():
            yield from _file(path, one.file, release.root)


def _file(path: Path, name: str, root: Path) -> Iterator[Finding]:
    folders: Counter[str] = Counter()
    told_in = Counter(_paths(path))
    for told, n in told_in.items():
        if not _is_in_release(told, root):
            folders["/".join(told.split("/")[: _SHOWN_FOLDERS + 1]) + "/…"] += n
    if folders:
        folder, _ = folders.most_common(1)[0]
        yield Finding(
            severity=Severity.WARNING,
            code="machine-paths",
            where=name,
            evidence=f"{folders.total():,} rows name a file by the path of another machine: "
            f"{folder}",
            effect="a row's case can be told from the file's name alone",
            remedy="Write the case, and paths relative to the release.",
            count=folders.total(),
        )


def _paths(path: Path) -> Iterator[str]:
    with path.open(encoding="utf-8", errors="replace") as file:
        lines = iter(lambda: file.readline(_LONGEST_LINE), "")
        for line in islice(lines, _MOST_LINES):
            for match in _PATH.finditer(line):
                yield match[1].replace("\\\\", "/").replace("\\/", "/")


def _is_in_release(told: str, root: Path) -> bool:
    try:
        return resolve_inside(root, told).is_file()
    except (UnsafePathError, OSError):
        return False


AUDIT: Audit = ReplayAudit(
    name="machine-paths",
    summary="paths of somebody's own machine in released files",
    look_at=_look,
)
