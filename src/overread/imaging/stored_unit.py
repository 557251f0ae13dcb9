"""What the numbers in a medium's file are, without showing it: HU can be windowed anew."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from overread.imaging.read import read_slice
from overread.imaging.safe_path import resolve_inside
from overread.imaging.slice_path import locate
from overread.records import Media

__all__ = ["UnitLooker"]


class UnitLooker:
    """Looks into files of one release; each file once.

    Parameters
    ----------
    root
        The folder of its media, which no path may leave.
    """

    __slots__ = ("_known", "_root")

    def __init__(self, root: Path) -> None:
        self._root = root
        self._known: dict[tuple[str, str], Literal["display", "hu", "raw"]] = {}

    def __call__(self, media: Media) -> Literal["display", "hu", "raw"]:
        """Say what the first file of a medium holds.

        Raises
        ------
        ImageError
            It is absent or cannot be read.
        UnsafePathError
            Its path leaves the release.
        """
        path = media.paths[0]
        key = (media.kind, path)
        if key not in self._known:
            self._known[key] = self._look(media.kind, path)
        return self._known[key]

    def _look(self, kind: str, path: str) -> Literal["display", "hu", "raw"]:
        if kind == "volume":
            from overread.imaging.read_volume import read_volume

            return read_volume(resolve_inside(self._root, path)).unit
        file, index = locate(self._root, path)
        return read_slice(file, index=index).unit
