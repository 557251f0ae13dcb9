"""The small parts of the chat adapter, each by itself."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from inspect import signature
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overread.cli.run_command import run_command
from overread.contracts import ModelOptions, Picture, Query
from overread.errors import ModelError, UsageError
from overread.models.chat import ADAPTER, adapter
from overread.models.chat.budget import ImageBudget, read_image_limit
from overread.models.chat.endpoint import find_endpoint
from overread.models.chat.probe import probe_query
from overread.models.chat.reply import GarbledReplyError, HostError, read_reply
from overread.models.chat.request import Wire, chat_body, shown_pictures
from overread.models.chat.trouble import Kind, tries_after
from overread.records import Item, Option, Part, Ranking, Status, Text

JSON = "application/json"
_OPTION = re.compile(r"--[a-z]+(?:-[a-z]+)*")


# ---------------------------------------------------------------- budget


@pytest.mark.parametrize(
    ("message", "limit"),
    [
        # From public issues; the source of each is in budget.py.
        ("At most 1 image(s) may be provided in one request.", 1),
        ("At most 5 image(s) may be provided in one prompt.", 5),
        ("Too many images in request. Max is 10.", 10),
        ("Too many images in request: 11 images provided, maximum of 10 images.", 10),
        ("Image count 5 exceeds limit 4 per request.", 4),
        ("request contains 52 images, exceeding the maximum of 50 allowed per request", 50),
        ("too many images in the message, max allowed is 16", 16),
        ("You set image=2 (or defaulted to 1) in `--limit-mm-per-prompt`", 2),
        ("This model supports up to 5 images", 5),
        ("This model's maximum context length is 4096 tokens, but 9 images were sent.", None),
        ("The image is too large: 20 MB.", None),
        ("", None),
        ("image " * 100_000, None),
    ],
)
def test_a_servers_image_limit_is_read_out_of_its_words(message: str, limit: int | None) -> None:
    assert read_image_limit(message) == limit


@pytest.mark.parametrize(
    ("budget", "says"),
    [
        (ImageBudget(max_images=2), "expected at most 2 pictures a request, got 3"),
        (ImageBudget(max_pixels=700_000), "expected at most 700,000 pixels a request, got 786,432"),
        (ImageBudget(max_bytes=29), "expected at most 29 bytes of pictures a request, got 30"),
    ],
)
def test_each_budget_has_its_own_words(
    picture: Callable[..., Picture], budget: ImageBudget, says: str
) -> None:
    three = [picture(b"0123456789") for _ in range(3)]
    with pytest.raises(ModelError, match=says):
        budget.check(three, where="item q")
    replace(budget, max_images=3, max_pixels=786_432, max_bytes=30).check(three, where="item q")


# ---------------------------------------------------------------- endpoint


def test_the_command_line_goes_before_the_environment() -> None:
    environment = {"OPENAI_BASE_URL": "http://a:1/v1", "OPENAI_API_KEY": " k1 "}
    assert find_endpoint(None, environment).base_url == "http://a:1/v1"
    assert find_endpoint("http://b:2/v1", environment).base_url == "http://b:2/v1"
    assert find_endpoint(None, environment).key == "k1"
    assert find_endpoint(None, {"OPENAI_API_KEY": "k"}).base_url == "https://api.openai.com/v1"


def test_a_local_server_needs_no_key_and_openai_does() -> None:
    local = find_endpoint("http://127.0.0.1:8000/v1", {})
    assert (local.has_key, bool(local.key)) == (False, True)
    with pytest.raises(UsageError, match="OPENAI_API_KEY: expected a key in the environment"):
        find_endpoint(None, {})


def test_the_key_is_in_no_representation_and_is_taken_out_of_words() -> None:
    endpoint = find_endpoint("https://u:pw-9@h/v1", {"OPENAI_API_KEY": "secret-key-77"})
    assert "secret-key-77" not in repr(endpoint)
    assert endpoint.shown == "https://h/v1"
    words = "secret-key-77 and pw-9 and sk-proj-ab12****9xyz."
    assert endpoint.redact(words) == "[key] and [key] and [key]"


@pytest.mark.parametrize(
    "url", ["127.0.0.1:8000", "ftp://h/v1", "http://", "nonsense", "http://[::1", "http://h:99999"]
)
def test_a_base_url_that_is_none_is_wrong_use(url: str) -> None:
    with pytest.raises(UsageError, match="--base-url: expected a URL"):
        find_endpoint(url, {})


def test_a_key_that_cannot_be_a_header_is_wrong_use_and_is_not_shown() -> None:
    with pytest.raises(UsageError) as caught:
        find_endpoint("http://h/v1", {"OPENAI_API_KEY": "clé-secrète"})
    assert "secr" not in str(caught.value)


@pytest.mark.parametrize(
    ("url", "is_loopback"),
    [
        ("http://localhost:8000/v1", True),
        ("http://[::1]:8000/v1", True),
        ("http://127.0.0.2/v1", True),
        ("http://10.0.0.1/v1", False),
        ("https://example.org/v1", False),
    ],
)
def test_this_machine_is_known(url: str, is_loopback: bool) -> None:
    assert find_endpoint(url, {}).is_loopback is is_loopback


# ---------------------------------------------------------------- request


def test_the_body_is_what_a_json_encoder_would_write(query: Callable[..., Query]) -> None:
    asked = query(pictures=3)
    odd = Part(text='quote " and \\ and é and \ud83d and \0')
    asked = replace(asked, item=replace(asked.item, prompt=(*asked.item.prompt, odd)))
    body = bytes(chat_body(asked, Wire(model='m"1', options=ModelOptions())))
    assert json.loads(body)["model"] == 'm"1'
    assert json.loads(body)["messages"][-1]["content"][-1]["text"] == odd.text
    assert body == json.dumps(json.loads(body), separators=(",", ":")).encode()


@pytest.mark.parametrize("size", range(6))
def test_the_pieces_on_the_wire_are_the_body_and_its_length_is_known(
    query: Callable[..., Query], picture: Callable[..., Picture], size: int
) -> None:
    asked = query(pictures=2)
    (media,) = asked.pictures
    asked = replace(asked, pictures={media: (picture(b"x" * size), picture(b"yz"))})
    body = chat_body(asked, Wire(model="m", options=ModelOptions()))

    async def sent() -> list[bytes]:
        return [piece async for piece in body]

    pieces = asyncio.run(sent())
    assert len(pieces) == 3  # up to each picture, and the rest
    assert b"".join(pieces) == bytes(body) == b"".join(asyncio.run(sent()))
    assert len(body) == len(bytes(body))


def test_an_item_without_a_prompt_is_worded_plainly(picture: Callable[..., Picture]) -> None:
    base = probe_query(2)
    pictures = list(base.pictures)
    options = (
        Option(letter="A", text="left", media=pictures[0]),
        Option(letter="B", media=pictures[1]),
    )
    item = Item(
        id="q",
        benchmark="b",
        task="t",
        condition="c",
        question="Which picture?",
        answer_space=Ranking(options=options),
    )
    asked = Query(item=item, pictures=base.pictures)
    wire = Wire(model="m", options=ModelOptions(structured=True))
    body = json.loads(bytes(chat_body(asked, wire)))
    (message,) = body["messages"]
    kinds = [part.get("text", part["type"]) for part in message["content"]]
    assert kinds == ["Which picture?", "A: left", "image_url", "B:", "image_url"]
    assert body["response_format"] == {"type": "json_object"}
    assert len(shown_pictures(asked)) == 2


def test_words_alone_go_out_as_one_string() -> None:
    item = Item(
        id="q",
        benchmark="b",
        task="t",
        condition="c",
        question="Say yes.",
        answer_space=Text(),
    )
    body = json.loads(bytes(chat_body(Query(item=item), Wire(model="m", options=ModelOptions()))))
    assert body["messages"] == [{"role": "user", "content": "Say yes."}]


def test_a_prompt_that_leaves_out_its_pictures_is_not_sent(query: Callable[..., Query]) -> None:
    asked = query()
    blind = tuple(part for part in asked.item.prompt if part.media is None)
    with pytest.raises(ModelError, match="a prompt that shows the item's pictures"):
        shown_pictures(replace(asked, item=replace(asked.item, prompt=blind)))


def test_the_probes_pictures_are_pictures() -> None:
    from io import BytesIO

    from PIL import Image

    for (picture,) in probe_query(9).pictures.values():
        image = Image.open(BytesIO(picture.data))
        image.load()
        assert (image.size, image.mode) == ((64, 64), "L")


# ---------------------------------------------------------------- reply


def completion(message: Any, **changes: Any) -> bytes:
    choice = {"message": message, "finish_reason": "stop"}
    return json.dumps({"choices": [choice], **changes}).encode()


@pytest.mark.parametrize(
    ("message", "status", "text"),
    [
        ({"content": "B"}, Status.OK, "B"),
        ({"content": ""}, Status.OK, ""),
        ({"content": None}, Status.OK, None),
        ({}, Status.OK, None),
        ({"content": [{"type": "text", "text": "B"}, {"text": " it is"}, 3]}, Status.OK, "B it is"),
        ({"content": None, "refusal": "I will not"}, Status.REFUSED, "I will not"),
        ({"content": "B", "refusal": "but"}, Status.OK, "B"),
        ({"content": 7}, Status.OK, None),
    ],
)
def test_messages_of_all_shapes(message: dict[str, Any], status: Status, text: str | None) -> None:
    reply = read_reply(completion(message), content_type=JSON)
    assert (reply.status, reply.text) == (status, text)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "an empty body"),
        (b"<html>hello</html>", "a web page"),
        (b"{", "1 bytes that are no JSON"),
        (b"\xff\xfe\xfa", "3 bytes that are no JSON"),
        (b"[]", "JSON that is no object but a list"),
        (b"{}", "JSON without choices"),
        (b'{"choices": []}', "JSON without choices"),
        (b'{"choices": [1]}', "a choice that is no object"),
        (b'{"choices": [{"message": "B"}]}', "a choice without a message"),
        (b"[" * 100_000, "100000 bytes that are no JSON"),
    ],
)
def test_what_is_no_completion_is_described(content: bytes, says: str) -> None:
    with pytest.raises(GarbledReplyError, match=says):
        read_reply(content, content_type=JSON)


def test_an_error_that_claims_success_keeps_its_code() -> None:
    with pytest.raises(HostError, match="too many") as caught:
        read_reply(b'{"error": {"message": "too many", "code": 429}}', content_type=JSON)
    assert caught.value.code == 429


def test_counts_that_are_none_are_none() -> None:
    usage = {"prompt_tokens": "12", "completion_tokens": True}
    reply = read_reply(completion({"content": "B"}, usage=usage), content_type=JSON)
    assert (reply.tokens_in, reply.tokens_out) == (None, None)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["choices", "message", "content", "error", "usage", "refusal", "text"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(json_values | st.binary(max_size=30))
def test_any_body_is_a_reply_or_trouble_and_nothing_else(value: Any) -> None:
    content = value if isinstance(value, bytes) else json.dumps(value).encode()
    try:
        reply = read_reply(content, content_type="text/plain")
    except (GarbledReplyError, HostError):
        return
    (reply.text or "").encode()


# ---------------------------------------------------------------- trouble and adapter


def test_what_is_worth_trying_again() -> None:
    worth = {kind: tries_after(kind, max_retries=6) for kind in Kind}
    assert {kind for kind, tries in worth.items() if tries == 6} == {
        Kind.THROTTLED,
        Kind.SERVER,
        Kind.CONNECT,
        Kind.CUT,
    }
    assert worth[Kind.TIMEOUT] == worth[Kind.GARBLED] == 2
    assert worth[Kind.FATAL] == worth[Kind.ITEM] == worth[Kind.FILTERED] == 0


@pytest.mark.parametrize(
    ("settings", "argument"),
    [
        ({"concurrency": 0}, "--concurrency"),
        ({"timeout_s": 0.0}, "--timeout-s"),
        ({"timeout_s": float("nan")}, "--timeout-s"),
        ({"max_retries": -1}, "--max-retries"),
        ({"max_tokens": 0}, "--max-tokens"),
        ({"temperature": 3.0}, "--temperature"),
        ({"max_images": 0}, "--max-images"),
        ({"max_images": -2}, "--max-images"),
    ],
)
def test_settings_out_of_range_are_wrong_use(settings: dict[str, Any], argument: str) -> None:
    with pytest.raises(UsageError, match=f"{argument}: expected a number of"):
        ADAPTER.open("m", ModelOptions(base_url="http://127.0.0.1:1/v1", **settings))


def test_messages_name_options_that_the_command_line_has() -> None:
    folder = Path(adapter.__file__).parent
    named = {option for file in folder.glob("*.py") for option in _OPTION.findall(file.read_text())}
    known = {f"--{name.replace('_', '-')}" for name in signature(run_command).parameters}
    assert {"--timeout-s", "--max-side-px"} <= named
    assert named <= known | {"--limit-mm-per-prompt"}, "the last is a server's own"


def test_a_model_without_a_name_is_wrong_use() -> None:
    with pytest.raises(UsageError, match="chat:NAME"):
        ADAPTER.open(" ", ModelOptions())


def test_opening_a_model_loads_no_sdk() -> None:
    code = """
import sys
from overread.contracts import ModelOptions
from overread.registry import find_adapter, model_names
for name in ("chat", "fake", "command", "predictions", "python"):
    assert name in model_names(), name
    find_adapter(name)
find_adapter("chat").open("m", ModelOptions(base_url="http://127.0.0.1:1/v1"))
heavy = {"openai", "pydantic", "httpx2", "numpy", "polars", "PIL"} & set(sys.modules)
assert not heavy, heavy
"""
    subprocess.run([sys.executable, "-c", code], check=True)
