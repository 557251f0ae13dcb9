"""What changes of pixels in doses share: levels, the released code's way, doses by likeness.

A kind in this package states its table of parameters and is otherwise this class. A level may be

- ``3``: the parameters of the table,
- ``3-published``: with all that the released code does besides: its way of saving a picture, its
  seeds, its slips,
- ``3-ssim``: one parameter is sought for each picture so that it is as unlike the original as the
  level says,
- ``3-published-ssim``: sought as the released code seeks it: everything else stays at level 3, and
  where it looks for a parameter that the change does not have, all levels are level 3.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final, cast

import numpy as np

from overread.contracts import Neighbours, NotApplicable, Parameters, Perturbation, Scene
from overread.errors import UsageError, expected
from overread.imaging.calibration import BANDS, Search, dose_by_likeness
from overread.imaging.item_pictures import with_effect, with_media
from overread.imaging.modality import named_modality
from overread.imaging.moved_answers import moved_boxes_answer, moved_points_answer
from overread.imaging.picture import Picture
from overread.imaging.picture_effect import find_effect
from overread.records import Box, Boxes, Effect, Item, JsonValue, Mask, Media, Points, Reference

__all__ = ["DosedPicture", "Slips", "Values"]

Values = Mapping[str, "bool | int | float | str"]

_DEFAULT: Final = "3"
_PUBLISHED, _SSIM = "published", "ssim"
_MOST_SEED: Final = 2**32
_RELEASED_SEED: Final = 42
_CALIBRATED_AT: Final = "3"
_WHOLE: Final = 0.97
"""Of both sides: a box that covers as much is no region (hq0709/MedVIGIL skips it as well)."""
_LEFT: Final = "the box or point has left the changed picture"


@dataclass(frozen=True, slots=True, kw_only=True)
class Slips:
    """What the released code does besides, in the ``-published`` doses."""

    values: Values = field(default_factory=dict[str, "bool | int | float | str"])
    """Parameters that are other ones there."""
    values_of_words: Values = field(default_factory=dict[str, "bool | int | float | str"])
    """The same, where the answer is not a mask: there are two programs."""
    factor: Mapping[str, float] = field(default_factory=dict[str, float])
    """Modality → what the parameter of the search is multiplied by, where the answer is a mask."""
    seed_step: int | None = None
    """The seed is 42 and so many a level, the same for all pictures; None draws one for each."""
    calibrates: bool | None = True
    """Whether its calibration replaces a parameter that this change has; None where it has none."""
    reach: tuple[float, float] | None = None
    """Least and greatest value that its calibration tries, where ours tries more."""
    modalities: frozenset[str] = frozenset()
    """For what else it is used there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DosedPicture:
    """One kind of change of pixels: a `Perturbation` and `contracts.Dosed`.

    Where boxes or masks move with the picture (`imaging.picture_effect`), so do the references: a
    mask by `Reference.effects`, boxes and points in words by the effect's own rule.
    """

    kind: str
    """The name without a dose."""
    summary: str
    effect: str
    """Of `imaging.effects`."""
    table: Mapping[str, Values]
    """Level → parameters of the effect, as the source has them, weakest first."""
    modalities: frozenset[str] = frozenset()
    """Of `imaging.modality`: what it is made for; empty for all. An item that does not say its
    modality (``modality`` among its strata) is changed."""
    is_random: bool = False
    """Whether the effect takes a ``seed``, drawn anew for each item."""
    needs_colour: bool = False
    needs_boxes: bool = False
    """Whether it goes by the boxes of a medium, drawn or not."""
    search: Search | None = None
    """The parameter by which a dose is sought, and its range; None where there is none."""
    slips: Slips | None = Slips()
    """None where no code was released."""
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
        """All doses, weakest first, in up to four ways."""
        banded = [level for level in self.table if self.search is not None and level in BANDS]
        ways = list(self.table)
        if self.slips is not None:
            ways += [f"{level}-{_PUBLISHED}" for level in self.table]
        ways += [f"{level}-{_SSIM}" for level in banded]
        if self.slips is not None and self.slips.calibrates is not None:
            ways += [f"{level}-{_PUBLISHED}-{_SSIM}" for level in banded]
        return tuple(ways)

    def at(self, level: str) -> Perturbation:
        """Give one dose. UsageError lists those there are."""
        if level not in self.levels:
            raise UsageError(
                expected(
                    self.kind,
                    rule="@ and one of " + ", ".join(self.levels),
                    got=repr(level),
                    remedy=f"Write for instance {self.kind}@{self.level}.",
                )
            )
        return replace(self, level=level, is_dose=True)

    def draw(self, item: Item, scene: Scene, seed: int) -> Parameters | NotApplicable:
        """Draw the seed of what is random, and seek the dose where it goes by likeness."""
        media = [*item.media, *(each.media for each in item.options if each.media is not None)]
        if not media:
            return NotApplicable(reason="it has no picture")
        modality = named_modality(item.strata.get("modality", ""))
        if modality is not None and not self.is_for(modality):
            return NotApplicable(reason=f"it is made for {', '.join(sorted(self.modalities))}")
        if any(map(_gives_numbers, media)) and self.level not in self.table:
            return NotApplicable(
                reason="its preparation gives numbers: no picture is saved or likened"
            )
        if self.needs_boxes and (problem := _box_problem(item, scene)):
            return NotApplicable(reason=problem)
        if self.needs_colour and not _has_colour(scene, media[0]):
            return NotApplicable(reason="its picture is grey: there is no colour to change")
        values = self.values(is_mask=isinstance(item.answer_space, Mask), modality=modality)
        if self.is_random and "seed" not in values:
            values["seed"] = int(np.random.default_rng(seed).integers(_MOST_SEED))
        drawn: dict[str, JsonValue] = dict(values)
        if self.search is not None and self.is_sought:
            found = dose_by_likeness(
                self.effect,
                values,
                self._reach(self.search),
                scene.render(_middle(media[0])),
                level=self.level.partition("-")[0],
                yardstick="as-released" if self.is_published else "as-shown",
            )
            drawn[self.search.parameter] = found.value
            drawn["ssim"] = found.ssim
            drawn["in_band"] = found.in_band
        if isinstance(item.answer_space, Boxes | Points):
            drawn.update(self._size(scene, media[0]))
        return drawn

    def apply(self, item: Item, parameters: Parameters, others: Neighbours) -> Item:
        """Add the effect to every medium."""
        effects = self._effects(item, parameters)

        def change(media: Media) -> Media:
            for effect in effects:
                media = with_effect(media, effect)
            return media

        return with_media(item, change, options=True)

    def move(self, reference: Reference, item: Item, parameters: Parameters) -> Reference:
        """Move masks, and boxes and points in words, along; other answers stay."""
        effects = self._effects(item, parameters)
        if reference.path is not None:
            return replace(reference, effects=(*reference.effects, *effects))
        space = item.answer_space
        if reference.answer is None or "width_px" not in parameters:
            return reference
        width, height = (int(cast("int", parameters[key])) for key in ("width_px", "height_px"))
        in_pixels = isinstance(space, Boxes) or (
            isinstance(space, Points) and space.frame == "pixel"
        )
        if not in_pixels:
            return reference
        move = moved_boxes_answer if isinstance(space, Boxes) else moved_points_answer
        answer = move(reference.answer, effects, width=width, height=height)
        return replace(reference, answer=answer, problem=_LEFT if answer is None else None)

    @property
    def is_published(self) -> bool:
        """Whether it is done as the released code does it."""
        return _PUBLISHED in self.level.split("-")[1:]

    @property
    def is_sought(self) -> bool:
        """Whether a parameter is sought for each picture."""
        sought = _SSIM in self.level.split("-")[1:]
        slips = self.slips if self.is_published else None
        return sought and (slips is None or bool(slips.calibrates))

    def is_for(self, modality: str) -> bool:
        """Say whether it is made for a modality, or used for it in the released code."""
        wider = self.slips.modalities if self.is_published and self.slips is not None else ()
        return not self.modalities or modality in self.modalities or modality in wider

    def values(self, *, is_mask: bool, modality: str | None) -> dict[str, bool | int | float | str]:
        """Give the parameters of this dose, before a seed is drawn and a dose is sought.

        Parameters
        ----------
        is_mask
            Whether the question is answered by a mask: the released code has a program for those
            and one for the others.
        modality
            Of the picture, one of `imaging.modality`; None where it is not known.
        """
        number, *ways = self.level.split("-")
        if not self.is_published or self.slips is None:
            return dict(self.table[number])
        slips = self.slips
        values = dict(self.table[_CALIBRATED_AT if _SSIM in ways else number])
        values.update(slips.values)
        if not is_mask:
            values.update(slips.values_of_words)
        factor = slips.factor.get(modality or "", 1.0) if is_mask else 1.0
        if self.search is not None and factor != 1.0:
            values[self.search.parameter] = float(values[self.search.parameter]) * factor
        if slips.seed_step is not None and self.is_random:
            level = int(_CALIBRATED_AT if _SSIM in ways else number)
            values["seed"] = _RELEASED_SEED + slips.seed_step * level
        return values

    def effects(self, values: Values, *, is_mask: bool) -> tuple[Effect, ...]:
        """Give the effects of drawn parameters: the change, and how the released code saves it."""
        named = tuple(sorted(values.items()))
        change = Effect(name=self.effect, parameters=named)
        if not self.is_published:
            return (change,)
        # The program for masks draws each colour out by itself, the other all of them together.
        return change, Effect(name="minmax", parameters=(("by_colour", is_mask),))

    def _reach(self, search: Search) -> Search:
        reach = self.slips.reach if self.is_published and self.slips is not None else None
        return search if reach is None else replace(search, low=reach[0], high=reach[1])

    def _effects(self, item: Item, parameters: Parameters) -> tuple[Effect, ...]:
        named = {*self.values(is_mask=True, modality=None), "seed"}
        kept = {key: cast("float", parameters[key]) for key in named if key in parameters}
        return self.effects(kept, is_mask=isinstance(item.answer_space, Mask))

    def _size(self, scene: Scene, media: Media) -> dict[str, JsonValue]:
        """Give the size of a picture that answers in pixels are moved on."""
        if find_effect(self.effect).box is None:
            return {}
        shown = scene.render(_middle(media))
        if not shown:
            return {}
        return {"width_px": shown[0].receipt.width, "height_px": shown[0].receipt.height}


def _box_problem(item: Item, scene: Scene) -> str | None:
    """Say why no box of an item's pictures can be gone by; None where one can."""
    problems = [_box_fault(box, media, scene) for media in item.media for box in media.boxes]
    if not problems:
        return "it has no box"
    return None if None in problems else problems[0]


def _box_fault(box: Box, media: Media, scene: Scene) -> str | None:
    if media.kind == "volume":
        return "its box is on a volume"
    if box.x_max <= box.x_min or box.y_max <= box.y_min:
        return "its box has no area"
    shown = scene.render(_middle(media))
    if not shown:
        return None
    width, height = shown[0].receipt.width, shown[0].receipt.height
    across = min(box.x_max + 0.5, width - 0.5) - max(box.x_min - 0.5, -0.5)
    down = min(box.y_max + 0.5, height - 0.5) - max(box.y_min - 0.5, -0.5)
    if across < 1 or down < 1:
        return "its box lies outside the picture"
    if across >= _WHOLE * width and down >= _WHOLE * height:
        return "its box covers the whole picture"
    return None


def _gives_numbers(media: Media) -> bool:
    return media.recipe.volume is not None and media.recipe.volume.output == "array"


def _middle(media: Media) -> Media:
    """Give a medium of one picture in its full size, without boxes: what an effect is done to."""
    paths = media.paths if media.kind == "volume" else media.paths[len(media.paths) // 2 :][:1]
    recipe = replace(media.recipe, draw_boxes=False, max_side_px=None)
    return replace(media, paths=paths, recipe=recipe)


def _has_colour(scene: Scene, media: Media) -> bool:
    shown = scene.render(_middle(media))
    return not shown or _is_colour(shown[len(shown) // 2])


def _is_colour(picture: Picture) -> bool:
    import io

    from PIL import Image

    with Image.open(io.BytesIO(picture.data)) as image:
        bands = image.convert("RGB").split()
    return len({band.tobytes() for band in bands}) > 1
