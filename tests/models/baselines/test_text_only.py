from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from overread.contracts import Training, TrainingCase
from overread.records import Status

ORGANS = ("liver", "spleen", "left kidney", "right lung", "bone", "pelvis")


def _exam(question, solved, rng, n, *, leak):
    """Make questions on random organs; with a leak, the right option alone says 'lesion'."""
    exam = []
    for number in range(n):
        texts = [str(organ) for organ in rng.choice(ORGANS, size=4, replace=False)]
        right = int(rng.integers(4))
        if leak:
            texts[right] = f"a lesion of the {texts[right]}"
        exam.append(solved(question(number, texts), "ABCD"[right]))
    return tuple(exam)


def _share_right(model, exam, ask):
    return np.mean([ask(model, item).text == reference.answer for item, reference in exam])


def test_a_leak_in_the_wording_is_found(question, solved, reader, ask, no_pictures):
    rng = np.random.default_rng(1)
    model = reader("text-only")
    model.learn(Training(exam=_exam(question, solved, rng, 60, leak=True)), no_pictures)
    assert _share_right(model, _exam(question, solved, rng, 40, leak=True), ask) == 1.0


def test_without_a_leak_it_guesses(question, solved, reader, ask, no_pictures):
    rng = np.random.default_rng(2)
    model = reader("text-only")
    model.learn(Training(exam=_exam(question, solved, rng, 120, leak=False)), no_pictures)
    share = _share_right(model, _exam(question, solved, rng, 200, leak=False), ask)
    # Binomial(200, 1/4): standard deviation 3.06 points; four of them either way.
    assert 0.127 < share < 0.373


def test_the_same_training_gives_the_same_answers(question, solved, reader, ask, no_pictures):
    exam = _exam(question, solved, np.random.default_rng(3), 60, leak=False)
    asked = [item for item, _ in _exam(question, solved, np.random.default_rng(4), 60, leak=False)]
    answers = []
    for _ in range(2):
        model = reader("text-only")
        model.learn(Training(exam=exam), no_pictures)
        answers.append([ask(model, item).text for item in asked])
    assert answers[0] == answers[1]


def test_without_solved_questions_it_takes_the_most_common_words(
    question, reader, ask, no_pictures
):
    cases = tuple(
        TrainingCase(id=str(i), media=(), texts={"description": text})
        for i, text in enumerate(["cyst in liver", "cyst in kidney", "metastasis in liver"])
    )
    model = reader("text-only")
    model.learn(Training(cases=cases), no_pictures)
    # cyst stands in 2 of 3 texts, metastasis in 1, goitre in none.
    assert ask(model, question(1, ["goitre", "metastasis", "cyst"])).text == "C"


def test_with_nothing_to_learn_from_it_says_so(question, reader, ask, no_pictures):
    model = reader("text-only")
    model.learn(Training(), no_pictures)
    reply = ask(model, question(1, ["liver", "spleen"]))
    assert (reply.status, reply.text) == (Status.FAILED, None)
    assert "nothing" not in str(reply.text)
    assert "solved questions" in str(reply.reason)


def test_picture_options_are_answered_by_position(question, solved, reader, ask, no_pictures):
    pictures = [None, None, None, None]
    exam = tuple(
        solved(question(i, pictures, task="txt2img"), "C" if i % 3 else "A") for i in range(30)
    )
    model = reader("text-only")
    model.learn(Training(exam=exam), no_pictures)
    assert ask(model, question(99, pictures, task="txt2img")).text == "C"


def test_questions_worded_alike_count_as_often_as_they_are_asked(
    question, solved, reader, no_pictures
):
    # Marks at the end make wordings unlike and change no word: then each is a block of its own.
    right = "AABABCAAADBA"
    options = ["a round cell", "a cell with long granules", "none", "round nucleus"]
    weights = []
    for marks in ([0] * len(right), range(len(right))):
        items = [question(number, options) for number in range(len(right))]
        worded = [
            replace(item, question=f"What is shown{'?' * n}")
            for item, n in zip(items, marks, strict=True)
        ]
        exam = tuple(solved(item, letter) for item, letter in zip(worded, right, strict=True))
        model = reader("text-only")
        model.learn(Training(exam=exam), no_pictures)
        weights.append(model._weights)
    assert np.abs(weights[0]).max() > 0.1
    assert weights[0] == pytest.approx(weights[1], abs=1e-4)
