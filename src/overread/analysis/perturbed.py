"""A run's items changed before they are asked: drawn once, and made again from what was drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from overread.contracts import (
    Neighbours,
    NotApplicable,
    Parameters,
    Perturbation,
    Release,
    Renderer,
    Rewording,
    Scene,
    StoredUnit,
)
from overread.errors import ImageError, StoreError, UnsafePathError, expected
from overread.records import Item, Media, Reference
from overread.registry import find_perturbation
from overread.store.hashes import canonical_json, sha256_text

__all__ = ["Perturbed", "item_seed", "perturb", "perturbed_again", "perturbed_reference"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Perturbed:
    """What became of items under one perturbation."""

    items: tuple[Item, ...]
    """Changed, in release order."""
    parameters: Mapping[str, Parameters]
    """Item → what was drawn for it."""
    left_out: Mapping[str, str]
    """Item → why the change means nothing to it."""


def item_seed(seed: int, name: str, item_id: str) -> int:
    """Make an item's own seed: of the run's seed, the kind of change and the item's id.

    Doses of one kind (``blur-px@4``, ``blur-px@8``) draw the same, so that only the dose differs.
    """
    kind = name.partition("@")[0]
    return int(sha256_text(canonical_json([seed, kind, item_id]))[:16], 16)


def perturb(
    items: Iterable[Item],
    name: str,
    *,
    seed: int,
    others: Neighbours,
    release: Release,
    unit_of: Callable[[Media], StoredUnit],
    render: Renderer,
    kept: Mapping[str, Parameters],
) -> Perturbed:
    """Change items, drawing parameters where none are kept.

    Parameters
    ----------
    items
        As the release gives them.
    name
        Of the perturbation.
    seed
        The run's, of which each item's own is made.
    others
        All items of the selection whatever its limit, so that a longer run draws the same.
    release
        Words prompts anew where it can.
    unit_of
        Looks into a file.
    render
        Shows a medium.
    kept
        Item → what an earlier start of the run drew for it.

    Raises
    ------
    UsageError
        There is no such perturbation.
    """
    kind = find_perturbation(name)
    scene = Scene(others=others, unit_of=unit_of, render=render)
    changed: list[Item] = []
    parameters: dict[str, Parameters] = {}
    left_out: dict[str, str] = {}
    for item in items:
        drawn = kept.get(item.id)
        if drawn is None:
            drawn = _draw(kind, item, scene, item_seed(seed, name, item.id))
        if not isinstance(drawn, NotApplicable):
            drawn, made = _changed(kind, item, drawn, others, release)
            if made is not None:
                changed.append(made)
        if isinstance(drawn, NotApplicable):
            left_out[item.id] = drawn.reason
        else:
            parameters[item.id] = drawn
    return Perturbed(items=tuple(changed), parameters=parameters, left_out=left_out)


def _draw(kind: Perturbation, item: Item, scene: Scene, seed: int) -> Parameters | NotApplicable:
    try:
        return kind.draw(item, scene, seed)
    except (ImageError, UnsafePathError):
        return NotApplicable(reason="a picture of it cannot be read")


def _changed(
    kind: Perturbation,
    item: Item,
    parameters: Parameters,
    others: Neighbours,
    release: Release,
) -> tuple[Parameters | NotApplicable, Item | None]:
    made = kind.apply(item, parameters, others)
    made = replace(made, condition=f"{item.condition}+{kind.name}")
    if isinstance(release, Rewording):
        return parameters, release.reword(made)
    if item.prompt and _words(made) != _words(item):
        return NotApplicable(
            reason="the benchmark cannot word a changed question anew (it has no 'reword')"
        ), None
    return parameters, made


def _words(item: Item) -> tuple[object, ...]:
    """Gather what a prompt says in words of its own."""
    return item.question, tuple((option.letter, option.text) for option in item.options)


def perturbed_again(
    items: Iterable[Item],
    name: str,
    *,
    others: Neighbours,
    release: Release,
    kept: Mapping[str, Parameters],
) -> dict[str, Item]:
    """Change items as the record says; nothing is drawn and no file is read.

    Raises
    ------
    StoreError
        The record lacks an item, or names another one that the release no longer has.
    """
    kind = find_perturbation(name)
    found: dict[str, Item] = {}
    for item in items:
        try:
            _, made = _changed(kind, item, kept[item.id], others, release)
        except (KeyError, ValueError, TypeError) as error:
            raise StoreError(
                expected(
                    "RUN",
                    rule=f"what was drawn for every question under {name}",
                    got=f"nothing that fits {item.id!r} ({error})",
                    remedy="Give the release that the run was made on, or run again.",
                )
            ) from error
        if made is not None:
            found[item.id] = made
    return found


def perturbed_reference(
    reference: Reference, item: Item, name: str, parameters: Parameters
) -> Reference:
    """Move an item's answer along with the change; `item` is the unchanged one."""
    return find_perturbation(name).move(reference, item, parameters)
