"""Two masks that need no model: none at all, and all that is bright enough."""

from __future__ import annotations

import asyncio
import math
from abc import abstractmethod
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from overread.contracts import ModelOptions, Query, Reply
from overread.errors import ImageError, UsageError, expected
from overread.imaging.picture_file import read_picture
from overread.imaging.read_volume import read_volume
from overread.imaging.volume import Volume
from overread.models.baselines.base import Baseline, NothingToSayError
from overread.models.baselines.mask_file import (
    is_nifti,
    nifti_grid,
    write_picture_mask,
    write_volume_mask,
)
from overread.records import JsonValue, Mask, Media, Option, Status

__all__ = ["EmptyMask", "Threshold"]


class _MaskReader(Baseline):
    """A reader that answers what asks for a mask, and nothing else."""

    sees = True
    """It takes the released files; a mask lies on the grid of the first one."""
    writes_masks = True

    async def ask(self, query: Query) -> Reply:
        """Write the mask where the query says."""
        try:
            if not isinstance(query.item.answer_space, Mask):
                kind = type(query.item.answer_space).__name__
                raise NothingToSayError(f"it writes masks, and this asks for {kind}")
            if query.write_to is None or not query.files:
                raise NothingToSayError("it needs a volume, and a place to write to")
            path = await asyncio.to_thread(
                self._write, query.item.answer_space, query.files, query.write_to
            )
            return Reply(path=str(path), finish_reason="stop")
        except NothingToSayError as problem:
            return Reply(status=Status.FAILED, reason=f"{self.identity.name}: {problem}")

    def choose(self, query: Query, options: tuple[Option, ...]) -> str:
        """Never called: questions with options are refused."""
        raise NothingToSayError("it writes masks")

    @abstractmethod
    def _write(self, space: Mask, files: Mapping[Media, tuple[Path, ...]], place: Path) -> Path:
        """Write a mask; give its file."""


class EmptyMask(_MaskReader):
    """No voxel of any label: what the rules for empty masks give away."""

    def __init__(self, argument: str, options: ModelOptions) -> None:
        super().__init__("empty-mask", settings={})

    def _write(self, space: Mask, files: Mapping[Media, tuple[Path, ...]], place: Path) -> Path:
        media = next(iter(files))
        first = files[media][0]
        if media.kind != "volume":
            return write_picture_mask(place, np.zeros(_grey(first).shape, dtype=np.uint8))
        if is_nifti(first):
            shape, affine = _nifti_grid(first)
            return write_volume_mask(place, np.zeros(shape, dtype=np.uint8), affine)
        volume = _volume(files[media])
        zeros = np.zeros(volume.array.shape, dtype=np.uint8)
        return write_volume_mask(place, zeros, volume.geometry)


class Threshold(_MaskReader):
    """The first label wherever a volume is at least as bright as a value.

    ``threshold:4`` takes the first volume of a case, ``threshold:4:2`` the second; values are those
    of the file (HU, SUV). Without a value it is Otsu's of each volume.

    Raises
    ------
    UsageError
        The argument is no number, or no number and a place from 1.
    """

    def __init__(self, argument: str, options: ModelOptions) -> None:
        self._value, self._place = _read_argument(argument)
        name = f"threshold:{argument}" if argument else "threshold"
        settings: dict[str, JsonValue] = {"value": self._value, "volume": self._place}
        super().__init__(name, settings=settings)

    def _write(self, space: Mask, files: Mapping[Media, tuple[Path, ...]], place: Path) -> Path:
        if self._place > len(files):
            raise NothingToSayError(f"the case has {len(files)} volumes, and no {self._place}th")
        label = min((each for each in space.labels if each > 0), default=1)
        media = list(files)[self._place - 1]
        if media.kind != "volume":
            grey = _grey(files[media][0])
            return write_picture_mask(place, _bright(grey, self._least(grey), label))
        volume = _volume(files[media])
        least = self._least(volume.sample())
        mask = np.empty(volume.geometry.shape, dtype=np.uint8, order="F")
        for k in range(
            volume.geometry.shape[2]
        ):  # slice by slice: values of the whole would be large
            mask[:, :, k] = _bright(volume.values(volume.array[:, :, k]), least, label)
        first = files[media][0]
        # The header's own affine: rounding once to and fro is rounding.
        grid = _nifti_grid(first)[1] if is_nifti(first) else volume.geometry
        return write_volume_mask(place, mask, grid)

    def _least(self, values: NDArray[np.float32]) -> float:
        if self._value is not None:
            return self._value
        from skimage.filters import threshold_otsu

        finite = values[np.isfinite(values)]
        if finite.size == 0 or float(finite.min()) == float(finite.max()):
            raise NothingToSayError("the volume has one value alone")
        return float(threshold_otsu(finite))


def _bright(values: NDArray[np.float32], least: float, label: int) -> NDArray[np.uint8]:
    with np.errstate(invalid="ignore"):  # NaN is not bright
        return np.where(values >= least, np.uint8(label), np.uint8(0))


def _volume(files: tuple[Path, ...]) -> Volume:
    header = next((path for path in files if path.suffix.lower() == ".mhd"), None)
    return read_volume(header or (files[0] if len(files) == 1 else files[0].parent))


def _grey(path: Path) -> NDArray[np.float32]:
    pixels = read_picture(path).pixels.astype(np.float32)
    return pixels if pixels.ndim == 2 else pixels[:, :, :3].mean(axis=2)


def _nifti_grid(path: Path) -> tuple[tuple[int, int, int], NDArray[np.float64]]:
    try:
        return nifti_grid(path)
    # nibabel has no common error for hostile bytes: its own, zlib's, struct's, ValueError, ….
    except Exception as error:
        raise ImageError(
            expected(
                str(path),
                rule="a NIfTI volume of three dimensions",
                got=str(error),
                remedy="Copy the file again.",
            )
        ) from error


def _read_argument(argument: str) -> tuple[float | None, int]:
    if not argument:
        return None, 1
    value, colon, place = argument.partition(":")
    try:
        number, which = float(value), int(place) if colon else 1
    except ValueError:
        number, which = math.nan, 0
    if not math.isfinite(number) or which < 1:
        raise UsageError(
            expected(
                "--model threshold:VALUE",
                rule="a number, or a number and the place of a volume from 1",
                got=repr(argument),
                remedy="Write for instance threshold:150, or threshold:4:2 for the second volume.",
            )
        )
    return number, which
