"""A chat model that is asked in words alone: a judge, a generator."""

from __future__ import annotations

import json
from typing import Any

import pytest

from overread.contracts import ModelOptions
from overread.errors import FatalModelError
from overread.models.chat import ADAPTER
from overread.models.chat.model import ChatModel

WORDS = ModelOptions(text_only=True, max_retries=1, timeout_s=20.0)


def preflight(model: ChatModel) -> Any:
    return model.preflight()


def failing_preflight(model: ChatModel) -> Any:
    async def go() -> FatalModelError:
        with pytest.raises(FatalModelError) as caught:
            await model.preflight()
        return caught.value

    return go()


def test_preflight_sends_words_and_no_picture(with_model: Any) -> None:
    _, model, server = with_model("max-images=0", preflight, options=WORDS, keep_bodies=True)
    assert [(seen.path, seen.images) for seen in server.seen] == [
        ("/v1/chat/completions", 0),
        ("/v1/models", 0),
    ]
    (message,) = json.loads(server.seen[0].body)["messages"]
    # A string, not a list of parts: templates of text models take nothing else.
    assert message == {
        "role": "user",
        "content": "How much is two and three? Answer with one number.",
    }
    assert not model.sees


@pytest.mark.parametrize(
    ("script", "says"),
    [
        ("401=1", "The key in OPENAI_API_KEY is missing or wrong"),
        ("model=other", "Check the model's name ('medgemma')"),
        ("html=1", "Check --base-url"),
        ("400=1", "Does the server take these settings?"),
    ],
)
def test_preflight_stops_what_cannot_work(with_model: Any, script: str, says: str) -> None:
    error, _, server = with_model(script, failing_preflight, options=WORDS)
    assert says in str(error)
    assert "pictures" not in str(error)
    assert all(seen.images == 0 for seen in server.seen)


def test_words_alone_change_no_identity() -> None:
    both = [ADAPTER.open("m", ModelOptions(text_only=only)).identity for only in (False, True)]
    assert both[0] == both[1]
