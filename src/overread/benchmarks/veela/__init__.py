"""VEELA: hepatic and portal veins in CT angiography of the liver (arXiv 2605.22357)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from overread.benchmarks.veela.loader import VeelaRelease
    from overread.contracts import Card

__all__ = ["BENCHMARK", "Veela"]


class Veela:
    """Opens and synthesises VEELA releases; nothing is imported before it is needed."""

    @property
    def card(self) -> Card:
        """What VEELA is."""
        from overread.benchmarks.veela.protocol import CARD

        return CARD

    def open(self, root: Path, *, media: Path | None = None) -> VeelaRelease:
        """Open a release. ReleaseError when the folder holds no reference mask.

        `media` is the folder of the scans, where they do not lie beside the references.
        ReleaseError when it is no folder.
        """
        from overread.benchmarks.veela.loader import VeelaRelease

        return VeelaRelease(root, media=media)

    def synthesise(self, root: Path, *, seed: int, size: int) -> None:
        """Write a synthetic release of `size` cases. Same seed and size, same bytes."""
        from overread.benchmarks.veela.synthetic import synthesise

        synthesise(root, seed=seed, size=size)


BENCHMARK = Veela()
