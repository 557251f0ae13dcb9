"""A whole NIfTI volume, read piece by piece so that hardly more than its voxels is held."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

import numpy as np
from numpy.typing import NDArray

from overread.errors import ImageError, expected
from overread.imaging.bounds import MAX_VOLUME_BYTES, check_file
from overread.imaging.geometry import LPS_FROM_RAS, geometry_of
from overread.imaging.nifti_header import MOST_OFFSET, open_nifti, stored_spacing, unit_mm
from overread.imaging.volume import Volume, check_decoded, volume_of

if TYPE_CHECKING:
    from nibabel.nifti1 import Nifti1Image

__all__ = ["read_nifti_volume"]

_PIECE: Final = 2**22
"""Voxels read at once."""


def read_nifti_volume(path: Path) -> Volume:
    """Read a volume of three dimensions from a ``.nii`` or ``.nii.gz`` file.

    The file's scaling (slope and intercept) is kept beside the stored numbers. The affine is the
    sform where the header states one, else the qform; a qform that differs from the sform and turns
    no axis round is said in the warnings. Without either, or where the two turn an axis round, left
    and right would be a guess: such a file is refused.

    Raises
    ------
    ImageError
        No NIfTI file, cut off, out of bounds, in colour or complex, of other than three
        dimensions, of no stated orientation, or on no rectangular grid.
    """
    check_file(path, max_bytes=MAX_VOLUME_BYTES)
    try:
        return _read(path)
    except ImageError:
        raise
    # nibabel has no common error for hostile bytes: its own, zlib's, struct's, ValueError, ….
    except Exception as error:
        raise _unusable(path, f"a damaged file ({error})", "Copy the file again.") from error


def _read(path: Path) -> Volume:
    import nibabel

    image = nibabel.load(path)
    # Pairs of .hdr and .img are not read: the second file would escape the checks of its path.
    if not isinstance(image, nibabel.Nifti1Image) or path.suffix.lower() not in (".nii", ".gz"):
        raise _unusable(path, type(image).__name__, "Convert it to .nii or .nii.gz.")
    shape = tuple(int(size) for size in image.shape)
    while len(shape) > 3 and shape[-1] == 1:
        shape = shape[:-1]
    if len(shape) != 3:
        raise _unusable(path, f"{len(shape)} dimensions", "Split it into volumes.")
    stored = np.dtype(image.get_data_dtype())
    if stored.kind not in "iuf":
        raise _unusable(path, f"numbers of kind '{stored.kind}'", "Convert it to plain numbers.")
    kept = np.dtype(stored.newbyteorder("=")) if stored.itemsize <= 2 else np.dtype(np.float32)
    if kept == np.float16:
        kept = np.dtype(np.float32)
    check_decoded(path, shape, kept.itemsize)
    affine, warnings = _affine(path, image)
    geometry = geometry_of(affine, shape, source=str(path))
    proxy = cast("Any", image.dataobj)
    if not 0 <= int(proxy.offset) <= MOST_OFFSET:
        raise _unusable(path, f"voxels from byte {int(proxy.offset):,} on", "Copy the file again.")
    array = _voxels(path, shape, stored, kept, int(proxy.offset))
    return volume_of(
        array,
        geometry,
        slope=float(proxy.slope),
        intercept=float(proxy.inter),
        modality=None,
        warnings=warnings,
        source=str(path),
    )


def _voxels(
    path: Path, shape: tuple[int, ...], stored: np.dtype[Any], kept: np.dtype[Any], offset: int
) -> NDArray[Any]:
    array = np.empty(shape, dtype=kept, order="F")
    flat = array.reshape(-1, order="F")  # a view: the file's order, first axis fastest
    with open_nifti(path) as file:
        file.seek(offset)
        for start in range(0, flat.size, _PIECE):
            count = min(_PIECE, flat.size - start)
            data = file.read(count * stored.itemsize)
            if len(data) < count * stored.itemsize:
                raise _unusable(path, "a file that is cut off", "Copy the file again.")
            with np.errstate(over="ignore", invalid="ignore"):  # beyond float32: infinite
                flat[start : start + count] = np.frombuffer(data, dtype=stored)
    return array


def _affine(path: Path, image: Nifti1Image) -> tuple[NDArray[np.float64], tuple[str, ...]]:
    header, warnings = image.header, []
    affine = np.asarray(image.affine, dtype=np.float64)
    has_sform, has_qform = int(header["sform_code"]) > 0, int(header["qform_code"]) > 0
    if not has_sform:
        _check_spacing(path, image)
    if not has_sform and not has_qform:
        raise _unusable(
            path,
            "a header that states no orientation, so that left and right would be a guess",
            "State it: set the sform or the qform from the scan this file was made of.",
        )
    if has_sform and has_qform:
        other = np.asarray(header.get_qform(), dtype=np.float64)
        length = float(np.abs(affine[:3, :3]).max())
        if not np.allclose(affine[:3, :3], other[:3, :3], atol=0.05 * length):
            if _axes(other) != _axes(affine):
                raise _unusable(
                    path,
                    f"a sform ({_axes(affine)}) and a qform ({_axes(other)}) that contradict each "
                    "other, so that left and right would be a guess",
                    "Set both from the scan this file was made of.",
                )
            warnings.append("the header's sform and qform differ: the sform was taken")
    to_mm = unit_mm(header)
    if to_mm != 1.0:
        affine = np.diag([to_mm, to_mm, to_mm, 1.0]) @ affine
        warnings.append(f"the header counts in units of {to_mm:g} mm: turned into mm")
    with np.errstate(invalid="ignore"):  # infinite entries: refused with the geometry
        return LPS_FROM_RAS @ affine, tuple(warnings)


def _axes(affine: NDArray[np.float64]) -> str:
    """Say where the axes of a NIfTI affine run, as `nibabel.aff2axcodes` does."""
    import nibabel

    return "".join(letter or "?" for letter in nibabel.aff2axcodes(affine))


def _check_spacing(path: Path, image: Nifti1Image) -> None:
    """Refuse a spacing of zero, which nibabel turns into 1 mm: nobody stated that."""
    spacing = stored_spacing(path, image)
    if not (np.abs(spacing) > 0).all():  # NaN neither
        shown = " × ".join(f"{length:g}" for length in spacing)
        raise _unusable(path, f"a spacing of {shown} mm", "State the distance of its voxels in mm.")


def _unusable(path: Path, got: str, remedy: str) -> ImageError:
    return ImageError(
        expected(str(path), rule="a NIfTI volume of three dimensions", got=got, remedy=remedy)
    )
