"""Hashes of the files behind a plan's items: the bytes that a request hash stands for."""

from __future__ import annotations

import hashlib
import stat
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

from overread.errors import ImageError, ReleaseError, UnsafePathError, expected
from overread.imaging.safe_path import resolve_inside
from overread.records import Item
from overread.store.hashes import file_sha256, item_media, sha256_text
from overread.store.run_store import RunStore

__all__ = ["WHOLE_BYTES", "media_hashes"]

WHOLE_BYTES: Final = 32 * 2**20
"""A file up to this size is hashed whole."""
_SAMPLES: Final = 64
_SAMPLE_BYTES: Final = 64 * 2**10


def media_hashes(items: Iterable[Item], *, root: Path, store: RunStore) -> dict[str, str]:
    """Hash the files behind the items; what an earlier start hashed is taken from the store.

    A file of more than `WHOLE_BYTES` (a volume: 1,601 of CT-RATE's are 300 GB) is told by its size
    and 64 pieces of 64 KiB evenly over it, which takes a second instead of an hour; in a compressed
    file any change moves all that follows it. The receipts of a run hold the full hash of what was
    made of it and sent. A folder is the files of a series in it, by name; an ``.mhd`` file is
    itself and the data file it names.

    A file that is absent or may not be read has no hash: its items fail when they are rendered.

    Raises
    ------
    ReleaseError
        Not one of the files is there: asking would only fill the run with failures.
    """
    paths = sorted({path for item in items for media in item_media(item) for path in media.paths})
    hashes: dict[str, str] = {}
    with ThreadPoolExecutor() as pool:
        looked = zip(paths, pool.map(lambda path: _look(root, path), paths), strict=True)
        found = {path: files for path, files in looked if files}
        for path, files in found.items():
            size, changed = _mark(files)
            if (known := store.media_hash(path, size, changed)) is not None:
                hashes[path] = known
        new = [path for path in found if path not in hashes]
        hashed = zip(new, pool.map(_digest, (found[path] for path in new)), strict=True)
        fresh = {path: sha256 for path, sha256 in hashed if sha256 is not None}
    if paths and not found:
        raise ReleaseError(
            expected(
                "RELEASE",
                rule="the pictures of its questions",
                got=f"{root}, which holds none of {len(paths)}, for instance {paths[0]}",
                remedy="Unpack the release's picture archives in place, or say where they lie: "
                "--media FOLDER.",
            )
        )
    store.remember_media_hashes(
        (path, *_mark(found[path]), sha256) for path, sha256 in fresh.items()
    )
    return hashes | fresh


_File = tuple[Path, int, int]
"""A file, its size and when it was changed, in nanoseconds."""


def _look(root: Path, path: str) -> Sequence[_File]:
    """Give the plain files behind a media path; none where there is nothing that can be read."""
    try:
        place = resolve_inside(root, path)
        several = place.is_dir() or place.suffix.lower() == ".mhd"  # a header beside its voxels
        files = _volume_files(place) if several else (place,)
        about = [(file, file.stat()) for file in files]
    except (OSError, UnsafePathError, ImageError):
        return ()
    if not all(stat.S_ISREG(each.st_mode) for _, each in about):
        return ()  # a pipe would hang the reader
    return [(file, each.st_size, each.st_mtime_ns) for file, each in about]


def _volume_files(place: Path) -> Sequence[Path]:
    # Imported here: it stands on nibabel and pydicom, which pictures do not need.
    from overread.imaging.read_volume import volume_files

    return volume_files(place)


def _mark(files: Sequence[_File]) -> tuple[int, int]:
    """Give what tells that files have not changed: their size and the time of the last change."""
    return sum(size for _, size, _ in files), max(changed for _, _, changed in files)


def _digest(files: Sequence[_File]) -> str | None:
    try:
        if len(files) == 1:
            return _file_digest(*files[0][:2])
        return sha256_text("\n".join(f"{f.name} {_file_digest(f, size)}" for f, size, _ in files))
    except OSError:
        return None


def _file_digest(path: Path, size: int) -> str:
    if size <= WHOLE_BYTES:
        return file_sha256(path)
    digest = hashlib.sha256(f"{size} bytes, sampled\n".encode())
    last = size - _SAMPLE_BYTES
    with path.open("rb") as file:
        for sample in range(_SAMPLES):
            file.seek(last * sample // (_SAMPLES - 1))
            digest.update(file.read(_SAMPLE_BYTES))
    return digest.hexdigest()
