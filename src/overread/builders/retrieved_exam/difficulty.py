"""How hard the questions are: which choice the built-in readers fall for."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from overread.contracts import (
    Learner,
    Model,
    ModelOptions,
    Query,
    Release,
    Selection,
)
from overread.errors import ImageError, ModelError, UnsafePathError
from overread.imaging.picture import Picture
from overread.imaging.render import PictureRenderer
from overread.records import Item, Media, Status
from overread.registry import open_model
from overread.store.hashes import item_media

__all__ = ["READERS", "Answered", "ask_readers"]

READERS: Final = ("radiomics", "text-only", "longest", "majority")
"""Built-in readers: the first looks at the pictures, the others only read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """What one reader answered to one item."""

    item: Item
    reader: str
    letter: str | None
    """None where it had nothing to go on."""


def ask_readers(
    release: Release,
    readers: Sequence[str],
    *,
    split: str,
    on_progress: Callable[[str, int, int], None],
) -> tuple[Answered, ...]:
    """Ask built-in readers every question of a split.

    Parameters
    ----------
    release
        The exam; readers learn from its training split and the other question split.
    readers
        Some of `READERS`.
    split
        ``test`` or ``validation``.
    on_progress
        Gets the reader's name, how many questions it has answered, and of how many.
    """
    selection = Selection(split=split)
    items = tuple(release.items(selection))
    if not items:
        return ()
    training = release.training(selection)
    render = PictureRenderer(release.media_root)
    found: list[Answered] = []
    for name in readers:
        model = open_model(name, ModelOptions())
        if isinstance(model, Learner):
            model.learn(training, render)
        found.extend(asyncio.run(_ask(model, name, items, render, on_progress)))
    return tuple(found)


async def _ask(
    model: Model,
    name: str,
    items: Sequence[Item],
    render: PictureRenderer,
    on_progress: Callable[[str, int, int], None],
) -> list[Answered]:
    found: list[Answered] = []
    for item in items:
        letter = await _letter(model, item, render)
        found.append(Answered(item=item, reader=name, letter=letter))
        on_progress(name, len(found), len(items))
    return found


async def _letter(model: Model, item: Item, render: PictureRenderer) -> str | None:
    try:
        pictures: dict[Media, tuple[Picture, ...]] = (
            {media: render(media) for media in item_media(item)} if model.sees else {}
        )
        reply = await model.ask(Query(item=item, pictures=pictures))
    except (ImageError, UnsafePathError, ModelError):
        return None
    if reply.status is not Status.OK or reply.text is None:
        return None
    # Our own readers' replies: JSON with the letter, and nothing else.
    return str(json.loads(reply.text)["selected_option"])
