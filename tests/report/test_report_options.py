"""`overread report` on open answers: labels of people, and how many volumes are shown."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from overread.cli import main
from overread.store.run_store import RunStore

Runs = tuple[Path, Path, Path]


def call(*arguments: object) -> int:
    with pytest.raises(SystemExit) as stop:
        main([str(argument) for argument in arguments])
    return int(stop.value.code or 0)


@pytest.fixture
def labels(open_runs: Runs, tmp_path: Path) -> Path:
    """People label every third item as the rule reads it, and one item that nobody was asked."""
    with RunStore.open(open_runs[1]) as store:
        rows = [s for s in store.scores() if s.metric == "rule_accuracy"]
    path = tmp_path / "labels.csv"
    lines = [f"{row.item},{'right' if row.value else 'wrong'}" for row in rows[::3]]
    path.write_text("\n".join(["item,label", *lines, "valid_0_z_9.nii.gz::99,right"]) + "\n")
    return path


def test_judges_are_held_against_people(open_runs: Runs, labels: Path, tmp_path: Path) -> None:
    out = tmp_path / "report"
    assert call("report", open_runs[1], out, "--human", labels) == 0
    shown = json.loads((out / "report.json").read_text("utf-8"))
    n_labels = len(labels.read_text().splitlines()) - 2
    of_judges = shown["judges"][0]["calibration"]
    assert {one["n_labelled"] for one in of_judges} == {n_labels}
    # A scripted judge may be no better than a coin: then it says so, and gives no number.
    assert all((one["value"] is None) == bool(one["reason"]) for one in of_judges)
    assert "Against people" in (out / "index.html").read_text("utf-8")
    assert "Labelled by people" in (out / "report.md").read_text("utf-8")
    told = [f for f in shown["findings"] if "valid_0_z_9" in f["where"] + f["evidence"]]
    assert len(told) == 1  # a label of something else is not dropped in silence


def test_labels_belong_to_one_judged_run(
    open_runs: Runs, labels: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "report"
    assert call("report", *open_runs[1:], out, "--human", labels) == 2
    assert "expected one run" in capsys.readouterr().err
    assert call("report", open_runs[2], out, "--human", labels) == 2
    assert "holds no votes" in capsys.readouterr().err
    assert not (out / "index.html").exists()


def test_previews_can_be_left_out(open_runs: Runs, tmp_path: Path) -> None:
    few, none = tmp_path / "few", tmp_path / "none"
    assert call("report", open_runs[1], few, "--previews", 2) == 0
    assert call("report", open_runs[1], none, "--previews", 0) == 0
    page = (few / "index.html").read_text("utf-8")
    assert "2 of 6 volumes are shown" in page
    assert "Previews of 4 more were left out" in page
    page = (none / "index.html").read_text("utf-8")
    assert "Previews of its volumes were left out" in page
    assert 'id="thumbnails-0"' not in page
    assert call("report", open_runs[1], none, "--previews", -1) == 2
