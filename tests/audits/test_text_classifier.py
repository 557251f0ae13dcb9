"""A classifier of words, patient by patient."""

from __future__ import annotations

from typing import Any

import numpy as np

from overread.audits.text_classifier import AUDIT
from overread.records import Severity

ORGANS = ("liver", "spleen", "kidney", "colon", "lung", "femur", "aorta", "thyroid")


def rows(ask: Any, *, leak: bool, patients: int = 60, n: int = 240) -> list[Any]:
    rng = np.random.default_rng(11)
    made: list[Any] = []
    for number in range(n):
        options = [str(each) for each in rng.permutation(ORGANS)[:4]]
        right = int(rng.integers(4))
        if leak and "liver" not in options:
            options[right] = "liver"
        elif leak:
            right = options.index("liver")
        made.append(ask(number, right, options=options, patient=f"p{number % patients}"))
    return made


def test_a_word_that_is_always_right_is_learnt(exam: Any, ask: Any) -> None:
    (one,) = AUDIT.look(exam(rows(ask, leak=True)))
    assert one.severity is Severity.WARNING
    assert "is right in 100.0 % of 240 questions, +75.0 points from chance" in one.evidence


def test_words_by_lot_teach_nothing(exam: Any, ask: Any) -> None:
    (one,) = AUDIT.look(exam(rows(ask, leak=False)))
    assert one.severity is Severity.INFO


def test_what_one_patient_says_is_not_learnt_from_that_patient(exam: Any, ask: Any) -> None:
    # Each patient has an organ of their own that is always right: known patients would give 100 %.
    rng = np.random.default_rng(2)
    made: list[Any] = []
    for number in range(320):
        patient = number % 8
        others = [o for o in ORGANS if o != ORGANS[patient]]
        options = [ORGANS[patient], *(str(each) for each in rng.permutation(others)[:3])]
        order = rng.permutation(4)
        right = int(np.flatnonzero(order == 0)[0])
        made.append(ask(number, right, options=[options[i] for i in order], patient=f"p{patient}"))
    (one,) = AUDIT.look(exam(made))
    assert one.severity is Severity.INFO


def test_few_questions_or_patients_are_left_alone(exam: Any, ask: Any) -> None:
    assert list(AUDIT.look(exam(rows(ask, leak=True, n=49)))) == []
    assert list(AUDIT.look(exam(rows(ask, leak=True, patients=4)))) == []
