"""Fingerprints of many pictures of a release, side by side, and which of them show the same."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, TypeAlias

import numpy as np

from overread.errors import ImageError, UnsafePathError
from overread.imaging.likeness import PictureMark, grey_levels, hash_distances, mark_picture
from overread.imaging.read import read_slice
from overread.imaging.slice_path import locate

__all__ = ["Likeness", "Twins", "mark_files", "twins"]

Likeness: TypeAlias = Literal["copy", "crop or drawing"]

_MOST_BITS: Final = 44
"""Of 256. Copies at JPEG quality 50 or half the size stay below 30, unrelated CT slices differ in
about 95; neighbouring slices come down to 17 and are told apart by the next number."""
_LEAST_CORRELATION: Final = 0.999
"""Of 32 × 32 thumbnails: a copy reaches 0.9998, neighbouring slices of CT 0.9965."""
_LEAST_SHARED: Final = 0.5
"""Share of the anchors of the smaller picture that the other has to the last grey level."""
_FEWEST_ANCHORS: Final = 6
_BLOCK: Final = 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Twins:
    """Two pictures that show the same."""

    first: int
    second: int
    """Places in the two lists."""
    likeness: Likeness


def mark_files(root: Path, paths: Sequence[str]) -> dict[str, PictureMark]:
    """Take fingerprints of files; one that cannot be read as a picture is left out.

    Parameters
    ----------
    root
        The folder that no path may leave.
    paths
        Files relative to it, or single slices of volumes (``scan.nii.gz#12``).
    """
    with ThreadPoolExecutor() as pool:
        marks = pool.map(lambda path: _mark(root, path), paths)
        return {path: mark for path, mark in zip(paths, marks, strict=True) if mark is not None}


def _mark(root: Path, path: str) -> PictureMark | None:
    try:
        file, index = locate(root, path)
        return mark_picture(grey_levels(read_slice(file, index=index)))
    except (ImageError, UnsafePathError, OSError):
        return None  # `overread check` tells of it


def twins(first: Sequence[PictureMark], second: Sequence[PictureMark]) -> Iterator[Twins]:
    """Find pictures of one list that show what pictures of the other show, each pair once.

    A copy may have another size, compression or brightness. A crop, or a picture with something
    drawn on it, is known only where its pixels were not encoded again with loss.
    """
    seen: set[tuple[int, int]] = set()
    for one, other in _alike_hashes(first, second):
        if _correlation(first[one], second[other]) >= _LEAST_CORRELATION:
            seen.add((one, other))
            yield Twins(first=one, second=other, likeness="copy")
    for one, other in _shared_anchors(first, second):
        if (one, other) not in seen:
            yield Twins(first=one, second=other, likeness="crop or drawing")


def _alike_hashes(
    first: Sequence[PictureMark], second: Sequence[PictureMark]
) -> Iterator[tuple[int, int]]:
    ones, others = (
        [(place, mark.bits) for place, mark in enumerate(marks) if mark.bits is not None]
        for marks in (first, second)
    )
    if not ones or not others:
        return
    columns = np.stack([bits for _, bits in others])
    for start in range(0, len(ones), _BLOCK):
        block = ones[start : start + _BLOCK]
        near = hash_distances(np.stack([bits for _, bits in block]), columns) <= _MOST_BITS
        for row, column in np.argwhere(near).tolist():
            yield block[row][0], others[column][0]


def _correlation(one: PictureMark, other: PictureMark) -> float:
    a, b = (mark.thumb.ravel() - mark.thumb.mean() for mark in (one, other))
    size = float(np.sqrt((a @ a) * (b @ b)))
    return float(a @ b) / size if size > 0 else 0.0


def _shared_anchors(
    first: Sequence[PictureMark], second: Sequence[PictureMark]
) -> Iterator[tuple[int, int]]:
    where: dict[int, list[int]] = {}
    for place, mark in enumerate(second):
        for anchor in mark.anchors:
            where.setdefault(anchor, []).append(place)
    for place, mark in enumerate(first):
        shared: dict[int, int] = {}
        for anchor in mark.anchors:
            for other in where.get(anchor, ()):
                shared[other] = shared.get(other, 0) + 1
        for other, n_shared in sorted(shared.items()):
            fewest = min(len(mark.anchors), len(second[other].anchors))
            if fewest >= _FEWEST_ANCHORS and n_shared >= _LEAST_SHARED * fewest:
                yield place, other
