"""The general scorer of masks, for lesions: a case without a usable mask has missed all of them.

What it would have invented is not known: its false positive volume has no value.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from overread.metrics.lesions import FNV_ML
from overread.metrics.overlap import REFERENCE_ML
from overread.records import Item, Reference, Response, Score, Status
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
        rows = list(MaskScorer.score(self, item, reference, response))
        volumes = {row.target: row.value for row in rows if row.metric == REFERENCE_ML.name}
        for row in rows:
            is_open = row.value is None and row.status is not Status.UNDEFINED
            volume = volumes.get(row.target)
            if row.metric == FNV_ML.name and is_open and volume:
                yield replace(row, value=volume, status=Status.OK)
            else:
                yield row
