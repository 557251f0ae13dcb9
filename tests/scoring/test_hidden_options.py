"""Free replies read by options that were not shown."""

from __future__ import annotations

import pytest

from overread.errors import UsageError
from overread.records import Choice, Item, Option, Reference, Response, Status, Text
from overread.scoring.hidden_options import HiddenChoice, HiddenOptionsScorer, read_hidden

OPTIONS = tuple(
    Option(letter=letter, text=text)
    for letter, text in zip(
        "ABCDE",
        ("left lower lobe", "right upper lobe", "lingula", "both lungs", "It cannot be told"),
        strict=True,
    )
)
WHOLE = HiddenChoice(options=OPTIONS, right="A", safe="E")
BROKEN = HiddenChoice(options=OPTIONS, right="E", safe="E")


@pytest.mark.parametrize(
    ("reply", "letter"),
    [
        ("In the left lower lobe.", "A"),
        ("Not in the left lower lobe but in the lingula", "C"),
        ("There is no nodule in this picture.", "E"),
        ("I cannot determine where it is.", "E"),
        ("It cannot be told", "E"),
        ("A nodule is seen somewhere.", None),  # an article is no option
        ("B", None),  # nobody was shown letters
        ("(C)", None),
        ("Either the lingula or the left lower lobe", None),
        ("", None),
        (None, None),
    ],
)
def test_what_is_read(reply: str | None, letter: str | None) -> None:
    assert read_hidden(reply, WHOLE).answer == letter


def test_without_a_safe_option_declining_is_no_answer() -> None:
    two = HiddenChoice(options=OPTIONS[:2], right="A", safe=None)
    reading = read_hidden("I cannot determine where it is.", two)
    assert (reading.answer, reading.status) == (None, Status.REFUSED)


def item() -> Item:
    return Item(
        id="q", benchmark="b", task="open", condition="c", question="Where?", answer_space=Text()
    )


def score(choice: HiddenChoice | None, text: str | None, status: Status = Status.OK):
    scorer = HiddenOptionsScorer(profile="honest", choices={"q": choice} if choice else {})
    (row,) = scorer.score(
        item(),
        Reference(item="q", answer="left lower lobe"),
        Response(run="r", item="q", status=status, text=text, request_hash="h"),
    )
    return row.value, row.status, row.answer


def test_declining_is_right_where_the_evidence_is_broken_and_only_there() -> None:
    assert score(BROKEN, "I cannot determine where it is.") == (1.0, Status.OK, "E")
    assert score(WHOLE, "I cannot determine where it is.") == (0.0, Status.OK, "E")
    assert score(BROKEN, "In the left lower lobe.") == (0.0, Status.OK, "A")
    assert score(WHOLE, "In the left lower lobe.") == (1.0, Status.OK, "A")


def test_no_answer_has_no_value() -> None:
    assert score(WHOLE, "Somewhere.") == (None, Status.UNPARSED, None)
    assert score(WHOLE, None, Status.FAILED) == (None, Status.FAILED, None)
    assert score(WHOLE, "In the left lower lobe.", Status.REFUSED) == (None, Status.REFUSED, None)
    assert score(None, "In the left lower lobe.") == (None, Status.UNDEFINED, None)


def test_questions_of_choice_are_not_taken() -> None:
    scorer = HiddenOptionsScorer(profile="honest", choices={})
    choice = Item(
        id="q", benchmark="b", task="t", condition="c", question="?",
        answer_space=Choice(options=OPTIONS),
    )  # fmt: skip
    assert scorer.takes(item())
    assert not scorer.takes(choice)
    with pytest.raises(UsageError):
        scorer.score(
            choice,
            Reference(item="q", answer="A"),
            Response(run="r", item="q", status=Status.OK, text="A", request_hash="h"),
        )
