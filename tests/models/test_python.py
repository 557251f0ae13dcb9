from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from overread.contracts import (
    ArrayReader,
    Joiner,
    Learner,
    MaskWriter,
    ModelOptions,
    Query,
    Reply,
    Reporter,
    Training,
    Watched,
)
from overread.errors import FatalModelError, ModelError, UsageError
from overread.models.python import ADAPTER
from overread.records import Choice, Item, Option, Status

QUERY = Query(
    item=Item(
        id="q1",
        benchmark="b",
        task="t",
        condition="c",
        question="Where?",
        answer_space=Choice(options=(Option(letter="A", text="x"), Option(letter="B", text="y"))),
    )
)

SOURCE = """
import asyncio, sys, time
from overread.contracts import ModelOptions, Query, Reply
from overread.errors import FatalModelError
from overread.records import ModelIdentity, Status

def answer(query: Query) -> str:
    return query.item.answer_space.options[-1].letter

async def later(query):
    await asyncio.sleep(0.01)
    return "A"

def refuses(query):
    return Reply(status=Status.REFUSED, reason="no")

def nothing(query):
    pass

def breaks(query):
    raise RuntimeError("shapes (3,) and (4,)")

def half(query):
    return "B \\ud83d"

def slow(query):
    time.sleep(0.4)
    return "A"

def stuck(query):
    time.sleep(30)

def make(options: ModelOptions):
    return lambda query: f"seed {options.seed}"

def make_untyped(options):
    return Model()

def make_badly(options):
    raise KeyError("weights")

class Model:
    identity = ModelIdentity(kind="python", name="mine")
    sees, form, max_concurrency = False, "chat", 3
    async def preflight(self): pass
    async def ask(self, query): return Reply(text="from a model")
    async def close(self): pass

ready = Model()

class Wordless(Exception):
    def __str__(self):
        raise ValueError("no words")

class Segments(Model):
    writes_masks, reads_arrays = True, True

segments = Segments()

class Breaks(Model):
    note = "breaking"
    def __init__(self, error): self.error, self.lessons = error, []
    def learn(self, training, render): self.lessons.append(training)
    async def ask(self, query): raise self.error
    async def close(self): raise OSError("cannot close")

key_error = Breaks(KeyError("x" * 10_000))
wordless = Breaks(Wordless())
leaves = Breaks(SystemExit(3))
fatal = Breaks(FatalModelError("no weights"))
timeless = Breaks(TimeoutError())

class AnswersNothing(Model):
    async def ask(self, query): return "B"

answers_text = AnswersNothing()

class NotReady(Model):
    async def preflight(self): raise RuntimeError("no GPU")

not_ready = NotReady()

def leaves_at_once(query):
    sys.exit("enough")
number = 7

class Namespace:
    @staticmethod
    def inner(query):
        return "inner"
"""


@pytest.fixture
def spec(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], str]:
    # A name of its own for each test: an imported module stays imported.
    name = "model_" + tmp_path.name.replace("-", "_")
    (tmp_path / f"{name}.py").write_text(SOURCE, encoding="utf-8")
    (tmp_path / f"{name}_broken.py").write_text("import no_such_package_at_all\n")
    monkeypatch.chdir(tmp_path)
    return lambda attribute: f"{name}{attribute}"


def run(target: str, action: Callable[[Any], Awaitable[Any]], options: ModelOptions) -> Any:
    async def main() -> Any:
        model = ADAPTER.open(target, options)
        await model.preflight()
        try:
            return await action(model)
        finally:
            await model.close()

    return asyncio.run(main())


def ask(target: str, **settings: Any) -> Reply:
    return run(target, lambda model: model.ask(QUERY), ModelOptions(**settings))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (":answer", "B"),
        (":later", "A"),
        (":make", "seed 5"),
        (":make_untyped", "from a model"),
        (":ready", "from a model"),
        (":Namespace.inner", "inner"),
        (":half", "B ?"),
    ],
)
def test_functions_factories_and_models_are_told_apart(
    spec: Callable[[str], str], name: str, text: str
) -> None:
    assert ask(spec(name), seed=5).text == text


def test_a_reply_is_passed_on_as_it_is(spec: Callable[[str], str]) -> None:
    assert ask(spec(":refuses")) == Reply(status=Status.REFUSED, reason="no")


@pytest.mark.parametrize(
    ("name", "says"),
    [(":nothing", "got a NoneType"), (":breaks", "RuntimeError: shapes \\(3,\\) and \\(4,\\)")],
)
def test_a_function_that_fails_fails_its_question(
    spec: Callable[[str], str], name: str, says: str
) -> None:
    with pytest.raises(ModelError, match=f"item q1: .*{says}"):
        ask(spec(name))


@pytest.mark.parametrize(
    ("name", "says"),
    [
        (":key_error", "got KeyError: 'xxx"),
        (":wordless", "got Wordless\\."),
        (":leaves", "got SystemExit: 3"),
        (":leaves_at_once", "got RuntimeError: it called sys.exit\\('enough'\\)"),
        (":timeless", "got TimeoutError"),
        (":answers_text", "a Reply from .*, got a str"),
    ],
)
def test_a_model_that_raises_anything_fails_its_question_and_closes(
    spec: Callable[[str], str], name: str, says: str
) -> None:
    with pytest.raises(ModelError, match=f"item q1: .*{says}") as caught:
        ask(spec(name))
    assert not isinstance(caught.value, FatalModelError)
    assert len(str(caught.value)) < 700


@pytest.mark.parametrize(
    ("name", "says"),
    [(":fatal", "^no weights$"), (":not_ready", "preflight: .* RuntimeError: no GPU")],
)
def test_a_model_that_cannot_go_on_says_so(
    spec: Callable[[str], str], name: str, says: str
) -> None:
    with pytest.raises(FatalModelError, match=says):
        ask(spec(name))


def test_a_guarded_model_can_do_what_it_could(spec: Callable[[str], str]) -> None:
    model = ADAPTER.open(spec(":key_error"), ModelOptions())
    assert isinstance(model, Learner)
    model.learn(Training(), lambda media: ())
    assert isinstance(model, Watched)
    assert model.note == "breaking"
    assert not isinstance(model, Joiner)
    assert not isinstance(model, Reporter)
    assert (model.identity.name, model.sees, model.max_concurrency) == ("mine", False, 3)
    plain = ADAPTER.open(spec(":ready"), ModelOptions())
    assert not isinstance(plain, Learner)
    assert not isinstance(plain, MaskWriter)
    assert not isinstance(plain, ArrayReader)


@pytest.mark.parametrize("name", [":segments", ":answer"])
def test_a_model_may_write_masks_and_read_arrays(spec: Callable[[str], str], name: str) -> None:
    model = ADAPTER.open(spec(name), ModelOptions())
    assert isinstance(model, MaskWriter)
    assert isinstance(model, ArrayReader)
    assert model.writes_masks
    assert model.reads_arrays


def test_a_slow_call_fails_and_the_next_waits_for_its_end(spec: Callable[[str], str]) -> None:
    async def twice(model: Any) -> tuple[str, str]:
        with pytest.raises(ModelError) as caught:
            await model.ask(QUERY)
        start = time.monotonic()
        with pytest.raises(ModelError):
            await model.ask(QUERY)
        assert time.monotonic() - start > 0.3  # the rest of the first, then its own time
        return str(caught.value), model.identity.name

    message, _ = run(spec(":slow"), twice, ModelOptions(timeout_s=0.25))
    assert "got TimeoutError" in message


def test_a_call_that_never_ends_ends_the_run_and_not_the_process(
    spec: Callable[[str], str],
) -> None:
    async def twice(model: Any) -> str:
        with pytest.raises(ModelError):
            await model.ask(QUERY)
        with pytest.raises(FatalModelError) as caught:
            await model.ask(QUERY)
        return str(caught.value)

    start = time.monotonic()
    message = run(spec(":stuck"), twice, ModelOptions(timeout_s=0.1))
    assert time.monotonic() - start < 2
    assert "raise --timeout" in message


def test_the_identity_changes_with_the_source(spec: Callable[[str], str], tmp_path: Path) -> None:
    model = ADAPTER.open(spec(":answer"), ModelOptions())
    before = model.identity
    assert before.label == f"python:{spec(':answer')}"
    assert before.revision
    (tmp_path / f"{spec('')}.py").write_text(SOURCE + "\n# edited")
    assert ADAPTER.open(spec(":answer"), ModelOptions()).identity.revision != before.revision


def test_the_search_path_is_left_as_it_was(spec: Callable[[str], str]) -> None:
    import sys

    before = list(sys.path)
    ADAPTER.open(spec(":answer"), ModelOptions())
    assert sys.path == before


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("", "a colon and the name"),
        (":absent", "absent, which is not there"),
        (":number", "→ int"),
        ("_broken:x", "ModuleNotFoundError: No module named 'no_such_package_at_all'"),
        ("_missing:x", "cannot be imported"),
        (":make_badly", "a factory that raised KeyError: 'weights'"),
    ],
)
def test_what_cannot_be_opened_is_wrong_use(
    spec: Callable[[str], str], name: str, says: str
) -> None:
    with pytest.raises(UsageError, match=says):
        ADAPTER.open(spec(name), ModelOptions())
