"""A DICOM series as one volume: its slices in the order in which they lie in the patient."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from overread.errors import ImageError, expected
from overread.imaging.bounds import check_file, check_pixels, check_voxels
from overread.imaging.dicom import (
    frame_pixels,
    functional,
    modality,
    numbers,
    open_dataset,
    rescale,
)
from overread.imaging.geometry import geometry_of
from overread.imaging.volume import Volume, check_decoded, volume_of

if TYPE_CHECKING:
    from pydicom.dataset import Dataset

__all__ = ["read_dicom_series"]

_EVEN: Final = 0.01
"""Gaps between slices may differ by this share (and 0.02 mm) without a word."""
_UNEVEN: Final = 0.1
"""Up to this share they are taken as even, with a warning; beyond it they are no grid."""
_SLACK_MM: Final = 0.02
_APART: Final = 1.5
"""Slices this many thicknesses apart: every other one is missing, or was never taken."""
_SAME_MM: Final = 1e-3
_TILT_DEG: Final = 0.5
_MOST_BYTES: Final = 2**30
"""Of one file: an enhanced one holds all slices, 315 MB for 600 of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Slice:
    """One frame of one file: all about it but its pixels."""

    path: Path
    frame: int
    series: str
    description: str
    modality: str
    rows: int
    columns: int
    cosines: tuple[float, ...]
    position_mm: tuple[float, ...]
    spacing_mm: tuple[float, ...]
    thickness_mm: float | None
    slope: float | None
    intercept: float | None


def read_dicom_series(
    files: Sequence[Path], *, source: str, several: Literal["refuse", "largest"] = "refuse"
) -> Volume:
    """Read the slices of a series, sorted by their position along the normal of the slices.

    File names, instance numbers and slice locations are not asked: only the position in the
    patient tells where a slice lies. Files that are no DICOM picture are left out, with a warning.

    Parameters
    ----------
    files
        The files of one folder; a file of several frames counts as so many slices.
    source
        The folder, for messages.
    several
        What to do about several series in the folder: refuse them, or take the one with the most
        slices and say so in the warnings.

    Raises
    ------
    ImageError
        No slice at all; several series; a slice without its position, in colour or inverted;
        slices of different sizes or directions; two slices in one place; a missing slice; uneven
        gaps; a tilted gantry; slices shifted against each other; CT slices of which some have a
        rescale and some have none.
    """
    found: list[_Slice] = []
    strange: list[str] = []
    for path in files:
        try:
            found.extend(_headers(path))
        except ImageError:
            raise
        # pydicom parses late and raises anything on hostile bytes, down to NotImplementedError.
        except Exception:
            strange.append(path.name)
    if not found:
        raise _unusable(source, f"{len(files)} files, none a DICOM picture", "Complete the folder.")
    warnings = [f"{len(strange)} files are no DICOM pictures: {strange[0]}"] if strange else []
    chosen, said = _one_series(found, source, several)
    warnings.extend(said)
    _check_alike(chosen, source)
    chosen, step_mm, said = _in_order(chosen, source)
    warnings.extend(said)
    array, slope, intercept, said = _voxels(chosen, source)
    warnings.extend(said)
    geometry = geometry_of(_affine(chosen, step_mm), array.shape, source=source)
    return volume_of(
        array,
        geometry,
        slope=slope,
        intercept=intercept,
        modality=chosen[0].modality,
        warnings=tuple(warnings),
        source=source,
    )


def _headers(path: Path) -> list[_Slice]:
    check_file(path, max_bytes=_MOST_BYTES)
    dataset = open_dataset(path, pixels=False)
    rows, columns = int(dataset.Rows), int(dataset.Columns)  # AttributeError: no picture
    frames = int(dataset.get("NumberOfFrames") or 1)
    check_pixels(path, width=columns, height=rows)
    check_voxels(path, (rows, columns, frames))
    if int(dataset.get("SamplesPerPixel") or 1) != 1:
        raise _unusable(path, "slices in colour", "Take them out of the folder.")
    if dataset.get("PhotometricInterpretation") == "MONOCHROME1":
        raise _unusable(path, "inverted slices (MONOCHROME1)", "Store them as MONOCHROME2.")
    return [_header(path, dataset, frame, rows, columns) for frame in range(frames)]


def _header(path: Path, dataset: Dataset, frame: int, rows: int, columns: int) -> _Slice:
    def values(group: str, name: str, count: int) -> tuple[float, ...]:
        found = numbers(functional(dataset, frame, group, name), count)
        if found is None:
            raise _unusable(path, f"a slice that does not state its {name}", "Take it out.")
        return found

    cosines = values("PlaneOrientationSequence", "ImageOrientationPatient", 6)
    position = values("PlanePositionSequence", "ImagePositionPatient", 3)
    spacing = values("PixelMeasuresSequence", "PixelSpacing", 2)
    if min(spacing) <= 0:
        shown = " × ".join(f"{length:g}" for length in spacing)
        raise _unusable(path, f"a pixel spacing of {shown} mm", "Correct the header.")
    slope, intercept = rescale(dataset, frame)
    thickness = numbers([functional(dataset, frame, "PixelMeasuresSequence", "SliceThickness")], 1)
    return _Slice(
        path=path,
        frame=frame,
        series=str(dataset.get("SeriesInstanceUID") or ""),
        description=str(dataset.get("SeriesDescription") or "")[:60],
        modality=modality(dataset, frame),
        rows=rows,
        columns=columns,
        cosines=cosines,
        position_mm=position,
        spacing_mm=spacing,
        thickness_mm=thickness[0] if thickness else None,
        slope=slope,
        intercept=intercept,
    )


def _one_series(
    found: list[_Slice], source: str, several: Literal["refuse", "largest"]
) -> tuple[list[_Slice], list[str]]:
    counts = Counter(one.series for one in found)
    if len(counts) == 1:
        return found, []
    names = {one.series: one.description for one in found}
    shown = "; ".join(
        f"{names[series] or 'without a name'} ({n} slices)" for series, n in counts.most_common(5)
    )
    largest, second = counts.most_common(2)
    if several == "refuse" or largest[1] == second[1]:
        raise _unusable(
            source, f"{len(counts)} series: {shown}", "Put each series into a folder of its own."
        )
    chosen = [one for one in found if one.series == largest[0]]
    return chosen, [f"{len(counts)} series in one folder, the largest was taken: {shown}"]


def _check_alike(slices: list[_Slice], source: str) -> None:
    first = slices[0]
    for one in slices:
        if (one.rows, one.columns) != (first.rows, first.columns):
            sizes = f"{first.columns} × {first.rows} and {one.columns} × {one.rows} pixels"
            raise _unusable(source, f"slices of {sizes}", "Take the odd ones out.")
        if not np.allclose(one.cosines, first.cosines, atol=1e-3):
            raise _unusable(source, "slices that face different ways", "Take the odd ones out.")
        if not np.allclose(one.spacing_mm, first.spacing_mm, rtol=1e-3):
            raise _unusable(source, "slices with different pixel sizes", "Take the odd ones out.")
        if one.modality != first.modality:
            raise _unusable(
                source, f"both {first.modality} and {one.modality}", "Take the odd ones out."
            )
    row, column = np.asarray(first.cosines[:3]), np.asarray(first.cosines[3:])
    lengths = np.linalg.norm([row, column], axis=1)
    if not np.allclose(lengths, 1, atol=1e-2) or abs(float(row @ column)) > 1e-2:
        raise _unusable(source, "an orientation that is no right angle", "Correct the headers.")


def _in_order(
    slices: list[_Slice], source: str
) -> tuple[list[_Slice], NDArray[np.float64], list[str]]:
    """Sort by position; give the way from one slice to the next in mm, LPS."""
    normal = np.cross(slices[0].cosines[:3], slices[0].cosines[3:])
    ordered = sorted(slices, key=lambda one: float(np.dot(one.position_mm, normal)))
    if len(ordered) == 1:
        thickness = ordered[0].thickness_mm
        if thickness is None or thickness <= 0:
            raise _unusable(source, "one slice without a thickness", "Add the other slices.")
        return ordered, normal * thickness, ["one slice only: its thickness is its spacing"]
    along = np.array([float(np.dot(one.position_mm, normal)) for one in ordered])
    gaps = np.diff(along)
    usual = statistics.median_low(gaps.tolist())  # a gap there is, not the middle of two
    if float(gaps.min()) < _SAME_MM or usual < _SAME_MM:
        place = int(np.argmin(gaps))
        raise _unusable(
            source,
            f"two slices in one place ({along[place]:.1f} mm along the normal: "
            f"{ordered[place].path.name} and {ordered[place + 1].path.name})",
            "Keep one time point or one reconstruction.",
        )
    off = np.abs(gaps - usual)
    warnings: list[str] = []
    if float(off.max()) > max(_UNEVEN * usual, _SLACK_MM):
        place = int(np.argmax(off))
        times = gaps[place] / usual
        missing = times > 1.5 and abs(times - round(times)) < _UNEVEN
        what = f"{round(times) - 1} missing" if missing else "uneven gaps"
        raise _unusable(
            source,
            f"{what}: {gaps[place]:.2f} mm between {ordered[place].path.name} and "
            f"{ordered[place + 1].path.name}, {usual:.2f} mm elsewhere",
            "Complete the series." if missing else "Resample it to even slices.",
        )
    if float(off.max()) > max(_EVEN * usual, _SLACK_MM):
        warnings.append(
            f"gaps between slices of {gaps.min():.2f} to {gaps.max():.2f} mm: taken as even"
        )
    thickness = ordered[0].thickness_mm
    if thickness is not None and 0 < _APART * thickness < usual:
        warnings.append(
            f"slices of {thickness:g} mm lie {usual:.4g} mm apart: what lies between is not there"
        )
    way = np.subtract(ordered[-1].position_mm, ordered[0].position_mm)
    step = way / (len(ordered) - 1)
    lean = float(np.degrees(np.arccos(min(1.0, float(step @ normal) / np.linalg.norm(step)))))
    if lean > _TILT_DEG:
        raise _unusable(
            source,
            f"a tilted gantry ({lean:.1f}°): the slices are shifted against each other",
            "Resample it to a grid of right angles.",
        )
    _check_in_line(ordered, step, source)
    return ordered, step, warnings


def _check_in_line(ordered: list[_Slice], step_mm: NDArray[np.float64], source: str) -> None:
    """Refuse slices that lie beside the line from the first to the last, by a pixel or more."""
    places = np.array([one.position_mm for one in ordered])
    beside = places - (places[0] + np.arange(len(ordered))[:, None] * step_mm)
    across = np.linalg.norm(np.cross(beside, step_mm / np.linalg.norm(step_mm)), axis=1)
    worst = int(np.argmax(across))
    if across[worst] >= min(ordered[0].spacing_mm):
        raise _unusable(
            source,
            f"slices shifted against each other ({ordered[worst].path.name} by "
            f"{across[worst]:.1f} mm)",
            "Take the odd ones out, or resample it to one grid.",
        )


def _affine(slices: list[_Slice], step_mm: NDArray[np.float64]) -> NDArray[np.float64]:
    """Voxel (column, row, slice) → mm in LPS (DICOM PS3.3, C.7.6.2.1.1)."""
    first = slices[0]
    between_rows, between_columns = first.spacing_mm
    affine = np.eye(4)
    affine[:3, 0] = np.asarray(first.cosines[:3]) * between_columns
    affine[:3, 1] = np.asarray(first.cosines[3:]) * between_rows
    affine[:3, 2] = step_mm
    affine[:3, 3] = first.position_mm
    return affine


def _voxels(slices: list[_Slice], source: str) -> tuple[NDArray[Any], float, float, list[str]]:
    """Decode the slices; scale them here only where they differ in slope or intercept."""
    scales = {(one.slope, one.intercept) for one in slices}
    is_ct = slices[0].modality == "CT"
    first = slices[0]
    shape = (first.columns, first.rows, len(slices))
    differ = len(scales) > 1
    warnings: list[str] = []
    bare = [scale for scale in scales if None in scale]
    if differ and bare:
        # Some numbers would be HU and some not.
        raise _unusable(source, "slices with and without a rescale", "Take the odd ones out.")
    if is_ct and bare:
        warnings.append("CT without rescale slope and intercept: taken as HU as stored")
    # Of other modalities one common scale is a convention of the maker and left out, as for
    # single slices; scales that differ from slice to slice (PET) must be applied.
    applies = is_ct or differ
    slope, intercept = (first.slope, first.intercept) if applies and not differ else (None, None)
    if slope is None or intercept is None:
        slope, intercept = 1.0, 0.0
    planes = _planes(slices, differ)
    plane = next(planes)
    kind = np.dtype(np.float32 if differ or plane.dtype.itemsize > 2 else plane.dtype)
    check_decoded(source, shape, kind.itemsize)
    array: NDArray[Any] = np.empty(shape, dtype=kind, order="F")
    array[:, :, 0] = plane.T
    for number, plane in enumerate(planes, start=1):
        if kind.kind in "iu" and plane.dtype != kind:  # signed and unsigned slices in one series
            array, kind = array.astype(np.float32), np.dtype(np.float32)
        array[:, :, number] = plane.T
    return array, slope, intercept, warnings


def _planes(slices: list[_Slice], differ: bool) -> Iterator[NDArray[Any]]:
    opened: tuple[Path, Dataset] | None = None
    for one in slices:
        if opened is None or opened[0] != one.path:
            opened = one.path, _parsed(one.path)
        plane = frame_pixels(one.path, opened[1], one.frame)
        if plane.shape != (one.rows, one.columns) or plane.dtype.kind not in "iuf":
            raise _unusable(one.path, f"pixels of shape {plane.shape}", "Copy the file again.")
        if differ and one.slope is not None and one.intercept is not None:
            plane = plane.astype(np.float32) * np.float32(one.slope) + np.float32(one.intercept)
        yield plane


def _parsed(path: Path) -> Dataset:
    """Parse a slice whose header was read before; its pixels may be cut off all the same."""
    try:
        return open_dataset(path)
    except ImageError:
        raise
    # pydicom has no common error for damaged bytes.
    except Exception as error:
        raise _unusable(path, f"a damaged slice ({error})", "Copy the file again.") from error


def _unusable(source: object, got: str, remedy: str) -> ImageError:
    return ImageError(
        expected(str(source), rule="a DICOM series of one volume", got=got, remedy=remedy)
    )
