"""Every picture out of focus: large shapes stay, small ones go."""

from __future__ import annotations

from typing import Final, cast

from overread.contracts import Neighbours, NotApplicable, Parameters, Perturbation, Scene
from overread.imaging.item_pictures import with_effect, with_media
from overread.records import Effect, Item, Reference

__all__ = ["PERTURBATION"]

_SIGMA_OF_SIDE: Final = 1 / 64
"""8 pixels on a picture of 512: lesions of a few millimetres are gone, organs are not."""


class _Blur:
    """Blurs every picture, those to choose from too."""

    name = "blur"
    summary = "pictures are blurred: sigma is 1/64 of the longer side, 8 px of 512"
    if_it_falls = "right answers need fine detail"
    if_it_stays = "nothing here shows that fine detail is used"

    def draw(self, item: Item, scene: Scene, seed: int) -> Parameters | NotApplicable:
        """Take the one strength: doses are compared run by run, not item by item."""
        if not item.media and all(option.media is None for option in item.options):
            return NotApplicable(reason="it has no picture")
        return {"sigma_of_side": _SIGMA_OF_SIDE}

    def apply(self, item: Item, parameters: Parameters, others: Neighbours) -> Item:
        """Add the effect to every medium."""
        sigma = cast("float", parameters["sigma_of_side"])
        effect = Effect(name="blur", parameters=(("sigma_of_side", sigma),))
        return with_media(item, lambda media: with_effect(media, effect), options=True)

    def move(self, reference: Reference, item: Item, parameters: Parameters) -> Reference:
        """Leave the answer."""
        return reference


PERTURBATION: Final[Perturbation] = _Blur()
