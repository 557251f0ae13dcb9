from __future__ import annotations

import asyncio
import json
import os
import resource
import signal
import struct
import sys
import textwrap
import time
import zlib
from collections.abc import Awaitable, Callable
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from overread.contracts import ModelOptions, Picture, Query, Reply
from overread.errors import FatalModelError, ModelError, UsageError
from overread.models.command import ADAPTER
from overread.records import Choice, Item, Mask, Media, Option, Part, Receipt, Status

# A whole model, as its author would write it: it looks at the picture with the standard library
# alone and answers by its brightness. Bright squares are "bone" (D), dark ones "lung" (C).
EXAMPLE = """
import json, struct, sys, zlib
from pathlib import Path


def brightness(path):
    data = Path(path).read_bytes()
    assert data.startswith(b"\\x89PNG"), "no PNG"
    position, pixels = 8, b""
    while position < len(data):
        (length,) = struct.unpack(">I", data[position : position + 4])
        kind = data[position + 4 : position + 8]
        if kind == b"IDAT":
            pixels += data[position + 8 : position + 8 + length]
        position += 12 + length
    return zlib.decompress(pixels)[1]


print("loading weights", file=sys.stderr)
for line in sys.stdin:
    question = json.loads(line)
    (picture,) = question["pictures"]
    wanted = "bone" if brightness(picture["path"]) > 128 else "lung"
    letters = {option["text"]: option["letter"] for option in question["options"]}
    reply = {"id": question["id"], "text": letters[wanted], "tokens_in": picture["width"]}
    print(json.dumps(reply), flush=True)
"""

RunModel = Callable[..., Any]


def png(grey: int) -> bytes:
    def chunk(kind: bytes, content: bytes) -> bytes:
        checksum = struct.pack(">I", zlib.crc32(kind + content))
        return struct.pack(">I", len(content)) + kind + content + checksum

    header = struct.pack(">IIBBBBB", 8, 8, 8, 0, 0, 0, 0)
    rows = (b"\0" + bytes([grey]) * 8) * 8
    parts = (chunk(b"IHDR", header), chunk(b"IDAT", zlib.compress(rows)), chunk(b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def query(name: str = "q1", *, grey: int = 200, draw: int = 0) -> Query:
    data = png(grey)
    receipt = Receipt(
        sha256=sha256(data).hexdigest(),
        width=8,
        height=8,
        size_bytes=len(data),
        media_type="image/png",
        sources=("a.png",),
        window="as stored",
        layout="single",
        orientation="as stored",
        boxes_drawn=0,
    )
    media = Media(paths=(f"{name}.png",))
    texts = ("liver", "spleen", "lung", "bone")
    options = tuple(Option(letter=c, text=t) for c, t in zip("ABCD", texts, strict=True))
    item = Item(
        id=name,
        benchmark="test",
        task="img2txt",
        condition="box",
        question="Where is the lesion? «é»",
        media=(media,),
        prompt=(Part(role="system", text="Be a radiologist."), Part(media=media)),
        answer_space=Choice(options=options),
    )
    pictures = {media: (Picture(data=data, receipt=receipt),)}
    return Query(item=item, draw=draw, pictures=pictures)


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RunModel:
    """Run a coroutine on a model whose process is a Python script."""
    monkeypatch.setattr("overread.models.command.adapter._LOADING_S", 5.0)

    def go(
        script: str,
        action: Callable[[Any], Awaitable[Any]],
        *,
        options: ModelOptions | None = None,
    ) -> Any:
        path = tmp_path / "model.py"
        path.write_text(textwrap.dedent(script), encoding="utf-8")

        async def main() -> Any:
            chosen = options or ModelOptions()
            model = ADAPTER.open(f"{sys.executable} -S {path}", chosen)
            try:
                return await action(model)
            finally:
                await model.close()

        return asyncio.run(main())

    return go


async def failure(model: Any, asked: Query) -> ModelError:
    with pytest.raises(ModelError) as caught:
        await model.ask(asked)
    return caught.value


def test_a_whole_example_reads_pictures_and_answers_by_them(run: RunModel) -> None:
    async def ask(model: Any) -> list[Reply]:
        await model.preflight()
        return [await model.ask(query(f"q{grey}", grey=grey)) for grey in (20, 200, 90)]

    replies = run(EXAMPLE, ask)
    assert [reply.text for reply in replies] == ["C", "D", "C"]
    assert replies[0].tokens_in == 8


def test_the_question_arrives_as_documented_and_its_pictures_are_private_and_gone_after(
    run: RunModel,
) -> None:
    script = """
    import json, os, sys
    for line in sys.stdin:
        question = json.loads(line)
        path = question["pictures"][0]["path"]
        question["mode"] = oct(os.stat(os.path.dirname(path)).st_mode & 0o777)
        question["size"] = os.path.getsize(path)
        print(json.dumps({"id": question["id"], "text": json.dumps(question)}))
    """

    async def ask(model: Any) -> Reply:
        return await model.ask(query(draw=2))

    question = json.loads(run(script, ask, options=ModelOptions(seed=40)).text)
    picture = question["pictures"][0]
    assert "a.png" not in str(question)  # a file's name in the release may tell the answer
    assert question["mode"] == "0o700"
    assert question["size"] == len(png(200))
    assert not Path(picture["path"]).exists()
    assert not Path(picture["path"]).parent.exists()
    assert question["prompt"] == [
        {"role": "system", "text": "Be a radiologist."},
        {"role": "user", "pictures": [picture]},
    ]
    assert question["settings"] == {"seed": 42, "temperature": 0.0, "max_tokens": 1000}
    assert question["options"][2] == {"letter": "C", "text": "lung", "pictures": []}
    assert question["question"] == "Where is the lesion? «é»"
    assert picture["sha256"] == sha256(png(200)).hexdigest()


def test_a_process_that_dies_fails_its_question_and_is_started_again(run: RunModel) -> None:
    script = """
    import json, os, sys
    for line in sys.stdin:
        question = json.loads(line)
        if question["id"] == "poison":
            print("CUDA out of memory", file=sys.stderr)
            os.abort()
        print(json.dumps({"id": question["id"], "text": str(os.getpid())}), flush=True)
    """

    async def ask(model: Any) -> tuple[str, ModelError, str]:
        before = await model.ask(query("one"))
        error = await failure(model, query("poison"))
        after = await model.ask(query("two"))
        return before.text, error, after.text

    before, error, after = run(script, ask)
    assert before != after
    assert not isinstance(error, FatalModelError)
    assert "item poison" in str(error)
    assert "ended by SIGABRT, last words: CUDA out of memory" in str(error)


def test_three_deaths_in_a_row_end_the_run(run: RunModel) -> None:
    script = "import sys; sys.stdin.readline(); sys.exit('no such weights')"

    async def ask(model: Any) -> list[ModelError]:
        return [await failure(model, query(f"q{n}")) for n in range(3)]

    errors = run(script, ask)
    assert [isinstance(error, FatalModelError) for error in errors] == [False, False, True]
    assert "exit status 1, last words: no such weights" in str(errors[2])


def test_several_cases_that_kill_it_first_do_not_end_a_run_for_masks(
    run: RunModel, tmp_path: Path
) -> None:
    script = "import sys; sys.stdin.readline(); sys.exit('out of memory')"

    async def ask(model: Any) -> list[ModelError]:
        one = query("q")
        asked = replace(one, item=replace(one.item, answer_space=Mask(labels={1: "lesion"})))
        return [await failure(model, asked) for _ in range(10)]

    errors = run(script, ask)
    assert [isinstance(error, FatalModelError) for error in errors] == 9 * [False] + [True]


def test_a_disk_that_takes_no_pictures_ends_the_run(run: RunModel) -> None:
    """Else thousands of questions would fail within seconds, none of them the model's fault."""
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

    async def ask(model: Any) -> str:
        await model.preflight()
        resource.setrlimit(resource.RLIMIT_FSIZE, (10, limit[1]))
        with pytest.raises(FatalModelError) as caught:
            await model.ask(query("q1"))
        return str(caught.value)

    try:
        message = run(EXAMPLE, ask)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limit)
        signal.signal(signal.SIGXFSZ, before)
    assert "a folder that takes no pictures (File too large). Is the disk full?" in message


def test_a_process_that_ends_at_once_stops_the_run_before_the_first_item(run: RunModel) -> None:
    async def ask(model: Any) -> str:
        with pytest.raises(FatalModelError) as caught:
            await model.preflight()
        return str(caught.value)

    message = run("raise SystemExit('no GPU here')", ask)
    assert "exit status 1, last words: no GPU here" in message


def test_no_reply_in_time_fails_the_question_and_its_late_reply_meets_no_other(
    run: RunModel,
) -> None:
    script = """
    import json, os, sys, time
    for line in sys.stdin:
        question = json.loads(line)
        time.sleep(60 if question["id"] == "slow" else 0)
        reply = {"id": question["id"], "text": "for " + question["id"], "tokens_in": os.getpid()}
        print(json.dumps(reply), flush=True)
    """

    async def ask(model: Any) -> tuple[Reply, str, bool, Reply]:
        first = await model.ask(query("first"))
        error = await failure(model, query("slow"))
        return first, str(error), _lives(first.tokens_in), await model.ask(query("next"))

    start = time.monotonic()
    first, error, still_lives, after = run(script, ask, options=ModelOptions(timeout_s=0.5))
    assert (first.text, after.text) == ("for first", "for next")
    assert "no reply within 0.5 s" in error
    assert error.endswith("see --timeout-s.")
    assert not still_lives
    assert time.monotonic() - start < 4


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("Loading checkpoint shards: 100%", "a line that is no JSON: 'Loading checkpoint"),
        ("[1, 2]", "JSON that is no object: '[1, 2]'"),
        ('{"id": "other", "text": "A"}', "a reply with id 'other'"),
        ('{"text": "A"}', "a reply with id None"),
        ('{"id": "q1"}', "a reply without text, path, error or refused"),
        ('{"id": "q1", "path": "/no/such/mask.nii.gz"}', "the path of a file that is not there"),
        ('{"id": "q1", "error": "no lung found"}', "its error: no lung found"),
    ],
)
def test_a_line_that_is_no_reply_fails_the_question(run: RunModel, line: str, says: str) -> None:
    script = f"import sys\nfor _ in sys.stdin: print({line!r}, flush=True)"

    async def ask(model: Any) -> str:
        return str(await failure(model, query()))

    assert says in run(script, ask)


def test_a_refusal_a_path_and_half_a_character(run: RunModel, tmp_path: Path) -> None:
    mask = tmp_path / "mask.nii.gz"
    mask.write_bytes(b"mask")
    replies = [
        {"refused": "not for me"},
        {"path": str(mask)},
        {"text": "B \ud83d"},
        {"text": "x" * 2_000_000},
    ]
    script = f"""
    import json, sys
    for line, reply in zip(sys.stdin, {replies!r}):
        print(json.dumps({{"id": json.loads(line)["id"], **reply}}), flush=True)
    """

    async def ask(model: Any) -> list[Reply]:
        return [await model.ask(query(f"q{n}")) for n in range(4)]

    refused, path, half, huge = run(script, ask)
    assert (refused.status, refused.reason) == (Status.REFUSED, "not for me")
    assert path.path == str(mask)
    assert half.text == "B ?"
    assert len(huge.text) == 2_000_000


def test_a_flood_of_words_on_stderr_does_not_block(run: RunModel) -> None:
    script = """
    import json, sys
    for line in sys.stdin:
        sys.stderr.write("warning\\n" * 200_000)
        print(json.dumps({"id": json.loads(line)["id"], "text": "A"}), flush=True)
    """

    async def ask(model: Any) -> str:
        return (await model.ask(query())).text

    assert run(script, ask) == "A"


def test_closing_ends_the_process_and_its_children(run: RunModel) -> None:
    script = """
    import json, subprocess, sys
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    for line in sys.stdin:
        print(json.dumps({"id": json.loads(line)["id"], "text": str(child.pid)}), flush=True)
    """

    async def ask(model: Any) -> int:
        return int((await model.ask(query())).text)

    child = run(script, ask)
    for _ in range(100):
        if not _lives(child):
            return
        time.sleep(0.02)
    raise AssertionError(f"process {child} still runs")


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    state = Path(f"/proc/{pid}/stat")
    return not (state.exists() and state.read_text().rpartition(")")[2].split()[0] == "Z")


def test_a_cancelled_question_leaves_no_process_in_mid_answer(run: RunModel) -> None:
    script = """
    import json, sys, time
    for line in sys.stdin:
        question = json.loads(line)
        time.sleep(0.5 if question["id"] == "first" else 0)
        print(json.dumps({"id": question["id"], "text": question["id"]}), flush=True)
    """

    async def ask(model: Any) -> str:
        task = asyncio.create_task(model.ask(query("first")))
        await asyncio.sleep(0.2)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        return (await model.ask(query("second"))).text

    assert run(script, ask) == "second"


def test_identity_hides_secrets_and_changes_with_the_script(tmp_path: Path) -> None:
    script = tmp_path / "model.py"

    def identity(text: str) -> Any:
        script.write_text(text)
        command = (
            f"{sys.executable} {script} --api-key=hunter2 --token hunter3 --max-tokens 9 "
            "--server https://me:hunter4@host/v1?code=hunter5"
        )
        return ADAPTER.open(command, ModelOptions()).identity

    first, second = identity("a"), identity("b")
    assert first.revision != second.revision
    assert "hunter" not in repr(first)
    assert "--max-tokens 9" in first.name
    assert "https://[hidden]@host/v1?[hidden]" in first.name


@pytest.mark.parametrize("target", ["", "no-such-program-anywhere --x", "python 'unclosed"])
def test_a_command_that_cannot_be_is_wrong_use(target: str) -> None:
    with pytest.raises(UsageError, match="--model: expected command:PROGRAM"):
        ADAPTER.open(target, ModelOptions())


def test_a_child_in_a_session_of_its_own_does_not_hold_up_the_end(run: RunModel) -> None:
    script = """
    import json, subprocess, sys
    child = subprocess.Popen(
        [sys.executable, "-c", "import time; time.sleep(6)"], start_new_session=True
    )
    for line in sys.stdin:
        print(json.dumps({"id": json.loads(line)["id"], "text": str(child.pid)}), flush=True)
    """

    async def ask(model: Any) -> int:
        return int((await model.ask(query())).text)

    start = time.monotonic()
    child = run(script, ask)
    assert time.monotonic() - start < 3
    os.kill(child, 9)
