"""What `overread reproduce` prints for people and for machines."""

from __future__ import annotations

import json
import os
import pty
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from overread.cli import main

FIELDS = [
    "row",
    "column",
    "published",
    "recomputed",
    "corrected",
    "n_published",
    "n_corrected",
    "fault",
]


def call(*arguments: str) -> int:
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    return int(stop.value.code or 0)


def test_json_holds_the_three_numbers_and_the_faults(
    judged_release: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    assert call("reproduce", "ct-spatialvqa", str(judged_release), "--json") == 0
    out, err = capsys.readouterr()
    found = json.loads(out)
    assert err == ""
    assert list(found) == ["benchmark", "cells", "findings"]
    assert found["benchmark"] == "ct-spatialvqa"
    assert all(list(cell) == FIELDS for cell in found["cells"])
    (jury,) = (cell for cell in found["cells"] if cell["column"] == "jury")
    assert jury["row"] == "reader_x"
    assert jury["published"] == jury["recomputed"] == 2 / 7
    assert jury["corrected"] == pytest.approx(3 / 7)
    assert (jury["n_published"], jury["n_corrected"]) == (7, 7)
    assert jury["fault"].startswith("joined by row number: 5 of 7 rows mix questions")
    slipped = next(one for one in found["findings"] if one["code"] == "slipped-rows")
    assert (slipped["severity"], slipped["count"]) == ("error", 5)


def test_tables_hold_every_column_and_the_last_line_sums_up(
    judged_release: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    assert call("reproduce", "ct-spatialvqa", str(judged_release)) == 0
    out, err = capsys.readouterr()
    for title in ("Gemini (%)", "jury (%)", "kappa Gemini-GPT", "BLEU", "ROUGE-L", "Warnings"):
        assert title in out
    jury = out[out.index("jury (%), published in metrics/llm_jury_accuracy.json") :]
    row = next(line for line in jury.splitlines() if "reader_x" in line)
    assert re.findall(r"\d+\.\d\d\b", row)[:3] == ["28.57", "28.57", "42.86"]
    assert "note 1: joined by row number: 5 of 7 rows mix questions" in out
    # Two counts of the same slip are told apart: of questions, and of words.
    assert "rows that mix questions: joined by row number" in err
    assert "slipped-rows: rows of one judge's file" in err
    # The jury's number is published and comes out; no other column of this release is published.
    last = " ".join(err.splitlines()[-1].split())
    assert "of 1 published numbers 1 can be computed here, 1 come out to the last digit" in last
    assert "and 0 do not" in last
    assert "1 errors" in last
    assert all(len(line) <= 110 for line in out.splitlines())


def test_the_first_screen_holds_the_verdict_the_headline_and_the_errors(
    judged_release: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    assert call("reproduce", "ct-spatialvqa", str(judged_release)) == 0
    out, _ = capsys.readouterr()
    titles = ["the published table, rebuilt", "jury (%)", "Errors", "Gemini (%)", "Warnings"]
    places = [out.index(title) for title in titles]
    assert places == sorted(places)
    screen = "\n".join(out.splitlines()[:30])
    assert re.search(r"come out to the last digit\W+1\b", screen)
    assert re.search(r"move when corrected\W+\d+ .*most of all jury of reader_x", screen)
    assert "from 28.57 to" in screen
    assert "slipped-rows" in screen


def test_a_damaged_copy_is_said_to_be_one(
    judged_release: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(judged_release, copy)
    file = copy / "llm_eval" / "reader_x_gpt_eval.json"
    file.write_bytes(file.read_bytes()[:200])
    capsys.readouterr()
    assert call("reproduce", "ct-spatialvqa", str(copy), "--json") == 0
    found = json.loads(capsys.readouterr().out)
    (broken,) = (one for one in found["findings"] if one["code"] == "unreadable-part")
    assert (broken["severity"], broken["where"]) == ("error", "llm_eval/reader_x_gpt_eval.json")
    gpt = [cell for cell in found["cells"] if cell["column"] in ("GPT", "jury")]
    assert [(cell["column"], cell["recomputed"], cell["fault"]) for cell in gpt] == [
        ("jury", None, "no readable votes")
    ]
    assert call("audit", "ct-spatialvqa", str(copy)) == 1


@pytest.mark.slow
@pytest.mark.parametrize("columns", [80, 100, 160])
def test_tables_fit_the_terminal(judged_release: Path, columns: int) -> None:
    ours, theirs = pty.openpty()
    environment = os.environ | {"COLUMNS": str(columns), "LINES": "50", "TERM": "xterm"}
    code = "from overread.cli import main; main()"
    arguments = ["reproduce", "ct-spatialvqa", str(judged_release)]
    process = subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        stdout=theirs,
        stderr=subprocess.DEVNULL,
        env=environment,
    )
    os.close(theirs)
    shown = b""
    while True:
        try:
            shown += os.read(ours, 65536)
        except OSError:  # the other end is closed
            break
    assert process.wait() == 0
    os.close(ours)
    lines = re.sub(r"\x1b\[[0-9;]*m", "", shown.decode()).splitlines()
    assert max(len(line) for line in lines) <= columns
    # No column is left out where it is tight: the interval of the corrected number stands there.
    row = re.compile(r"reader_x.*28\.57.*42\.86\W+\d+\.\d to \d+\.\d")
    assert any(row.search(line) for line in lines)
    assert any("95 %" in line for line in lines)
    # What was found fits as well: side by side where there is room, else below each other.
    found = next(place for place, line in enumerate(lines) if "slipped-rows" in line)
    assert lines[found].strip(" │").split()[0] == "error"
    assert ("llm_eval/" in lines[found]) == (columns >= 120)
    if columns < 120:
        assert lines[found].split()[-1] == "5"  # the count
        assert lines[found + 1].startswith("  llm_eval/reader_x_gemini2.5_eval_full.json: 1")


def test_a_release_that_ships_no_results_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    release = str(tmp_path / "release")
    assert call("synth", "ct-bench", release, "--lesions", "24", "--seed", "3") == 0
    assert call("reproduce", "ct-bench", release) == 2
    assert "expected a release that ships predictions, votes or tables" in capsys.readouterr().err
