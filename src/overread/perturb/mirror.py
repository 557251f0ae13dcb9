"""Left and right of the picture change places; question, options and answer do not."""

from __future__ import annotations

from typing import Final

from overread.contracts import Neighbours, NotApplicable, Parameters, Perturbation, Scene
from overread.imaging.item_pictures import with_effect, with_media
from overread.records import Effect, Item, Reference

__all__ = ["PERTURBATION"]


class _Mirror:
    """Mirrors every picture, those to choose from too.

    Words of side stay where they are, and so does the answer: a reader who looks is wrong where a
    side decides, and one who does not look does not notice.
    """

    name = "mirror"
    summary = "pictures are mirrored left to right; words of side and the answer stay"
    if_it_falls = "sides are read from the picture"
    if_it_stays = "nothing here shows that sides are read from the picture"

    def draw(self, item: Item, scene: Scene, seed: int) -> Parameters | NotApplicable:
        """Draw nothing."""
        if not item.media and all(option.media is None for option in item.options):
            return NotApplicable(reason="it has no picture")
        return {}

    def apply(self, item: Item, parameters: Parameters, others: Neighbours) -> Item:
        """Add the effect to every medium."""
        effect = Effect(name="mirror")
        return with_media(item, lambda media: with_effect(media, effect), options=True)

    def move(self, reference: Reference, item: Item, parameters: Parameters) -> Reference:
        """Leave the answer."""
        return reference


PERTURBATION: Final[Perturbation] = _Mirror()
