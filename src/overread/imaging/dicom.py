"""DICOM slices: rescaled to HU where they are CT, turned for display, checked for air."""

from __future__ import annotations

import io
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from overread.errors import ImageError, expected
from overread.imaging.bounds import MAX_FILE_BYTES, check_file, check_pixels, check_voxels
from overread.imaging.hounsfield import calibration_warning
from overread.imaging.orientation import Turn, direction_letter, turn_for_display
from overread.imaging.stored import StoredSlice

if TYPE_CHECKING:
    from pydicom.dataset import Dataset

__all__ = [
    "frame_pixels",
    "functional",
    "modality",
    "numbers",
    "open_dataset",
    "read_dicom",
    "rescale",
]

_INSTALL = "Install a decoder: pip install pylibjpeg pylibjpeg-libjpeg pylibjpeg-openjpeg."


def read_dicom(path: Path, *, index: int | None = None) -> StoredSlice:
    """Read one slice of a DICOM file.

    CT becomes HU by rescale slope and intercept. Other modalities keep their stored numbers
    (`raw`): their rescale, where there is one, is a convention of the maker and changes nothing
    that is shown. Colour is shown as it is. MONOCHROME1 is marked as inverted.

    Parameters
    ----------
    path
        The file; whether it has the DICOM preamble does not matter.
    index
        Frame of a multi-frame file, from 0; None where there is one only.

    Raises
    ------
    ImageError
        No DICOM picture, out of bounds, no such frame, or compressed in a way that needs a
        decoder which is not installed.
    """
    check_file(path)
    try:
        return _read(path, index)
    except ImageError:
        raise
    # pydicom parses late and raises anything on hostile bytes, down to NotImplementedError.
    except Exception as error:
        raise _unusable(path, f"no picture in it ({error})", "Copy the file again.") from error


def _read(path: Path, index: int | None) -> StoredSlice:
    dataset = open_dataset(path)
    rows, columns = int(dataset.Rows), int(dataset.Columns)
    frames = int(dataset.get("NumberOfFrames") or 1)
    check_pixels(path, width=columns, height=rows)
    check_voxels(path, (rows, columns, frames))
    frame = _frame(path, index, frames)
    stored = frame_pixels(path, dataset, frame)
    if stored.ndim == 3:
        return StoredSlice(pixels=np.asarray(stored[:, :, :3], dtype=np.uint8), unit="display")
    return _grey_slice(dataset, frame, stored)


def open_dataset(path: Path, *, pixels: bool = True) -> Dataset:
    """Parse a DICOM file, its pixels not decoded or not even read; raises whatever pydicom does."""
    from pydicom import dcmread

    with _BoundedFile(path) as file:
        return dcmread(file, force=True, stop_before_pixels=not pixels)


class _BoundedFile(io.BufferedReader):
    """A file whose deflated data set is measured before it is unpacked.

    Zeros deflate a thousandfold: a file within all bounds could unpack to 250 GB. pydicom reads a
    file to its end in one go only to inflate it, and inflates without a bound.
    """

    def __init__(self, path: Path) -> None:
        # As text: pydicom puts the name of a file that is cut off into its message by `+`.
        super().__init__(io.FileIO(str(path)))
        self._path = path

    def read(self, size: int | None = -1, /) -> bytes:
        data = super().read(size)
        if size is None or size < 0:
            _check_inflated(self._path, data)
        return data


def _check_inflated(path: Path, deflated: bytes) -> None:
    inflater, size, rest = zlib.decompressobj(-zlib.MAX_WBITS), 0, deflated
    while rest and not inflater.eof and size <= MAX_FILE_BYTES:
        size += len(inflater.decompress(rest, 1 << 20))
        rest = inflater.unconsumed_tail
    if size > MAX_FILE_BYTES:
        raise ImageError(
            expected(
                str(path),
                rule=f"a deflated file that unpacks to at most {MAX_FILE_BYTES:,} bytes",
                got=f"one of {len(deflated):,} bytes that unpacks to more",
                remedy="It was not unpacked. Store it without deflation, or copy the file again.",
            )
        )


def _grey_slice(dataset: Dataset, frame: int, stored: NDArray[Any]) -> StoredSlice:
    turn, orientation = _orientation(dataset, frame)
    values, unit, warnings = stored.astype(np.float32), "raw", []
    if modality(dataset, frame) == "CT":
        unit = "hu"
        slope, intercept = rescale(dataset, frame)
        if slope is None or intercept is None:
            warnings.append("CT without rescale slope and intercept: taken as HU as stored")
        else:
            values = values * np.float32(slope) + np.float32(intercept)
        warning = calibration_warning(values)
        warnings.extend([warning] if warning else [])
    return StoredSlice(
        pixels=turn.pixels(values),
        unit="hu" if unit == "hu" else "raw",
        spacing_mm=_spacing_mm(dataset, frame, turn),
        orientation=orientation,
        turn=turn,
        inverted=dataset.get("PhotometricInterpretation") == "MONOCHROME1",
        warnings=tuple(warnings),
    )


def _frame(path: Path, index: int | None, frames: int) -> int:
    if index is None and frames == 1:
        return 0
    if index is None or not 0 <= index < frames:
        got = "no frame number" if index is None else f"frame {index}"
        raise _unusable(
            path, f"{got} for a file of {frames} frames", "Name a frame, counted from 0."
        )
    return index


def frame_pixels(path: Path, dataset: Dataset, frame: int) -> NDArray[Any]:
    """Decode one frame as stored, shape (rows, columns[, channels]). ImageError when it fails."""
    from pydicom.pixels.utils import pixel_array

    try:
        return pixel_array(dataset, index=frame)
    # pydicom's decoders raise as they please on damaged data; nothing else runs in this block.
    except Exception as error:
        transfer = getattr(getattr(dataset, "file_meta", None), "TransferSyntaxUID", None)
        missing = "missing dependencies" in str(error) or "not available" in str(error)
        raise _unusable(
            path,
            f"pixels that cannot be decoded ({getattr(transfer, 'name', 'unknown syntax')}: "
            f"{error})",
            _INSTALL if missing else "Copy the file again.",
        ) from error


def functional(dataset: Dataset, frame: int, group: str, name: str) -> Any:
    """Look up a value in the dataset or, in an enhanced file, in the frame's functional groups."""
    if name in dataset:
        return dataset[name].value
    per_frame = dataset.get("PerFrameFunctionalGroupsSequence") or []
    shared = dataset.get("SharedFunctionalGroupsSequence") or []
    for place in (*per_frame[frame : frame + 1], *shared[:1]):
        for part in place.get(group) or []:
            if name in part:
                return part[name].value
    return None


def modality(dataset: Dataset, frame: int) -> str:
    """Give the modality; a CT whose numbers are stated to be no HU is none: ``CT in MGML``.

    Maps of iodine or of effective atomic numbers come as CT (DICOM PS3.3, C.11.1.1.2). ``US`` is
    "unspecified", which older scanners write for HU.
    """
    name = str(dataset.get("Modality") or "")
    kind = functional(dataset, frame, "PixelValueTransformationSequence", "RescaleType")
    in_hu = str(kind or "HU").strip().upper() in {"HU", "HU_MOD", "US"}
    return name if in_hu or name != "CT" else f"CT in {kind}"


def rescale(dataset: Dataset, frame: int) -> tuple[float | None, float | None]:
    """Give slope and intercept of a frame, None where the file has none."""
    group = "PixelValueTransformationSequence"
    slope = _number(functional(dataset, frame, group, "RescaleSlope"))
    intercept = _number(functional(dataset, frame, group, "RescaleIntercept"))
    # A slope of 0 would make every pixel equal: as good as none.
    return (slope or None), intercept


def _orientation(dataset: Dataset, frame: int) -> tuple[Turn, str]:
    cosines = numbers(
        functional(dataset, frame, "PlaneOrientationSequence", "ImageOrientationPatient"), 6
    )
    if cosines is None:
        return turn_for_display(None, None)
    return turn_for_display(direction_letter(cosines[:3]), direction_letter(cosines[3:]))


def _spacing_mm(dataset: Dataset, frame: int, turn: Turn) -> tuple[float, float] | None:
    spacing = numbers(functional(dataset, frame, "PixelMeasuresSequence", "PixelSpacing"), 2)
    if spacing is None or min(spacing) <= 0:
        return None
    between_rows, between_columns = spacing  # DICOM's order: y before x
    if turn.transpose:
        return between_rows, between_columns
    return between_columns, between_rows


def numbers(value: Any, count: int) -> tuple[float, ...] | None:
    """Give so many finite numbers; None for anything else."""
    if value is None or isinstance(value, (str, float)) or len(value) != count:
        return None
    each = tuple(_number(one) for one in value)
    found = tuple(number for number in each if number is not None)
    return found if len(found) == count else None


def _number(value: Any) -> float | None:
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return number if np.isfinite(number) else None


def _unusable(path: Path, got: str, remedy: str) -> ImageError:
    return ImageError(expected(str(path), rule="a DICOM slice", got=got, remedy=remedy))
