"""autoPET III: tumour lesions in whole-body PET/CT, two tracers and two centres."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from overread.errors import UsageError, expected

if TYPE_CHECKING:
    from overread.contracts import Card, Release

__all__ = ["BENCHMARK", "AutoPet3"]


class AutoPet3:
    """Opens and synthesises releases of PET/CT studies; nothing is imported before it is needed."""

    @property
    def card(self) -> Card:
        """What the challenge is."""
        from overread.benchmarks.autopet3.protocol import CARD

        return CARD

    def open(self, root: Path, *, media: Path | None = None) -> Release:
        """Open a release. ReleaseError when the folder holds no study with a mask.

        UsageError when `media` is given: the volumes lie in the release.
        """
        from overread.benchmarks.autopet3.loader import AutoPet3Release

        if media is not None:
            raise UsageError(
                expected(
                    "--media",
                    rule="nothing: this benchmark's volumes lie in its release",
                    got=media,
                    remedy="Leave it out.",
                )
            )
        return AutoPet3Release(root)

    def synthesise(self, root: Path, *, seed: int, size: int) -> None:
        """Write `size` studies, and masks of two methods. Same seed and size, same bytes."""
        from overread.benchmarks.autopet3.synthetic import synthesise

        synthesise(root, seed=seed, size=size)


BENCHMARK = AutoPet3()
