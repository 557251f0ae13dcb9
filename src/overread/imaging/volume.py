"""A whole volume in memory: stored numbers, what they mean, and where they lie."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from overread.errors import ImageError, expected
from overread.imaging.bounds import check_voxels
from overread.imaging.geometry import Geometry
from overread.imaging.hounsfield import calibration_warning

__all__ = ["AIR_HU", "MAX_DECODED_BYTES", "Volume", "check_decoded", "volume_of"]

AIR_HU: Final = -300.0
"""No MR and no label map goes below it, and no CT of a chest or belly stays above it."""

MAX_DECODED_BYTES: Final = 2**31
"""Most bytes of voxels held at once: 512 × 512 × 4,096 of 16 bits."""

_SAMPLE: Final = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Volume:
    """A volume as a file holds it. Numbers stay as stored; `values` scales them piece by piece."""

    array: NDArray[Any]
    """Shape as `geometry.shape`, axes i, j, k; 8 or 16 bits, int32 or float32."""
    geometry: Geometry
    unit: Literal["hu", "raw"]
    """`hu`: calibrated CT; `raw`: numbers without a scale, such as MR."""
    slope: float = 1.0
    intercept: float = 0.0
    """A value is ``stored * slope + intercept``."""
    warnings: tuple[str, ...] = ()
    """What looks odd, for people."""

    def values(self, stored: NDArray[Any]) -> NDArray[np.float32]:
        """Scale stored numbers: float32, in HU or in the file's own unit."""
        values = stored.astype(np.float32)
        with np.errstate(over="ignore", invalid="ignore"):  # a hostile slope: infinite, no number
            if self.slope != 1.0:
                values *= np.float32(self.slope)
            if self.intercept != 0.0:
                values += np.float32(self.intercept)
        return values

    def sample(self) -> NDArray[np.float32]:
        """Give up to a million values, taken evenly; all of a small volume. NaN included."""
        step = max(1, math.ceil((self.array.size / _SAMPLE) ** (1 / 3) - 1e-9))
        return self.values(self.array[::step, ::step, ::step])


def check_decoded(source: object, shape: tuple[int, ...], itemsize: int) -> None:
    """Check the size of a volume before its voxels are read. ImageError when out of bounds."""
    check_voxels(Path(str(source)), shape)
    size = itemsize
    for length in shape:
        size *= int(length)
    if size > MAX_DECODED_BYTES:
        raise ImageError(
            expected(
                str(source),
                rule=f"a volume of at most {MAX_DECODED_BYTES:,} bytes of voxels",
                got=f"{size:,} bytes by its header",
                remedy="It was not read. Crop it, or store it with 16 bits.",
            )
        )


def volume_of(
    array: NDArray[Any],
    geometry: Geometry,
    *,
    slope: float,
    intercept: float,
    modality: str | None,
    warnings: tuple[str, ...],
    source: str,
) -> Volume:
    """Decide what the numbers of a volume mean, and look for what speaks against it.

    Parameters
    ----------
    modality
        As DICOM states it: CT is HU and nothing else is. None where the format does not say it:
        then a volume that reaches below -300 is taken for CT in HU, any other for numbers without
        a scale.
    source
        The file, for messages.

    Raises
    ------
    ImageError
        Not one voxel is a number: its pictures would be black, and answered about all the same.
    """
    said = [*geometry.warnings(), *warnings]
    lowest, n_missing = _lowest(array, slope, intercept)
    if n_missing == array.size:
        raise ImageError(
            expected(
                source,
                rule="a volume with values",
                got=f"{n_missing:,} voxels that are no number",
                remedy="Write the file again.",
            )
        )
    if n_missing:
        said.append(f"{n_missing} voxels are no number")
    is_ct = modality == "CT" if modality is not None else lowest <= AIR_HU
    volume = Volume(
        array=array,
        geometry=geometry,
        unit="hu" if is_ct else "raw",
        slope=slope,
        intercept=intercept,
        warnings=(),
    )
    doubt = calibration_warning(volume.sample()) if is_ct else None
    said.extend([doubt] if doubt else [])
    return Volume(
        array=array,
        geometry=geometry,
        unit=volume.unit,
        slope=slope,
        intercept=intercept,
        warnings=tuple(said),
    )


def _lowest(array: NDArray[Any], slope: float, intercept: float) -> tuple[float, int]:
    """Give the lowest value there is (infinity where there is none), and how many are none."""
    if array.dtype.kind != "f":
        ends = float(array.min()), float(array.max())
        return min(end * slope + intercept for end in ends), 0
    lowest, n_missing = np.inf, 0
    for number in range(array.shape[2]):  # slice by slice: a mask of the whole would be large
        plane = array[:, :, number]
        finite = plane[np.isfinite(plane)]
        n_missing += plane.size - finite.size
        if finite.size:
            ends = float(finite.min()), float(finite.max())
            lowest = min(lowest, *(end * slope + intercept for end in ends))
    return float(lowest), n_missing
