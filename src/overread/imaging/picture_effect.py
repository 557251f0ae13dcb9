"""What a change of pixels is made of, and how the effects of a recipe are carried out."""

from __future__ import annotations

import importlib
import importlib.metadata
import pkgutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from overread.errors import UsageError, expected
from overread.imaging import effects as built_in
from overread.imaging.volume import Volume
from overread.records import Box, Effect

__all__ = [
    "EffectValues",
    "PictureEffect",
    "change_boxes",
    "change_mask",
    "change_pixels",
    "change_volume",
    "effect_names",
    "effects_label",
    "find_effect",
    "like",
]

EffectValues: TypeAlias = Mapping[str, "bool | int | float | str"]
"""The parameters of an effect by name."""

_GROUP = "overread.effects"


@dataclass(frozen=True, slots=True, kw_only=True)
class PictureEffect:
    """One kind of change. The same pixels and parameters always give the same pixels."""

    name: str
    pixels: Callable[[NDArray[Any], EffectValues], NDArray[Any]]
    """Changes one picture: (rows, columns) or (rows, columns, 3), uint8 as shown, or the numbers of
    a prepared array; dtype and shape stay."""
    box: Callable[[Box, int, int, EffectValues], Box] | None = None
    """Moves a box along in a picture of a width and a height; None where boxes stay in place."""
    mask: Callable[[NDArray[Any], EffectValues], NDArray[Any]] | None = None
    """Moves a picture of labels along, (rows, columns): values stay whole; None where it stays."""
    volume: Callable[[Volume, EffectValues], Volume] | None = None
    """Changes a whole volume before it is prepared, in place of `pixels` slice by slice."""
    beside: Callable[[NDArray[Any], Sequence[Box], EffectValues], NDArray[Any]] | None = None
    """Changes one picture by where its boxes lie, in place of `pixels`, which is for a picture
    without any."""


@cache
def find_effect(name: str) -> PictureEffect:
    """Find an effect by the name in a recipe. UsageError lists those there are."""
    names = _modules()
    if name in names:
        return cast("PictureEffect", importlib.import_module(names[name]).EFFECT)
    for entry in importlib.metadata.entry_points(group=_GROUP):
        if entry.name == name:
            found: object = entry.load()
            return cast("PictureEffect", getattr(found, "EFFECT", found))
    raise UsageError(
        expected(
            "effect",
            rule="one of " + ", ".join(effect_names()),
            got=repr(name),
            remedy="Install the package that the run was made with.",
        )
    )


def effect_names() -> tuple[str, ...]:
    """List the effects there are, built-in and joined, in alphabetical order."""
    joined = (entry.name for entry in importlib.metadata.entry_points(group=_GROUP))
    return tuple(sorted({*_modules(), *joined}))


def _modules() -> dict[str, str]:
    return {
        module.name.replace("_", "-"): f"{built_in.__name__}.{module.name}"
        for module in pkgutil.iter_modules(built_in.__path__)
        if not module.name.startswith("_")
    }


def change_pixels(
    pixels: NDArray[Any],
    effects: Sequence[Effect],
    *,
    slices: bool,
    boxes: Sequence[Box] = (),
) -> NDArray[Any]:
    """Carry out effects on one picture, in order.

    Several effects on grey values go on from each other's exact numbers, which are rounded once at
    the end: what dims a picture and stretches it again loses nothing on the way.

    Parameters
    ----------
    pixels
        Shape (rows, columns) or (rows, columns, 3); any real type.
    effects
        From the recipe.
    slices
        The picture is a slice of a prepared volume: what `change_volume` did is not done again.
    boxes
        Of the picture before any effect, for effects that go by them.
    """
    steps = [
        effect for effect in effects if not (slices and find_effect(effect.name).volume is not None)
    ]
    whole = pixels.dtype.kind in "iu" and len(steps) > 1
    changed = pixels.astype(np.float32) if whole else pixels
    for effect in steps:
        kind = find_effect(effect.name)
        values = dict(effect.parameters)
        if kind.beside is not None:
            changed = kind.beside(changed, boxes, values)
        else:
            changed = kind.pixels(changed, values)
        if boxes:
            rows, columns = pixels.shape[:2]
            boxes = change_boxes(boxes, [effect], width=columns, height=rows)
    return like(changed, pixels) if whole else changed


def change_boxes(
    boxes: Sequence[Box], effects: Sequence[Effect], *, width: int, height: int
) -> tuple[Box, ...]:
    """Move boxes, in pixels of a picture of this size, along with the effects on it."""
    for effect in effects:
        move = find_effect(effect.name).box
        if move is not None:
            values = dict(effect.parameters)
            boxes = [move(box, width, height, values) for box in boxes]
    return tuple(boxes)


def change_mask(labels: NDArray[Any], effects: Sequence[Effect]) -> NDArray[Any]:
    """Move a picture of labels, (rows, columns), along with the effects on its picture."""
    for effect in effects:
        move = find_effect(effect.name).mask
        if move is not None:
            labels = move(labels, dict(effect.parameters))
    return labels


def change_volume(volume: Volume, effects: Sequence[Effect]) -> Volume:
    """Carry out those effects that change a volume as a whole."""
    for effect in effects:
        change = find_effect(effect.name).volume
        if change is not None:
            volume = change(volume, dict(effect.parameters))
    return volume


def effects_label(effects: Sequence[Effect]) -> str:
    """Word effects for a receipt: ``, then blur (sigma_of_side 0.0156)``; empty without any."""
    return "".join(f", then {_worded(effect)}" for effect in effects)


def _worded(effect: Effect) -> str:
    values = ", ".join(
        f"{name} {value:.3g}" if isinstance(value, float) else f"{name} {value}"
        for name, value in effect.parameters
    )
    return f"{effect.name} ({values})" if values else effect.name


def like(changed: NDArray[Any], pixels: NDArray[Any]) -> NDArray[Any]:
    """Give changed pixels the type of the pixels they come from: rounded and held in its range."""
    if pixels.dtype.kind not in "iu":
        return changed.astype(pixels.dtype)
    limits = np.iinfo(pixels.dtype)
    return np.clip(np.rint(changed), limits.min, limits.max).astype(pixels.dtype)
