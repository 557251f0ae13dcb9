"""A complete small benchmark to copy: four-choice questions about pictures of one shape.

The registry passes over names that start with an underscore; `docs/how-to/add-a-benchmark.md` leads
through these files. They are held to the same contract suite as every other benchmark.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from overread.errors import UsageError, expected

if TYPE_CHECKING:
    from overread.contracts import Card, Release

__all__ = ["BENCHMARK", "Template"]


class Template:
    """Opens and synthesises releases; nothing is imported before it is needed."""

    @property
    def card(self) -> Card:
        """What the benchmark is."""
        from overread.benchmarks._template.protocol import CARD

        return CARD

    def open(self, root: Path, *, media: Path | None = None) -> Release:
        """Open a release. ReleaseError when the folder holds no question file.

        UsageError when `media` is given: the pictures lie in the release.
        """
        from overread.benchmarks._template.loader import TemplateRelease

        if media is not None:
            raise UsageError(
                expected(
                    "--media",
                    rule="nothing: this benchmark's pictures lie in its release",
                    got=media,
                    remedy="Leave it out.",
                )
            )
        return TemplateRelease(root)

    def synthesise(self, root: Path, *, seed: int, size: int) -> None:
        """Write a synthetic release of `size` pictures. Same seed and size, same bytes."""
        from overread.benchmarks._template.synthetic import synthesise

        synthesise(root, seed=seed, size=size)


BENCHMARK = Template()
