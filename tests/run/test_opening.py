from dataclasses import replace

import pytest

from overread.errors import UsageError
from overread.records import Manifest, ModelIdentity, Response, Status
from overread.run.opening import differences, open_run


@pytest.fixture
def manifest():
    return Manifest(
        run="aaaa", benchmark="ct-bench", protocol_version="1", release_root="/r",
        release_fingerprint="f" * 64, seed=0, created="2026-01-01T00:00:00+00:00", software={},
        model=ModelIdentity(kind="chat", name="m", settings={"max_tokens": 40}), command="",
        selection={"split": "test", "limit": 5, "tasks": ("img2txt",)},
    )  # fmt: skip


@pytest.fixture
def other(manifest):
    model = replace(manifest.model, settings={"max_tokens": 1000})
    return replace(manifest, run="bbbb", model=model)


def answered(path, manifest):
    with open_run(path, manifest) as store:
        store.add(Response(run="aaaa", item="i", status=Status.OK, text="A", request_hash="h"))


def test_the_same_run_is_gone_on_with(tmp_path, manifest):
    answered(tmp_path / "run", manifest)
    with open_run(tmp_path / "run", replace(manifest, selection={"limit": 9})) as store:
        assert store.answered() == {"h"}
        assert store.manifest.selection["limit"] == 9


def test_another_run_is_refused_and_told_what_differs(tmp_path, manifest, other):
    answered(tmp_path / "run", manifest)
    with pytest.raises(UsageError, match=r"differ in max_tokens \(40, now 1000\)"):
        open_run(tmp_path / "run", other)
    with open_run(tmp_path / "run", manifest) as store:
        assert store.answered() == {"h"}


def test_a_first_try_that_got_no_reply_gives_way(tmp_path, manifest, other):
    open_run(tmp_path / "run", manifest).close()
    with open_run(tmp_path / "run", other) as store:
        assert store.manifest.run == "bbbb"


def test_what_may_be_extended_is_no_difference(manifest):
    assert differences(manifest, replace(manifest, selection={
        "split": "test", "limit": 50, "tasks": ["img2txt"]})) == ""  # fmt: skip
