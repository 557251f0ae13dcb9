"""What published preparations do beyond the steps of `records.VolumeRecipe`.

Standard library only, so that a benchmark's card may name recipes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from overread.records import VolumeRecipe

__all__ = ["Grid", "PublishedRecipe"]

Grid: TypeAlias = Literal["centred", "first-voxel", "edges"]
"""Where new voxels lie, see `imaging.resample`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedRecipe(VolumeRecipe):
    """A preparation with the steps that models of the literature were given."""

    grid: Grid = "centred"
    stretch: tuple[int, int, int] | None = None
    """Stretch the volume to so many voxels along the axes, whatever its spacing; instead of
    `spacing_mm`."""
    intensity_range: Literal["windows", "volume", "resampled"] = "windows"
    """`volume`: one window from the least to the greatest value of the volume as stored;
    `resampled`: of the volume after resampling."""
