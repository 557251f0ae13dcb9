"""A question with pictures, and chat models that ask a fake server through the real SDK."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from hashlib import sha256
from typing import TypeVar

import pytest

from overread.contracts import ModelOptions, Picture, Query
from overread.models.chat import ADAPTER
from overread.models.chat.model import ChatModel
from overread.models.fake.script import read_script
from overread.models.fake.server import FakeServer
from overread.records import Choice, Item, Media, Option, Part, Receipt

KEY = "sk-proj-4f9c1d7e8b2a60353c5d"

T = TypeVar("T")


@pytest.fixture(autouse=True)
def _key_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)


@pytest.fixture
def picture() -> Callable[..., Picture]:
    def make(data: bytes = b"\x89PNG of some kind", *, side: int = 512) -> Picture:
        receipt = Receipt(
            sha256=sha256(data).hexdigest(),
            width=side,
            height=side,
            size_bytes=len(data),
            media_type="image/png",
            sources=("a.png",),
            window="as stored",
            layout="single",
            orientation="as stored",
            boxes_drawn=0,
        )
        return Picture(data=data, receipt=receipt)

    return make


@pytest.fixture
def query(picture: Callable[..., Picture]) -> Callable[..., Query]:
    def make(name: str = "q1", *, pictures: int = 1, draw: int = 0) -> Query:
        stack = Media(paths=tuple(f"{name}-{n}.png" for n in range(pictures)), kind="stack")
        options = tuple(
            Option(letter=letter, text=text)
            for letter, text in zip("ABCD", ("liver", "spleen", "lung", "bone"), strict=True)
        )
        item = Item(
            id=name,
            benchmark="test",
            task="img2txt",
            condition="box",
            question="Where is the lesion?",
            media=(stack,),
            prompt=(
                Part(role="system", text="You are a radiologist."),
                Part(media=stack),
                Part(text="Where is the lesion?\nA: liver\nB: spleen\nC: lung\nD: bone"),
            ),
            answer_space=Choice(options=options),
        )
        shown = tuple(picture(f"{name} {n}".encode()) for n in range(pictures))
        return Query(item=item, draw=draw, pictures={stack: shown})

    return make


@pytest.fixture
def with_model() -> Callable[..., tuple[object, ChatModel, FakeServer]]:
    """Run a coroutine on a chat model that asks a fake server with a script."""

    def run(
        script: str,
        action: Callable[[ChatModel], Awaitable[T]],
        *,
        keep_bodies: bool = False,
        options: ModelOptions | None = None,
    ) -> tuple[T, ChatModel, FakeServer]:
        async def go() -> tuple[T, ChatModel, FakeServer]:
            with FakeServer(read_script(script), keep_bodies=keep_bodies) as server:
                chosen = replace(options or ModelOptions(), base_url=server.base_url)
                model = ADAPTER.open("medgemma", chosen)
                assert isinstance(model, ChatModel)
                try:
                    return await action(model), model, server
                finally:
                    await model.close()

        return asyncio.run(go())

    return run


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait a hundredth of the usual time between tries."""
    monkeypatch.setattr("overread.models.chat.model._FIRST_BACKOFF_S", 0.005)
