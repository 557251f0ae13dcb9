"""What `overread rank` prints, writes and refuses."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import numpy as np
import pytest

from overread.cli import main

SIX = """case,A,B,C
1,0.90,0.85,0.70
2,0.80,0.82,0.75
3,0.95,0.90,0.60
4,0.70,0.65,0.72
5,0.88,0.80,0.66
6,0.77,0.76,0.50
"""


def call(*arguments: str) -> int:
    with pytest.raises(SystemExit) as stop:
        main(("rank", *arguments))
    return int(stop.value.code or 0)


@pytest.fixture
def six(tmp_path: Path) -> str:
    path = tmp_path / "six.csv"
    path.write_text(SIX, encoding="utf-8")
    return str(path)


@pytest.fixture
def two_metrics(tmp_path: Path) -> str:
    rng = np.random.default_rng(0)
    lines = ["method,patient,case,centre,DSC,FPV"]
    lines += [
        f"{method},p{case // 2},{case},{'xy'[case % 2]},"
        f"{0.9 - 0.1 * place + rng.normal(0, 0.02):.3f},{place + rng.random():.3f}"
        for case in range(20)
        for place, method in enumerate(("A", "B", "C"))
    ]
    path = tmp_path / "two.csv"
    path.write_text("\n".join(lines), encoding="utf-8")
    return str(path)


def test_prints_ranks_sentences_and_other_choices(six: str, capsys) -> None:
    assert call(six, "--larger-is-better") == 0
    out, _ = capsys.readouterr()
    assert all(len(line) <= 110 for line in out.splitlines())
    flat = re.sub(r"\s+", " ", out)
    assert "A comes first by mean value over 6 cases (0.8333)." in flat
    assert "99.7 % of all possible resamples" in flat
    assert "0 of 3 pairs are told apart" in flat
    for pair in ("A and B", "A and C", "B and C"):
        assert f"• {pair} cannot be told apart:" in flat
    assert "no-patients" in flat
    assert "few-units" in flat


def test_json_holds_everything(six: str, capsys) -> None:
    assert call(six, "--larger-is-better", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    (ranking,) = found["rankings"]
    assert [row["method"] for row in ranking["rows"]] == ["A", "B", "C"]
    assert ranking["stability"]["first"][0] == pytest.approx(0.996506, abs=5e-7)
    assert [pair["p_first_holm"] for pair in ranking["pairs"]] == [0.234375, 0.1875, 0.234375]
    assert len(ranking["not_told_apart"]) == 3
    assert {each["code"] for each in found["findings"]} == {"no-patients", "few-units"}


def test_metrics_weights_strata_and_patients(two_metrics: str, capsys) -> None:
    arguments = ("--value", "DSC", "--value", "FPV", "--better", "DSC=larger", "--better")
    more = ("FPV=smaller", "--weight", "DSC=0.5", "--weight", "FPV=0.25", "--stratum", "centre")
    assert call(two_metrics, *arguments, *more, "--draws", "50", "--json") == 0
    (ranking,) = json.loads(capsys.readouterr().out)["rankings"]
    assert [row["method"] for row in ranking["rows"]] == ["A", "B", "C"]
    assert (ranking["unit"], ranking["n_units"]) == ("patient", 10)
    assert ranking["strata"] == ["x", "y"]
    assert [metric["weight"] for metric in ranking["metrics"]] == [0.5, 0.25]
    assert set(ranking["metric_pairs"]) == {"DSC", "FPV"}


def test_smaller_is_better_turns_the_order(six: str, capsys) -> None:
    assert call(six, "--smaller-is-better", "--json") == 0
    (ranking,) = json.loads(capsys.readouterr().out)["rankings"]
    assert [row["method"] for row in ranking["rows"]] == ["C", "B", "A"]
    first = ranking["pairs"][0]
    assert first["difference"] == pytest.approx(0.036667, abs=5e-7)
    assert first["low"] < first["difference"] < first["high"]


def test_a_metric_of_the_package_needs_no_direction(tmp_path: Path, capsys) -> None:
    path = tmp_path / "known.csv"
    path.write_text("method,case,accuracy\nA,1,1\nB,1,0\nA,2,1\nB,2,1\n", encoding="utf-8")
    assert call(str(path), "--value", "accuracy", "--json") == 0
    (ranking,) = json.loads(capsys.readouterr().out)["rankings"]
    assert ranking["rows"][0]["method"] == "A"


def test_writes_a_page_a_figure_and_tables(six: str, tmp_path: Path, capsys) -> None:
    out = tmp_path / "out"
    assert call(six, "--larger-is-better", "--out", str(out)) == 0
    assert {path.name for path in out.iterdir()} == {
        *("index.html", "ranking.svg", "ranks.csv", "pairs.csv", "frequencies.csv", "orders.csv")
    }
    rows = list(csv.DictReader((out / "ranks.csv").read_text("utf-8").splitlines()))
    assert [(row["method"], row["rank"]) for row in rows] == [("A", "1"), ("B", "2"), ("C", "3")]
    shares = list(csv.DictReader((out / "frequencies.csv").read_text("utf-8").splitlines()))
    assert float(shares[0]["share"]) == pytest.approx(0.996506, abs=5e-7)
    before = (out / "index.html").read_text("utf-8")
    assert call(six, "--larger-is-better", "--out", str(out)) == 0
    assert (out / "index.html").read_text("utf-8") == before, "the same table gives the same page"


def test_missing_values_stop_without_a_policy(tmp_path: Path, capsys) -> None:
    path = tmp_path / "gaps.csv"
    path.write_text("case,A,B\n1,0.9,0.5\n2,0.8,0.6\n3,,0.7\n", encoding="utf-8")
    assert call(str(path), "--larger-is-better") == 2
    assert "--missing drop, worst-value or worst-rank" in capsys.readouterr().err
    assert call(str(path), "--larger-is-better", "--missing", "drop", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert "missing-policy-decides" in {each["code"] for each in found["findings"]}
    assert call(str(path), "--larger-is-better", "--missing", "worst-value", "--worst", "0") == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "--better: expected the direction of 'value', got none"),
        (("--better", "value=up"), "'smaller' or 'larger', got 'up'"),
        (("--better", "dsc=larger"), "METRIC=…, each metric once, of value"),
        (("--larger-is-better", "--weight", "value=heavy"), "--weight value: expected a number"),
        (("--larger-is-better", "--weight", "-1"), "--weight value: expected a number above 0"),
        (("--larger-is-better", "--worst", "value=nan"), "--worst value: expected a number"),
        (("--larger-is-better", "--tie-break", "hd"), "got hd"),
        (("--larger-is-better", "--patient", "who"), "--patient: expected one of the columns"),
        (("--larger-is-better", "--draws", "0"), "--draws: expected a count of 1 or more"),
    ],
)
def test_wrong_use_is_refused(six: str, capsys, arguments, message: str) -> None:
    assert call(six, *arguments) == 2
    assert message in re.sub(r"\s+", " ", capsys.readouterr().err)


def test_a_file_that_is_not_there(tmp_path: Path, capsys) -> None:
    assert call(str(tmp_path / "none.csv"), "--larger-is-better") == 2
    assert "none.csv: expected a file with a table" in capsys.readouterr().err


APART = "model,case,DSC\nA,c1,0.80\nA,c2,0.70\nB,d1,0.60\nB,d2,0.65\n"


def test_methods_without_a_shared_case_are_refused_with_the_reason(tmp_path: Path, capsys) -> None:
    path = tmp_path / "apart.csv"
    path.write_text(APART, encoding="utf-8")
    options = (str(path), "--value", "DSC", "--larger-is-better")
    assert call(*options) == 2
    err = re.sub(r"\s+", " ", capsys.readouterr().err)
    assert "no case that two methods share: A begins with case 'c1', B begins with case 'd1'" in err
    assert "--case" in err
    # Whoever asks for it gets the ranking, and is told.
    assert call(*options, "--missing", "drop", "--json") == 0
    found = json.loads(capsys.readouterr().out)["findings"]
    (told,) = [each for each in found if each["code"] == "no-shared-cases"]
    assert "two methods have no case with a value of both" in told["evidence"]


def test_a_file_in_the_place_of_the_folder_is_told_before_the_work(six: str, capsys) -> None:
    assert call("absent.csv", "--larger-is-better", "--out", six) == 2
    assert "--out: expected a folder" in re.sub(r"\s+", " ", capsys.readouterr().err)


def test_equal_shares_are_said_once(tmp_path: Path, capsys) -> None:
    path = tmp_path / "tied.csv"
    path.write_text("case,A,B,C\n1,0.9,0.9,0.1\n2,0.8,0.8,0.2\n3,0.7,0.7,0.3\n", encoding="utf-8")
    assert call(str(path), "--larger-is-better") == 0
    out = re.sub(r"\s+", " ", capsys.readouterr().out)
    assert "each of them is first in 100 % of all possible resamples" in out


def test_an_interval_without_0_and_the_test_that_decides_stand_in_one_sentence(
    tmp_path: Path, capsys
) -> None:
    rng = np.random.default_rng(3)
    names = "ABCDEFGH"
    rows = [
        f"{case}," + ",".join(f"{0.6 + 0.012 * k + rng.normal(0, 0.06):.4f}" for k in range(8))
        for case in range(40)
    ]
    path = tmp_path / "many.csv"
    path.write_text("\n".join(["case," + ",".join(names), *rows]) + "\n", encoding="utf-8")
    assert call(str(path), "--larger-is-better", "--draws", "200", "--json") == 0
    (ranking,) = json.loads(capsys.readouterr().out)["rankings"]
    untold = {
        frozenset((each["first"], each["second"]))
        for each in ranking["pairs"]
        if each["better"] is None and not each["low"] <= 0 <= each["high"]
    }
    assert untold
    words = "this interval leaves out 0, but the test corrected for all 28 pairs after Holm (p 0"
    said = [text for text in ranking["not_told_apart"] if words in text]
    assert {frozenset((text[0], text[6])) for text in said} == untold
