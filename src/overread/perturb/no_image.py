"""The same question with its pictures taken away."""

from __future__ import annotations

from typing import Final

from overread.contracts import Neighbours, NotApplicable, Parameters, Perturbation, Scene
from overread.imaging.item_pictures import with_media
from overread.records import Item, Reference

__all__ = ["PERTURBATION"]


class _NoImage:
    """Takes the pictures away and leaves every word."""

    name = "no-image"
    summary = "the pictures are taken away; every word stays"
    if_it_falls = "right answers need the picture"
    if_it_stays = "nothing here shows that right answers need the picture"

    def draw(self, item: Item, scene: Scene, seed: int) -> Parameters | NotApplicable:
        """Draw nothing. Not for options that are pictures: no question would be left."""
        if any(option.media is not None for option in item.options):
            return NotApplicable(reason="its options are pictures: without them nothing is asked")
        if not item.media:
            return NotApplicable(reason="it has no picture")
        return {}

    def apply(self, item: Item, parameters: Parameters, others: Neighbours) -> Item:
        """Take the media out of the item and of its prompt."""
        return with_media(item, lambda media: None, options=False)

    def move(self, reference: Reference, item: Item, parameters: Parameters) -> Reference:
        """Leave the answer: the question is the same."""
        return reference


PERTURBATION: Final[Perturbation] = _NoImage()
