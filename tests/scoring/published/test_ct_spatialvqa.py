from __future__ import annotations

import hashlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overread.contracts import Graded
from overread.records import Status
from overread.scoring.published.ct_spatialvqa import JUDGING, BatchForm

FORM = BatchForm()
FIVE = [
    Graded(
        item=f"valid_1_a_1.nii.gz::{number}",
        draw=0,
        question=f"Where is finding {number}?",
        reference="In the left lung.",
        prediction=prediction,
    )
    for number, prediction in enumerate(("Left lung", "Right", "", "Left", "No"))
]


def verdicts(reply: str | None, n: int = 5) -> list[bool | None]:
    readings = FORM.read(reply, FIVE[:n])
    for reading in readings:
        assert (reading.verdict is None) == (reading.status is not Status.OK)
        assert (reading.verdict is None) == bool(reading.reason)
    return [reading.verdict for reading in readings]


def listed(*found: object) -> str:
    return json.dumps([{"index": n, "is_correct": v} for n, v in enumerate(found, start=1)])


def test_the_prompt_is_what_its_name_says() -> None:
    """Change a word, and raise the version in the name: scores of two wordings must differ."""
    words = "\n".join(part.text or "" for part in FORM.prompt(FIVE))
    digest = hashlib.sha256(words.encode()).hexdigest()[:16]
    assert (FORM.name, digest) == ("ct-spatialvqa-batch-1", "d73bd3e67d4a4c2c")


def test_the_prompt_numbers_five_as_the_scripts_do() -> None:
    # evaluate_with_gemini.py: "N. Question: …", then answer and prediction, three spaces in.
    system, user = FORM.prompt(FIVE)
    assert (system.role, user.role) == ("system", "user")
    assert (
        "2. Question: Where is finding 1?\n   Answer: In the left lung.\n   Prediction: Right\n3. "
    ) in (user.text or "")
    assert FORM.batch_size == 5


def test_the_release_s_way_of_counting() -> None:
    assert JUDGING.judges_empty
    assert JUDGING.rule.needs_all
    assert JUDGING.form.name == FORM.name


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (listed(True, False, False, True, False), [True, False, False, True, False]),
        (f"```json\n{listed(True, False, True, True, True)}\n```", [True, False, True, True, True]),
        (f"```\n{listed(True, True, True, True, True)}```", [True] * 5),
        ('[{"is_correct": true},\n]', [True, None, None, None, None]),
        ('[{"is_correct": true}, ]', [True, None, None, None, None]),
        ('[{"is_correct": true}\n  {"is_correct": false}]', [True, False, None, None, None]),
        # By place, whatever the index says.
        ('[{"index": 5, "is_correct": false}]', [False, None, None, None, None]),
        (listed(True, None, "true", 1, 0.0), [True, None, None, None, None]),
        ('[true, {"is_correct": false}]', [None, False, None, None, None]),
        (listed(*[True] * 9), [True] * 5),
        (None, [None] * 5),
        ("", [None] * 5),
        ("```json\n```", [None] * 5),
        ("All are correct.", [None] * 5),
        (f"Here it is: {listed(True)}", [None] * 5),
        ('{"is_correct": true}', [None] * 5),
        ("NaN", [None] * 5),
        ("[" * 100_000, [None] * 5),
        ("9" * 5000, [None] * 5),
    ],
)
def test_replies_are_read_as_the_scripts_read_them(
    reply: str | None, expected: list[bool | None]
) -> None:
    assert verdicts(reply) == expected


def test_a_null_is_a_no_for_the_released_jury_and_a_record_that_is_not_there_is_missing() -> None:
    # correctness_matrix_avg3.csv: `val is True` of what a record holds, empty where there is none.
    null, absent = FORM.read('[{"index": 1, "is_correct": null}]', FIVE[:2])
    assert (null.status, absent.status) == (Status.UNPARSED, Status.FAILED)
    assert JUDGING.rule.null_is_no
    assert JUDGING.rule.needs_all


def test_reasoning_is_kept() -> None:
    reply = '[{"is_correct": true, "reasoning": "Both say left."}, {"is_correct": false}]'
    assert [each.rationale for each in FORM.read(reply, FIVE[:2])] == ["Both say left.", None]


@given(st.text())
def test_any_reply_gives_one_reading_for_each(reply: str) -> None:
    assert len(verdicts(reply, 3)) == 3
