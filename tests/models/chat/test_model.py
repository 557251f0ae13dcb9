from __future__ import annotations

import asyncio
import base64
import json
import re
import socket
import threading
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from overread.contracts import ModelOptions, Picture, Query, Reply
from overread.errors import FatalModelError, ModelError
from overread.models.chat import ADAPTER
from overread.models.chat.model import ChatModel
from overread.models.fake.script import read_script
from overread.models.fake.server import FakeServer
from overread.records import Status

KEY = "sk-proj-4f9c1d7e8b2a60353c5d"

Run = Callable[..., tuple[Any, ChatModel, FakeServer]]
MakeQuery = Callable[..., Query]

pytestmark = pytest.mark.usefixtures("quick")


def asking(query: Query) -> Callable[[ChatModel], Any]:
    return lambda model: model.ask(query)


def failing(query: Query) -> Callable[[ChatModel], Any]:
    async def ask(model: ChatModel) -> ModelError:
        with pytest.raises(ModelError) as caught:
            await model.ask(query)
        return caught.value

    return ask


def test_a_question_is_sent_as_the_protocol_says_and_the_reply_comes_back_raw(
    with_model: Run, query: MakeQuery
) -> None:
    asked = query(pictures=2, draw=3)
    reply, _, server = with_model("letter=C", asking(asked), keep_bodies=True)

    body = json.loads(server.seen[0].body)
    pictures = [
        {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{encoded}"}}
        for encoded in (base64.b64encode(f"q1 {n}".encode()).decode() for n in range(2))
    ]
    text = "Where is the lesion?\nA: liver\nB: spleen\nC: lung\nD: bone"
    assert body == {
        "model": "medgemma",
        "messages": [
            {"role": "system", "content": "You are a radiologist."},
            {"role": "user", "content": [*pictures, {"type": "text", "text": text}]},
        ],
        "temperature": 0.0,
        "max_tokens": 1000,
        "seed": 3,
    }
    assert reply == Reply(
        text='{"selected_option": "C", "explanation": "Scripted, not seen."}',
        finish_reason="stop",
        tokens_in=270,
        tokens_out=15,
    )


def test_a_large_body_arrives_whole_and_again_after_trouble(
    with_model: Run, query: MakeQuery, picture: Callable[..., Picture]
) -> None:
    asked = query(pictures=3)
    (media,) = asked.pictures
    slices = tuple(bytes([shade]) * (500_000 + shade) for shade in range(3))
    asked = Query(item=asked.item, pictures={media: tuple(picture(data) for data in slices)})
    reply, _, server = with_model("queue=503+ok,retry-after=0.01", asking(asked), keep_bodies=True)
    assert reply.status is Status.OK
    for seen in server.seen:
        parts = json.loads(seen.body)["messages"][1]["content"]
        urls = [part["image_url"]["url"] for part in parts if part["type"] == "image_url"]
        assert tuple(base64.b64decode(url.partition(",")[2]) for url in urls) == slices


def test_structured_output_offers_exactly_the_items_letters(
    with_model: Run, query: MakeQuery
) -> None:
    options = ModelOptions(structured=True)
    _, _, server = with_model("", asking(query()), keep_bodies=True, options=options)
    form = json.loads(server.seen[0].body)["response_format"]
    schema = form["json_schema"]["schema"]
    assert form["type"] == "json_schema"
    assert schema["properties"]["selected_option"]["enum"] == ["A", "B", "C", "D"]


def test_429_is_obeyed_with_its_retry_after_and_the_limit_halves(
    with_model: Run, query: MakeQuery
) -> None:
    reply, model, server = with_model("queue=429,retry-after=0.3", asking(query()))
    assert reply.status is Status.OK
    assert server.seen[1].at_s - server.seen[0].at_s >= 0.3
    assert model.state.limit == 2  # half of the four it starts with
    assert model.state.retries == {"throttled": 1}


@pytest.mark.parametrize(
    ("outcome", "kind"),
    [
        ("500", "server error"),
        ("502", "server error"),
        ("503", "throttled"),
        ("cut", "connection cut"),
        ("half", "connection cut"),
        ("malformed", "garbled reply"),
        ("html", "garbled reply"),
        ("shape", "garbled reply"),
        ("wrapped", "server error"),
    ],
)
def test_passing_trouble_is_tried_again_and_leaves_no_trace_in_the_reply(
    with_model: Run, query: MakeQuery, outcome: str, kind: str
) -> None:
    script = f"queue={outcome}+{outcome}+ok,letter=B,form=letter,retry-after=0.01"
    reply, model, server = with_model(script, asking(query()))
    assert reply.text == "B"
    assert len(server.seen) == 3
    assert model.state.retries == {kind: 2}


@pytest.mark.parametrize(
    ("outcome", "says", "tries"),
    [
        ("500", "server error: HTTP 500 (The server had an error.)", 4),
        ("502", "server error: HTTP 502 (a web page (HTML))", 4),
        ("cut", "the connection was cut before the reply was whole", 4),
        ("half", "the connection was cut before the reply was whole", 4),
        ("html", "garbled reply: a web page (HTML)", 3),
        ("malformed", "bytes that are no JSON, beginning", 3),
        ("shape", "garbled reply: JSON without choices", 3),
        ("400", "rejected: HTTP 400 (The request is wrong.)", 1),
    ],
)
def test_lasting_trouble_ends_after_bounded_tries_and_only_for_this_question(
    with_model: Run, query: MakeQuery, outcome: str, says: str, tries: int
) -> None:
    options = ModelOptions(max_retries=3)
    error, _, server = with_model(f"{outcome}=1", failing(query("lesion-7")), options=options)
    assert not isinstance(error, FatalModelError)
    assert says in str(error)
    assert "lesion-7" in str(error)
    assert f"({tries} tries)" in str(error)
    assert len(server.seen) == tries


@pytest.mark.parametrize("outcome", ["hang", "drip"])
def test_a_server_that_never_finishes_ends_by_the_clock(
    with_model: Run, query: MakeQuery, outcome: str
) -> None:
    # The dripping server sends a byte every 0.05 s: a timeout per read would never fire.
    options = ModelOptions(timeout_s=0.2, max_retries=1)
    start = time.monotonic()
    error, model, _ = with_model(f"{outcome}=1", failing(query()), options=options)
    assert "timeout: no whole reply within 0.2 s" in str(error)
    assert time.monotonic() - start < 2
    assert model.state.limit == 1  # 4 → 2 → 1: a server this slow gets fewer at once


def test_a_hanging_request_does_not_hold_up_the_others(with_model: Run, query: MakeQuery) -> None:
    async def ask_ten(model: ChatModel) -> list[Reply]:
        return await asyncio.gather(*(model.ask(query(f"q{n}")) for n in range(10)))

    options = ModelOptions(timeout_s=0.8)
    replies, _, _ = with_model("queue=hang,form=letter", ask_ten, options=options)
    assert all(reply.text in tuple("ABCD") for reply in replies)


@pytest.mark.parametrize("outcome", ["401", "403"])
def test_a_wrong_key_stops_at_once_and_is_never_shown(
    with_model: Run, query: MakeQuery, outcome: str
) -> None:
    # The fake server quotes the whole key in its complaint, which is worse than real ones do.
    error, model, server = with_model(f"{outcome}=1", failing(query()))
    assert isinstance(error, FatalModelError)
    assert len(server.seen) == 1
    assert "OPENAI_API_KEY" in str(error)
    everything = "".join(traceback.format_exception(error)) + repr(model.state)
    assert KEY not in everything
    assert KEY[:10] not in everything
    assert KEY not in repr(model.identity)


def test_a_key_that_is_right_passes(with_model: Run, query: MakeQuery) -> None:
    reply, _, _ = with_model(f"key={KEY}", asking(query()))
    assert reply.status is Status.OK


@pytest.mark.parametrize(
    ("script", "says"),
    [
        ("404=1", "Check the model's name ('medgemma')"),
        ("model=other", "The model `medgemma` does not exist."),
        ("quota=1", "no credit left"),
        ("later=1", "come back in 60 minutes"),
    ],
)
def test_what_no_question_can_mend_ends_the_run(
    with_model: Run, query: MakeQuery, script: str, says: str
) -> None:
    error, _, server = with_model(script, failing(query()))
    assert isinstance(error, FatalModelError)
    assert says in str(error)
    assert len(server.seen) == 1


@pytest.mark.parametrize(
    ("outcome", "text"),
    [
        ("filter", '{"selected_option": "A", "explanation": "Scripted, not seen."}'),
        ("filter400", None),
        ("refusal", "I'm sorry, I can't help with that."),
    ],
)
def test_a_filtered_question_is_refused_not_failed(
    with_model: Run, query: MakeQuery, outcome: str, text: str | None
) -> None:
    reply, _, server = with_model(f"{outcome}=1,letter=A", asking(query()))
    assert reply.status is Status.REFUSED
    assert reply.reason
    assert reply.text == text
    assert len(server.seen) == 1


@pytest.mark.parametrize(("outcome", "text"), [("empty", ""), ("null", None)])
def test_an_empty_reply_is_a_reply(
    with_model: Run, query: MakeQuery, outcome: str, text: str | None
) -> None:
    reply, _, _ = with_model(f"{outcome}=1", asking(query()))
    assert (reply.status, reply.text) == (Status.OK, text)


def test_a_reply_of_two_megabytes_arrives_whole(with_model: Run, query: MakeQuery) -> None:
    reply, _, _ = with_model("huge=1,letter=D", asking(query()))
    assert len(reply.text) > 2_000_000
    assert reply.text.endswith("ANSWER: D")


@pytest.mark.parametrize(
    ("outcome", "says"),
    [
        ("endless", "garbled reply: more than 64,000,000 bytes"),
        ("bomb", "garbled reply: more than 64,000,000 bytes"),
        ("brotli", "garbled reply: a body packed as 'br', which was not asked for"),
    ],
)
def test_a_reply_beyond_all_bounds_fails_its_question(
    with_model: Run, query: MakeQuery, outcome: str, says: str
) -> None:
    options = ModelOptions(max_retries=0)
    error, _, _ = with_model(f"{outcome}=1", failing(query()), options=options)
    assert not isinstance(error, FatalModelError)
    assert says in str(error)
    assert "(1 tries)" in str(error)


def test_an_error_without_end_is_read_no_further_than_it_is_shown(
    with_model: Run, query: MakeQuery
) -> None:
    reply, model, _ = with_model("queue=endless500,letter=A,form=letter", asking(query()))
    assert reply.text == "A"
    assert model.state.retries == {"server error": 1}


def test_a_packed_reply_is_unpacked_though_none_was_asked_for(
    with_model: Run, query: MakeQuery
) -> None:
    reply, _, _ = with_model("packed=1,letter=B", asking(query()))
    assert json.loads(reply.text)["selected_option"] == "B"


def test_half_a_character_cannot_reach_a_file(with_model: Run, query: MakeQuery) -> None:
    reply, _, _ = with_model("surrogate=1,letter=A", asking(query()))
    assert reply.text == "A \ufffd"
    reply.text.encode()


def test_too_many_pictures_are_refused_never_cut(with_model: Run, query: MakeQuery) -> None:
    options = ModelOptions(max_images=4)
    error, _, server = with_model("", failing(query(pictures=9)), options=options)
    assert "expected at most 4 pictures a request, got 9" in str(error)
    assert server.seen == []


def test_the_servers_image_limit_is_learnt_from_its_complaint(
    with_model: Run, query: MakeQuery
) -> None:
    async def ask_thrice(model: ChatModel) -> list[str]:
        messages = []
        for name in ("first", "second"):
            with pytest.raises(ModelError) as caught:
                await model.ask(query(name, pictures=9))
            messages.append(str(caught.value))
        assert (await model.ask(query("third", pictures=3))).status is Status.OK
        return messages

    messages, model, server = with_model("max-images=3", ask_thrice)
    assert all("at most 3 pictures a request, got 9" in message for message in messages)
    assert model.max_images == 3
    assert [seen.images for seen in server.seen] == [9, 3]  # the second was not even sent


def test_a_question_is_never_asked_without_its_picture(with_model: Run, query: MakeQuery) -> None:
    asked = query()
    error, _, server = with_model("", failing(Query(item=asked.item)))
    assert "expected a rendered picture for q1-0.png, got none" in str(error)
    assert server.seen == []


@pytest.mark.parametrize(
    ("script", "sent", "code"),
    [
        (
            "max-tokens=renamed",
            {"max_completion_tokens": 1000, "seed": 0, "temperature": 0.0},
            "max-tokens-renamed",
        ),
        ("no-seed=yes", {"max_tokens": 1000, "temperature": 0.0}, "seed-not-taken"),
    ],
)
def test_a_servers_dialect_is_learnt_once(
    with_model: Run, query: MakeQuery, script: str, sent: dict[str, object], code: str
) -> None:
    async def ask_twice(model: ChatModel) -> None:
        await model.ask(query("one"))
        await model.ask(query("two"))

    _, model, server = with_model(script, ask_twice, keep_bodies=True)
    assert len(server.seen) == 3
    assert [finding.code for finding in model.findings()] == [code]
    assert model.findings()[0].where == server.base_url
    last = json.loads(server.seen[-1].body)
    assert {k: v for k, v in last.items() if k not in ("model", "messages")} == sent


def test_a_server_that_dies_half_way_ends_the_run_after_a_few_questions(
    with_model: Run, query: MakeQuery
) -> None:
    async def ask_all(model: ChatModel) -> tuple[int, BaseException]:
        answered = 0
        for number in range(50):
            try:
                await model.ask(query(f"q{number}"))
                answered += 1
            except FatalModelError as error:
                return answered, error
            except ModelError:
                pass
        raise AssertionError("50 questions were put to a dead server")

    options = ModelOptions(max_retries=1)
    (answered, error), _, _ = with_model("die-after=5", ask_all, options=options)
    assert answered == 5
    assert "8 questions in a row came to nothing" in str(error)
    assert "no connection: nobody listens there" in str(error)


def test_one_poisoned_question_does_not_end_the_run(with_model: Run, query: MakeQuery) -> None:
    async def ask_all(model: ChatModel) -> list[str]:
        ends = []
        for number in range(20):
            try:
                ends.append((await model.ask(query(f"q{number}"))).text)
            except FatalModelError:
                raise
            except ModelError:
                ends.append("failed")
        return ends

    options = ModelOptions(max_retries=0)
    queue = "+".join(["cut", "ok"] * 10)
    ends, _, _ = with_model(f"queue={queue},form=letter,letter=A", ask_all, options=options)
    assert ends == ["failed", "A"] * 10


def test_many_questions_under_all_troubles_at_once_all_get_their_own_answer(
    with_model: Run, query: MakeQuery
) -> None:
    # Garbled replies are worth two more tries only, so they come a fixed number of times; of the
    # others, enough tries leave no question to bad luck (0.35 to the power of 13).
    shares = "429=0.1,500=0.1,cut=0.1,half=0.05,retry-after=0.01,seed=4"
    script = f"queue=malformed+html,{shares}"

    async def ask_all(model: ChatModel) -> list[str]:
        replies = await asyncio.gather(*(model.ask(query(f"q{n}")) for n in range(100)))
        return [reply.text for reply in replies]

    troubled, model, _ = with_model(script, ask_all, options=ModelOptions(max_retries=12))
    calm, _, _ = with_model("seed=4", ask_all)
    assert troubled == calm
    assert sum(model.state.retries.values()) > 20
    assert model.state.in_flight == 0


def test_no_more_requests_at_once_than_allowed(with_model: Run, query: MakeQuery) -> None:
    highest = 0

    async def ask_all(model: ChatModel) -> None:
        nonlocal highest

        async def watch() -> None:
            nonlocal highest
            while True:
                highest = max(highest, model.state.in_flight)
                await asyncio.sleep(0.002)

        watcher = asyncio.create_task(watch())
        await asyncio.gather(*(model.ask(query(f"q{n}")) for n in range(60)))
        watcher.cancel()

    options = ModelOptions(concurrency=8)
    _, model, _ = with_model("delay=0.02", ask_all, options=options)
    assert highest == 8
    assert model.state.limit == 8


def test_a_cancelled_question_gives_its_place_back(with_model: Run, query: MakeQuery) -> None:
    async def cancel_four(model: ChatModel) -> int:
        tasks = [asyncio.create_task(model.ask(query(f"q{n}"))) for n in range(6)]
        await asyncio.sleep(0.1)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        return model.state.in_flight

    in_flight, _, _ = with_model("hang=1", cancel_four)
    assert in_flight == 0


# ---------------------------------------------------------------- before the first item


def preflight(model: ChatModel) -> Any:
    return model.preflight()


def failing_preflight(model: ChatModel) -> Any:
    async def go() -> FatalModelError:
        with pytest.raises(FatalModelError) as caught:
            await model.preflight()
        return caught.value

    return go()


def test_preflight_finds_a_good_server_good(with_model: Run) -> None:
    _, model, server = with_model("", preflight)
    assert [(seen.path, seen.images) for seen in server.seen] == [
        ("/v1/chat/completions", 9),
        ("/v1/models", 0),
    ]
    assert model.max_images is None
    assert model.findings() == ()


def test_preflight_learns_how_many_pictures_go_in_one_request(with_model: Run) -> None:
    _, model, server = with_model("max-images=1", preflight)
    assert model.max_images == 1
    assert [seen.images for seen in server.seen if seen.outcome != "models"] == [9, 1]


@pytest.mark.parametrize(
    ("script", "says", "requests"),
    [
        ("401=1", "The key in OPENAI_API_KEY is missing or wrong", 1),
        ("model=other", "Check the model's name ('medgemma')", 1),
        ("html=1", "garbled reply: a web page (HTML). Check --base-url", 1),
        ("max-images=0", "Does this model take pictures", 2),
        ("hang=1", "timeout: no whole reply within 0.2 s", 2),
    ],
)
def test_preflight_stops_before_the_first_item(
    with_model: Run, script: str, says: str, requests: int
) -> None:
    # Only the hanging server is to run out of time, not a slow first request.
    options = ModelOptions(timeout_s=0.2 if script == "hang=1" else 20.0)
    error, _, server = with_model(script, failing_preflight, options=options)
    assert says in str(error)
    assert "got fatal" not in str(error)
    assert len(server.seen) == requests
    assert KEY not in str(error)


@pytest.mark.parametrize(
    ("listed", "is_found"),
    [
        ("medgemma", False),
        ("other+MedGemma:latest", False),
        ("google/medgemma", False),
        ("other", True),
        ("medgemma-27b+other", True),
        (f"other+{KEY}+{'x' * 10_000}{'+y' * 100}", True),
    ],
)
def test_a_server_that_answers_under_any_name_is_told_by_its_list(
    with_model: Run, listed: str, is_found: bool
) -> None:
    _, model, _ = with_model(f"lists={listed}", preflight)
    assert [finding.code for finding in model.findings()] == ["model-not-listed"] * is_found
    for finding in model.findings():
        assert f"'medgemma', and lists {listed.split('+')[0]}" in finding.evidence
        assert len(finding.evidence) < 1000
        assert KEY not in finding.evidence


class _OddList(BaseHTTPRequestHandler):
    """A server that answers questions, and gives its list of models as `listed` says."""

    listed: bytes | None = b""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self._send(b'{"choices": [{"message": {"content": "A"}}]}')

    def do_GET(self) -> None:
        if self.listed is None:
            self.close_connection = True
        else:
            self._send(self.listed)

    def _send(self, body: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.mark.parametrize(
    "listed",
    [
        None,
        b"<html>",
        b"[]",
        b"7",
        b'{"data": 3}',
        b'{"data": [7, {"id": 8}, {"name": "x"}, {"id": ""}]}',
        b"[" * 100_000,
        b" " * 65_000_000,
    ],
    ids=["cut", "page", "list", "number", "no list", "no names", "deep", "large"],
)
def test_a_list_of_models_that_is_none_stops_nothing(listed: bytes | None) -> None:
    handler = type("OddList", (_OddList,), {"listed": listed})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        url = f"http://127.0.0.1:{server.server_address[1]}/v1"

        async def go() -> ChatModel:
            model = ADAPTER.open("medgemma", ModelOptions(base_url=url))
            assert isinstance(model, ChatModel)
            try:
                await model.preflight()
            finally:
                await model.close()
            return model

        try:
            assert asyncio.run(go()).findings() == ()
        finally:
            server.shutdown()
            thread.join()


def test_no_retries_means_one_try(with_model: Run, query: MakeQuery) -> None:
    options = ModelOptions(max_retries=0)
    for outcome in ("429", "500", "cut", "html"):
        error, _, server = with_model(f"{outcome}=1", failing(query()), options=options)
        assert "(1 tries)" in str(error)
        assert len(server.seen) == 1
    # A setting under another name is no trouble of the server's: it may be put right all the same.
    _, _, server = with_model("no-seed=yes", asking(query()), options=options)
    assert len(server.seen) == 2


def test_no_server_at_all_is_said_within_seconds() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]

        async def go() -> str:
            model = ADAPTER.open("m", ModelOptions(base_url=f"http://127.0.0.1:{port}/v1"))
            with pytest.raises(FatalModelError) as caught:
                await model.preflight()
            await model.close()
            return str(caught.value)

        message = asyncio.run(go())
    assert f"http://127.0.0.1:{port}/v1" in message
    assert "no connection: nobody listens there" in message


def test_https_asked_of_a_plain_server_is_no_silence() -> None:
    def answer_plainly() -> None:
        with suppress(OSError):
            while True:
                client, _ = listening.accept()
                with client:
                    client.recv(1024)
                    client.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")

    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=answer_plainly, daemon=True)
        thread.start()
        url = f"https://127.0.0.1:{listening.getsockname()[1]}/v1"

        async def go() -> str:
            model = ADAPTER.open("m", ModelOptions(base_url=url, max_retries=0))
            with pytest.raises(FatalModelError) as caught:
                await model.preflight()
            await model.close()
            return str(caught.value)

        assert "https failed ([SSL: WRONG_VERSION_NUMBER]" in asyncio.run(go())
        listening.shutdown(socket.SHUT_RDWR)
    thread.join(timeout=2)


def test_a_proxy_of_the_environment_does_not_come_between(
    monkeypatch: pytest.MonkeyPatch, with_model: Run, query: MakeQuery
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    reply, _, _ = with_model("", asking(query()))
    assert reply.status is Status.OK


def test_the_identity_names_model_endpoint_and_settings_and_nothing_else() -> None:
    url = "http://user:hunter2@127.0.0.1:8000/v1?api_key=hunter3"
    model = ADAPTER.open("medgemma", ModelOptions(base_url=url, temperature=0.7, seed=5))
    identity = model.identity
    assert identity.label == "chat:medgemma"
    assert identity.settings == {
        "endpoint": "http://127.0.0.1:8000/v1",
        "temperature": 0.7,
        "max_tokens": 1000,
        "seed": 5,
        "structured": False,
    }
    assert "hunter" not in repr(identity)


def test_the_script_of_the_fixture_is_read_as_written() -> None:
    script = read_script("queue=429+ok, letter=C ,500=0.25,key=k")
    assert (script.queue, script.letter, script.shares, script.key) == (
        ("429", "ok"),
        "C",
        {"500": 0.25},
        "k",
    )


def test_the_note_says_how_many_at_once_and_what_was_retried(
    with_model: Run, query: MakeQuery
) -> None:
    _, model, _ = with_model("queue=500+ok", asking(query()))
    assert re.fullmatch(r"\d+ at once, (paused \d+ s, )?1 retries, last: .+", model.note)
