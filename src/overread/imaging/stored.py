"""One slice as a file holds it: what every format reader gives back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from numpy.typing import NDArray

from overread.imaging.orientation import AS_STORED, Turn

__all__ = ["StoredSlice"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StoredSlice:
    """The pixels of one slice, turned the way a radiologist looks at it, and what they mean."""

    pixels: NDArray[Any]
    """Shape (rows, columns): float32 in HU (`hu`) or in the file's own numbers (`raw`), uint8
    (`display`); or (rows, columns, 3): uint8 RGB (`display`)."""
    unit: Literal["display", "hu", "raw"]
    """`display`: 8-bit, to be shown as it is; `hu`: calibrated; `raw`: numbers without a scale,
    such as MR."""
    spacing_mm: tuple[float, float] | None = None
    """Size of a pixel along x and y of `pixels`."""
    orientation: str = "as stored"
    """Where x and y of `pixels` run in the patient, such as ``LP``."""
    turn: Turn = AS_STORED
    """The turn from the file's own rows and columns to `pixels`."""
    inverted: bool = False
    """Low values are meant to be shown white (DICOM MONOCHROME1)."""
    warnings: tuple[str, ...] = ()
    """What looks odd about the values, for people."""
