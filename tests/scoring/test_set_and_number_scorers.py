"""Rows of set and number questions, and of questions with more than one accepted answer."""

from __future__ import annotations

import pytest

from overread.errors import UsageError
from overread.records import Choice, Item, MultiChoice, Number, Option, Reference, Response, Status
from overread.scoring.accepted_answers import AcceptedAnswers
from overread.scoring.choice_scorer import ChoiceScorer
from overread.scoring.multi_choice_scorer import MultiChoiceScorer
from overread.scoring.number_scorer import NumberScorer

OPTIONS = tuple(Option(letter=each) for each in "abcde")
SETS = MultiChoiceScorer(profile="honest")
NUMBERS = NumberScorer(profile="honest")


def item(space) -> Item:
    return Item(
        id="i",
        benchmark="b",
        task="t",
        condition="c",
        question="Which?",
        answer_space=space,
        groups={"patient": "p"},
    )


def score(scorer, space, reference, text, *, status=Status.OK, problem=None, reason=None):
    row, *further = scorer.score(
        item(space),
        Reference(item="i", answer=reference, problem=problem),
        Response(run="r", item="i", text=text, status=status, reason=reason, request_hash="h"),
    )
    for other in further:
        assert (other.metric, other.status, other.answer) == ("set_overlap", row.status, row.answer)
        assert (other.value is None) == (row.value is None)
    assert (row.metric, row.profile, row.patient) == ("accuracy", scorer.profile, "p")
    return row.value, row.status, row.answer, row.reason


TWO = MultiChoice(options=OPTIONS, count=2)


@pytest.mark.parametrize("reference", ["ce", "ec", "c,e", "c, e"])
@pytest.mark.parametrize("text", ["ce", "ec", "c, e"])
def test_a_set_is_right_in_any_order(reference, text):
    assert score(SETS, TWO, reference, text) == (1.0, Status.OK, "ce", "first-letter")


def test_a_wrong_set_and_a_wrong_size_are_kept_apart():
    assert score(SETS, TWO, "ce", "answer: cd")[:3] == (0.0, Status.OK, "cd")
    assert score(SETS, TWO, "ce", "c") == (None, Status.UNPARSED, None, "wrong-size")
    free = MultiChoice(options=OPTIONS)
    assert score(SETS, free, "ce", "c")[:2] == (0.0, Status.OK)


@pytest.mark.parametrize(
    ("text", "value"), [("ce", 1.0), ("cd", 1 / 3), ("ab", 0.0), ("c", None), ("", None)]
)
def test_the_overlap_says_how_far_off_a_set_is(text, value):
    rows = SETS.score(
        item(TWO),
        Reference(item="i", answer="ce"),
        Response(run="r", item="i", text=text, status=Status.OK, request_hash="h"),
    )
    assert [(row.metric, row.value) for row in rows][1] == ("set_overlap", value)


@pytest.mark.parametrize(
    ("reference", "problem"), [(None, None), ("", None), ("cx", None), ("ce", "struck off")]
)
def test_a_set_without_a_usable_key_is_undefined(reference, problem):
    value, status, _, reason = score(SETS, TWO, reference, "ce", problem=problem)
    assert (value, status) == (None, Status.UNDEFINED)
    assert reason


@pytest.mark.parametrize(
    ("reference", "text"), [("600", "600 mL"), ("600", "６００.0"), ("0.5", ".5")]
)
def test_a_number_is_right_however_it_is_written(reference, text):
    value, status, answer, _ = score(NUMBERS, Number(unit="mL"), reference, text)
    assert (value, status) == (1.0, Status.OK)
    assert answer


def test_a_wrong_number_and_no_number():
    assert score(NUMBERS, Number(unit=""), "36", "63")[:3] == (0.0, Status.OK, "63")
    assert score(NUMBERS, Number(unit=""), "36", "n. a.")[:2] == (None, Status.UNPARSED)
    assert score(NUMBERS, Number(unit=""), "about 36", "36")[:2] == (None, Status.UNDEFINED)
    assert score(NUMBERS, Number(unit=""), "36", "36", problem="two keys")[1] is Status.UNDEFINED


@pytest.mark.parametrize(("scorer", "space"), [(SETS, TWO), (NUMBERS, Number(unit=""))])
def test_no_reply_keeps_its_status_and_reason(scorer, space):
    reference = "ce" if space is TWO else "1"
    for status in (Status.FAILED, Status.REFUSED):
        found = score(scorer, space, reference, None, status=status, reason="died")
        assert found == (None, status, None, "died")
        assert score(scorer, space, reference, None, status=status)[3] == "no reply"


def test_scorers_take_their_own_items_alone():
    spaces = [TWO, Number(unit=""), Choice(options=OPTIONS)]
    assert [SETS.takes(item(each)) for each in spaces] == [True, False, False]
    assert [NUMBERS.takes(item(each)) for each in spaces] == [False, True, False]
    with pytest.raises(UsageError, match="MultiChoice"):
        score(SETS, Number(unit=""), "1", "1")
    with pytest.raises(UsageError, match="Number"):
        score(NUMBERS, TWO, "ce", "ce")


def test_any_accepted_answer_is_right():
    texts = ("oak", "elm", "ash", "fir", "yew")
    one = Choice(
        options=tuple(Option(letter=a, text=t) for a, t in zip("abcde", texts, strict=True))
    )
    scorer = AcceptedAnswers(
        scorer=ChoiceScorer(profile="honest"), accepted={"i": ("oak", "ash", "no such tree")}
    )
    assert (scorer.metric, scorer.profile) == ("accuracy", "honest")
    assert scorer.takes(item(one))
    assert not scorer.takes(item(TWO))
    values = [score(scorer, one, "a", text)[0] for text in "abc"]
    assert values == [1.0, 0.0, 1.0]
    assert score(scorer, one, "a", "")[:2] == (None, Status.UNPARSED)
    assert score(scorer, one, "a", "a", problem="struck off")[1] is Status.UNDEFINED
    other = AcceptedAnswers(scorer=ChoiceScorer(profile="honest"), accepted={})
    assert score(other, one, "a", "c")[0] == 0.0
