"""What `overread compare` prints: both p values, and which of them is adjusted."""

from __future__ import annotations

import json
import re

import pytest

from overread.cli import main


def call(*arguments: str) -> int:
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    return int(stop.value.code or 0)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    folder = tmp_path_factory.mktemp("compare")
    release = folder / "release"
    assert call("synth", "ct-bench", str(release), "--lesions", "24", "--seed", "3") == 0
    paths = [str(folder / f"{name}.sqlite") for name in ("chance", "longest")]
    for path, model in zip(paths, ("chance", "longest"), strict=True):
        assert call("run", "ct-bench", str(release), "--model", model, "--out", path) == 0
    return paths


def test_the_table_holds_both_p_values_and_marks_the_adjusted_one(
    runs: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    assert call("compare", *runs, "--json") == 0
    (pair,) = json.loads(capsys.readouterr().out)["pairs"]
    assert pair["n_clusters"] < pair["n"]  # a patient has several questions
    assert pair["adjusted"] == "sign flip"
    assert pair["p_adjusted"] == pair["p_sign_flip"]
    assert call("compare", *runs) == 0
    out, err = capsys.readouterr()
    assert all(len(line) <= 110 for line in out.splitlines())
    head = next(line for line in out.splitlines() if "p McN" in line)
    row = next(line for line in out.splitlines() if "chance" in line)
    cells = dict(zip(re.split("[┃│]", head), row.split("│"), strict=True))
    shown = {name.strip(): value.strip() for name, value in cells.items()}
    assert shown["p McN"] == f"{pair['p_mcnemar']:.2g}"
    assert shown["p patient"] == f"{pair['p_sign_flip']:.2g}*"
    assert shown["p adj"] == f"{pair['p_adjusted']:.2g}"
    assert shown["only 1, 2"] == f"{pair['only_first']}, {pair['only_second']}"
    assert "the p marked *, adjusted after Holm" in err


def test_strata_have_a_table_for_each_pair(
    runs: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert call("compare", *runs, "--by-stratum") == 0
    out = capsys.readouterr().out
    assert "chance and longest: accuracy, honest profile (%)" in out
    assert "txt2bbox" in out
    assert all(len(line) <= 110 for line in out.splitlines())
