"""Paths that name one slice of a volume: ``scan.nii.gz#12``, counted from 0."""

from __future__ import annotations

import re
from pathlib import Path

from overread.imaging.safe_path import resolve_inside

__all__ = ["locate"]

_VOLUME_SLICE = re.compile(r"(?P<file>.+\.(?:nii|nii\.gz|dcm))#(?P<index>\d{1,6})", re.IGNORECASE)


def locate(root: Path, relative: str) -> tuple[Path, int | None]:
    """Give the file of a path in a folder, and the number of its slice where it names one.

    Raises
    ------
    UnsafePathError
        The path leaves the folder.
    """
    path = resolve_inside(root, relative)
    match = _VOLUME_SLICE.fullmatch(relative)
    if match is None or path.exists():
        return path, None
    return resolve_inside(root, match["file"]), int(match["index"])
