"""Audit: paths of somebody's own machine written into released files."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Final

from overread.audits.replay_audit import ReplayAudit
from overread.audits.wording import counted
from overread.contracts import Audit, Release
from overread.contracts.replay import Replay
from overread.errors import UnsafePathError, listed
from overread.imaging.safe_path import resolve_inside
from overread.records import Finding, Severity

__all__ = ["AUDIT"]

_PATH: Final = re.compile(r'"[^"\\]{0,40}path"\s*:\s*"((?:[^"\\]|\\.){1,1000})"')
_MOST_LINES: Final = 1_000_000
_LONGEST_LINE: Final = 10_000_000
_SHOWN_FOLDERS: Final = 3


def _look(replay: Replay, release: Release) -> Iterator[Finding]:
    folders: Counter[str] = Counter()
    files: list[str] = []
    for one in replay.predictions:
        path = resolve_inside(release.root, one.file)
        found = _foreign_folders(path, release.root) if path.is_file() else Counter[str]()
        if found:
            files.append(one.file)
            folders += found
    if folders:
        yield Finding(
            severity=Severity.WARNING,
            code="machine-paths",
            where=listed(files, most=2),
            evidence=f"{folders.total():,} rows of {counted(len(files), 'file')} name a volume by "
            f"the path of another machine: {listed(sorted(folders), most=3)}",
            effect="a row's case can be told from the volume's name alone",
            remedy="Write the case, and paths relative to the release.",
            count=folders.total(),
        )


def _foreign_folders(path: Path, root: Path) -> Counter[str]:
    """Count the rows whose path leads to no file of the release, by the path's first folders."""
    folders: Counter[str] = Counter()
    for told, n in Counter(_paths(path)).items():
        if not _is_in_release(told, root):
            folders["/".join(told.split("/")[: _SHOWN_FOLDERS + 1]) + "/…"] += n
    return folders


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
