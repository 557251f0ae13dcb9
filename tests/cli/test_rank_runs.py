"""What `overread rank` makes of run files."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from overread.benchmarks.autopet3.synthetic import synthesise
from overread.cli import main

METHODS = ("careful", "eager")


def call(*arguments: str) -> int:
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    return int(stop.value.code or 0)


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("ranked") / "release"
    synthesise(root, seed=5, size=16)
    return root


@pytest.fixture(scope="module")
def runs(release: Path, tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    folder = tmp_path_factory.mktemp("runs")
    found: list[str] = []
    for name in METHODS:
        path = str(folder / f"{name}.sqlite")
        model = f"masks:{release / 'predictions' / name}"
        assert call("run", "autopet3", str(release), "--model", model, "--out", path) == 0
        found.append(path)
    return found


def ranking(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[Any, list[Any]]:
    capsys.readouterr()
    assert call("rank", *arguments, "--draws", "50", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    (only,) = found["rankings"]
    return only, found["findings"]


def test_runs_are_ranked_by_the_rule_of_their_benchmark(runs: list[str], capsys) -> None:
    found, findings = ranking(capsys, *runs)

    assert {
        each["name"]: (each["weight"], each["larger_is_better"]) for each in found["metrics"]
    } == {
        "dice": (0.5, True),
        "fnv_ml": (0.25, False),
        "fpv_ml": (0.25, False),
    }
    assert sorted(found["strata"]) == ["LMU · FDG", "LMU · PSMA", "UKT · FDG", "UKT · PSMA"]
    options = found["options"]
    assert (options["rule"], options["ties"], options["missing"]) == (
        "mean-then-rank",
        "average",
        "worst-value",
    )
    assert options["tie_break"] == "dice"
    assert found["unit"] == "patient"
    # Careful draws better and invents nothing, eager misses nothing.
    assert [row["method"] for row in found["rows"]] == ["careful", "eager"]
    assert findings[0]["code"] == "rank-rule"
    assert "published profile" in findings[0]["evidence"]


def test_options_stand_above_the_rule(runs: list[str], capsys) -> None:
    found, _ = ranking(
        capsys, *runs, "--weight", "fnv_ml=100", "--rule", "median-then-rank", "--ties", "min"
    )

    assert [row["method"] for row in found["rows"]] == ["eager", "careful"]
    assert (found["options"]["rule"], found["options"]["ties"]) == ("median-then-rank", "min")
    assert {each["name"]: each["weight"] for each in found["metrics"]}["fpv_ml"] == 0.25


def test_a_terminal_and_a_page_tell_the_source_of_the_rule(
    runs: list[str], tmp_path: Path, capsys
) -> None:
    capsys.readouterr()
    assert call("rank", *runs, "--draws", "50", "--out", str(tmp_path / "page")) == 0

    flat = re.sub(r"\s+", " ", capsys.readouterr().out)
    assert "careful comes first" in flat
    assert "autopet-iii.grand-challenge.org" in flat
    page = (tmp_path / "page" / "index.html").read_text("utf-8")
    assert "2 runs over autopet3" in page


def test_a_missing_mask_counts_as_the_worst(
    runs: list[str], release: Path, tmp_path: Path, capsys
) -> None:
    half = tmp_path / "half"
    shutil.copytree(release / "predictions" / "careful", half)
    for path in sorted(half.iterdir())[:4]:
        path.unlink()
    run = str(tmp_path / "half.sqlite")
    call("run", "autopet3", str(release), "--model", f"masks:{half}", "--out", run)

    found, findings = ranking(capsys, runs[0], run)

    assert [row["method"] for row in found["rows"]] == ["careful", "half"]
    (missing,) = [each for each in findings if each["code"] == "missing-values"]
    assert missing["where"] == "half"
    assert "(failed)" in missing["evidence"]
    assert call("rank", runs[0], run, "--missing", "error") == 2


def test_runs_of_one_name_are_told_apart_by_their_folders(
    runs: list[str], tmp_path: Path, capsys
) -> None:
    (tmp_path / "other").mkdir()
    other = tmp_path / "other" / "careful.sqlite"
    shutil.copy(runs[1], other)

    found, _ = ranking(capsys, runs[0], str(other))

    assert sorted(found["methods"]) == sorted([runs[0][:-7], str(other)[:-7]])


@pytest.mark.parametrize(
    ("options", "blamed"),
    [
        (["--better", "dice=larger"], "--better"),
        (["--patient", "who"], "--patient"),
        (["--larger-is-better"], "--larger-is-better"),
        (["--wide"], "--wide"),
        (["--decimal", ","], "--decimal"),
    ],
)
def test_a_run_has_no_columns(runs: list[str], options: list[str], blamed: str, capsys) -> None:
    assert call("rank", *runs, *options) == 2

    message = re.sub(r"\s+", " ", capsys.readouterr().err)
    assert blamed in message
    assert "run files, whose benchmark says what its metrics are" in message


def test_one_run_twice_runs_with_tables_and_single_runs_are_refused(
    runs: list[str], tmp_path: Path, capsys
) -> None:
    table = tmp_path / "table.csv"
    table.write_text("case,A,B\n1,0.5,0.6\n2,0.4,0.7\n")
    for arguments, told in (
        ([runs[0], runs[0]], "given twice"),
        ([runs[0], str(table)], "1 run files and 1 other files"),
        ([str(table), str(table)], "0 run files and 2 other files"),
        ([runs[0]], "two or more run files"),
    ):
        assert call("rank", *arguments) == 2
        assert told in re.sub(r"\s+", " ", capsys.readouterr().err)


def test_the_release_may_have_moved(runs: list[str], release: Path, tmp_path: Path, capsys) -> None:
    moved = tmp_path / "moved"
    shutil.copytree(release, moved)

    found, _ = ranking(capsys, *runs, "--release", str(moved))

    assert found["rows"][0]["method"] == "careful"
