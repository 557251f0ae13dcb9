"""JMed48k-Eval: eleven Japanese healthcare licensing exams, with and without their figures."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from overread.errors import UsageError, expected

if TYPE_CHECKING:
    from overread.contracts import Card, Release

__all__ = ["BENCHMARK", "JMed48k"]


class JMed48k:
    """Opens and synthesises releases of the exams; nothing is imported before it is needed."""

    @property
    def card(self) -> Card:
        """What the exams are."""
        from overread.benchmarks.jmed48k.protocol import CARD

        return CARD

    def open(self, root: Path, *, media: Path | None = None) -> Release:
        """Open a release. ReleaseError when the folder holds no paper that can be read.

        UsageError when `media` is given: the figures lie in the release.
        """
        from overread.benchmarks.jmed48k.loader import JMed48kRelease

        if media is not None:
            raise UsageError(
                expected(
                    "--media",
                    rule="nothing: this benchmark's figures lie in its release",
                    got=media,
                    remedy="Leave it out.",
                )
            )
        return JMed48kRelease(root)

    def synthesise(self, root: Path, *, seed: int, size: int) -> None:
        """Write a synthetic release of `size` questions. Same seed and size, same bytes."""
        from overread.benchmarks.jmed48k.synthetic import synthesise

        synthesise(root, seed=seed, size=size)


BENCHMARK = JMed48k()
