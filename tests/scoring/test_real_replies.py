"""Real replies of two models to a Japanese licensing exam (docto-rin/IgakuQA119, Apache-2.0).

The exam has questions with several right options; read as single choices they must come out as
"several letters", never as one of them. Counts were checked by hand against the files.
"""

from __future__ import annotations

import csv
import json
import os
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from overread.records import Option
from overread.scoring.honest_choice import read_choice
from overread.scoring.reading import Reading

pytestmark = pytest.mark.data

EXAM = Path(os.environ.get("OVERREAD_DATA") or "no such folder") / "igakuqa119"


@pytest.fixture(scope="module", autouse=True)
def _needs_data(released_data: Path) -> None:
    if not EXAM.is_dir():
        pytest.skip(f"no real replies at {EXAM}")


def replies(model: str) -> list[dict[str, Any]]:
    """Give the questions with options, each with the model's answer."""
    files = sorted((EXAM / "answers" / "demo").glob(f"*_{model}.json"))
    rows = [row for file in files for row in json.loads(file.read_text("utf-8"))["results"]]
    return [row for row in rows if row["choices"]]


def key() -> dict[str, str]:
    with (EXAM / "results" / "correct_answers.csv").open(encoding="utf-8", newline="") as file:
        return dict(list(csv.reader(file))[1:])


def read(row: dict[str, Any]) -> Reading:
    choices = [choice.partition(". ") for choice in row["choices"]]
    options = tuple(Option(letter=letter, text=text) for letter, _, text in choices)
    return read_choice(row["answers"][0]["answer"], options)


@pytest.mark.parametrize(
    ("model", "rules", "right"),
    [
        ("qwen2_5-72b", {"first-letter": 348, "several-letters": 46}, 279),
        (
            "pfn-medllm-qwen-72b",
            # placeholder: the prompt's "[選んだ回答(単数/複数/数値)]" sent back 22 times
            # nothing-named: "af", "cf" (a letter not on offer) and "8;100;90.9;1.6"
            {"first-letter": 328, "several-letters": 41, "placeholder": 22, "nothing-named": 3},
            244,
        ),
    ],
)
def test_what_is_read(model: str, rules: dict[str, int], right: int) -> None:
    rows, keys = replies(model), key()
    readings = [read(row) for row in rows]
    assert Counter(str(reading.rule) for reading in readings) == rules
    matches = [
        reading.answer == keys[row["question_number"]]
        for row, reading in zip(rows, readings, strict=True)
    ]
    assert sum(matches) == right


@pytest.mark.parametrize("model", ["qwen2_5-72b", "pfn-medllm-qwen-72b"])
def test_a_bare_letter_is_that_letter_and_wrapped_ones_are_found(model: str) -> None:
    wrapped: dict[str, str | None] = {}
    for row in replies(model):
        reply, answer = row["answers"][0]["answer"], read(row).answer
        if len(reply) == 1:
            assert answer == reply
        elif answer is not None:
            wrapped[reply] = answer
    expected = {'"a"': "a", "b (100%)": "b", "e 確信度(0~1): 0.95": "e"}
    assert wrapped == (expected if model.startswith("pfn") else {})


@pytest.mark.parametrize("model", ["m3d", "med3dvlm", "merlin", "radfm", "vila_m3_vista3d"])
def test_free_text_about_ct_holds_no_letters(model: str) -> None:
    """One in five of 9,077 open answers (CT-SpatialVQA): an article or a unit is no option."""
    folder = EXAM.parent / "ct_spatialvqa" / "predictions"
    if not folder.is_dir():
        pytest.skip(f"no open answers at {folder}")
    lines = (folder / f"{model}_predictions_full.jsonl").read_text("utf-8").splitlines()[::5]
    options = tuple(Option(letter=letter) for letter in "ABCDE")
    answers = [read_choice(json.loads(line)["prediction"], options).answer for line in lines]
    assert len(answers) > 1800
    assert sum(answer is not None for answer in answers) <= 1
