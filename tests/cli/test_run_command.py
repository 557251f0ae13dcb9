"""The last line of `overread run` and what it shows of a release, as a user reads them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from overread.cli import main
from overread.store.run_store import RunStore


def call(*arguments: str) -> int:
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    return int(stop.value.code or 0)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("run") / "release"
    assert call("synth", "ct-spatialvqa", str(root), "--size", "6") == 0
    return root


@pytest.fixture
def release(whole: Path, tmp_path: Path) -> Path:
    """A copy of which parts are missing that a run does not need, and one volume is damaged."""
    root = tmp_path / "release"
    shutil.copytree(whole, root)
    for folder in ("llm_eval", "metrics", "human_eval", "predictions"):
        shutil.rmtree(root / folder)
    return root


def damaged(release: Path) -> Path:
    volume = min((release / "valid_fixed").rglob("*.nii.gz"))
    volume.write_bytes(b"no volume at all")
    return volume


def run(release: Path, out: Path, *more: str) -> int:
    return call("run", "ct-spatialvqa", str(release), "-m", "fake", "-o", str(out), "--no-canary",
                *more)  # fmt: skip


def words(text: str) -> str:
    return " ".join(text.split())


def test_an_unreadable_volume_is_counted_apart_from_requests_without_a_reply(
    release: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name = damaged(release).relative_to(release).as_posix()
    out = tmp_path / "run.sqlite"
    capsys.readouterr()
    assert run(release, out) == 1
    shown, said = (words(text) for text in capsys.readouterr())
    with RunStore.open(out) as store:
        n_planned = len(store.plan())
        unseen = [r for r in store.responses() if r.text is None]
    n = len(unseen)
    assert 0 < n < n_planned
    start = f"could not be shown: {name}: "
    starts = [(response.reason or "").startswith(start) for response in unseen]
    assert all(starts)
    assert f"asked {n_planned - n}, 0 were answered before, 0 of {n_planned} got no reply." in said
    assert f"{n} of {n_planned} could not be shown and were not asked: mend {name}, then" in said
    assert "The same command asks them again." not in said
    assert "not-shown" in shown
    assert f"({name})" in shown
    assert "failed-requests" not in shown


def test_a_mended_volume_is_asked_by_the_same_command(
    release: Path, whole: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    volume = damaged(release)
    out = tmp_path / "run.sqlite"
    assert run(release, out) == 1
    shutil.copyfile(whole / volume.relative_to(release), volume)
    capsys.readouterr()
    assert run(release, out) == 0
    said = words(capsys.readouterr().err)
    assert "could not be shown" not in said
    assert "got no reply." in said


def test_what_is_merely_to_know_of_a_release_is_one_row(
    release: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "run.sqlite"
    capsys.readouterr()
    assert run(release, out, "--limit", "4") == 0
    shown = capsys.readouterr().out
    assert shown.count("release-notes") == 1
    assert "missing-part" not in shown
    with RunStore.open(out) as store:
        absent = [f for f in store.findings("release") if f.code == "missing-part"]
    assert len(absent) > 3
    assert f"{len(absent)} parts are not there" in words(shown)
    assert "overread check ct-spatialvqa" in words(shown)
    # What is wrong comes first; machines get every finding.
    assert shown.index("warning") < shown.index("release-notes")
    capsys.readouterr()
    assert call("score", str(out), "--json") == 0
    found = json.loads(capsys.readouterr().out)["findings"]
    assert sum(finding["code"] == "missing-part" for finding in found) == len(absent)
