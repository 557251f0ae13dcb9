"""Previews of volumes: a few even slices of each case on one picture, for people.

What a model was sent of a volume may be an array, or more slices than a page can hold; the receipts
tell it. A preview is made by a recipe of its own, once for all questions and runs of a case.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from overread.records import Media, Recipe, VolumeRecipe, Window

__all__ = ["MOST_PREVIEWS", "PREVIEW", "in_order_of_trying", "preview_of"]

MOST_PREVIEWS: Final = 40
"""Volumes shown when nobody says how many: each takes seconds to read and some 50 kB of page."""

PREVIEW: Final = VolumeRecipe(
    name="report-preview",
    source="overread's report; no model was shown it",
    axes="SPL",
    spacing_mm=(3.0, 2.0, 2.0),
    windows=(Window(low_hu=-1000, high_hu=400),),
    slices=12,
    output="mosaic",
)
"""Twelve even slices from feet to head, seen from the feet: the patient's right is on the left."""


def preview_of(media: Media) -> Media:
    """Give the volume as its preview, changed as it was sent; equal for all other recipes."""
    recipe = Recipe(volume=PREVIEW, effects=media.recipe.effects)
    return replace(media, recipe=recipe, boxes=(), spacing_mm=None)


def in_order_of_trying(volumes: Sequence[Media], *, most: int) -> tuple[Media, ...]:
    """Order volumes so that the first `most` are spread evenly over them; the rest follow.

    Examples
    --------
    >>> volumes = [Media(paths=(f"{n}",), kind="volume") for n in range(5)]
    >>> [media.paths[0] for media in in_order_of_trying(volumes, most=2)]
    ['0', '2', '1', '3', '4']
    """
    if not 0 < most < len(volumes):
        return tuple(volumes)
    first = [volumes[place * len(volumes) // most] for place in range(most)]
    chosen = set(first)
    return (*first, *(volume for volume in volumes if volume not in chosen))
