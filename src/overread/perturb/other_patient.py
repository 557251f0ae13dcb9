"""The same question beside the pictures of another patient."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

import numpy as np

from overread.contracts import Neighbours, NotApplicable, Parameters, Perturbation, Scene
from overread.imaging.item_pictures import with_media
from overread.records import Item, Media, Reference

__all__ = ["PERTURBATION"]

_UNITS: Final = ("patient", "study", "series", "case", "lesion")
"""Ids by which two items are told apart; the first that an item has decides."""
_TRIES: Final = 64


class _OtherPatient:
    """Puts the pictures of another item in place: same task, same condition, another patient."""

    name = "other-patient"
    summary = "the pictures become those of another patient's question of the same task"
    if_it_falls = "right answers rest on the picture of this very patient"
    if_it_stays = "nothing here shows that it matters whose picture is shown"

    def draw(self, item: Item, scene: Scene, seed: int) -> Parameters | NotApplicable:
        """Draw the other item, each with the same chance."""
        if any(option.media is not None for option in item.options):
            return NotApplicable(reason="its options are pictures: others would be other options")
        if not item.media:
            return NotApplicable(reason="it has no picture")
        alike = scene.others.alike(item)
        if not alike:
            return NotApplicable(reason="no other question of its task and condition is asked")
        rng = np.random.default_rng(seed)
        for place in rng.integers(len(alike), size=_TRIES).tolist():
            if _is_other(item, alike[place]):
                return {"item": alike[place].id}
        # Hardly any is of another patient, or none: look through all of them.
        left = [other.id for other in alike if _is_other(item, other)]
        if not left:
            return NotApplicable(
                reason="no question of its task and condition shows another patient"
            )
        return {"item": left[int(rng.integers(len(left)))]}

    def apply(self, item: Item, parameters: Parameters, others: Neighbours) -> Item:
        """Show the other item's files by this item's recipes."""
        donor = others[str(parameters["item"])]
        shown = dict(_pairs(item, donor))
        return with_media(item, lambda media: shown.get(media, media), options=False)

    def move(self, reference: Reference, item: Item, parameters: Parameters) -> Reference:
        """Leave the answer: what would be right of the other picture is not known."""
        return reference


def _is_other(item: Item, other: Item) -> bool:
    """Say whether another item can lend its pictures."""
    if len(other.media) != len(item.media) or any(
        one.kind != two.kind for one, two in zip(item.media, other.media, strict=True)
    ):
        return False
    if {path for one in item.media for path in one.paths} & {
        path for one in other.media for path in one.paths
    }:
        return False
    unit = next((name for name in _UNITS if name in item.groups), None)
    return unit is None or other.groups.get(unit, item.groups[unit]) != item.groups[unit]


def _pairs(item: Item, donor: Item) -> Iterator[tuple[Media, Media]]:
    """Pair each medium with what is shown in its place: where boxes lie is the donor's."""
    for mine, theirs in zip(item.media, donor.media, strict=True):
        yield mine, replace(theirs, recipe=mine.recipe)


PERTURBATION: Final[Perturbation] = _OtherPatient()
