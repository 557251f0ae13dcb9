"""The figures of `docs/why/closed-questions.md`, from the released pairs and the labels here."""

from __future__ import annotations

import os
import runpy
from pathlib import Path
from typing import Any

import pytest

from overread.records import Status
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


def test_the_reader_agrees_with_the_released_judges_as_stated(
    script: dict[str, Any], pairs: Any
) -> None:
    table = script["with_jury"](pairs)
    found = {
        form: (count.total(), count[True, False], count[False, True])
        for form, count in table.items()
    }
    # Pairs, only the jury says right, only the reader does.
    assert found == {
        "side": (2106, 5, 49),
        "yes-no": (2034, 13, 71),
        "lobe": (1207, 29, 4),
        "height": (330, 9, 27),
        "centrality": (108, 0, 3),
        "depth": (55, 0, 2),
        "count": (15, 0, 0),
    }


@pytest.mark.parametrize(
    ("model", "right", "unparsed"),
    [
        ("radfm", 2099, 362),
        ("med3dvlm", 2053, 167),
        ("vila_m3_vista3d", 1983, 354),
        ("m3d", 1978, 279),
        ("merlin", 1833, 255),
    ],
)
def test_released_models_score_as_stated(pairs: Any, model: str, right: int, unparsed: int) -> None:
    verdicts = [
        compare(*pairs.questions[item], reply)
        for (answered_by, item), reply in pairs.replies.items()
        if answered_by == model and question_form(pairs.questions[item][0]) in CLOSED_FORMS
    ]
    assert len(verdicts) == 3828
    assert sum(verdict.value == 1.0 for verdict in verdicts) == right
    assert sum(verdict.status is Status.UNPARSED for verdict in verdicts) == unparsed
