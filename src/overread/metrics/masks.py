"""What a pair of masks has beside its overlap and surfaces: the size of the grid."""

from __future__ import annotations

from typing import Final

from overread.metrics.spec import MetricSpec

__all__ = ["GRID_DIAGONAL"]

GRID_DIAGONAL: Final = MetricSpec(
    name="grid_diagonal_mm",
    version="1",
    title="Diagonal of the grid",
    direction="none",
    low=0.0,
    high=float("inf"),
    unit="mm",
    properties=frozenset(),
    undefined="the file states no voxel size",
)
"""From the grid's first corner to its last, voxels whole: no distance of two masks on it is longer,
so that it can stand for the distance to a structure that was not found."""
