"""What `overread audit` prints, and how it leaves."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from overread.cli import main


def call(*arguments: str) -> int:
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    return int(stop.value.code or 0)


def test_an_error_leaves_with_status_1(
    judged_release: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    assert call("audit", "ct-spatialvqa", str(judged_release)) == 1
    out, err = capsys.readouterr()
    assert "slipped-rows" in out
    assert "machine-paths" in out
    assert "1 error and" in err


def test_one_audit_alone(judged_release: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    only = ("--only", "machine-paths", "--json")
    assert call("audit", "ct-spatialvqa", str(judged_release), *only) == 0
    found = json.loads(capsys.readouterr().out)
    (finding,) = found["findings"]
    assert (finding["code"], finding["count"]) == ("machine-paths", 8)
    assert found["benchmark"] == "ct-spatialvqa"


def test_an_unknown_audit_is_refused(
    judged_release: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call("audit", "ct-spatialvqa", str(judged_release), "--only", "joins") == 2
    assert "--only: expected one of" in capsys.readouterr().err


def test_a_benchmark_that_ships_no_results_has_nothing_to_audit(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    release = str(tmp_path / "release")
    assert call("synth", "ct-bench", release, "--lesions", "24", "--seed", "3") == 0
    assert call("audit", "ct-bench", release, "--only", "row-joins") == 0
    assert "'overread check' looks at it" in capsys.readouterr().err


def test_printed_averages_that_contradict_their_counts_are_found_and_written_down(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    release, out = str(tmp_path / "release"), tmp_path / "out"
    assert call("synth", "ct-bench", release, "--lesions", "24", "--seed", "3") == 0
    assert call("audit", "ct-bench", release, "--only", "cells", "--out", str(out)) == 1
    assert "printed 90.0 %" in capsys.readouterr().out
    written = json.loads((out / "audit.json").read_text())
    assert [finding["code"] for finding in written["findings"]] == ["count-off"] * 7
    assert "its cells give 47 of 55, 85.5 %" in (out / "audit.html").read_text()
    assert "senior radiologist 1, accuracy, box" in (out / "audit.md").read_text()


def test_audits_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert call("list", "audits", "--json") == 0
    names = [row["name"] for row in json.loads(capsys.readouterr().out)]
    assert {"row-joins", "denominators", "labels", "human-audit", "patients"} <= set(names)
