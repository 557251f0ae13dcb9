"""What `overread audit table` prints, and how it leaves."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from overread.cli import main

TABLE = "model,total,box,no box\nA,50.3,62.0,37.1\nB,24.5,30.0,18.0\n"


def call(*arguments: str) -> int:
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    return int(stop.value.code or 0)


@pytest.fixture
def table(tmp_path: Path) -> str:
    path = tmp_path / "table.csv"
    path.write_text(TABLE)
    return str(path)


def test_a_table_without_a_fault_leaves_with_0(
    table: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call("audit", "table", table) == 0
    out, err = capsys.readouterr()
    assert "What was tried" in out
    assert "0 findings (0 errors, 0 warnings)" in err


def test_options_say_what_cells_do_not(table: str, capsys: pytest.CaptureFixture[str]) -> None:
    options = ("--n", "100", "--n", "no box=1000", "--total", "total=box,no box", "--json")
    assert call("audit", "table", table, *options) == 1
    found = json.loads(capsys.readouterr().out)
    wheres = [(each["code"], each["where"]) for each in found["findings"]]
    assert ("impossible-share", "B, total (line 3)") in wheres
    assert ("total-off", "A, total (line 2)") in wheres
    assert found["format"] == "overread audit 1"


def test_claims_and_options_together_and_files(
    table: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    claims, out = tmp_path / "claims.toml", tmp_path / "out"
    claims.write_text('table = "Mine"\nsource = "a paper"\n[n]\nall = 100\n')
    options = ("--claims", str(claims), "--runs", "10", "--names", "model", "--out", str(out))
    assert call("audit", "table", table, *options) == 0
    assert "audit.html" in capsys.readouterr().err
    assert "<h1>Mine</h1>" in (out / "audit.html").read_text()
    assert (out / "audit.md").is_file()
    assert json.loads((out / "audit.json").read_text())["source"] == "a paper"


def test_sites_speak_of_inferred_summaries(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "t.csv"
    path.write_text("method,mean,worst,gap\nFedBN,0.8109,0.7656,0.0503\n")
    assert call("audit", "table", str(path)) == 0
    assert "summary-tight" in capsys.readouterr().out
    assert call("audit", "table", str(path), "--sites", "4") == 1
    assert "at most 0.803325" in capsys.readouterr().out


def test_decimal_marks_can_be_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "t.csv"
    path.write_text("model;accuracy\nA;24,500\nB;30,125\n")
    assert call("audit", "table", str(path), "--decimal", "comma", "--n", "100", "--json") == 1
    assert len(json.loads(capsys.readouterr().out)["findings"]) == 2


def test_inference_can_be_left_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "t.csv"
    rows = "".join(f"m{n},{30 + n}.0,{20 + n}.0,{40 + n}.0\n" for n in range(6))
    path.write_text(f"model,overall,a,b\n{rows}m6,40.0,20.0,40.0\n")
    assert call("audit", "table", str(path)) == 1
    assert "inferred" in capsys.readouterr().out
    assert call("audit", "table", str(path), "--no-infer") == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--n", "many"), "--n: expected a whole number"),
        (("--n", "nothing=3"), "expected one of the columns"),
        (("--runs", "0"), "--runs: expected a whole number"),
        (("--total", "total"), "--total: expected TOTAL=PART,PART"),
        (("--total", "total=box"), "--total: expected TOTAL=PART,PART"),
        (("--claims", "absent.toml"), "a TOML file of claims"),
        (("--names", "nothing"), "expected one of the columns"),
    ],
)
def test_wrong_use_leaves_with_2(
    table: str, options: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call("audit", "table", table, *options) == 2
    assert message in " ".join(capsys.readouterr().err.split())


def test_a_file_that_is_not_there_leaves_with_2(capsys: pytest.CaptureFixture[str]) -> None:
    assert call("audit", "table", "absent.csv") == 2
    assert "absent.csv" in capsys.readouterr().err


def test_one_finding_is_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "t.csv"
    path.write_text("model,test\nA,45/60 (75.0 %)\nB,41/60 (66.7 %)\n")
    assert call("audit", "table", str(path)) == 1
    assert "1 finding (1 error, 0 warnings)" in capsys.readouterr().err


def test_a_file_in_the_place_of_the_folder_is_told_before_the_work(
    table: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for out in (table, f"{table}/deeper"):
        assert call("audit", "table", "absent.csv", "--out", out) == 2
        assert "--out: expected a folder" in " ".join(capsys.readouterr().err.split())
    assert Path(table).read_text() == TABLE
