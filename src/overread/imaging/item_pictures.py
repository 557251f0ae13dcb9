"""The media of an item, wherever they stand in it, changed together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias

from overread.records import (
    AnswerSpace,
    Choice,
    Effect,
    Item,
    Media,
    MultiChoice,
    Option,
    Part,
    Ranking,
    Trace,
)

__all__ = ["MediaChange", "with_effect", "with_media", "with_options"]

MediaChange: TypeAlias = Callable[[Media], "Media | None"]
"""Gives what a medium becomes; None takes it away."""


def with_media(item: Item, change: MediaChange, *, options: bool) -> Item:
    """Change the media of an item: those of its question and its prompt, on wish of its options.

    Parameters
    ----------
    item
        The item.
    change
        Called once for each place a medium stands in.
    options
        Also change the pictures to choose from. Otherwise they stay, also in the prompt.
    """
    kept = set() if options else {each.media for each in item.options if each.media is not None}

    def changed(media: Media) -> Media | None:
        return media if media in kept else change(media)

    space = item.answer_space
    if options:
        space = with_options(
            space,
            tuple(
                replace(each, media=None if each.media is None else change(each.media))
                for each in item.options
            ),
        )
    media = tuple(new for each in item.media if (new := change(each)) is not None)
    return replace(item, media=media, prompt=_prompt(item.prompt, changed), answer_space=space)


def _prompt(prompt: tuple[Part, ...], change: MediaChange) -> tuple[Part, ...]:
    parts: list[Part] = []
    for part in prompt:
        if part.media is None:
            parts.append(part)
        elif (media := change(part.media)) is not None:
            parts.append(replace(part, media=media))
        elif part.text is not None:
            parts.append(replace(part, media=None))
    return tuple(parts)


def with_options(space: AnswerSpace, options: tuple[Option, ...]) -> AnswerSpace:
    """Give an answer space with other options; one without options as it is."""
    if isinstance(space, Trace):
        answer = space.answer
        return replace(
            space,
            answer=replace(answer, options=options) if isinstance(answer, Choice) else answer,
        )
    if isinstance(space, Choice | MultiChoice | Ranking):
        return replace(space, options=options)
    return space


def with_effect(media: Media, effect: Effect) -> Media:
    """Give a medium whose recipe has one more effect, after those it has."""
    return replace(media, recipe=replace(media.recipe, effects=(*media.recipe.effects, effect)))
