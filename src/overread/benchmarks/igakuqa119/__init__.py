"""IgakuQA119: the 119th Japanese physician licensing exam, 400 questions, 103 with figures."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from overread.errors import UsageError, expected

if TYPE_CHECKING:
    from overread.contracts import Card, Release

__all__ = ["BENCHMARK", "IgakuQa119"]


class IgakuQa119:
    """Opens and synthesises releases of the exam; nothing is imported before it is needed."""

    @property
    def card(self) -> Card:
        """What the exam is."""
        from overread.benchmarks.igakuqa119.protocol import CARD

        return CARD

    def open(self, root: Path, *, media: Path | None = None) -> Release:
        """Open a release. ReleaseError when the folder holds no question file.

        UsageError when `media` is given: the figures lie in the release.
        """
        from overread.benchmarks.igakuqa119.loader import IgakuQa119Release

        if media is not None:
            raise UsageError(
                expected(
                    "--media",
                    rule="nothing: this benchmark's figures lie in its release",
                    got=media,
                    remedy="Leave it out.",
                )
            )
        return IgakuQa119Release(root)

    def synthesise(self, root: Path, *, seed: int, size: int) -> None:
        """Write a synthetic exam of `size` questions. Same seed and size, same bytes."""
        from overread.benchmarks.igakuqa119.synthetic import synthesise

        synthesise(root, seed=seed, size=size)


BENCHMARK = IgakuQa119()
