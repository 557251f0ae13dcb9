"""Key slices of a lesion table: found by name, shown in 8 bits, boxes drawn and misplaced."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from overread.benchmarks.ct_bench.layout import SLICES_PER_STACK
from overread.builders.lesion_table import TableLesion
from overread.errors import ImageError, expected
from overread.imaging.read import read_slice
from overread.imaging.window import ABDOMEN, apply_window
from overread.records import Box, Window

__all__ = ["KeySlices", "body_mask", "box_in_pixels", "misplaced_boxes"]

_SUFFIXES = (".png", ".jpg", ".jpeg", ".dcm")
_TRIES = 400
_MOST_OVERLAP = 0.1
"""Share of a misplaced box that a lesion's own box may cover."""
_LEAST_INSIDE = 0.5
"""Share of a stated box that must lie on its picture."""
_LEAST_BODY = 0.98
"""Share of a misplaced box that must lie in the body."""


class KeySlices:
    """Pictures of a folder by DeepLesion's names.

    ``000001_01_01_109.png`` is found under that name, or as ``000001_01_01/109.png`` (the layout
    of DeepLesion's own download), in the folder or anywhere below it, as PNG, JPEG or DICOM.

    Parameters
    ----------
    folder
        Searched once.
    grey_range
        Grey values of 8-bit pictures to show as black and white; None leaves them as they are.
    """

    def __init__(self, folder: Path, *, grey_range: tuple[int, int] | None = None) -> None:
        self._grey_window = (
            Window(low_hu=grey_range[0], high_hu=grey_range[1]) if grey_range else None
        )
        self._paths = _index(folder)

    def __len__(self) -> int:
        return len(self._paths)

    def path(self, lesion: TableLesion) -> Path | None:
        """Find a lesion's key slice."""
        return self._paths.get(_key(lesion.series, lesion.key_slice))

    def readable_stack(self, lesion: TableLesion) -> tuple[Path, ...] | None:
        """Find the nine slices around a key slice; None where one is absent or unreadable."""
        half = SLICES_PER_STACK // 2
        numbers = range(lesion.key_slice - half, lesion.key_slice + half + 1)
        found = [self._paths.get(_key(lesion.series, number)) for number in numbers]
        paths = tuple(path for path in found if path is not None)
        if len(paths) < SLICES_PER_STACK:
            return None
        try:
            for path in paths:
                self.show(path, lesion.window)
        except ImageError:
            return None
        return paths

    def show(self, path: Path, window: Window | None) -> tuple[NDArray[np.uint8], tuple[str, ...]]:
        """Show a slice in 8 bits, grey where it has no colour.

        HU get the lesion's window (the abdominal one where the table names none). An 8-bit picture
        has no HU any more: it stays as it is, or gets the grey range.

        Returns
        -------
        pixels, warnings
            Shape (rows, columns), or (rows, columns, 3) in colour; what looked odd.

        Raises
        ------
        ImageError
            It cannot be read.
        """
        stored = read_slice(path)
        if stored.unit == "hu":
            return apply_window(stored.pixels, window or ABDOMEN), stored.warnings
        if stored.unit == "raw":
            raise ImageError(
                expected(
                    str(path),
                    rule="a CT slice or an 8-bit picture",
                    got="numbers without a scale",
                    remedy="Convert it to 16-bit PNG of HU + 32768.",
                )
            )
        pixels = stored.pixels
        if pixels.ndim == 3 and (pixels == pixels[:, :, :1]).all():
            pixels = pixels[:, :, 0]
        if self._grey_window is not None:
            pixels = apply_window(pixels, self._grey_window)
        return np.ascontiguousarray(pixels), stored.warnings


def box_in_pixels(lesion: TableLesion, pixels: NDArray[np.uint8]) -> Box | None:
    """Give a lesion's box on its picture, cut to it; None where half of it or more lies outside.

    A table's boxes may reach a few pixels over the edge; one that mostly lies beyond is of another
    picture, or of none.
    """
    rows, columns = pixels.shape[:2]
    x, y = (columns, rows) if lesion.box_is_share else (1, 1)
    box = Box(
        x_min=max(lesion.box.x_min * x, 0),
        y_min=max(lesion.box.y_min * y, 0),
        x_max=min(lesion.box.x_max * x, columns - 1),
        y_max=min(lesion.box.y_max * y, rows - 1),
    )
    if not (box.x_min < box.x_max and box.y_min < box.y_max):
        return None
    stated = (lesion.box.x_max - lesion.box.x_min) * x * (lesion.box.y_max - lesion.box.y_min) * y
    kept = (box.x_max - box.x_min) * (box.y_max - box.y_min)
    return box if kept > _LEAST_INSIDE * stated else None


def body_mask(pixels: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Find the body: the largest piece brighter than its surroundings, holes (lungs) filled."""
    from scipy import ndimage
    from skimage.filters import threshold_otsu

    grey = pixels if pixels.ndim == 2 else pixels.mean(axis=2)
    if grey.min() == grey.max():
        return np.zeros(grey.shape, dtype=np.bool_)
    opened = ndimage.binary_opening(grey > threshold_otsu(grey), iterations=2)
    labels = np.zeros(grey.shape, dtype=np.int32)
    if not ndimage.label(opened, output=labels):
        return np.zeros(grey.shape, dtype=np.bool_)
    largest = int(np.argmax(np.bincount(labels.ravel())[1:])) + 1
    return np.asarray(ndimage.binary_fill_holes(labels == largest), dtype=np.bool_)


def misplaced_boxes(
    pixels: NDArray[np.uint8],
    right: Box,
    lesions: Sequence[Box],
    rng: np.random.Generator,
    *,
    count: int,
) -> tuple[Box, ...] | None:
    """Draw boxes as large as the right one that lie in the body and mark no known lesion.

    They hardly overlap each other. None where there is no room.
    """
    body = body_mask(pixels)
    covered = np.zeros((body.shape[0] + 1, body.shape[1] + 1), dtype=np.int64)
    covered[1:, 1:] = body.cumsum(axis=0).cumsum(axis=1)
    width, height = round(right.x_max - right.x_min), round(right.y_max - right.y_min)
    rows, columns = body.shape[0] - height, body.shape[1] - width
    if min(rows, columns, width, height) < 1:
        return None
    found: list[Box] = []
    for _ in range(_TRIES):
        x, y = int(rng.integers(columns)), int(rng.integers(rows))
        inside = (
            covered[y + height, x + width]
            - covered[y, x + width]
            - covered[y + height, x]
            + covered[y, x]
        )
        box = Box(x_min=x, y_min=y, x_max=x + width, y_max=y + height)
        near = max(_overlap(box, other) for other in (right, *lesions, *found))
        if inside >= _LEAST_BODY * width * height and near <= _MOST_OVERLAP:
            found.append(box)
            if len(found) == count:
                return tuple(found)
    return None


def _overlap(box: Box, other: Box) -> float:
    """Give the common area as a share of the smaller of the two."""
    width = min(box.x_max, other.x_max) - max(box.x_min, other.x_min)
    height = min(box.y_max, other.y_max) - max(box.y_min, other.y_min)
    areas = [(one.x_max - one.x_min) * (one.y_max - one.y_min) for one in (box, other)]
    return max(width, 0.0) * max(height, 0.0) / max(min(areas), 1e-9)


def _index(folder: Path) -> Mapping[str, Path]:
    """Map series and slice to a file; PNG wins over JPEG where both are there."""
    found: dict[str, Path] = {}
    for place, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names, key=lambda name: (_rank(name), name)):
            stem, dot, _suffix = name.rpartition(".")
            if not dot or _rank(name) == len(_SUFFIXES):
                continue
            series, _, number = stem.rpartition("_")
            series = series or Path(place).name
            if number.isdecimal():
                found.setdefault(_key(series, int(number)), Path(place) / name)
    return found


def _rank(name: str) -> int:
    suffix = Path(name).suffix.lower()
    return _SUFFIXES.index(suffix) if suffix in _SUFFIXES else len(_SUFFIXES)


def _key(series: str, number: int) -> str:
    return f"{series}/{number}"
