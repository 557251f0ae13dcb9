"""What `overread audit parsers` prints of a run, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from overread.cli import main


def call(*arguments: str) -> int:
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    return int(stop.value.code or 0)


@pytest.fixture(scope="module")
def run_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("parsers")
    assert call("synth", "igakuqa119", str(root / "exam"), "--size", "24") == 0
    out = root / "run.sqlite"
    call("run", "igakuqa119", str(root / "exam"), "--model", "fake", "--out", str(out))
    return out


def test_a_table_for_every_kind_of_question(
    run_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    assert call("audit", "parsers", str(run_file)) == 0
    out, err = capsys.readouterr()
    for words in ("12 choice questions", "6 questions with several", "6 questions for a number"):
        assert words in out
    for parser in ("honest", "lmms-eval-mcq", "vlmevalkit-random", "medevalkit"):
        assert parser in out
    assert "depends on parsing by" in err


def test_json_names_parsers_tables_and_findings(
    run_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    assert call("audit", "parsers", str(run_file), str(run_file), "--json", "--examples", "1") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["parsers"][0]["name"] == "honest"
    assert {each["silence"] for each in found["parsers"]} == {"wrong", "random option"}
    assert [each["kind"] for each in found["tables"]] == ["choice", "several", "number"]
    choice = found["tables"][0]
    assert choice["n"] == sum(1 for each in range(24) if each % 4 in (0, 1))
    assert len(choice["examples"]) <= 1
    scores = [each["score"] for each in choice["rows"]]
    assert choice["spread"] == pytest.approx(100 * (max(scores) - min(scores)))
    assert {each["code"] for each in found["findings"]} <= {
        "score-depends-on-parsing",
        "replies-without-answer",
    }


@pytest.mark.parametrize(
    "arguments", [(), ("no such file",), ("{run}", "--examples", "99"), ("{run}", "--release", "/")]
)
def test_wrong_use_is_refused(
    run_file: Path, arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    told = tuple(str(run_file) if each == "{run}" else each for each in arguments)
    assert call("audit", "parsers", *told) != 0
    out, err = capsys.readouterr()
    assert "Traceback" not in out + err
    assert err or out
