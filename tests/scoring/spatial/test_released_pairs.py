"""The figures of `docs/why/closed-questions.md`, from the released pairs and the labels here."""

from __future__ import annotations

import os
import runpy
from pathlib import Path
from typing import Any

import pytest

from overread.scoring.spatial.compare import canonical_answer, compare
from overread.scoring.spatial.forms import CLOSED_FORMS, question_form

pytestmark = pytest.mark.data

RELEASE = Path(os.environ.get("OVERREAD_DATA") or "no such folder") / "ct_spatialvqa"


@pytest.fixture(scope="module")
def script() -> dict[str, Any]:
    return runpy.run_path(str(Path(__file__).with_name("measure_reader.py")), run_name="measure")


@pytest.fixture(scope="module")
def pairs(script: dict[str, Any], released_data: Path) -> Any:
    if not RELEASE.is_dir():
        pytest.skip(f"no released pairs at {RELEASE}")
    return script["load"](RELEASE)


@pytest.mark.parametrize(
    ("sample", "same", "n"),
    [("development", 103, 105), ("held_out", 237, 240), ("held_out_disputed", 78, 80)],
)
def test_verdicts_agree_with_the_labels(
    script: dict[str, Any], pairs: Any, sample: str, same: int, n: int
) -> None:
    verdicts = script["measure"](pairs, sample).verdicts
    assert verdicts.total() == n
    assert sum(count for (label, read), count in verdicts.items() if label == read) == same


@pytest.mark.parametrize(
    ("fact", "precision", "recall"),
    [
        ("polarity", 1.000, 1.000),
        ("side", 0.994, 1.000),
        ("lobe", 0.969, 1.000),
        ("segment", 0.922, 0.952),
        ("height", 0.961, 0.891),
        ("centrality", 1.000, 0.972),
        ("depth", 1.000, 1.000),
    ],
)
def test_facts_are_read_as_labelled(
    script: dict[str, Any], pairs: Any, fact: str, precision: float, recall: float
) -> None:
    measured = script["measure"](pairs, "held_out")
    assert round(measured.precision(fact), 3) == precision
    assert round(measured.recall(fact), 3) == recall


def test_forms_are_told_as_labelled(script: dict[str, Any], pairs: Any) -> None:
    assert script["form_agreement"](pairs) == (154, 160)


def test_every_readable_reference_agrees_with_itself(pairs: Any) -> None:
    closed = undefined = 0
    for question, reference in pairs.questions.values():
        if question_form(question) not in CLOSED_FORMS:
            continue
        closed += 1
        short = canonical_answer(question, reference)
        if short is None:
            undefined += 1
            continue
        assert compare(question, reference, reference).value == 1.0
        assert compare(question, reference, short).value == 1.0
    assert (closed, undefined) == (3828, 68)
