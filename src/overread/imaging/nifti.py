"""One slice of a NIfTI file, turned the way a radiologist looks at it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from overread.errors import ImageError, expected
from overread.imaging.bounds import MAX_VOLUME_BYTES, check_file, check_pixels, check_voxels
from overread.imaging.hounsfield import calibration_warning
from overread.imaging.orientation import direction_letter, turn_for_display
from overread.imaging.stored import StoredSlice
from overread.imaging.volume import AIR_HU

if TYPE_CHECKING:
    from nibabel.nifti1 import Nifti1Image

__all__ = ["read_nifti"]

_LPS_FROM_RAS = np.array([-1.0, -1.0, 1.0])


def read_nifti(path: Path, *, index: int | None = None) -> StoredSlice:
    """Read one slice along the third axis of a NIfTI file, decoding no other.

    The file's scaling (slope and intercept) is applied. A NIfTI file does not say what its numbers
    are: a slice that reaches below -300 is taken for CT in HU, any other for numbers without a
    scale (`raw`). In the file's own grid x is its first axis and y its second.

    Parameters
    ----------
    path
        ``.nii`` or ``.nii.gz``.
    index
        Position along the third axis, from 0; None for a file of one slice.

    Raises
    ------
    ImageError
        No NIfTI file, cut off, out of bounds, in colour, of more than three dimensions, or no such
        slice.
    """
    check_file(path, max_bytes=MAX_VOLUME_BYTES)
    try:
        return _read(path, index)
    except ImageError:
        raise
    # nibabel has no common error for hostile bytes: its own, zlib's, struct's, ValueError, ….
    except Exception as error:
        raise _unusable(path, f"a damaged file ({error})", "Copy the file again.") from error


def _read(path: Path, index: int | None) -> StoredSlice:
    import nibabel

    image = nibabel.load(path)
    # Pairs of .hdr and .img are not read: the second file would escape the checks of its path.
    if not isinstance(image, nibabel.Nifti1Image) or path.suffix.lower() not in (".nii", ".gz"):
        raise _unusable(path, type(image).__name__, "Convert it to .nii or .nii.gz.")
    place = _place(path, tuple(int(size) for size in image.shape), index)
    kind = np.dtype(image.get_data_dtype()).kind
    if kind not in "iuf":
        raise _unusable(path, f"numbers of kind '{kind}'", "Convert it to plain numbers.")
    affine = np.asarray(image.affine, dtype=float)
    return _slice(_values(image, place), affine, stated=_states_orientation(image))


def _place(path: Path, shape: tuple[int, ...], index: int | None) -> tuple[Any, ...]:
    """Check a volume's shape and give the slice of it to read."""
    check_voxels(path, shape)
    while len(shape) > 3 and shape[-1] == 1:
        shape = shape[:-1]
    if not 2 <= len(shape) <= 3:
        raise _unusable(path, f"{len(shape)} dimensions", "Split it into volumes.")
    sizes = [*shape, 1]
    check_pixels(path, width=sizes[0], height=sizes[1])
    slices = sizes[2]
    if index is None and slices > 1:
        raise _unusable(path, f"no slice number for {slices} slices", "Name one, from 0.")
    if index is not None and not 0 <= index < slices:
        raise _unusable(path, f"slice {index} of {slices}", "Count the slices from 0.")
    plane = (slice(None), slice(None))
    return (*plane, index or 0) if len(shape) == 3 else plane


def _values(image: Nifti1Image, place: tuple[Any, ...]) -> NDArray[np.float32]:
    extra = (0,) * (len(image.shape) - len(place))
    plane = np.asarray(image.dataobj[(*place, *extra)], dtype=np.float32)
    return plane.T  # rows are the second axis, columns the first


def _states_orientation(image: Nifti1Image) -> bool:
    header = image.header
    return bool(int(header["sform_code"]) or int(header["qform_code"]))


def _slice(values: NDArray[np.float32], affine: NDArray[Any], *, stated: bool) -> StoredSlice:
    warnings: list[str] = []
    letters = [direction_letter((_LPS_FROM_RAS * affine[:3, axis]).tolist()) for axis in (0, 1)]
    turn, orientation = turn_for_display(letters[0], letters[1])
    if not stated:
        warnings.append("the header states no orientation: turned by its default")
    lengths = np.linalg.norm(affine[:3, :2], axis=0)
    spacing = (float(lengths[0]), float(lengths[1])) if (lengths > 0).all() else None
    if spacing is not None and turn.transpose:
        spacing = spacing[1], spacing[0]
    finite = values[np.isfinite(values)]
    if finite.size < values.size:
        warnings.append(f"{values.size - finite.size} pixels are no number: shown black")
    is_ct = bool(finite.size) and float(finite.min()) <= AIR_HU
    warning = calibration_warning(values) if is_ct else None
    return StoredSlice(
        pixels=turn.pixels(values),
        unit="hu" if is_ct else "raw",
        spacing_mm=spacing,
        orientation=orientation,
        turn=turn,
        warnings=(*warnings, warning) if warning else tuple(warnings),
    )


def _unusable(path: Path, got: str, remedy: str) -> ImageError:
    return ImageError(expected(str(path), rule="a NIfTI volume", got=got, remedy=remedy))
