"""Prepared volumes as ``.npy`` files: written whole or not at all, and used again."""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from typing import Any, BinaryIO, Final

import numpy as np

from overread.errors import StoreFullError, expected
from overread.imaging.picture import ArrayFile
from overread.imaging.prepare import Preparation
from overread.records import Receipt

__all__ = ["known_array", "write_array"]

_FORM: Final = 1
"""Raised when the same source and recipe would give other numbers."""

_BLOCK: Final = 2**20

_GIVEN_UP_S: Final = 3600.0
"""A part that nobody has written to for so long is of a process that was killed."""


def _paths(folder: Path, key: str) -> tuple[Path, Path]:
    name = sha256(f"{_FORM}\n{key}".encode()).hexdigest()[:40]
    return folder / f"{name}.npy", folder / f"{name}.json"


def write_array(
    prepared: Preparation, folder: Path, key: str, *, sources: tuple[str, ...]
) -> ArrayFile:
    """Write a prepared volume and its receipt into a folder, atomically.

    Parameters
    ----------
    folder
        Made when it is not there.
    key
        Names the source and the recipe to the last byte; equal keys share one file.
    sources
        For the receipt.

    Raises
    ------
    ImageError
        A value does not fit the recipe's kind of number.
    StoreFullError
        The disk takes no file, so that it would take none of any other volume either.
    """
    path, note = _paths(folder, key)
    n_channels = max(1, len(prepared.windows))
    shape = prepared.shape if n_channels == 1 else (n_channels, *prepared.shape)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with _whole(path) as file:
            _write(file, prepared, shape, n_channels)
        receipt = _receipt(path, prepared, shape, sources)
        made = ArrayFile(
            path=path,
            shape=shape,
            dtype=prepared.recipe.dtype,
            axes=prepared.recipe.axes,
            spacing_mm=prepared.spacing_mm,
            recipe=prepared.recipe.name,
            receipt=receipt,
        )
        with _whole(note) as file:
            file.write(json.dumps({**asdict(made), "path": path.name}).encode())
    except OSError as error:
        raise StoreFullError(
            expected(
                str(folder),
                rule="a folder with room for prepared volumes",
                got=str(error.strerror or error),
                remedy="Make room, or name another folder (--prepared); the same command goes on.",
            )
        ) from error
    return made


def known_array(folder: Path, key: str) -> ArrayFile | None:
    """Find an array that was written before; None where there is none or it was changed."""
    path, note = _paths(folder, key)
    try:
        found: Mapping[str, Any] = json.loads(note.read_text("utf-8"))
        receipt = found["receipt"]
        if path.stat().st_size != receipt["size_bytes"] or _sha256(path) != receipt["sha256"]:
            return None
        first, second, third = found["spacing_mm"]
        return ArrayFile(
            path=path,
            shape=tuple(found["shape"]),
            dtype=found["dtype"],
            axes=found["axes"],
            spacing_mm=(first, second, third),
            recipe=found["recipe"],
            receipt=Receipt(**{**receipt, "sources": tuple(receipt["sources"])}),
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None


@contextlib.contextmanager
def _whole(path: Path) -> Iterator[BinaryIO]:
    """Open a file that takes its name only once it is whole."""
    for left in path.parent.glob(f"{path.name}.*.part"):
        with contextlib.suppress(OSError):  # another process may be tidying up too
            if time.time() - left.stat().st_mtime > _GIVEN_UP_S:
                left.unlink()
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        with part.open("wb") as file:
            yield file
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def _write(file: BinaryIO, prepared: Preparation, shape: tuple[int, ...], n_channels: int) -> None:
    dtype = np.dtype(prepared.recipe.dtype).newbyteorder("<")
    np.lib.format.write_array_header_1_0(
        file, {"descr": dtype.str, "fortran_order": False, "shape": shape}
    )
    start, size = file.tell(), int(np.prod(prepared.shape)) * dtype.itemsize
    plane_size = size // prepared.shape[0]
    for number, planes in enumerate(prepared.arrays()):
        for channel, plane in enumerate(planes):
            if n_channels > 1:  # a channel lies whole behind the one before
                file.seek(start + channel * size + number * plane_size)
            file.write(np.ascontiguousarray(plane, dtype=dtype).data)


def _receipt(
    path: Path, prepared: Preparation, shape: tuple[int, ...], sources: tuple[str, ...]
) -> Receipt:
    voxels = "×".join(map(str, shape))
    spacing = "×".join(f"{length:.4g}" for length in prepared.spacing_mm)
    return Receipt(
        sha256=_sha256(path),
        width=prepared.shape[2],
        height=prepared.shape[1],
        size_bytes=path.stat().st_size,
        media_type="application/x-npy",
        sources=sources,
        window=prepared.window,
        layout=f"array {voxels} at {spacing} mm",
        orientation=prepared.recipe.axes,
        boxes_drawn=0,
    )


def _sha256(path: Path) -> str:
    digest = sha256()
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()
