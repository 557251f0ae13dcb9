"""A label map from a NIfTI file, read piece by piece."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

import numpy as np
from numpy.typing import NDArray

from overread.errors import ImageError
from overread.imaging.bounds import MAX_VOLUME_BYTES, check_file
from overread.imaging.geometry import LPS_FROM_RAS, Geometry, geometry_of
from overread.imaging.label_map import LabelMap
from overread.imaging.label_values import LabelArray, LabelKeeper, not_a_label_map
from overread.imaging.nifti_header import MOST_OFFSET, open_nifti, stored_spacing, unit_mm
from overread.imaging.volume import check_decoded

if TYPE_CHECKING:
    from nibabel.nifti1 import Nifti1Image

__all__ = ["read_nifti_labels"]

_PIECE_BYTES: Final = 2**22
_ZIPPED: Final = b"\x1f\x8b"
_PLAIN: Final = tuple(size.to_bytes(4, order) for size in (348, 540) for order in ("little", "big"))
"""First bytes of a plain file: the size of its header, of NIfTI-1 and NIfTI-2."""


def read_nifti_labels(path: Path) -> LabelMap:
    """Read a label map from a ``.nii`` or ``.nii.gz`` file.

    A header that states no orientation, or none that is one, gives a map without a geometry; its
    voxel size is taken where it is stated. The sform goes before the qform.

    Raises
    ------
    ImageError
        No NIfTI file, cut off, damaged, out of bounds, of other than three dimensions, or with
        values that are no labels.
    """
    check_file(path, max_bytes=MAX_VOLUME_BYTES)
    try:
        return _read(path)
    except ImageError:
        raise
    # nibabel has no common error for hostile bytes: its own, zlib's, struct's, ValueError, ….
    except Exception as error:
        raise _damaged(path, error) from error


def _damaged(path: Path, error: Exception) -> ImageError:
    """Say what is wrong with a file: its name alone, where its first bytes are those of another."""
    with path.open("rb") as file:
        start = file.read(4)
    is_named_zipped = path.suffix.lower() == ".gz"
    if start[:2] == _ZIPPED and not is_named_zipped:
        return not_a_label_map(
            str(path), "a zipped file under the name of a plain one", f"Name it {path.name}.gz."
        )
    if is_named_zipped and start in _PLAIN:
        return not_a_label_map(
            str(path), "a plain file under the name of a zipped one", f"Name it {path.stem}."
        )
    return not_a_label_map(
        str(path), f"a damaged file ({error or type(error).__name__})", "Copy the file again."
    )


@contextmanager
def _unlogged() -> Iterator[None]:
    """Keep nibabel's log from the terminal: what is odd about a header is said in the warnings."""
    from nibabel.imageglobals import logger

    was, logger.disabled = logger.disabled, True
    try:
        yield
    finally:
        logger.disabled = was


def _read(path: Path) -> LabelMap:
    import nibabel

    with _unlogged():
        image = nibabel.load(path)
    # Pairs of .hdr and .img are not read: the second file would escape the checks of its path.
    if not isinstance(image, nibabel.Nifti1Image) or path.suffix.lower() not in (".nii", ".gz"):
        raise not_a_label_map(str(path), type(image).__name__, "Convert it to .nii or .nii.gz.")
    shape = _shape(path, tuple(int(size) for size in image.shape))
    stored = np.dtype(image.get_data_dtype())
    if stored.kind not in "iuf":
        raise not_a_label_map(
            str(path), f"numbers of kind '{stored.kind}'", "Convert it to plain numbers."
        )
    check_decoded(path, shape, 1)
    proxy = cast("Any", image.dataobj)
    if not 0 <= int(proxy.offset) <= MOST_OFFSET:
        raise not_a_label_map(
            str(path), f"voxels from byte {int(proxy.offset):,} on", "Copy the file again."
        )
    slope, intercept = float(proxy.slope), float(proxy.inter)
    array = _voxels(path, shape, stored, int(proxy.offset), slope, intercept)
    spacing_mm, geometry, warnings = _grid(path, image, shape)
    if stored.kind == "f":
        warnings.append(f"labels are stored as {stored.name}")
    if (slope, intercept) != (1.0, 0.0):
        warnings.append(f"labels are scaled by the header (slope {slope:g}, offset {intercept:g})")
    return LabelMap(
        array=array,
        spacing_mm=spacing_mm,
        geometry=geometry,
        source=str(path),
        warnings=tuple(warnings),
    )


def _shape(path: Path, shape: tuple[int, ...]) -> tuple[int, int, int]:
    while len(shape) > 3 and shape[-1] == 1:
        shape = shape[:-1]
    if len(shape) == 2:
        shape = (*shape, 1)
    if len(shape) != 3:
        shown = " × ".join(str(size) for size in shape)
        raise not_a_label_map(
            str(path),
            f"{len(shape)} dimensions ({shown})",
            "Write one label map; channels of probabilities or of one label each are none.",
        )
    return shape[0], shape[1], shape[2]


def _voxels(
    path: Path,
    shape: tuple[int, int, int],
    stored: np.dtype[Any],
    offset: int,
    slope: float,
    intercept: float,
) -> LabelArray:
    size = shape[0] * shape[1] * shape[2]
    keeper = LabelKeeper(str(path), size, slope=slope, intercept=intercept)
    piece = _PIECE_BYTES // stored.itemsize
    with open_nifti(path) as file:
        file.seek(offset)
        for start in range(0, size, piece):
            count = min(piece, size - start)
            data = file.read(count * stored.itemsize)
            if len(data) < count * stored.itemsize:
                raise not_a_label_map(str(path), "a file that is cut off", "Copy the file again.")
            keeper.take(np.frombuffer(data, dtype=stored))
        file.read(1)  # to the end of a zipped file, where its checksum stands
    return keeper.labels().reshape(shape, order="F")


def _grid(
    path: Path, image: Nifti1Image, shape: tuple[int, int, int]
) -> tuple[tuple[float, ...] | None, Geometry | None, list[str]]:
    """Give spacing, geometry and what is odd about the header."""
    header, warnings = image.header, list[str]()
    to_mm = unit_mm(header)
    if to_mm != 1.0:
        warnings.append(f"the header counts in units of {to_mm:g} mm: turned into mm")
    spacing_mm = _spacing(path, image, to_mm)
    has_sform, has_qform = int(header["sform_code"]) > 0, int(header["qform_code"]) > 0
    if not has_sform and (spacing_mm is None or not has_qform):
        what = "no orientation" if spacing_mm is not None else "no usable voxel size"
        return spacing_mm, None, [*warnings, f"the header states {what}: sides are unknown"]
    affine = np.asarray(image.affine, dtype=np.float64)
    if has_sform and has_qform and _differ(affine, np.asarray(header.get_qform(), np.float64)):
        warnings.append("the header's sform and qform differ: the sform was taken")
    try:
        with np.errstate(invalid="ignore"):  # infinite entries: refused with the geometry
            geometry = geometry_of(
                LPS_FROM_RAS @ np.diag([to_mm, to_mm, to_mm, 1.0]) @ affine,
                shape,
                source="the header",
            )
    except ImageError as error:
        return spacing_mm, None, [*warnings, str(error)]
    return geometry.spacing_mm, geometry, [*geometry.warnings(), *warnings]


def _differ(one: NDArray[np.float64], other: NDArray[np.float64]) -> bool:
    length = float(np.abs(one[:3, :3]).max())
    return not np.allclose(one[:3, :3], other[:3, :3], atol=0.05 * length)


def _spacing(path: Path, image: Nifti1Image, to_mm: float) -> tuple[float, ...] | None:
    sizes = np.abs(stored_spacing(path, image)) * to_mm
    if not (np.isfinite(sizes) & (sizes > 0)).all():
        return None
    return tuple(float(size) for size in sizes)
