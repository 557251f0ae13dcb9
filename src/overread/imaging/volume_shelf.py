"""Volumes prepared once for all their questions, one at a time, within a bound of memory."""

from __future__ import annotations

import json
import logging
from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import asdict
from pathlib import Path
from threading import Lock
from typing import Final, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from overread.errors import ImageError, expected
from overread.imaging.array_file import known_array, write_array
from overread.imaging.encode import encode_png, shrink
from overread.imaging.mosaic import mosaic, mosaic_shape
from overread.imaging.picture import ArrayFile, Picture, with_receipt
from overread.imaging.prepare import Preparation, prepare
from overread.imaging.read_volume import read_volume, volume_files
from overread.records import Effect, Recipe, VolumeRecipe

__all__ = ["MAX_SHELF_BYTES", "VolumeShelf"]

MAX_SHELF_BYTES: Final = 256 * 2**20
"""Encoded pictures kept for the next question about the same volume."""

_MOST_ARRAYS: Final = 10_000
"""Array files, and volumes that cannot be used, that are remembered."""

_Kept = TypeVar("_Kept")
_log = logging.getLogger(__name__)


class VolumeShelf:
    """Prepares volumes; the questions of one volume share one preparation.

    Serves many threads. One volume is decoded at a time, whoever asks: two large ones would not
    fit into memory, and two threads that ask for the same one get the same pictures.

    Parameters
    ----------
    arrays
        Folder for array files; None where none are wanted.
    """

    __slots__ = ("_arrays", "_folder", "_lock", "_pictures", "_refused")

    def __init__(self, arrays: Path | None) -> None:
        # Whole paths: they go to other processes, which may work in another folder.
        self._folder = None if arrays is None else arrays.absolute()
        self._lock = Lock()
        self._pictures: _Bounded[tuple[Picture, ...]] = _Bounded(MAX_SHELF_BYTES)
        self._arrays: _Bounded[ArrayFile] = _Bounded(_MOST_ARRAYS)
        self._refused: _Bounded[str] = _Bounded(_MOST_ARRAYS)

    def pictures(self, path: Path, relative: str, recipe: Recipe) -> tuple[Picture, ...]:
        """Give the pictures of a volume: one a slice, or one mosaic. ImageError when not."""
        volume = _volume_recipe(recipe, relative)
        if volume.output == "array":
            raise _unlike(relative, "a recipe of pictures", volume)
        key = _key(path, recipe)

        def make() -> tuple[tuple[Picture, ...], int]:
            made = _encode(_prepared(path, relative, volume, recipe.effects), relative, recipe)
            return made, sum(len(picture.data) for picture in made)

        return self._kept(self._pictures, key, make)

    def array(self, path: Path, relative: str, recipe: Recipe) -> ArrayFile:
        """Give the array file of a volume, written where it is not there yet.

        Raises
        ------
        ImageError
            The volume cannot be used, or not as an array.
        StoreFullError
            The folder takes no file.
        """
        volume = _volume_recipe(recipe, relative)
        if volume.output != "array":
            raise _unlike(relative, "a recipe of an array", volume)
        if self._folder is None:
            raise _unlike(relative, "a folder for arrays", volume)
        folder, key = self._folder, _key(path, recipe)

        def make() -> tuple[ArrayFile, int]:
            known = known_array(folder, key)
            if known is None:
                prepared = _prepared(path, relative, volume, recipe.effects)
                known = write_array(prepared, folder, key, sources=(relative,))
            return known, 1

        kept = self._kept(self._arrays, key, make)
        if not kept.path.exists():  # somebody cleaned up between two questions
            self._arrays.drop(key)
            kept = self._kept(self._arrays, key, make)
        return kept

    def _kept(
        self, shelf: _Bounded[_Kept], key: str, make: Callable[[], tuple[_Kept, int]]
    ) -> _Kept:
        found = shelf.get(key)
        if found is None:
            with self._lock:
                found = shelf.get(key)  # another thread may have made it meanwhile
                if found is None:
                    found, size = self._made(key, make)
                    shelf.put(key, found, size)
        return found

    def _made(self, key: str, make: Callable[[], tuple[_Kept, int]]) -> tuple[_Kept, int]:
        """Make it, or say again why it cannot be: a bad volume is unpacked once, too."""
        if (reason := self._refused.get(key)) is not None:
            raise ImageError(reason)
        try:
            return make()
        except ImageError as error:
            self._refused.put(key, str(error), 1)
            raise


class _Bounded(Generic[_Kept]):
    """The values used last, as many as fit."""

    def __init__(self, bound: int) -> None:
        self._bound, self._size = bound, 0
        self._lock = Lock()
        self._values: OrderedDict[str, tuple[_Kept, int]] = OrderedDict()

    def get(self, key: str) -> _Kept | None:
        with self._lock:
            if key not in self._values:
                return None
            self._values.move_to_end(key)
            return self._values[key][0]

    def put(self, key: str, value: _Kept, size: int) -> None:
        with self._lock:
            if size > self._bound:
                return
            self._size -= self._values.pop(key, (None, 0))[1]
            self._values[key] = value, size
            self._size += size
            while self._size > self._bound:
                _, (_, gone) = self._values.popitem(last=False)
                self._size -= gone

    def drop(self, key: str) -> None:
        with self._lock:
            if key in self._values:
                self._size -= self._values.pop(key)[1]


def _key(path: Path, recipe: Recipe) -> str:
    """Name source and recipe: a file that changes on the disk is another source."""
    try:
        states = [(str(file), file.stat()) for file in volume_files(path)]
    except OSError as error:
        raise ImageError(
            expected(
                str(path),
                rule="a volume",
                got=f"no readable file ({error.strerror or error})",
                remedy="Complete the release, or name the folder of its volumes.",
            )
        ) from error
    files = [[name, state.st_size, state.st_mtime_ns] for name, state in states]
    # Of the recipe for pictures and stacks nothing else touches a volume.
    key = [files, asdict(recipe.volume) if recipe.volume else None, recipe.max_side_px]
    # Without effects the key is what it always was, so that kept arrays are found again.
    return json.dumps([*key, [asdict(each) for each in recipe.effects]] if recipe.effects else key)


def _volume_recipe(recipe: Recipe, relative: str) -> VolumeRecipe:
    if recipe.volume is None:
        raise ImageError(
            expected(
                relative,
                rule="a recipe for a volume",
                got="none",
                remedy="Choose a named preparation (imaging.recipes).",
            )
        )
    return recipe.volume


def _prepared(
    path: Path, relative: str, recipe: VolumeRecipe, effects: tuple[Effect, ...]
) -> Preparation:
    prepared = prepare(read_volume(path), recipe, effects=effects)
    for warning in prepared.warnings:
        _log.warning("%s: %s", relative, warning)
    return prepared


def _encode(prepared: Preparation, relative: str, recipe: Recipe) -> tuple[Picture, ...]:
    axes = prepared.recipe.axes
    orientation = axes[2] + axes[1]  # along a row, then down a column
    slices = (shrink(one, recipe.max_side_px) for one in _shown(prepared))
    count = prepared.shape[0]
    if prepared.recipe.output == "mosaic":
        rows, columns = mosaic_shape(count)
        layouts = [f"mosaic {rows}×{columns}"]
    elif count == 1:
        layouts = ["single"]
    else:
        layouts = [f"slice {number} of {count}" for number in range(1, count + 1)]
    return tuple(
        with_receipt(
            encode_png(pixels),
            media_type="image/png",
            width=pixels.shape[1],
            height=pixels.shape[0],
            sources=(relative,),
            window=prepared.window,
            layout=layout,
            orientation=orientation,
        )
        for pixels, layout in zip(slices, layouts, strict=True)
    )


def _shown(prepared: Preparation) -> Iterable[NDArray[np.uint8]]:
    pictures = prepared.pictures()
    return [mosaic(list(pictures))] if prepared.recipe.output == "mosaic" else pictures


def _unlike(relative: str, rule: str, recipe: VolumeRecipe) -> ImageError:
    return ImageError(
        expected(
            relative,
            rule=rule,
            got=f"'{recipe.name}', whose output is {recipe.output}",
            remedy="Choose a preparation that the model takes, see the list of recipes.",
        )
    )
