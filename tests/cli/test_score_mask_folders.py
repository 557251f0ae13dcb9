"""Masks from the command line: asked for, joined, lost, broken; as a user reads it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.run.small_masks import SmallBenchmark, registered

from overread.cli import main
from overread.registry import _finders
from overread.store.run_store import RunStore


@pytest.fixture(autouse=True)
def benchmark() -> Iterator[SmallBenchmark]:
    small = SmallBenchmark()
    registered(small)
    yield small
    _finders.cache_clear()


@pytest.fixture
def release(tmp_path: Path, benchmark: SmallBenchmark) -> Path:
    root = tmp_path / "release"
    benchmark.synthesise(root, seed=2, size=6)
    return root


@pytest.fixture
def predictions(release: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(release / "masks", tmp_path / "method"))


def call(*arguments: object) -> int:
    with pytest.raises(SystemExit) as stop:
        main([str(each) for each in arguments])
    return int(stop.value.code or 0)


def words(text: str) -> str:
    return " ".join(text.split())


def test_a_folder_of_masks_is_scored(
    release: Path, predictions: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call("score", "small-masks", release, "--predictions", predictions) == 0
    shown, said = capsys.readouterr()
    assert "masks:method, honest profile" in shown
    assert f"6 of 6 questions have an answer in {predictions}." in words(said)
    assert (tmp_path / "method.small-masks.sqlite").is_file()


def test_a_missing_mask_stays_in_the_denominator_and_in_the_exit_status(
    release: Path, predictions: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (predictions / "c00.nii.gz").unlink()
    pattern = f"{predictions}/{{case}}.nii.gz"
    assert call("score", "small-masks", release, "--predictions", pattern, "--json") == 1
    printed = json.loads(capsys.readouterr().out)
    (total,) = [
        each
        for each in printed["estimates"]
        if (each["metric"], each["profile"], each["stratum"]) == ("dice", "honest", {})
    ]
    assert (total["n"], total["n_answered"], total["value"]) == (5, 4, pytest.approx(0.8))
    assert "missing-mask" in {each["code"] for each in printed["findings"]}


def test_masks_that_cannot_be_used_are_told_in_the_last_line_and_the_exit_status(
    release: Path, predictions: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("c00", "c01"):
        (predictions / f"{name}.nii.gz").write_bytes(b"no mask")
    arguments = ("score", "small-masks", release, "--predictions", predictions, "--workers", 0)
    assert call(*arguments) == 1
    assert "2 could not be scored: see the findings." in words(capsys.readouterr().err)
    (run_file,) = predictions.parent.glob("*.sqlite")
    assert call("score", run_file, "--workers", 0) == 1
    assert "2 could not be scored: see the findings." in words(capsys.readouterr().err)


def test_a_run_without_processes_scores_here(release: Path, tmp_path: Path) -> None:
    out = tmp_path / "run.sqlite"
    assert call("run", "small-masks", release, "-m", "threshold:0", "-o", out, "--workers", 0) == 0
    assert call("score", out, "--workers", 0) == 0
    assert call("score", out, "--workers", -1) == 2


def test_a_broken_case_is_said_and_a_second_scoring_mends_it(
    release: Path, tmp_path: Path, benchmark: SmallBenchmark, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "run.sqlite"
    benchmark.faults["c03"] = "kill"
    assert call("run", "small-masks", release, "-m", "threshold:0", "-o", out) == 1
    shown = words(capsys.readouterr().out)
    assert "scoring-broke" in shown
    assert "segment/c03: its process was ended by SIGKILL" in shown
    benchmark.faults.clear()
    assert call("score", out, "--workers", 1) == 0
    assert "scoring-broke" not in capsys.readouterr().out


def test_lost_masks_are_said_and_asked_for_again(
    release: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "run.sqlite"
    ask = ("run", "small-masks", release, "-m", "threshold:0", "-o", out, "--workers", 0)
    assert call(*ask) == 0
    shutil.rmtree(tmp_path / "run.sqlite.masks")
    capsys.readouterr()
    assert call("score", out, "--workers", 0) == 1
    assert "lost-answers × 6" in words(capsys.readouterr().out)
    assert call(*ask) == 0
    assert "asked 6, 0 were answered before" in capsys.readouterr().err


def test_what_writes_no_masks_is_refused_before_a_file_is_made(
    release: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call("run", "small-masks", release, "-m", "chance", "-o", tmp_path / "a.sqlite") == 2
    assert "expected a model that writes masks" in capsys.readouterr().err
    assert not (tmp_path / "a.sqlite").exists()


def test_missing_files_make_another_run(
    release: Path, predictions: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = predictions / "c00.nii.gz"
    kept.rename(tmp_path / "c00.nii.gz")
    ask = ("run", "small-masks", release, "-m", f"masks:{predictions}", "--workers", 0, "-o")
    assert call(*ask, tmp_path / "a.sqlite") == 1
    assert "it is another run: name another --out" in words(capsys.readouterr().err)
    (tmp_path / "c00.nii.gz").rename(kept)
    assert call(*ask, tmp_path / "a.sqlite") == 2
    assert call(*ask, tmp_path / "b.sqlite") == 0
    with RunStore.open(tmp_path / "b.sqlite") as store:
        assert len(store.answered()) == 6


def test_a_run_of_masks_can_be_exported_and_ranked_by_no_rule(
    release: Path, tmp_path: Path
) -> None:
    out = tmp_path / "run.sqlite"
    assert call("run", "small-masks", release, "-m", "empty-mask", "-o", out, "--workers", 0) == 0
    assert call("export", out, tmp_path / "tables") == 0
    assert any((tmp_path / "tables").iterdir())
