"""The reader on a small corpus of our own words; see `corpus/README.md`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from overread.scoring.spatial.compare import canonical_answer, compare
from overread.scoring.spatial.forms import asked, question_form
from overread.scoring.spatial.reader import read_facts

CORPUS = Path(__file__).parent / "corpus"


def rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (CORPUS / name).read_text("utf-8").splitlines()]


@pytest.mark.parametrize("row", rows("forms.jsonl"), ids=lambda row: row["question"])
def test_the_form_of_a_question(row: dict[str, Any]) -> None:
    found = asked(row["question"])
    assert (found.form, list(found.facts)) == (row["form"], row["facts"])
    assert question_form(row["question"]) == row["form"]


@pytest.mark.parametrize(
    "row", rows("answers.jsonl"), ids=lambda row: f"{row['reference']}|{row['reply']}"
)
def test_the_verdict_on_a_reply(row: dict[str, Any]) -> None:
    verdict = compare(row["question"], row["reference"], row["reply"])
    name = {1.0: "right", 0.0: "wrong", None: str(verdict.status)}[verdict.value]
    assert name == row["verdict"], f"{row['why']}: {verdict}"


@pytest.mark.parametrize("row", rows("answers.jsonl"), ids=lambda row: row["reference"])
def test_a_reference_agrees_with_itself_and_with_its_short_form(row: dict[str, Any]) -> None:
    question, reference = row["question"], row["reference"]
    short = canonical_answer(question, reference)
    if row["verdict"] == "undefined":
        assert short is None
        return
    assert short is not None
    assert compare(question, reference, reference).value == 1.0
    assert compare(question, reference, short).value == 1.0
    assert compare(question, short, reference).value == 1.0
    assert canonical_answer(question, short) == short


@pytest.mark.parametrize("row", rows("answers.jsonl"), ids=lambda row: row["reply"])
def test_case_and_markup_change_nothing(row: dict[str, Any]) -> None:
    plain = read_facts(row["reply"], question=row["question"])
    assert read_facts(f"**{row['reply'].upper()}**", question=row["question"]) == plain
