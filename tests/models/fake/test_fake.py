from __future__ import annotations

import asyncio
import gc
import json
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from overread.contracts import ModelOptions, Query
from overread.errors import FatalModelError, UsageError
from overread.models.fake.script import OUTCOMES, Script, read_script
from overread.models.fake.server import FakeServer
from overread.records import Choice, Item, Option, Part
from overread.registry import open_model


def question(number: int) -> Query:
    item = Item(
        id=f"q{number}",
        benchmark="b",
        task="t",
        condition="c",
        question=f"Question {number}?",
        prompt=(Part(text=f"Question {number}?\nOptions:\nA: liver\nB: lung\nC: bone\nD: fat"),),
        answer_space=Choice(options=tuple(Option(letter=letter) for letter in "ABCD")),
    )
    return Query(item=item)


def letters(spec: str, count: int) -> list[str]:
    async def main() -> list[str]:
        model = open_model(spec, ModelOptions())
        try:
            await model.preflight()
            replies = await asyncio.gather(*(model.ask(question(n)) for n in range(count)))
        finally:
            await model.close()
        return [json.loads(reply.text or "")["selected_option"] for reply in replies]

    return asyncio.run(main())


def post(server: FakeServer, body: Any, *, path: str = "/chat/completions") -> Any:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    request = urllib.request.Request(server.base_url + path, data=data)
    with urllib.request.urlopen(request, timeout=5) as response:
        return json.load(response)


def test_the_adapter_answers_through_the_chat_adapter_as_often_with_every_letter() -> None:
    found = letters("fake", 240)
    counts = Counter(found)
    # 240 fair draws of 4: the standard deviation of each count is √(240·¼·¾) = 6.7.
    assert all(abs(counts[letter] - 60) < 4 * 6.7 for letter in "ABCD")
    assert letters("fake", 40) == found[:40]
    assert letters("fake:seed=1", 40) != found[:40]


@pytest.mark.parametrize(("rule", "letter"), [("first", "A"), ("last", "D"), ("C", "C")])
def test_letters_by_rule(rule: str, letter: str) -> None:
    assert set(letters(f"fake:letter={rule}", 5)) == {letter}


def test_no_fault_changes_an_answer() -> None:
    troubled = letters("fake:429=0.1,503=0.05,retry-after=0.01,seed=2", 60)
    assert troubled == letters("fake:seed=2", 60)


def test_a_dead_server_is_fatal_through_the_adapter_too() -> None:
    with pytest.raises(FatalModelError):
        letters("fake:401=1", 1)


def test_the_identity_holds_the_script() -> None:
    identity = open_model("fake:letter=A,seed=3", ModelOptions(seed=8)).identity
    assert identity.label == "fake:A"
    assert identity.settings["script"] == "letter=A,seed=3"
    assert identity.settings["seed"] == 8


@pytest.mark.parametrize(
    "text",
    [
        "letter=AB",
        "letter=",
        "429",
        "429=2",
        "429=-0.1",
        "500=x",
        "500=0.6,cut=0.6",
        "queue=429+nothing",
        "form=poem",
        "delay=-1",
        "delay=nan",
        "unknown=1",
        "no_such_file.json",
    ],
)
def test_a_script_with_a_fault_of_its_own_is_wrong_use(text: str) -> None:
    with pytest.raises(UsageError, match="fake:SCRIPT: expected KEY=VALUE pairs"):
        read_script(text)


def test_a_script_from_a_file_is_the_one_from_the_line(tmp_path: Path) -> None:
    path = tmp_path / "s.json"
    path.write_text(json.dumps({"letter": "B", "429": 0.25, "queue": ["cut", "ok"], "seed": 3}))
    assert read_script(str(path)) == read_script("letter=B,429=0.25,queue=cut+ok,seed=3")


def test_shares_are_met_and_repeat() -> None:
    script = Script(shares={"429": 0.2, "cut": 0.1}, queue=("html",))
    outcomes = [script.outcome(n) for n in range(2000)]
    assert outcomes == [script.outcome(n) for n in range(2000)]
    assert outcomes[0] == "html"
    counts = Counter(outcomes)
    # √(2000·0.2·0.8) = 17.9 and √(2000·0.1·0.9) = 13.4; four of them are a wide berth.
    assert abs(counts["429"] - 400) < 72
    assert abs(counts["cut"] - 200) < 54


def test_letters_on_offer_come_from_the_demanded_form_or_the_lines() -> None:
    with FakeServer(Script(letter="last", form="letter")) as server:

        def ask(text: str, **more: Any) -> str:
            body = {"model": "m", "messages": [{"role": "user", "content": text}], **more}
            return post(server, body)["choices"][0]["message"]["content"]

        assert ask("Which?\nA: x\nB: y") == "B"
        assert ask("Which?\n (A) x\n (B) y\n (C) z") == "C"
        assert ask("no options here") == "D"
        schema = {"properties": {"selected_option": {"enum": ["E", "F"]}}}
        assert ask("A: x", response_format={"json_schema": {"schema": schema}}) == "F"


def test_the_server_says_what_is_wrong_with_a_request() -> None:
    with FakeServer() as server:
        for body in (b"no json", b"[]", {"model": "m"}, {"messages": [1]}, {"messages": []}):
            with pytest.raises(urllib.error.HTTPError) as caught:
                post(server, body)
            assert caught.value.code == 400
            caught.value.close()
        with pytest.raises(urllib.error.HTTPError) as caught:
            post(server, {}, path="/embeddings")
        assert caught.value.code == 404
        caught.value.close()


def test_a_taken_port_is_said() -> None:
    with FakeServer() as server, pytest.raises(OSError, match="in use"):
        FakeServer(port=int(server.base_url.rpartition(":")[2].partition("/")[0])).start()


def test_starting_and_stopping_leaves_nothing_behind() -> None:
    for _ in range(20):
        with FakeServer(Script(shares={"hang": 1.0})):
            pass


def test_a_connection_that_comes_with_the_end_is_closed() -> None:
    with ExitStack() as clients:
        with FakeServer() as server:
            assert server._loop is not None
            port = int(server.base_url.rpartition(":")[2].partition("/")[0])
            # While the loop sleeps, clients queue; it wakes to them and to the end at once.
            server._loop.call_soon_threadsafe(time.sleep, 0.1)
            time.sleep(0.02)
            for _ in range(3):
                clients.enter_context(socket.create_connection(("127.0.0.1", port)))
        gc.collect()  # an unclosed socket would warn here, and fail


def test_every_outcome_is_described() -> None:
    assert all(OUTCOMES.values())


@pytest.mark.parametrize("argument", ["letter=AB", "no_such_file.json"])
def test_alone_it_says_what_is_wrong_with_a_script(argument: str) -> None:
    command = [sys.executable, "-m", "overread.models.fake", argument]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=30)
    assert (done.returncode, done.stdout) == (2, "")
    assert "expected KEY=VALUE pairs" in done.stderr
    assert "Traceback" not in done.stderr


def test_alone_it_says_that_its_port_is_taken_and_ends_when_interrupted() -> None:
    command = [sys.executable, "-m", "overread.models.fake", "--port"]
    with subprocess.Popen([*command, "0"], stdout=subprocess.PIPE, text=True) as first:
        assert first.stdout is not None
        port = first.stdout.readline().rpartition(":")[2].partition("/")[0]
        second = subprocess.run(
            [*command, port], capture_output=True, text=True, check=False, timeout=30
        )
        first.send_signal(signal.SIGINT)
        assert first.wait(timeout=10) == 0
    assert second.returncode == 2
    assert "in use" in second.stderr
    assert "Traceback" not in second.stderr


def test_it_runs_alone_and_prints_where() -> None:
    command = [sys.executable, "-m", "overread.models.fake", "form=letter,letter=C"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        body = {"model": "m", "messages": [{"role": "user", "content": "?"}]}
        request = urllib.request.Request(f"{url}/chat/completions", json.dumps(body).encode())
        with urllib.request.urlopen(request, timeout=5) as response:
            reply = json.load(response)
        process.terminate()
    assert reply["choices"][0]["message"]["content"] == "C"
