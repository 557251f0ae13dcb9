"""`overread score` for descriptions: files of captions, and facts read by a model."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from overread.cli import main
from overread.contracts import Selection
from overread.models.fake.script import read_script
from overread.models.fake.server import FakeServer
from overread.registry import find_benchmark
from overread.store.run_store import RunStore


def call(*arguments: str | Path) -> int:
    with pytest.raises(SystemExit) as stop:
        main([str(argument) for argument in arguments])
    return int(stop.value.code or 0)


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("captions") / "release"
    find_benchmark("ct-bench").synthesise(root, seed=5, size=24)
    return root


@pytest.fixture
def captions(release: Path, tmp_path: Path) -> Path:
    """Captions as the released script writes them: they do not say which picture was shown."""
    opened = find_benchmark("ct-bench").open(release)
    rows = [
        {"lesion_id": item.groups["lesion"], "caption": opened.reference(item.id).answer}
        for item in opened.items(Selection(tasks=("caption",), conditions=("box",)))
    ]
    path = tmp_path / "captions.json"
    path.write_text(json.dumps(rows))
    return path


def scored(release: Path, captions: Path) -> Path:
    options = ("--task", "caption", "--condition", "box", "--out", captions.with_suffix(".sqlite"))
    assert call("score", "ct-bench", release, "--predictions", captions, *options) == 0
    return captions.with_suffix(".sqlite")


def test_a_file_of_captions_is_scored_by_its_facts(release: Path, captions: Path) -> None:
    run = scored(release, captions)
    with RunStore.open(run) as store:
        assert {line.strata["task"] for line in store.plan()} == {"caption"}
        assert {line.strata["box"] for line in store.plan()} == {"box"}
        total = next(e for e in store.estimates() if e.metric == "fact_score" and not e.stratum)
    assert total.value is not None
    assert total.value > 0.75


def test_a_file_of_captions_without_the_task_is_told_how_to_name_it(
    release: Path, captions: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    hint = "Does it answer caption? Name the task: --task caption."
    assert call("score", "ct-bench", release, "--predictions", captions) == 1
    assert hint in " ".join(capsys.readouterr().err.split())
    captions.with_name("captions.ct-bench.sqlite").unlink()
    scored(release, captions)
    assert "Does it answer" not in capsys.readouterr().err


def test_a_run_file_takes_no_selection(
    release: Path, captions: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = scored(release, captions)
    assert call("score", run, "--task", "caption") == 2
    assert "--task: expected files of answers with --predictions" in capsys.readouterr().err


def test_a_model_reads_the_facts_and_is_asked_once(
    release: Path, captions: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = scored(release, captions)
    with FakeServer(read_script("")) as server:
        asked = ("--facts-model", "chat:fake", "--base-url", server.base_url)
        assert call("score", run, *asked) == 0
        shown = capsys.readouterr()
        assert "fact score by model" in shown.out
        assert ", 0 without a reply" in shown.err
        assert call("score", run, *asked, "--json") == 0
        shown = capsys.readouterr()
        assert "0 requests now, 0 without a reply" in shown.err
        names = {each["metric"] for each in json.loads(shown.out)["estimates"]}
        assert {"fact_score", "fact_score_by_model", "side_error_by_model"} <= names
    assert call("score", run) == 0  # what was read stays, and nobody is asked
    assert "fact score by model" in capsys.readouterr().out


def test_files_are_read_by_a_model_in_one_go(release: Path, captions: Path) -> None:
    with FakeServer(read_script("")) as server:
        place = captions.with_name("one.sqlite")
        selection = ("--task", "caption", "--condition", "box", "--out", place)
        asked = ("--facts-model", "chat:fake", "--base-url", server.base_url)
        assert (
            call("score", "ct-bench", release, "--predictions", captions, *selection, *asked) == 0
        )
    with RunStore.open(place) as store:
        assert any(e.metric == "fact_score_by_model" for e in store.estimates())


def test_a_model_of_which_nothing_could_be_read_ends_with_one(
    release: Path, captions: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = scored(release, captions)
    with FakeServer(read_script("facts=echo")) as server:
        url = server.base_url
        assert call("score", run, "--facts-model", "chat:fake", "--base-url", url) == 1
    assert "Not one could be read." in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--facts-model", "chat:m", "--judge", "chat:j"), "no judges in the same call"),
        (("--facts-model", "chat:m", "--base-url", "a", "--base-url", "b"), "2 addresses"),
        (("--facts-model", "chat:m", "--judge-profile", "published"), "--judge-profile"),
    ],
)
def test_options_that_do_not_fit_are_refused(
    options: tuple[str, ...],
    message: str,
    release: Path,
    captions: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert call("score", scored(release, captions), *options) == 2
    assert message in capsys.readouterr().err


def test_a_benchmark_without_descriptions_is_refused(
    judged_release: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = judged_release / "predictions" / "reader_x_predictions_full.jsonl"
    options = ("--out", tmp_path / "run.sqlite", "--facts-model", "chat:m")
    assert call("score", "ct-spatialvqa", judged_release, "--predictions", path, *options) == 2
    assert "in whose answers no facts are read" in capsys.readouterr().err
