"""Built-in readers before questions that ask for free text."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from overread.contracts import Training
from overread.records import Status, Text
from overread.scoring.spatial.compare import compare

YES_NO = "Is there any effusion?"
SIDE = "Which lung shows the nodule?"
BOTH = "Are the nodules unilateral or bilateral?"
WHERE = "Where is the nodule?"


@pytest.mark.parametrize(
    ("question", "classes"),
    [
        (YES_NO, {"yes", "no"}),
        (SIDE, {"left", "right", "both"}),
        (BOTH, {"unilateral", "bilateral"}),
    ],
)
def test_chance_draws_evenly_from_what_the_question_leaves_open(
    question, classes, text_question, reader, ask
):
    model = reader("chance")
    n = 900
    counts = Counter(ask(model, text_question(i, question)).text for i in range(n))
    assert set(counts) == classes
    # Binomial(900, 1/k): standard deviation at most 15; 5 of them is 75.
    assert all(abs(count - n / len(classes)) < 75 for count in counts.values())


def test_answers_that_the_item_states_come_first(text_question, reader, ask):
    item = replace(text_question(1, SIDE), answer_space=Text(classes=("in front", "behind")))
    answers = {ask(reader("chance"), item, draw).text for draw in range(20)}
    assert answers == {"in front", "behind"}


def test_a_draw_reads_as_what_it_says(text_question, reader, ask):
    """A guess must be readable, or chance would score below itself."""
    model = reader("chance")
    answers = {ask(model, text_question(i, SIDE)).text for i in range(30)}
    references = {"left": "The left lung.", "right": "The right lung.", "both": "Both lungs."}
    for answer in answers:
        assert compare(SIDE, references[answer], answer).value == 1.0


def test_constant_gives_its_words(text_question, reader, ask):
    reply = ask(reader("constant:both lungs"), text_question(1, SIDE))
    assert (reply.status, reply.text) == (Status.OK, "both lungs")
    assert reader("constant:both lungs").identity.settings == {"text": "both lungs"}
    assert ask(reader("constant:2"), text_question(1, "How many nodules?")).text == "2"


def test_words_choose_the_option_that_reads_so(question, reader, ask):
    options = question(1, ["Yes", "No"])
    assert ask(reader("constant:no"), options).text == "B"
    reply = ask(reader("constant:maybe"), options)
    assert (reply.status, reply.text) == (Status.FAILED, None)
    assert "only A, B" in str(reply.reason)


def test_majority_takes_the_most_frequent_answer_of_the_form(
    text_question, solved, reader, ask, no_pictures
):
    exam = (
        solved(text_question(1, SIDE), "In the left lung."),
        solved(text_question(2, SIDE), "Left lung"),
        solved(text_question(3, SIDE), "In both lungs"),
        solved(text_question(4, YES_NO), "No effusion was detected."),
        solved(text_question(5, SIDE), "Towards the mediastinum."),
        solved(text_question(6, WHERE), "In the left lung."),
    )
    model = reader("majority")
    model.learn(Training(exam=exam), no_pictures)
    assert ask(model, text_question(7, "On which side is the cyst?")).text == "left"
    assert ask(model, text_question(8, "Was any mass seen?")).text == "no"
    unheard = ask(model, text_question(9, "Which lobe is affected?"))
    assert (unheard.status, unheard.text) == (Status.FAILED, None)


@pytest.mark.parametrize(
    ("word", "question", "reason"),
    [
        ("chance", WHERE, "cannot be listed"),
        ("constant", SIDE, "write for instance constant:yes"),
        ("majority", SIDE, "no solved questions"),
        ("longest", SIDE, "asks for Text"),
        ("text-only", SIDE, "asks for Text"),
        ("radiomics", SIDE, "no training pictures with descriptions"),
    ],
)
def test_without_anything_to_go_on_the_reason_is_said(
    word, question, reason, text_question, reader, ask
):
    reply = ask(reader(word), text_question(1, question))
    assert (reply.status, reply.text) == (Status.FAILED, None)
    assert reason in str(reply.reason)
