"""`overread audit editions`, on two synthetic releases of which one was changed."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from overread.cli import app
from overread.registry import find_benchmark


@pytest.fixture
def editions(tmp_path: Path) -> tuple[str, str]:
    find_benchmark("ct-bench").synthesise(tmp_path / "old", seed=1, size=24)
    shutil.copytree(tmp_path / "old", tmp_path / "new")
    path = tmp_path / "new" / "qa_llm.json"
    rows = json.loads(path.read_text("utf-8"))
    rows[0]["correct_choice"] = "B" if rows[0]["correct_choice"] == "A" else "A"
    path.write_text(json.dumps(rows), "utf-8")
    return str(tmp_path / "old"), str(tmp_path / "new")


def call(*arguments: str) -> int:
    return app(["audit", "editions", "ct-bench", *arguments], result_action="return_value")


def test_a_changed_answer_is_found(
    editions: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(*editions, "--json") == 1
    found = json.loads(capsys.readouterr().out)
    assert found["findings"][0]["code"] == "changed-answer"
    assert found["findings"][0]["count"] == 1
    assert found["carried"] is None


def test_an_edition_and_itself(
    editions: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(editions[0], editions[0]) == 0
    assert "nothing changed" in capsys.readouterr().err


def test_answers_are_carried_over(
    editions: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = str(tmp_path / "longest.run")
    app(
        ["run", "ct-bench", editions[0], "--model", "longest", "--out", run, "--json"],
        result_action="return_value",
    )
    capsys.readouterr()
    assert call(*editions, "--run", run, "--json") == 1
    carried = json.loads(capsys.readouterr().out)["carried"]
    assert carried["n_shared"] == carried["n_old"] == carried["n_new"]
    assert abs(carried["new_on_shared"] - carried["old_on_shared"]) * carried["n_old"] <= 1.001
