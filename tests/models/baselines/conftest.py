from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from overread.contracts import Model, ModelOptions, Query, Reply
from overread.models.baselines import ADAPTER
from overread.records import Choice, Item, Option, Reference, Text


def _question(
    number: int, texts: Sequence[str | None], *, task: str = "img2txt", question: str = "Which?"
) -> Item:
    options = tuple(
        Option(letter=letter, text=text) for letter, text in zip("ABCDEF", texts, strict=False)
    )
    return Item(
        id=f"q{number}",
        benchmark="ct-bench",
        task=task,
        condition="no-box",
        question=question,
        answer_space=Choice(options=options),
    )


@pytest.fixture(scope="session")
def question() -> Callable[..., Item]:
    """Make a four-choice question from its number and its options' texts."""
    return _question


@pytest.fixture(scope="session")
def text_question() -> Callable[[int, str], Item]:
    """Make a question that asks for free text from its number and its words."""

    def make(number: int, question: str) -> Item:
        return Item(
            id=f"t{number}",
            benchmark="ct-spatialvqa",
            task="spatial",
            condition="slices-32",
            question=question,
            answer_space=Text(),
        )

    return make


@pytest.fixture(scope="session")
def solved() -> Callable[..., tuple[Item, Reference]]:
    """Pair a question with its right letter."""
    return lambda item, letter: (item, Reference(item=item.id, answer=letter))


@pytest.fixture(scope="session")
def reader() -> Callable[[str], Model]:
    """Open a built-in reader by its word."""
    return lambda word: ADAPTER.open(word, ModelOptions())


@pytest.fixture(scope="session")
def ask() -> Callable[..., Reply]:
    """Ask a reader one question without pictures, and take the letter out of its JSON."""

    def one(model: Model, item: Item, draw: int = 0) -> Reply:
        reply = asyncio.run(model.ask(Query(item=item, draw=draw)))
        if reply.text is None or isinstance(item.answer_space, Text):
            return reply
        return replace(reply, text=json.loads(reply.text)["selected_option"])

    return one


@pytest.fixture(scope="session")
def no_pictures() -> Callable[..., tuple[()]]:
    """Render nothing, and fail when asked to."""

    def render(media: object) -> tuple[()]:
        raise AssertionError(f"a blind reader asked for the picture {media}")

    return render
