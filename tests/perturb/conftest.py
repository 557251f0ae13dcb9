"""Invented questions, and what a perturbation may see of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from overread.contracts import Neighbours, Scene
from overread.records import Choice, Item, Media, Option, Part


def make_item(number: int, *, patient: str | None = None, **changes: Any) -> Item:
    media = Media(paths=(f"{number}.png",))
    options = tuple(
        Option(letter=letter, text=text)
        for letter, text in zip("ABCD", ("cyst", "node", "mass", "nodule"), strict=True)
    )
    defaults: dict[str, Any] = {
        "id": f"item-{number}",
        "benchmark": "invented",
        "task": "which",
        "condition": "box",
        "question": f"Which lesion is number {number}?",
        "media": (media,),
        "prompt": (Part(text="Which?"), Part(media=media)),
        "answer_space": Choice(options=options),
        "groups": {"patient": patient or f"p{number}"},
    }
    return Item(**(defaults | changes))


@pytest.fixture
def item_of() -> Callable[..., Item]:
    return make_item


@pytest.fixture
def scene_of() -> Callable[..., Scene]:
    def make(*items: Item, unit: str = "display") -> Scene:
        return Scene(others=Neighbours(items), unit_of=lambda media: unit, render=lambda media: ())  # type: ignore[arg-type,return-value]

    return make
