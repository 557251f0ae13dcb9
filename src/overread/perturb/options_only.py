"""The options by themselves: no picture, no question."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from overread.contracts import Neighbours, NotApplicable, Parameters, Perturbation, Scene
from overread.imaging.item_pictures import with_media
from overread.records import Item, Reference

__all__ = ["PERTURBATION"]


class _OptionsOnly:
    """Takes the picture and the question away; options that are pictures stay what they are."""

    name = "options-only"
    summary = "picture and question are taken away; only the options are left"
    if_it_falls = "the options alone do not give the answers away"
    if_it_stays = "nothing here shows that picture and question are needed"

    def draw(self, item: Item, scene: Scene, seed: int) -> Parameters | NotApplicable:
        """Draw nothing. Not for questions without options."""
        if not item.options:
            return NotApplicable(reason="it offers no options")
        return {}

    def apply(self, item: Item, parameters: Parameters, others: Neighbours) -> Item:
        """Empty the question and take its media away."""
        return replace(with_media(item, lambda media: None, options=False), question="")

    def move(self, reference: Reference, item: Item, parameters: Parameters) -> Reference:
        """Leave the answer."""
        return reference


PERTURBATION: Final[Perturbation] = _OptionsOnly()
