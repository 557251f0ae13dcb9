"""Whatever a question or a reply holds, reading it ends soon and never raises."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from overread.scoring.spatial.compare import canonical_answer, compare
from overread.scoring.spatial.forms import FORMS, asked, form_classes, question_classes
from overread.scoring.spatial.reader import read_facts

QUESTIONS = (
    "Is there any fluid, and if so, where?",
    "Which lung holds the spot?",
    "Are the spots unilateral or bilateral?",
    "Is the spot in the upper or lower lobe?",
    "Are the changes central or peripheral?",
    "Is it located anteriorly or posteriorly?",
    "In which lung, lobe and segment is the spot?",
    "In which segment of the left lung is the spot?",
    "How many spots are there?",
)
WORDS = st.sampled_from(
    """
    left right both lung lungs lobe lobes upper middle lower segment segments lingula superior
    inferior anterior posterior posterobasal basal apical central peripheral subpleural not no yes
    none neither and or of the in more than especially bilateral unilateral , . ; ( ) 2 s6 mm all
    midline is are spared seen spot fluid but RML
    """.split()  # noqa: SIM905  words read better as words
)
SPOKEN = st.lists(WORDS, max_size=24).map(" ".join)
ANY = st.one_of(SPOKEN, st.text(max_size=200))


@given(question=ANY, reference=ANY, reply=st.none() | ANY)
@settings(max_examples=300, deadline=None)
def test_anything_is_read_without_an_exception(
    question: str, reference: str, reply: str | None
) -> None:
    assert asked(question).form in FORMS
    verdict = compare(question, reference, reply)
    assert (verdict.value is None) == (verdict.status != "ok")
    read_facts(reply, question=question)


@given(question=st.sampled_from(QUESTIONS), reference=SPOKEN, reply=SPOKEN)
@settings(max_examples=300, deadline=None)
def test_what_is_undefined_depends_on_the_reference_alone(
    question: str, reference: str, reply: str
) -> None:
    undefined = compare(question, reference, reply).status == "undefined"
    assert undefined == (canonical_answer(question, reference) is None)


@given(question=st.sampled_from(QUESTIONS), reference=SPOKEN)
@settings(max_examples=500, deadline=None)
def test_the_short_form_of_an_answer_agrees_with_it(question: str, reference: str) -> None:
    short = canonical_answer(question, reference)
    if short is not None:
        assert compare(question, reference, short).value == 1.0
        assert canonical_answer(question, short) == short


@pytest.mark.parametrize("form", FORMS)
def test_classes_read_as_themselves(form: str) -> None:
    """Each answer a blind guesser chooses from is read, and differs from the others."""
    question = {
        "yes-no": "Is there any fluid?",
        "side": "Which lung holds the spot?",
        "height": "Is it in the upper, middle or lower lobe?",
        "depth": "Is it located anteriorly or posteriorly?",
        "centrality": "Are the changes central or peripheral?",
        "lobe": "In which lung and lobe is the spot?",
    }.get(form)
    classes = form_classes(form)
    if question is None:
        assert classes is None
        return
    assert classes is not None
    assert question_classes(question) == classes
    for one in classes:
        for other in classes:
            assert compare(question, one, other).value == float(one == other)


def test_a_question_of_two_facts_has_no_list_of_answers() -> None:
    assert question_classes("Is it in the upper or lower lobe, anterior or posterior?") is None
    assert question_classes("Is it in the upper or lower lobe?") == ("upper", "lower")


@pytest.mark.parametrize(
    "piece",
    [
        "left ",
        "not in the right, ",
        "left upper lobe, ",
        "a",
        "(",
        "both the ",
        "no ",
        "<think>",
        "which segment ",
        "\n",
        "1",
        "\u0301",
        "of the right, in the left and ",
    ],
)
def test_two_megabytes_are_read_at_once(piece: str) -> None:
    question = "In which lung, lobe and segment is the spot?"
    text = piece * (2_000_000 // len(piece))
    start = time.perf_counter()
    compare(question, "The left lower lobe.", text)
    compare(question, text, "left")
    asked(text)
    assert time.perf_counter() - start < 2.0
