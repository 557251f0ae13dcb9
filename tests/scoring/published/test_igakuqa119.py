"""What the exam's released grading does: sorted characters, and the rule for one question."""

from __future__ import annotations

import pytest

from overread.records import Choice, Item, MultiChoice, Number, Option, Reference, Response, Status
from overread.scoring.published.igakuqa119 import IGAKUQA119, GradedAnswerScorer, read_answer_field

OPTIONS = tuple(Option(letter=each, text=f"option {each}") for each in "abcde")
ONE = Choice(options=OPTIONS)
TWO = MultiChoice(options=OPTIONS, count=2)
SCORER = GradedAnswerScorer(accepted={"119E28": ("option a", "option c")})


def score(text, reference, *, space=ONE, item="119A1", status=Status.OK, problem=None):
    (row,) = SCORER.score(
        Item(id=item, benchmark="b", task="t", condition="c", question="?", answer_space=space),
        Reference(item=item, answer=reference, problem=problem),
        Response(run="r", item=item, text=text, status=status, request_hash="h"),
    )
    return row.value, row.status, row.answer


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("answer: c\nconfidence: 0.9", "c"),
        ("Answer: C", "c"),
        ("answer: a\n…\nanswer: b", "b"),
        ("  answer: [c, e]", "[c, e]"),
        ("the answer: c", None),
        ("<think>answer: a</think>answer: b", "b"),
        ("<think>answer: a", None),
        ("<think>\nanswer: a", "a"),  # an open tag takes nothing away
        ("answer:", None),
        ("", None),
        (None, None),
        ("<THOUGHTS>answer: a</thoughts>", None),
    ],
)
def test_the_stored_answer(text, field):
    assert read_answer_field(text) == field


@pytest.mark.parametrize(
    ("text", "reference", "space", "value", "answer"),
    [
        ("answer: c", "c", ONE, 1.0, "c"),
        ("answer: ec", "ce", TWO, 1.0, "ce"),
        ("answer: [c, e]", "ce", TWO, 1.0, "ce"),
        ("answer: c", "ce", TWO, 0.0, "c"),
        ('answer: "a"', "a", ONE, 0.0, None),
        ("answer: b (100%)", "b", ONE, 0.0, None),
        ("answer: [選んだ回答(単数/複数/数値)]", "e", ONE, 0.0, None),
        ("answer: d, e", "d", ONE, 0.0, None),
        ("answer: 36", "36", Number(unit=""), 1.0, "36"),
        ("answer: 63", "36", Number(unit=""), 1.0, "63"),  # its digits are sorted
        ("answer: 36.0", "36", Number(unit=""), 0.0, "36.0"),
    ],
)
def test_grades(text, reference, space, value, answer):
    assert score(text, reference, space=space) == (value, Status.OK, answer)


def test_no_answer_line_is_no_answer():
    assert score("c", "c")[:2] == (None, Status.UNPARSED)
    assert score(None, "c", status=Status.FAILED)[:2] == (None, Status.FAILED)
    assert score("answer: c", "c", problem="struck off")[:2] == (None, Status.UNDEFINED)
    assert score("answer: c", None)[:2] == (None, Status.UNDEFINED)


def test_one_question_has_two_right_answers_and_not_both_at_once():
    values = [score(f"answer: {each}", "ac", item="119E28")[0] for each in ("a", "c", "ac", "b")]
    assert values == [1.0, 1.0, 0.0, 0.0]


def test_as_a_parser():
    assert IGAKUQA119.choice is not None
    assert IGAKUQA119.several is not None
    assert IGAKUQA119.number is not None
    assert IGAKUQA119.choice("answer: C", OPTIONS).answer == "c"
    assert IGAKUQA119.choice("answer: ce", OPTIONS).answer is None
    assert IGAKUQA119.several("answer: [e, c]", OPTIONS, 2).answer == "ce"
    assert IGAKUQA119.several("answer: cc", OPTIONS, 2).answer is None
    assert IGAKUQA119.number("answer: 36").answer == "36"
    assert IGAKUQA119.number("answer: 36 mL").answer is None
