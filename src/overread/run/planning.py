"""The plan of a run: items × draws, each under the hash of everything that shapes its answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from math import comb

from overread.contracts import Learner, Model, Release, Selection, Training
from overread.records import Choice, Item, ModelIdentity, MultiChoice, PlannedItem, Text
from overread.store.hashes import canonical_json, request_hash, sha256_text

__all__ = ["Planned", "identity_of", "make_plan"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """A line of the plan together with its item."""

    line: PlannedItem
    item: Item


def make_plan(
    items: Iterable[Item],
    *,
    identity: ModelIdentity,
    hashes: Mapping[str, str],
    draws: int,
    protocol_version: str,
) -> list[Planned]:
    """Plan every item `draws` times, items in release order, draws innermost."""
    return [
        Planned(
            item=item,
            line=PlannedItem(
                item=item.id,
                draw=draw,
                request_hash=request_hash(
                    identity=identity,
                    item=item,
                    media_hashes=hashes,
                    draw=draw,
                    protocol_version=protocol_version,
                ),
                groups=item.groups,
                strata=item.strata,
                chance=_chance(item),
            ),
        )
        for item in items
        for draw in range(draws)
    ]


def _chance(item: Item) -> float | None:
    space = item.answer_space
    if isinstance(space, Text):
        return 1 / len(space.classes) if space.classes else None
    if isinstance(space, MultiChoice):
        # A set of unstated size has no chance that all would agree on.
        ways = comb(len(space.options), space.count) if space.count else 0
        return 1 / ways if ways else None
    return 1 / len(space.options) if isinstance(space, Choice) and space.options else None


def identity_of(
    model: Model, release: Release, selection: Selection
) -> tuple[ModelIdentity, Training | None]:
    """Give a model's identity; what it learnt from is part of it.

    Returns
    -------
    identity, training
        `training` is None for a model that learns nothing.
    """
    if not isinstance(model, Learner):
        return model.identity, None
    training = release.training(selection)
    taught = sha256_text(
        canonical_json(
            [
                [[c.id, [list(m.paths) for m in c.media], dict(c.texts)] for c in training.cases],
                [[item.id, item.question, ref.answer] for item, ref in training.exam],
            ]
        )
    )
    settings = {**model.identity.settings, "learned_from": taught}
    return replace(model.identity, settings=settings), training
