"""MedVIGIL: paired probes with broken evidence on 300 cases, folded into one harmonic composite."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from overread.contracts import Card, Release

__all__ = ["BENCHMARK", "MedVigil"]


class MedVigil:
    """Opens and synthesises releases; nothing is imported before it is needed."""

    @property
    def card(self) -> Card:
        """What the benchmark is."""
        from overread.benchmarks.medvigil.protocol import CARD

        return CARD

    def open(self, root: Path, *, media: Path | None = None) -> Release:
        """Open a release. ReleaseError when the folder holds no probe file.

        `media` is a folder with ``images`` and ``images_perturbed`` where they do not lie in the
        release.
        """
        from overread.benchmarks.medvigil.loader import MedVigilRelease

        return MedVigilRelease(root, media=media)

    def synthesise(self, root: Path, *, seed: int, size: int) -> None:
        """Write a synthetic release of `size` cases. Same seed and size, same bytes."""
        from overread.benchmarks.medvigil.synthetic import synthesise

        synthesise(root, seed=seed, size=size)


BENCHMARK = MedVigil()
