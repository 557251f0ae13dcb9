"""The mask files of a folder, with the hash of their bytes."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from overread.errors import UsageError, expected
from overread.models.masks.target import SUFFIXES, stem_of
from overread.store.hashes import file_sha256

__all__ = ["MaskFile", "list_masks"]


@dataclass(frozen=True, slots=True, kw_only=True)
class MaskFile:
    """One file that may be a mask."""

    name: str
    """Relative to the folder, with forward slashes."""
    path: Path
    sha256: str

    @property
    def stem(self) -> str:
        """The name without its ending."""
        return stem_of(self.name)


def list_masks(folder: Path) -> tuple[MaskFile, ...]:
    """List the mask files of a folder and of those in it, by name; linked folders are left out.

    Raises
    ------
    UsageError
        There is none, or one cannot be read.
    """
    paths = [
        Path(place, name)
        for place, _, names in os.walk(folder)
        for name in names
        if name.lower().endswith(SUFFIXES) and not name.startswith(".")
    ]
    files = sorted((path.relative_to(folder).as_posix(), path) for path in paths)
    if not files:
        raise UsageError(
            expected(
                "masks",
                rule="a folder with mask files (" + ", ".join(SUFFIXES) + ")",
                got=f"{folder}, which holds none",
                remedy="Name the folder of predictions.",
            )
        )
    with ThreadPoolExecutor() as pool:
        hashes = pool.map(_digest, (path for _, path in files))
        return tuple(
            MaskFile(name=name, path=path, sha256=sha256)
            for (name, path), sha256 in zip(files, hashes, strict=True)
        )


def _digest(path: Path) -> str:
    try:
        if not path.is_file():  # a pipe would hang the reader
            raise OSError("it is no plain file")
        return file_sha256(path)
    except OSError as error:
        raise UsageError(
            expected(
                "masks",
                rule="files that can be read",
                got=f"{path} ({error.strerror or error})",
                remedy="Mend it, or take it out of the folder: then its case is missing.",
            )
        ) from error
