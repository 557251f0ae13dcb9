"""CT-SpatialVQA: open questions about where things are in a chest CT volume (MICCAI 2026)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from overread.benchmarks.ct_spatialvqa.loader import CtSpatialVqaRelease
    from overread.contracts import Card

__all__ = ["BENCHMARK", "CtSpatialVqa"]


class CtSpatialVqa:
    """Opens and synthesises CT-SpatialVQA releases; nothing is imported before it is needed."""

    @property
    def card(self) -> Card:
        """What CT-SpatialVQA is."""
        from overread.benchmarks.ct_spatialvqa.protocol import card

        return card()

    def open(self, root: Path, *, media: Path | None = None) -> CtSpatialVqaRelease:
        """Open a release. ReleaseError when the folder holds no question file.

        `media` is the folder of the CT-RATE download, its top or any folder in it: the release
        ships no volumes. ReleaseError when it is no folder.
        """
        from overread.benchmarks.ct_spatialvqa.loader import CtSpatialVqaRelease

        return CtSpatialVqaRelease(root, media=media)

    def synthesise(self, root: Path, *, seed: int, size: int) -> None:
        """Write a synthetic release of `size` cases. Same seed and size, same bytes."""
        from overread.benchmarks.ct_spatialvqa.synthetic import synthesise

        synthesise(root, seed=seed, size=size)


BENCHMARK = CtSpatialVqa()
