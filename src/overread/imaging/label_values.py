"""Numbers of a file as labels: whole, not negative, kept in the smallest type that holds them."""

from __future__ import annotations

from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from overread.errors import ImageError, expected

__all__ = ["LabelKeeper", "not_a_label_map"]

LabelArray: TypeAlias = NDArray[np.unsignedinteger]
"""Labels of voxels: 8, 16 or 32 bits without sign."""

_TYPES: Final = (np.uint8, np.uint16, np.uint32)
_ROUNDING: Final = 1e-5
"""How far a scaled value may lie off a whole number, relative to its size: a header keeps its
slope in 32 bits."""


class LabelKeeper:
    """Takes a file's numbers piece by piece, so that little more than the labels is ever held.

    Parameters
    ----------
    source
        The file, for messages.
    size
        Voxels in all.
    slope, intercept
        A value is ``stored * slope + intercept``.
    """

    __slots__ = ("_filled", "_intercept", "_labels", "_slope", "_source")

    def __init__(self, source: str, size: int, *, slope: float, intercept: float) -> None:
        self._source = source
        self._slope = slope
        self._intercept = intercept
        self._labels: LabelArray = np.empty(size, dtype=np.uint8)
        self._filled = 0

    @property
    def is_scaled(self) -> bool:
        """Whether stored numbers are not the values themselves."""
        return (self._slope, self._intercept) != (1.0, 0.0)

    def take(self, stored: NDArray[Any]) -> None:
        """Take the next numbers of the file, one axis.

        Raises
        ------
        ImageError
            A value is no number, no whole number, negative or beyond 32 bits.
        """
        end = self._filled + stored.size
        if stored.dtype == np.uint8 and not self.is_scaled:
            self._labels[self._filled : end] = stored
            self._filled = end
            return
        values = self._whole(stored)
        lowest, highest = (int(values.min()), int(values.max())) if values.size else (0, 0)
        if lowest < 0:
            raise not_a_label_map(
                self._source,
                f"negative values, {lowest} among them",
                "Write labels as 0 for background and whole numbers above it.",
            )
        if highest > np.iinfo(np.uint32).max:
            raise not_a_label_map(
                self._source,
                f"a value of {highest:,}",
                "Number labels from 1 on; no label map has so many.",
            )
        if highest > np.iinfo(self._labels.dtype).max:
            wider = next(kind for kind in _TYPES if highest <= np.iinfo(kind).max)
            self._labels = self._labels.astype(wider)
        self._labels[self._filled : end] = values
        self._filled = end

    def labels(self) -> LabelArray:
        """Give all that was taken, one axis."""
        return self._labels

    def _whole(self, stored: NDArray[Any]) -> NDArray[Any]:
        if stored.dtype.kind in "iub" and not self.is_scaled:
            return stored
        with np.errstate(over="ignore", invalid="ignore"):  # hostile: refused below
            values = stored.astype(np.float64)
            if self.is_scaled:
                values *= self._slope
                values += self._intercept
        finite = np.isfinite(values)
        if not finite.all():
            raise not_a_label_map(
                self._source,
                "voxels that are no number (NaN or infinite)",
                "Write the mask again, with 0 where there is nothing.",
            )
        whole = np.rint(values)
        off = np.abs(values - whole)
        allowed = _ROUNDING * np.maximum(1.0, np.abs(whole)) if self.is_scaled else 0.0
        if (off > allowed).any():
            raise self._fractions(values, values[off > allowed])
        return whole

    def _fractions(self, values: NDArray[np.float64], odd: NDArray[np.float64]) -> ImageError:
        some = ", ".join(_digits(value) for value in np.unique(odd)[:3].tolist())
        if values.min() >= 0.0 and values.max() <= 1.0:
            return not_a_label_map(
                self._source,
                f"a map of probabilities or parts of voxels (values such as {some})",
                "Decide on labels first: a threshold, or the most probable one of several.",
            )
        return not_a_label_map(
            self._source,
            f"values that are no whole numbers, such as {some}",
            "Write labels as whole numbers; resample label maps by the nearest voxel only.",
        )


def _digits(value: float) -> str:
    """Write a value that is no whole number so that it does not look like one."""
    short = f"{value:.4g}"
    return f"{value:.10g}" if float(short).is_integer() else short


def not_a_label_map(source: str, got: str, remedy: str) -> ImageError:
    """Say why a file is no label map."""
    return ImageError(
        expected(source, rule="a label map of whole numbers from 0", got=got, remedy=remedy)
    )
