"""One picture in every kind and dose of change: what becomes of it, and how unlike it grows."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from overread.analysis.perturbed import item_seed
from overread.contracts import Dosed, Neighbours, NotApplicable, Perturbation, Scene
from overread.errors import UsageError, expected
from overread.imaging.calibration import likeness
from overread.imaging.modality import MODALITIES
from overread.imaging.picture_effect import change_pixels
from overread.imaging.render import PictureRenderer
from overread.imaging.stored_unit import UnitLooker
from overread.records import Box, Effect, Item, Mask, Media, Recipe, Text
from overread.registry import find_perturbation, perturbation_names

__all__ = ["Dosing", "LeftOut", "PictureDoses", "ShownDose", "Way", "picture_doses"]

Way: TypeAlias = Literal["plain", "published", "ssim", "published-ssim"]
"""How doses are meant, as in the names of levels."""

_ONLY: Final = ""
_SLACK: Final = 0.005
"""A dose that leaves the picture more like by as much is still told to be no weaker."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ShownDose:
    """The picture after one dose of one kind."""

    level: str
    """Empty where the kind has one dose only."""
    effects: tuple[Effect, ...]
    pixels: NDArray[np.uint8]
    ssim: float
    """To the unchanged picture, over grey values as they are."""
    ssim_as_released: float
    """The same after both were drawn out to their range."""
    in_band: bool | None
    """Whether a dose sought by likeness got there; None for the others."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Dosing:
    """One kind in all its doses."""

    kind: str
    doses: tuple[ShownDose, ...]

    @property
    def is_monotone(self) -> bool:
        """Whether each dose leaves the picture no more like than the one before."""
        reached = [dose.ssim for dose in self.doses]
        return all(later <= earlier + _SLACK for earlier, later in pairwise(reached))

    @property
    def alike(self) -> tuple[str, ...]:
        """Levels whose picture is that of the level before."""
        return tuple(
            two.level for one, two in pairwise(self.doses) if np.array_equal(one.pixels, two.pixels)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """A kind that changes nothing of this picture."""

    kind: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PictureDoses:
    """One picture, unchanged and in every kind and dose."""

    pixels: NDArray[np.uint8]
    way: Way
    rows: tuple[Dosing, ...]
    left_out: tuple[LeftOut, ...]


def picture_doses(
    image: Path,
    *,
    way: Way = "plain",
    modality: str | None = None,
    boxes: Sequence[Box] = (),
    is_mask: bool = False,
    seed: int = 0,
    kinds: Sequence[str] | None = None,
) -> PictureDoses:
    """Change one picture in every way there is.

    Parameters
    ----------
    image
        PNG, JPEG, DICOM, or one slice of NIfTI (``scan.nii.gz#12``).
    way
        How doses are meant.
    modality
        One of `imaging.modality.MODALITIES`: kinds for others are left out. None for all kinds.
    boxes
        On the picture, in pixels: for kinds that go by them.
    is_mask
        As where masks are asked for: the released code has a program of its own for those.
    seed
        Of all draws. All doses of a kind draw alike.
    kinds
        Names without doses; None for all.

    Raises
    ------
    UsageError
        There is no such modality or kind.
    ImageError
        The picture cannot be read.
    """
    if modality is not None and modality not in MODALITIES:
        raise UsageError(
            expected(
                "--modality",
                rule="one of " + ", ".join(MODALITIES),
                got=repr(modality),
                remedy="Leave it out to see every kind.",
            )
        )
    item = _item(image.name, modality, boxes, is_mask)
    render = PictureRenderer(image.parent)
    (picture,) = render(Media(paths=(image.name,), recipe=Recipe(draw_boxes=False)))
    pixels = _decoded(picture.data)
    scene = Scene(others=Neighbours([item]), unit_of=UnitLooker(image.parent), render=render)
    rows: list[Dosing] = []
    left_out: list[LeftOut] = []
    for name in perturbation_names() if kinds is None else kinds:
        found = _dosing(find_perturbation(name), item, scene, pixels, way=way, seed=seed)
        if isinstance(found, Dosing):
            rows.append(found)
        elif found is not None:
            left_out.append(found)
    return PictureDoses(pixels=pixels, way=way, rows=tuple(rows), left_out=tuple(left_out))


def _item(name: str, modality: str | None, boxes: Sequence[Box], is_mask: bool) -> Item:
    media = Media(paths=(name,), boxes=tuple(boxes), recipe=Recipe(draw_boxes=False))
    return Item(
        id=name,
        benchmark="",
        task="",
        condition="",
        question="",
        media=(media,),
        answer_space=Mask(labels={}) if is_mask else Text(),
        strata={} if modality is None else {"modality": modality},
    )


def _dosing(
    kind: Perturbation,
    item: Item,
    scene: Scene,
    pixels: NDArray[np.uint8],
    *,
    way: Way,
    seed: int,
) -> Dosing | LeftOut | None:
    """Give a kind in all doses of a way; None for what does not change pixels at all."""
    base = item_seed(seed, kind.name, item.id)
    doses: list[ShownDose] = []
    for level, dose in _doses(kind, way):
        drawn = dose.draw(item, scene, base)
        if isinstance(drawn, NotApplicable):
            # Of words nothing is asked here: what does not apply to them says nothing of pixels.
            return LeftOut(kind=kind.name, reason=drawn.reason) if _of_pixels(kind) else None
        changed = dose.apply(item, drawn, scene.others)
        if not changed.media or not changed.media[0].recipe.effects:
            return None
        effects = changed.media[0].recipe.effects
        in_band = drawn.get("in_band")
        doses.append(
            _shown(
                level,
                effects,
                pixels,
                item.media[0].boxes,
                None if in_band is None else bool(in_band),
            )
        )
    if not doses:
        return (
            LeftOut(kind=kind.name, reason=f"it has no {way} doses") if _of_pixels(kind) else None
        )
    return Dosing(kind=kind.name, doses=tuple(doses))


def _of_pixels(kind: Perturbation) -> bool:
    return hasattr(kind, "effect")


def _doses(kind: Perturbation, way: Way) -> Iterator[tuple[str, Perturbation]]:
    if not isinstance(kind, Dosed):
        if way == "plain":
            yield _ONLY, kind
        return
    for level in kind.levels:
        _, _, ways = level.partition("-")
        if (ways or "plain") == way:
            yield level, kind.at(level)


def _shown(
    level: str,
    effects: tuple[Effect, ...],
    pixels: NDArray[np.uint8],
    boxes: Sequence[Box],
    in_band: bool | None,
) -> ShownDose:
    changed: NDArray[Any] = change_pixels(pixels, effects, slices=False, boxes=boxes)
    return ShownDose(
        level=level,
        effects=effects,
        pixels=changed,
        ssim=likeness(pixels, changed),
        ssim_as_released=likeness(pixels, changed, yardstick="as-released"),
        in_band=in_band,
    )


def _decoded(data: bytes) -> NDArray[np.uint8]:
    from PIL import Image

    with Image.open(io.BytesIO(data)) as image:
        kept = image if image.mode in ("L", "RGB") else image.convert("RGB")
        return np.asarray(kept, dtype=np.uint8)
