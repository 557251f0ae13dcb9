"""What changes of pixels in five doses share: levels, the released code's way, doses by likeness.

A kind in this package states its table of parameters and is otherwise this class. A level is
``3`` (the parameter of the table), ``3-published`` (the same, with all that the released code does
to the picture afterwards) or ``3-ssim`` (the parameter is sought so that the picture is as unlike
the original as the level says).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final, cast

import numpy as np

from overread.contracts import Neighbours, NotApplicable, Parameters, Perturbation, Scene
from overread.errors import UsageError, expected
from overread.imaging.calibration import Search, dose_by_likeness
from overread.imaging.item_pictures import with_effect, with_media
from overread.records import Effect, Item, JsonValue, Media, Reference

__all__ = ["LEVELS", "DosedPicture", "Values"]

Values = Mapping[str, "bool | int | float | str"]

LEVELS: Final = ("1", "2", "3", "4", "5")
_DEFAULT: Final = "3"
_PUBLISHED, _SSIM = "published", "ssim"
_MOST_SEED: Final = 2**32


@dataclass(frozen=True, slots=True, kw_only=True)
class DosedPicture:
    """One kind of change of pixels: a `Perturbation` and `contracts.Dosed`.

    Where boxes or masks move with the picture (`imaging.picture_effect`), so do the references: a
    mask by `Reference.effects`, boxes in words by the effect's own rule.
    """

    kind: str
    """The name without a dose."""
    summary: str
    effect: str
    """Of `imaging.effects`."""
    table: Mapping[str, Values]
    """Level → parameters of the effect, as the source has them."""
    modalities: frozenset[str] = frozenset()
    """Values of ``modality`` among an item's strata that it is made for; empty for all. An item
    that does not say its modality is changed."""
    is_random: bool = False
    """Whether the effect takes a ``seed``, drawn anew for each item."""
    search: Search | None = None
    """The parameter by which a dose is sought, and its range; None where there is none."""
    published: tuple[Effect, ...] = (Effect(name="minmax"),)
    """What the released code does afterwards, in the ``-published`` doses."""
    level: str = _DEFAULT
    if_it_falls: str = "right answers do not outlast this change of the picture"
    if_it_stays: str = "nothing here shows that this change of the picture matters"
    is_dose: bool = False
    """Whether the dose stands in the name."""

    @property
    def name(self) -> str:
        """The kind, with its dose where one was asked for."""
        return f"{self.kind}@{self.level}" if self.is_dose else self.kind

    @property
    def levels(self) -> tuple[str, ...]:
        """All doses, weakest first, in up to three ways."""
        ways = [*LEVELS, *(f"{level}-{_PUBLISHED}" for level in LEVELS)]
        if self.search is not None:
            ways += [f"{level}-{_SSIM}" for level in LEVELS]
        return tuple(ways)

    def at(self, level: str) -> Perturbation:
        """Give one dose. UsageError lists those there are."""
        if level not in self.levels:
            raise UsageError(
                expected(
                    self.kind,
                    rule="@ and one of " + ", ".join(self.levels),
                    got=repr(level),
                    remedy=f"Write for instance {self.kind}@3.",
                )
            )
        return replace(self, level=level, is_dose=True)

    def draw(self, item: Item, scene: Scene, seed: int) -> Parameters | NotApplicable:
        """Draw the seed of what is random, and seek the dose where it goes by likeness."""
        media = [*item.media, *(each.media for each in item.options if each.media is not None)]
        if not media:
            return NotApplicable(reason="it has no picture")
        modality = item.strata.get("modality")
        if self.modalities and modality is not None and modality not in self.modalities:
            return NotApplicable(reason=f"it is made for {', '.join(sorted(self.modalities))}")
        number, _, way = self.level.partition("-")
        values: dict[str, JsonValue] = dict(self.table[number])
        if self.is_random:
            values["seed"] = int(np.random.default_rng(seed).integers(_MOST_SEED))
        if way == _SSIM and self.search is not None:
            found = dose_by_likeness(
                self.effect, _scalars(values), self.search, scene.render(media[0]), level=number
            )
            values[self.search.parameter] = found.value
            values["ssim"] = found.ssim
        values.update(_size(scene, media[0]))
        return values

    def apply(self, item: Item, parameters: Parameters, others: Neighbours) -> Item:
        """Add the effect to every medium."""

        def change(media: Media) -> Media:
            for effect in self._effects(parameters):
                media = with_effect(media, effect)
            return media

        return with_media(item, change, options=True)

    def move(self, reference: Reference, item: Item, parameters: Parameters) -> Reference:
        """Move the mask along; an answer in words stays."""
        if reference.path is None:
            return reference
        return replace(reference, effects=(*reference.effects, *self._effects(parameters)))

    def _effects(self, parameters: Parameters) -> tuple[Effect, ...]:
        named = {*self.table[self.level.partition("-")[0]], "seed"}
        values = sorted((k, v) for k, v in _scalars(parameters).items() if k in named)
        after = self.published if self.level.endswith(_PUBLISHED) else ()
        return (Effect(name=self.effect, parameters=tuple(values)), *after)


def _scalars(values: Mapping[str, JsonValue]) -> dict[str, bool | int | float | str]:
    return {key: cast("float", value) for key, value in values.items()}


def _size(scene: Scene, media: Media) -> dict[str, JsonValue]:
    """Give the size of the picture, by which answers in pixels are moved."""
    shown = scene.render(media)
    if not shown:
        return {}
    return {"width_px": shown[0].receipt.width, "height_px": shown[0].receipt.height}
