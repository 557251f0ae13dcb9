"""CT shown in a window for other tissue, where the file still has its HU."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Final, cast

import numpy as np

from overread.contracts import Neighbours, NotApplicable, Parameters, Perturbation, Scene
from overread.errors import ImageError, UnsafePathError
from overread.imaging.item_pictures import with_media
from overread.imaging.window import ABDOMEN
from overread.records import Item, Media, Reference, Window

__all__ = ["PERTURBATION"]

_WINDOWS: Final[Mapping[str, Window]] = {
    "brain": Window.centred(40, 80),
    "abdomen": ABDOMEN,
    "lung": Window.centred(-600, 1500),
    "bone": Window.centred(400, 1800),
}
"""Usual windows by centre and width in HU."""
_MOST_ALIKE: Final = 0.5
"""A window that shares more than this of the range of both is not wrong enough."""


class _WrongWindow:
    """Shows stored HU in another of the usual windows, drawn from those unlike the item's own."""

    name = "wrong-window"
    summary = "stored HU are shown in a window for other tissue"
    if_it_falls = "right answers need the grey values of the usual window"
    if_it_stays = "nothing here shows that grey values are used"

    def draw(self, item: Item, scene: Scene, seed: int) -> Parameters | NotApplicable:
        """Draw the window. Only where files hold HU: an 8-bit picture has lost what lies beyond."""
        media = _all_media(item)
        if not media:
            return NotApplicable(reason="it has no picture")
        shown = [window for one in media for window in _shown(one)]
        if len({bool(_shown(one)) for one in media}) != 1 or not shown:
            return NotApplicable(reason="its preparation shows no window: the model gets HU")
        try:
            units = {scene.unit_of(one) for one in media}
        except (ImageError, UnsafePathError):
            return NotApplicable(reason="a picture of it cannot be read")
        if units != {"hu"}:
            return NotApplicable(
                reason="its pictures are stored as grey values, not as HU"
                if "display" in units
                else "its volume or picture is not in HU"
            )
        names = [
            name
            for name, window in _WINDOWS.items()
            if all(_overlap(window, other) <= _MOST_ALIKE for other in shown)
        ]
        if not names:
            return NotApplicable(reason="no usual window is unlike the one it is shown in")
        window = _WINDOWS[names[int(np.random.default_rng(seed).integers(len(names)))]]
        return {"low_hu": window.low_hu, "high_hu": window.high_hu}

    def apply(self, item: Item, parameters: Parameters, others: Neighbours) -> Item:
        """Put the window into the recipe of every medium."""
        low, high = (cast("float", parameters[key]) for key in ("low_hu", "high_hu"))
        window = Window(low_hu=float(low), high_hu=float(high))
        return with_media(item, lambda media: _windowed(media, window), options=True)

    def move(self, reference: Reference, item: Item, parameters: Parameters) -> Reference:
        """Leave the answer."""
        return reference


def _all_media(item: Item) -> list[Media]:
    options = (option.media for option in item.options)
    return [*item.media, *(media for media in options if media is not None)]


def _shown(media: Media) -> Iterable[Window]:
    """Give the windows a medium is shown in; none where it goes out as numbers."""
    volume = media.recipe.volume
    if volume is None:
        return (media.recipe.window or ABDOMEN,)
    if volume.intensity_range != "windows":
        return ()
    if volume.windows:
        return volume.windows
    return () if volume.output == "array" else (ABDOMEN,)


def _windowed(media: Media, window: Window) -> Media:
    recipe = media.recipe
    if recipe.volume is None:
        return replace(media, recipe=replace(recipe, window=window))
    windows = (window,) * max(1, len(recipe.volume.windows))
    volume = replace(recipe.volume, windows=windows)
    return replace(media, recipe=replace(recipe, volume=volume))


def _overlap(one: Window, two: Window) -> float:
    """Give the share of their joint range that both windows show."""
    both = min(one.high_hu, two.high_hu) - max(one.low_hu, two.low_hu)
    either = max(one.high_hu, two.high_hu) - min(one.low_hu, two.low_hu)
    return max(0.0, both) / either if either > 0 else 1.0


PERTURBATION: Final[Perturbation] = _WrongWindow()
