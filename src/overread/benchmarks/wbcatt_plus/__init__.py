"""WBCAtt and WBCAtt+: eleven attributes and five cell components of white blood cells."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from overread.contracts import Card, Release

__all__ = ["BENCHMARK", "WbcAttPlus"]


class WbcAttPlus:
    """Opens and synthesises releases; nothing is imported before it is needed."""

    @property
    def card(self) -> Card:
        """What the benchmark is."""
        from overread.benchmarks.wbcatt_plus.protocol import CARD

        return CARD

    def open(self, root: Path, *, media: Path | None = None) -> Release:
        """Open a release. ReleaseError when the folder holds no attribute table.

        `media` is the folder that holds ``PBC_dataset_normal_DIB``, where the pictures of WBCAtt
        were downloaded apart from its tables.
        """
        from overread.benchmarks.wbcatt_plus.loader import WbcAttPlusRelease

        return WbcAttPlusRelease(root, media=media)

    def synthesise(self, root: Path, *, seed: int, size: int) -> None:
        """Write a synthetic release of `size` cells. Same seed and size, same bytes."""
        from overread.benchmarks.wbcatt_plus.synthetic import synthesise

        synthesise(root, seed=seed, size=size)


BENCHMARK = WbcAttPlus()
"""Opens a WBCAtt or WBCAtt+ release: attribute tables, pictures, component masks."""
