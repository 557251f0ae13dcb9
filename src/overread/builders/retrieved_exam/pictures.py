"""The pictures that questions show: key slices as they lie in the set, stacks, and drawn boxes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from overread.benchmarks.ct_bench import layout
from overread.benchmarks.ct_bench.exam_draws import View
from overread.benchmarks.ct_bench.exam_files import write_exam_picture
from overread.builders.key_slices import KeySlices, misplaced_boxes
from overread.builders.lesion_table import TableLesion, read_lesion_table
from overread.builders.retrieved_exam.draw import Misplace
from overread.builders.retrieved_exam.lesions import ExamLesion
from overread.errors import ImageError, ReleaseError
from overread.imaging.boxes import draw_box
from overread.imaging.encode import encode_png
from overread.imaging.read import read_slice
from overread.records import Box

__all__ = ["OWN_BOX", "Stacks", "make_misplacer", "write_exam_pictures", "write_lesion_folders"]

OWN_BOX: Final = "own"
"""Marks a view that shows the lesion's own box, as the set draws it."""


class Stacks:
    """Nine slices around the key slices, from a folder of slices; none without a folder.

    Parameters
    ----------
    slices
        Slices by DeepLesion's names (see `key_slices.KeySlices`), or None.
    table
        The merged table of the set, which names series, key slice and window.
    lesions
        Those that questions may ask about.
    """

    def __init__(
        self, slices: Path | None, table: Path | None, lesions: Sequence[ExamLesion]
    ) -> None:
        self._paths: dict[int, tuple[Path, ...]] = {}
        self._rows: dict[int, TableLesion] = {}
        if slices is None or table is None:
            return
        self._slices = KeySlices(slices)
        try:
            by_name = {row.stem: row for row in read_lesion_table(table).lesions}
        except ReleaseError:
            return
        for lesion in lesions:
            row = by_name.get(lesion.stem)
            paths = self._slices.readable_stack(row) if row is not None else None
            if row is not None and paths is not None:
                self._rows[lesion.lesion_idx] = row
                self._paths[lesion.lesion_idx] = paths

    @property
    def lesions(self) -> frozenset[int]:
        """Indices of the lesions whose nine slices are there."""
        return frozenset(self._paths)

    def slice(self, lesion_idx: int, place: int) -> NDArray[np.uint8]:
        """Show one slice of a stack in 8 bits."""
        pixels, _ = self._slices.show(self._paths[lesion_idx][place], self._rows[lesion_idx].window)
        return pixels


def make_misplacer(lesions: Sequence[ExamLesion]) -> Misplace:
    """Give what draws boxes that mark none of the lesions known on a slice.

    Lesions are on one slice where their pictures are the same, or its name: a slice is shown in the
    window of each lesion.
    """
    on_slice: dict[str, list[Box]] = defaultdict(list)
    for lesion in lesions:
        if lesion.box is not None:
            for slice_ in _names(lesion):
                on_slice[slice_].append(lesion.box)

    def misplace(lesion: ExamLesion, rng: np.random.Generator) -> tuple[Box, ...] | None:
        if lesion.box is None:
            return None
        try:
            pixels = _pixels(lesion.plain)
        except ImageError:
            return None
        known = [box for slice_ in _names(lesion) for box in on_slice[slice_]]
        return misplaced_boxes(pixels, lesion.box, known, rng, count=len(layout.LETTERS) - 1)

    return misplace


def _names(lesion: ExamLesion) -> Sequence[str]:
    """Tell by what a lesion's slice can be recognised."""
    return [lesion.picture_sha256, *([lesion.stem] if lesion.stem else [])]


def write_lesion_folders(root: Path, lesions: Sequence[ExamLesion]) -> None:
    """Copy both key slices of every lesion, byte for byte."""

    def copy(lesion: ExamLesion) -> None:
        layout.write_lesion_pictures(
            root,
            lesion.lesion_idx,
            nobox=lesion.plain.read_bytes(),
            bbox=lesion.boxed.read_bytes(),
        )

    with ThreadPoolExecutor() as pool:
        list(pool.map(copy, lesions))


def write_exam_pictures(
    root: Path,
    views: Mapping[str, View[str | Box]],
    lesions: Mapping[int, ExamLesion],
    stacks: Stacks,
) -> None:
    """Write every picture that a question names, under both formats."""

    def write(name: str) -> None:
        view = views[name]
        data = _data(view, lesions[view.lesion_idx], stacks)
        write_exam_picture(root, view.split, name, data)

    with ThreadPoolExecutor() as pool:
        list(pool.map(write, views))


def _data(view: View[str | Box], lesion: ExamLesion, stacks: Stacks) -> bytes:
    if view.slice_index != layout.KEY_SLICE:
        return encode_png(stacks.slice(view.lesion_idx, view.slice_index))
    if view.boxed is None:
        return lesion.plain.read_bytes()
    if isinstance(view.boxed, Box):
        return encode_png(draw_box(_pixels(lesion.plain), view.boxed))
    return lesion.boxed.read_bytes()


def _pixels(path: Path) -> NDArray[np.uint8]:
    pixels = read_slice(path).pixels
    if pixels.dtype != np.uint8:
        raise ImageError(f"{path}: not 8 bits a channel")
    return np.ascontiguousarray(pixels)
