"""What `overread compare` prints: pairs, groups, what the exam can show, and what it refuses."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from overread.analysis.standings import letter
from overread.cli import main
from overread.cli.compare_scale import Scale
from overread.cli.compare_tables import counted, thousands


def call(*arguments: str) -> int:
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    return int(stop.value.code or 0)


def values(capsys: pytest.CaptureFixture[str], *arguments: str):
    capsys.readouterr()
    assert call("compare", *arguments, "--json") == 0
    return json.loads(capsys.readouterr().out)


def shown(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[str, str]:
    capsys.readouterr()
    assert call("compare", *arguments) == 0
    out, err = capsys.readouterr()
    assert all(len(line) <= 110 for line in out.splitlines())
    return out, err


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    capsys.readouterr()
    assert call("compare", *arguments) == 2
    return capsys.readouterr().err


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("compare")
    release = str(folder / "release")
    assert call("synth", "ct-bench", release, "--lesions", "24", "--seed", "3") == 0
    for model in ("chance", "longest", "radiomics", "constant:A"):
        path = folder / f"{model.replace(':', '-')}.sqlite"
        assert call("run", "ct-bench", release, "--model", model, "--out", str(path)) == 0
    return folder


@pytest.fixture(scope="module")
def runs(folder: Path) -> list[str]:
    return [str(folder / f"{name}.sqlite") for name in ("chance", "longest")]


@pytest.fixture(scope="module")
def four(folder: Path) -> list[str]:
    names = ("chance", "longest", "radiomics", "constant-A")
    return [str(folder / f"{name}.sqlite") for name in names]


def test_the_table_holds_both_p_values_and_marks_the_adjusted_one(
    runs: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    (pair,) = values(capsys, *runs)["pairs"]
    assert pair["n_clusters"] < pair["n"]  # a patient has several questions
    assert pair["adjusted"] == "sign flip"
    assert pair["p_adjusted"] == pair["p_sign_flip"]
    out, err = shown(capsys, *runs)
    head = next(line for line in out.splitlines() if "p McN" in line)
    row = next(line for line in out.splitlines() if "chance" in line)
    cells = dict(zip(re.split("[┃│]", head), row.split("│"), strict=True))
    named = {name.strip(): value.strip() for name, value in cells.items()}
    assert named["p McN"] == f"{pair['p_mcnemar']:.2g}"
    assert named["p patient"] == f"{pair['p_sign_flip']:.2g}*"
    assert named["p adj"] == f"{pair['p_adjusted']:.2g}"
    assert named["only 1, 2"] == f"{pair['only_first']}, {pair['only_second']}"
    assert "the p marked *, adjusted after Holm" in err


def test_strata_have_a_table_for_each_pair(
    runs: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    out, _ = shown(capsys, *runs, "--by-stratum")
    assert "chance and longest: accuracy, honest profile (%)" in out
    assert "txt2bbox" in out


def test_two_runs_are_told_in_sentences(
    runs: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    found = values(capsys, *runs, "--margin", "5")
    (pair,) = found["pairs"]
    exam, margin = pair["exam"], pair["margin"]
    out, err = shown(capsys, *runs, "--margin", "5")
    text = " ".join(out.split())
    assert "95 % of diff" in text
    assert "that of 95 % asks whether the runs differ at all, that of 90 % is the margin's" in (
        " ".join(err.split())
    )
    assert "why two intervals" not in shown(capsys, *runs)[1]
    ahead, behind = ("chance", "longest") if pair["difference"] > 0 else ("longest", "chance")
    lead = f"{ahead} is ahead of {behind} by {abs(100 * pair['difference']):.1f} points"
    assert f"chance and longest cannot be told apart: {lead} (adjusted p" in text
    if exam["smallest_difference"] is None:
        assert exam["reason"][1:] in text
    else:
        assert f"a difference of {100 * exam['smallest_difference']:.1f} points or more" in text
    needed = exam["units_needed"]
    assert f"{needed:,} patients would tell them apart: {needed - exam['units']:,} more." in text
    assert margin["margin"] == 0.05
    assert margin["verdict"] == "open"
    assert (
        "Whether they differ by less than 5 points is open (90 % interval of the difference" in text
    )


def test_several_runs_stand_in_order_with_groups(
    four: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    found = values(capsys, *four, "--margin", "5")
    scores = [standing["value"] for standing in found["standings"]]
    assert scores == sorted(scores, reverse=True)
    assert len(found["pairs"]) == 6
    out, err = shown(capsys, *four, "--margin", "5")
    rows = [line for line in out.splitlines() if re.match(r"│ \d │", line)]
    assert len(rows) == 4
    for row, standing in zip(rows, found["standings"], strict=True):
        cells = [cell.strip() for cell in row.split("│")]
        groups = "".join(map(letter, standing["groups"]))
        assert cells[2:5] == [standing["label"], f"{100 * standing['value']:.1f}", groups]
    for title in ("Order by accuracy", "What these questions can show", "Within ±5 points?"):
        assert title in out
    for word in ("group:", "shows from:"):
        assert word in err
    reasons = {pair["exam"]["reason"] for pair in found["pairs"]}
    assert all(reason is None or reason[1:] in err for reason in reasons)


def test_another_adjustment_is_told(four: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    strict, loose = (values(capsys, *four, "--adjust", name) for name in ("holm", "bh"))
    assert (strict["adjust"], loose["adjust"]) == ("holm", "bh")
    both = list(zip(strict["pairs"], loose["pairs"], strict=True))
    assert all(one["p_adjusted"] >= two["p_adjusted"] for one, two in both)
    # Holm asks the smallest of six p values for 0.05 / 6; so does what the exam can show.
    assert strict["pairs"][0]["exam"]["level"] == pytest.approx(1 - 0.05 / 6)
    assert loose["pairs"][0]["exam"]["level"] == 0.95
    assert all(one["exam"]["units_needed"] > two["exam"]["units_needed"] for one, two in both)
    _, err = shown(capsys, *four, "--adjust", "bh")
    assert "adjusted after Benjamini and Hochberg" in err


def test_names_lose_an_ending_that_all_share(
    runs: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copies = [str(shutil.copy(run, tmp_path / f"{Path(run).stem}_full.v2.sqlite")) for run in runs]
    assert values(capsys, *copies)["labels"] == ["chance", "longest"]


def test_runs_that_were_asked_in_other_ways_say_so(
    folder: Path, runs: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    path = str(folder / "mosaic.sqlite")
    options = ("--model", "longest", "--stack", "mosaic", "--out", path)
    assert call("run", "ct-bench", str(folder / "release"), *options) == 0
    notes = values(capsys, runs[0], path)["notes"]
    assert any("stack is images of chance; mosaic of mosaic" in note for note in notes)
    assert not any("not asked alike" in note for note in values(capsys, *runs)["notes"])


def test_a_run_of_part_of_the_questions_is_compared_over_the_shared_ones(
    folder: Path, runs: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    path = str(folder / "part.sqlite")
    options = ("--model", "longest", "--task", "img2size", "--out", path)
    assert call("run", "ct-bench", str(folder / "release"), *options) == 0
    found = values(capsys, runs[0], path)
    assert found["unshared"]["part"] == 0
    assert found["pairs"][0]["n"] < found["unshared"]["chance"]
    assert "were not asked of every other run" in found["notes"][0]


def test_runs_without_a_shared_question_are_refused(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    paths = [str(folder / f"only-{task}.sqlite") for task in ("img2attrib", "ct2attrib")]
    for path, task in zip(paths, ("img2attrib", "ct2attrib"), strict=True):
        options = ("--model", "longest", "--task", task, "--out", path)
        assert call("run", "ct-bench", str(folder / "release"), *options) == 0
    assert "two runs that share questions" in refused(capsys, *paths)


def test_the_same_run_twice_is_refused(
    runs: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "given twice" in refused(capsys, runs[0], runs[0])
    copy = str(shutil.copy(runs[0], tmp_path / "copy.sqlite"))
    assert "given twice" in refused(capsys, runs[0], copy)


def test_runs_of_two_editions_are_refused(
    folder: Path, runs: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    release, path = str(folder / "other"), str(folder / "other.sqlite")
    assert call("synth", "ct-bench", release, "--lesions", "24", "--seed", "4") == 0
    assert call("run", "ct-bench", release, "--model", "longest", "--out", path) == 0
    assert "different runs of one ct-bench release" in refused(capsys, runs[0], path)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--margin", "0"), "--margin: expected points above 0 and below 100, got 0"),
        (("--margin", "-2"), "--margin: expected points above 0 and below 100, got -2"),
        (("--margin", "nan"), "--margin: expected points above 0 and below 100, got nan"),
        (("--power", "80"), "power: expected a probability above 0.05 and below 1, got 80"),
        (("--power", "0.05"), "power: expected a probability above 0.05 and below 1"),
        (("--metric", "dice"), "metric: expected one that is compared item by item"),
    ],
)
def test_options_out_of_range_are_refused(
    options: tuple[str, str], message: str, runs: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert message in refused(capsys, *runs, *options)


def test_one_run_or_no_run_file_is_refused(
    runs: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "two or more run files" in refused(capsys, runs[0])
    answers = tmp_path / "answers.csv"
    answers.write_text("item,answer\n1,A\n")
    assert "answers.csv" in refused(capsys, runs[0], str(answers))
    assert "absent.sqlite" in refused(capsys, runs[0], str(tmp_path / "absent.sqlite"))


def test_counts_are_written_for_people() -> None:
    assert (thousands(7), thousands(12_345), thousands(784_887_851)) == ("7", "12,345", "8e8")
    assert counted(1, "patient") == "1 patient"
    assert counted(2310, "item") == "2,310 questions"
    assert counted(2, "study") == "2 studies"


def test_distances_are_told_in_their_unit_and_the_smaller_is_better() -> None:
    scale = Scale(unit="mm", smaller_is_better=True)
    assert scale.size(-3.25) == "3.25 mm"
    assert scale.bounds(-4.0, -1.5) == "-4 to -1.5"
    assert scale.ahead(-1.0)  # the first has less
    assert not scale.ahead(1.0)
    shares = Scale(unit="points")
    assert (shares.size(0.042), shares.gap(-0.042), shares.heading) == ("4.2 points", "-4.2", "%")
    assert shares.ahead(0.1)
