"""Every picture becomes one grey: it is there, and shows nothing."""

from __future__ import annotations

from typing import Final

from overread.contracts import Neighbours, NotApplicable, Parameters, Perturbation, Scene
from overread.imaging.item_pictures import with_effect, with_media
from overread.records import Effect, Item, Reference

__all__ = ["PERTURBATION"]

_GREY: Final = 128


class _Grey:
    """Paints every picture over, so that a model still gets one, and every word stays."""

    name = "grey"
    summary = "pictures become one grey; every word stays"
    if_it_falls = "right answers need what is in the picture"
    if_it_stays = "nothing here shows that right answers need what is in the picture"

    def draw(self, item: Item, scene: Scene, seed: int) -> Parameters | NotApplicable:
        """Draw nothing. Not for options that are pictures: no question would be left."""
        if any(option.media is not None for option in item.options):
            return NotApplicable(reason="its options are pictures: without them nothing is asked")
        if not item.media:
            return NotApplicable(reason="it has no picture")
        return {"grey": _GREY}

    def apply(self, item: Item, parameters: Parameters, others: Neighbours) -> Item:
        """Add the effect to every medium."""
        grey = parameters["grey"]
        effect = Effect(name="grey", parameters=(("grey", int(str(grey))),))
        return with_media(item, lambda media: with_effect(media, effect), options=False)

    def move(self, reference: Reference, item: Item, parameters: Parameters) -> Reference:
        """Leave the answer: the question is the same."""
        return reference


PERTURBATION: Final[Perturbation] = _Grey()
