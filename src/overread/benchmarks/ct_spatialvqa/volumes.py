"""Finds the volumes of a release's cases in a folder of downloads, however deep they lie.

Users point at their CT-RATE download: at its top, at ``valid_fixed`` or at a flat folder of files.
The folder is walked once, when the first path is needed.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Final

from overread.benchmarks.ct_spatialvqa.layout import VOLUME_ENDINGS, case_stem, volume_path

__all__ = ["VolumeFolder"]

_DEEPEST: Final = 6
"""Folders between the one that was named and a volume: ``dataset/data_volumes/dataset/valid_fixed/
valid_1/valid_1_a`` as the release's own rows have it."""
_MOST_FOLDERS: Final = 200_000
"""A download of CT-RATE's validation part has about 3,000; more is a wrong folder."""


class VolumeFolder:
    """Where the volumes of some cases lie below one folder."""

    def __init__(self, root: Path, cases: Iterable[str]) -> None:
        self._root = root
        self._stems = frozenset(case_stem(case) for case in cases)

    def path_of(self, case: str) -> str:
        """Give a case's path relative to the folder; where it would be expected when absent."""
        usual = volume_path(case)
        return self._found.get(case_stem(case), usual)

    def has(self, case: str) -> bool:
        """Whether a volume of the case is there."""
        return case_stem(case) in self._found

    @property
    def holds_any(self) -> bool:
        """Whether the folder holds a volume of any of the cases."""
        return bool(self._found)

    @cached_property
    def _found(self) -> Mapping[str, str]:
        """Stem of a case → path; the usual place wins, then the shallowest, then the first by name.

        A case may be a file or a folder of a DICOM series that bears its name.
        """
        found: dict[str, tuple[tuple[bool, int, str], str]] = {}
        root = os.fspath(self._root)
        for visited, (folder, folders, files) in enumerate(os.walk(root)):
            if visited >= _MOST_FOLDERS:
                break
            inner = os.path.relpath(folder, root).replace(os.sep, "/")
            inner = "" if inner == "." else inner
            depth = inner.count("/") + 1 if inner else 0
            series = [name for name in folders if name in self._stems]
            volumes = [
                name
                for name in files
                if name.lower().endswith(VOLUME_ENDINGS) and case_stem(name) in self._stems
            ]
            for name in (*volumes, *series):
                path = f"{inner}/{name}" if inner else name
                rank = (path != volume_path(name), depth, path)
                stem = case_stem(name)
                if stem not in found or rank < found[stem][0]:
                    found[stem] = (rank, path)
            # A folder that is a series itself is not looked into; links to folders never are.
            folders[:] = sorted(set(folders) - set(series)) if depth < _DEEPEST else []
        return {stem: path for stem, (_, path) in found.items()}
