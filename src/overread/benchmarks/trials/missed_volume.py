"""The general scorer of masks, for lesions: a case without a usable mask has missed all of them.

What it would have invented is not known: its false positive volume has no value.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from overread.records import Item, Reference, Response, Score
from overread.scoring.masks.missed_volume import with_missed_volume
from overread.scoring.masks.standard import MaskScorer

__all__ = ["LesionMaskScorer"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LesionMaskScorer(MaskScorer):
    """A `MaskScorer` by which the missed volume of a lost mask is the reference's."""

    def score(self, item: Item, reference: Reference, response: Response) -> Iterator[Score]:
        """Score one mask.

        Raises
        ------
        UsageError
            The records do not belong together, or the item asks for no mask.
        """
        yield from with_missed_volume(MaskScorer.score(self, item, reference, response))
