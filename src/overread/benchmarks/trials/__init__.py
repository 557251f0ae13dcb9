"""TriALS: liver lesions in four phases of CT, and with clicks; challenges of 2024 and 2025."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from overread.benchmarks.trials.loader import TrialsRelease
    from overread.contracts import Card

__all__ = ["BENCHMARK", "Trials"]


class Trials:
    """Opens and synthesises TriALS releases; nothing is imported before it is needed."""

    @property
    def card(self) -> Card:
        """What TriALS is."""
        from overread.benchmarks.trials.protocol import CARD

        return CARD

    def open(self, root: Path, *, media: Path | None = None) -> TrialsRelease:
        """Open a release. ReleaseError when the folder holds no id list and no reference mask.

        `media` is the folder of CT volumes where they do not lie in the release: the repository
        ships none.
        """
        from overread.benchmarks.trials.loader import TrialsRelease

        return TrialsRelease(root, media=media)

    def synthesise(self, root: Path, *, seed: int, size: int) -> None:
        """Write a synthetic release of `size` volumes. Same seed and size, same bytes."""
        from overread.benchmarks.trials.synthetic import synthesise

        synthesise(root, seed=seed, size=size)


BENCHMARK = Trials()
