"""CT-Bench: a lesion exam on CT, and the lesion set behind it (arXiv 2602.14879)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from overread.errors import UsageError, expected

if TYPE_CHECKING:
    from overread.contracts import Card, Release

__all__ = ["BENCHMARK", "CtBench"]


class CtBench:
    """Opens and synthesises CT-Bench releases; nothing is imported before it is needed."""

    @property
    def card(self) -> Card:
        """What CT-Bench is."""
        from overread.benchmarks.ct_bench.protocol import card

        return card()

    def open(self, root: Path, *, media: Path | None = None) -> Release:
        """Open a release. ReleaseError when the folder holds no question file.

        UsageError when `media` is given: the pictures lie in the release.
        """
        from overread.benchmarks.ct_bench.loader import CtBenchRelease

        if media is not None:
            raise UsageError(
                expected(
                    "--media",
                    rule="nothing: this benchmark's pictures lie in its release",
                    got=media,
                    remedy="Leave it out.",
                )
            )
        return CtBenchRelease(root)

    def synthesise(self, root: Path, *, seed: int, size: int) -> None:
        """Write a synthetic release of `size` lesions. Same seed and size, same bytes."""
        from overread.benchmarks.ct_bench.synthetic import synthesise

        synthesise(root, seed=seed, size=size)


BENCHMARK = CtBench()
