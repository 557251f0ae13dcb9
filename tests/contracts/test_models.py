"""What every model adapter must do, held against each registered one.

Those that need something from outside (a server, weights, a file) must say so in words; those that
need nothing are asked real questions of the template's release.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any, get_args

import pytest
from tests.run.small_masks import SmallBenchmark, SmallMasks

from overread import registry
from overread.contracts import (
    Form,
    Joiner,
    Learner,
    MaskWriter,
    Model,
    ModelOptions,
    Query,
    Reply,
    Selection,
)
from overread.errors import OverreadError, UsageError
from overread.imaging.render import PictureRenderer
from overread.records import Item, Status
from overread.run.mask_answers import released_files
from overread.store.hashes import canonical_json, file_sha256

SECRET = "sk-contract-0123456789"


def specs(adapter_name: str) -> list[str]:
    """Give an adapter's examples as typed after ``--model``."""
    adapter = registry.find_adapter(adapter_name)
    return list(adapter.examples)


SPECS = [spec for name in registry.model_names() for spec in specs(name)]


def is_self_contained(spec: str) -> bool:
    """Whether a model needs no server, no weights and no file (``fake:script.json``)."""
    name = spec.partition(":")[0]
    baselines = registry.find_adapter("baselines").examples
    return (name in baselines or name == "fake") and not spec.endswith(".json")


def open_or_explain(spec: str) -> Model | None:
    """Open a model; None when something it names is absent here, which must be said in words."""
    try:
        return registry.open_model(spec, ModelOptions(base_url="http://127.0.0.1:9/v1"))
    except UsageError as error:
        assert ": expected " in str(error)  # noqa: PT017 - the other way out is a model
        return None


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)


def test_an_adapter_describes_itself(adapter_name: str) -> None:
    adapter = registry.find_adapter(adapter_name)
    assert adapter.name == adapter_name
    assert adapter.summary
    assert "\n" not in adapter.summary
    assert adapter.examples
    assert len(set(adapter.examples)) == len(adapter.examples)


def test_its_examples_are_understood(adapter_name: str) -> None:
    for spec in specs(adapter_name):
        adapter, _, _ = spec.partition(":")
        assert adapter == adapter_name or adapter_name == "baselines"
        model = open_or_explain(spec)
        assert model is not None or not is_self_contained(spec)
        if model is None:
            continue
        assert model.form in get_args(Form)
        assert isinstance(model.sees, bool)
        assert model.max_concurrency >= 1
        asyncio.run(model.close())  # closing what was never asked is no error


def test_an_identity_is_whole_stable_and_holds_no_secret(adapter_name: str) -> None:
    for spec in specs(adapter_name):
        model, again = open_or_explain(spec), open_or_explain(spec)
        if model is None or again is None:
            continue
        identity = model.identity
        assert identity.kind
        assert identity.name
        assert identity == again.identity
        assert json.loads(canonical_json(dict(identity.settings))) is not None
        assert SECRET not in repr(identity)
        assert SECRET not in repr(model)
        for each in (model, again):
            asyncio.run(each.close())


def test_identities_of_different_examples_differ() -> None:
    models = [model for spec in SPECS if (model := open_or_explain(spec))]
    identities = [canonical_json(asdict(model.identity)) for model in models]
    assert len(set(identities)) == len(identities)
    for model in models:
        asyncio.run(model.close())


@pytest.mark.parametrize("target", ["no such thing", "../../etc/passwd", "a b\nc", "é☃"])
def test_a_senseless_target_is_an_error_of_ours_or_a_model(adapter_name: str, target: str) -> None:
    adapter = registry.find_adapter(adapter_name)
    try:
        model = adapter.open(target, ModelOptions(base_url="http://127.0.0.1:9/v1"))
    except OverreadError as error:
        assert str(error)  # noqa: PT017 - a name that only a server knows opens
    else:
        asyncio.run(model.close())


# ---------------------------------------------------------------- asked for real


async def _ask(model: Model, queries: list[Query]) -> list[Reply]:
    await model.preflight()
    try:
        return [await model.ask(query) for query in queries]
    finally:
        await model.close()


def _queries(case: Any, model: Model) -> list[Query]:
    release = case.open()
    render = PictureRenderer(case.root)
    if isinstance(model, Learner):
        model.learn(release.training(Selection(form=model.form)), render)
    items: list[Item] = list(release.items(Selection(form=model.form, limit=12)))
    shown = model.sees
    return [
        Query(item=item, pictures={m: render(m) for m in item.media} if shown else {})
        for item in items
    ]


def _replies(case: Any, spec: str) -> list[Any]:
    model = registry.open_model(spec, ModelOptions(seed=3))
    replies = asyncio.run(_ask(model, _queries(case, model)))
    return [(reply.status, reply.text, reply.reason) for reply in replies]


@pytest.mark.parametrize("spec", [spec for spec in SPECS if is_self_contained(spec)])
def test_a_self_contained_writer_of_masks_writes_and_always_the_same(
    spec: str, tmp_path: Any
) -> None:
    model = registry.open_model(spec, ModelOptions())
    if not isinstance(model, MaskWriter) or isinstance(model, Joiner):
        return
    SmallBenchmark().synthesise(tmp_path / "release", seed=3, size=3)
    hashes = []
    for turn in ("first", "second"):
        (tmp_path / turn).mkdir()
        queries = [
            Query(
                item=item,
                files=released_files(item, tmp_path / "release"),
                write_to=tmp_path / turn / f"mask{number}",
            )
            for number, item in enumerate(SmallMasks(tmp_path / "release").items(Selection()))
        ]
        replies = asyncio.run(_ask(registry.open_model(spec, ModelOptions()), queries))
        paths = [Path(reply.path or "") for reply in replies]
        assert [path.name.partition(".")[0] for path in paths] == ["mask0", "mask1", "mask2"]
        assert {path.parent for path in paths} == {tmp_path / turn}
        hashes.append([file_sha256(path) for path in paths])
    assert hashes[0] == hashes[1]


@pytest.mark.parametrize("spec", [spec for spec in SPECS if is_self_contained(spec)])
def test_a_self_contained_model_answers_and_always_the_same(
    spec: str, case_of: Callable[[str], Any]
) -> None:
    case = case_of("_template")
    replies = _replies(case, spec)
    assert len(replies) == 12
    for status, text, reason in replies:  # a reader may lack what it learns from, and says so
        assert text if status is Status.OK else reason
    assert _replies(case, spec) == replies
