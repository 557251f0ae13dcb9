"""HalluCXR: what free descriptions of chest radiographs make up and leave out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from overread.contracts import Card, Release

__all__ = ["BENCHMARK", "HalluCxr"]


class HalluCxr:
    """Opens and synthesises releases; nothing is imported before it is needed."""

    @property
    def card(self) -> Card:
        """What the benchmark is."""
        from overread.benchmarks.hallucxr.protocol import CARD

        return CARD

    def open(self, root: Path, *, media: Path | None = None) -> Release:
        """Open a release. ReleaseError when the folder holds no list of pictures.

        `media` is the folder of the pictures, such as a copy of MIMIC-CXR-JPG.
        """
        from overread.benchmarks.hallucxr.loader import HalluCxrRelease

        return HalluCxrRelease(root, media=media)

    def synthesise(self, root: Path, *, seed: int, size: int) -> None:
        """Write a synthetic release of `size` pictures. Same seed and size, same bytes."""
        from overread.benchmarks.hallucxr.synthetic import synthesise

        synthesise(root, seed=seed, size=size)


BENCHMARK = HalluCxr()
