"""`overread build lesion-exam`: what it prints and leaves with."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cyclopts import App

from overread.builders.retrieved_exam.card import ExamReport
from overread.builders.retrieved_exam.checks import BlindCheck, Leak
from overread.cli.build_exam_command import exam_table, lesion_exam_command
from overread.errors import OverreadError, UsageError
from overread.registry import find_benchmark


@pytest.fixture(scope="module")
def lesion_set(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("set") / "release"
    find_benchmark("ct-bench").synthesise(root, seed=3, size=40)
    return root


def _call(*words: str) -> int:
    app = App()
    app.command(lesion_exam_command, name="lesion-exam")
    return app(["lesion-exam", *words], result_action="return_value")


@pytest.mark.slow
def test_it_says_what_was_built(lesion_set: Path, tmp_path: Path, capsys) -> None:
    out = tmp_path / "exam"
    assert _call(str(lesion_set), str(out), "--most", "3", "--json", "--name", "Ours") == 0
    printed = capsys.readouterr()
    report = json.loads(printed.out)
    assert report["is_released"] is True
    assert report["name"] == "Ours"
    assert sum(report["questions"].values()) > 10
    assert "Released" in printed.err
    assert "# Ours" in (out / "CARD.md").read_text()


def test_a_leaking_task_stands_beside_the_best_rule_of_its_split() -> None:
    leak = Leak(
        split="test",
        where="img2size",
        policy="longest option",
        value=0.95,
        n=20,
        mark=0.7,
        questions=("test/img2size/box/1",),
    )
    check = BlindCheck(
        split="test",
        policy="always C",
        value=0.27,
        low=0.2,
        high=0.34,
        n=200,
        chance=0.25,
        mark=0.33,
        leaks=(leak,),
        doubts=(),
    )
    report = ExamReport(
        is_released=False,
        name="",
        licence="",
        seed=1,
        embedding="",
        source="built",
        lesions=0,
        patients=0,
        lesions_by_split={},
        patients_by_split={},
        questions={},
        letters={},
        blind=(check,),
        readers={},
        review=None,
        findings=(),
    )
    rows = list(zip(*(list(column.cells) for column in exam_table(report).columns), strict=True))
    assert rows == [
        ("best blind rule, test: always C", "27.0", "33.0", "200"),
        ("leak in test, img2size: longest option", "95.0", "70.0", "20"),
    ]


def test_wrong_words_are_refused(lesion_set: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--embedding: expected built-in"):
        _call(str(lesion_set), str(tmp_path / "out"), "--embedding", "something")
    with pytest.raises(OverreadError, match="LESION-SET: expected a lesion set"):
        _call(str(tmp_path / "absent"), str(tmp_path / "out"))
