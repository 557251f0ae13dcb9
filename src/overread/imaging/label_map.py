"""A label map in memory: whole numbers on a grid, whatever file they came from."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from overread.errors import UsageError, expected
from overread.imaging.bounds import MAX_FILE_BYTES, check_file, check_pixels
from overread.imaging.geometry import Geometry
from overread.imaging.label_values import LabelArray, LabelKeeper, not_a_label_map

__all__ = ["MASK_SUFFIXES", "LabelMap", "mask_suffix", "read_label_map"]

MASK_SUFFIXES: Final = (".nii.gz", ".nii", ".mha", ".mhd", ".png")
"""Of the files that `read_label_map` reads."""

_METAIMAGE: Final = (".mha", ".mhd")
_LARGEST_FLOAT32: Final = 2**24
"""Whole numbers above it are rounded in 32-bit floating point."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LabelMap:
    """Labels of voxels or pixels: 0 is background."""

    array: LabelArray
    """Axes i, j, k of a volume, or rows and columns of a picture; the smallest of 8, 16 and 32
    bits without sign that holds every label, so that none is ever wrapped around."""
    spacing_mm: tuple[float, ...] | None
    """Distance of voxel centres along the axes; None where the file does not say it."""
    geometry: Geometry | None
    """Where a volume lies in the patient; None for pictures and where the file does not say it."""
    source: str
    """The file, for messages."""
    warnings: tuple[str, ...] = ()
    """What looks odd, for people."""

    @property
    def voxel_ml(self) -> float | None:
        """Volume of a voxel in millilitres; None for pictures and without a spacing."""
        if self.spacing_mm is None or self.array.ndim != 3:
            return None
        return math.prod(self.spacing_mm) / 1000.0

    @property
    def diagonal_mm(self) -> float | None:
        """Length of the grid from its first corner to its last; None without a spacing."""
        if self.spacing_mm is None:
            return None
        sides = zip(self.array.shape, self.spacing_mm, strict=True)
        return math.hypot(*(size * spacing for size, spacing in sides))

    def only(self, label: int) -> LabelMap:
        """Keep one label, as 1."""
        return self._with(array=(self.array == label).view(np.uint8))

    def spaced(self, spacing_mm: tuple[float, ...]) -> LabelMap:
        """Take a spacing for true, whatever the file says; its place in the patient is lost.

        Raises
        ------
        UsageError
            Not one number above 0 for each axis.
        """
        good = all(math.isfinite(one) and one > 0 for one in spacing_mm)
        if not good or len(spacing_mm) != self.array.ndim:
            raise UsageError(
                expected(
                    "spacing_mm",
                    rule=f"{self.array.ndim} numbers above 0 for {self.source}",
                    got=", ".join(f"{one:g}" for one in spacing_mm) or "none",
                    remedy="Give the distance of voxel centres along each axis, in mm.",
                )
            )
        return self._with(spacing_mm=spacing_mm, geometry=None)

    def _with(self, **changes: Any) -> LabelMap:
        from dataclasses import replace

        return replace(self, **changes)


def mask_suffix(name: str) -> str | None:
    """Give the ending of a mask's file name, ``.nii.gz`` for instance; None for other files.

    Examples
    --------
    >>> mask_suffix("case_1.nii.gz"), mask_suffix("notes.txt")
    ('.nii.gz', None)
    """
    lower = name.lower()
    return next((suffix for suffix in MASK_SUFFIXES if lower.endswith(suffix)), None)


def read_label_map(path: Path) -> LabelMap:
    """Read a label map from a NIfTI, MetaImage or PNG file.

    Whole numbers stored as floating point, scaled by the header or in foreign byte order are read
    as what they mean; what is odd about it is said in the warnings. Hardly more memory is held
    than the labels take. Pictures give their indices (or grey values), not their colours.

    Raises
    ------
    ImageError
        Absent, empty, cut off, damaged, out of bounds, of a format or number of dimensions that is
        no label map's; or its values are no labels: negative, fractions, probabilities, no numbers.
    MissingExtraError
        A MetaImage without the extra ``itk``.
    """
    suffix = mask_suffix(path.name)
    if suffix in _METAIMAGE:
        return _metaimage(path)
    if suffix == ".png":
        return _picture(path)
    if suffix is None:
        check_file(path)
        raise not_a_label_map(
            str(path), "a file of another kind", f"Convert it to {', '.join(MASK_SUFFIXES)}."
        )
    from overread.imaging.label_nifti import read_nifti_labels

    return read_nifti_labels(path)


def _metaimage(path: Path) -> LabelMap:
    from overread.imaging.metaimage import read_metaimage

    volume = read_metaimage(path)
    array = volume.array
    if array.dtype == np.float32 and float(np.abs(array).max()) >= _LARGEST_FLOAT32:
        raise not_a_label_map(
            str(path), f"values beyond {_LARGEST_FLOAT32:,}", "Number labels from 1 on."
        )
    return LabelMap(
        array=_kept(array, str(path)),
        spacing_mm=volume.geometry.spacing_mm,
        geometry=volume.geometry,
        source=str(path),
        warnings=volume.warnings,
    )


def _picture(path: Path) -> LabelMap:
    from PIL import Image

    from overread.imaging.header import read_header

    check_file(path, max_bytes=MAX_FILE_BYTES)
    with path.open("rb") as file:
        header = read_header(file.read(), path)
    check_pixels(path, width=header.width, height=header.height)
    try:
        with Image.open(path, formats=("PNG",)) as picture:
            picture.load()
            mode, pixels = picture.mode, np.asarray(picture)
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        raise not_a_label_map(
            str(path), f"a picture that cannot be decoded ({error})", "Copy the file again."
        ) from error
    warnings: tuple[str, ...] = ()
    if pixels.ndim == 3:
        if mode != "RGB" or (pixels != pixels[:, :, :1]).any():
            raise not_a_label_map(
                str(path),
                f"a picture in colour (mode {mode})",
                "Write labels as grey values or as indices of a palette.",
            )
        pixels, warnings = pixels[:, :, 0], ("grey stored as colour: its grey values were taken",)
    if pixels.dtype == np.bool_:
        pixels = pixels.astype(np.uint8)  # pillow keeps True as 255 in memory
    return LabelMap(
        array=_kept(pixels, str(path)),
        spacing_mm=None,
        geometry=None,
        source=str(path),
        warnings=warnings,
    )


def _kept(array: NDArray[Any], source: str) -> LabelArray:
    keeper = LabelKeeper(source, array.size, slope=1.0, intercept=0.0)
    order = "F" if array.flags.f_contiguous else "C"
    for plane in np.moveaxis(array, -1, 0) if order == "F" else array:
        keeper.take(plane.reshape(-1, order=order))
    return keeper.labels().reshape(array.shape, order=order)
