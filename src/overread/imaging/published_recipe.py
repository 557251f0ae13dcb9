"""What published preparations do beyond the steps of `records.VolumeRecipe`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from overread.imaging.resample import Grid
from overread.records import VolumeRecipe

__all__ = ["PublishedRecipe"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedRecipe(VolumeRecipe):
    """A preparation with the steps that models of the literature were given."""

    grid: Grid = "centred"
    """Where new voxels lie, see `imaging.resample`."""
    stretch: tuple[int, int, int] | None = None
    """Stretch the volume to so many voxels along the axes, whatever its spacing; instead of
    `spacing_mm`."""
    intensity_range: Literal["windows", "volume", "resampled"] = "windows"
    """`volume`: one window from the least to the greatest value of the volume as stored;
    `resampled`: of the volume after resampling."""
