from __future__ import annotations

from dataclasses import replace

import pytest

from overread.benchmarks.ct_bench.protocol import PLAN
from overread.errors import UsageError
from overread.records import Choice, Item, Option, Reference, Response, Status, Text
from overread.scoring.choice_scorer import ChoiceScorer
from overread.scoring.published.ct_bench import read_ct_bench_script

ITEM = Item(
    id="q1",
    benchmark="test",
    task="where",
    condition="box",
    question="Where is it?",
    answer_space=Choice(
        options=tuple(
            Option(letter=letter, text=text)
            for letter, text in zip("ABCD", ("Liver", "Left kidney", "Lung", "Spleen"), strict=True)
        )
    ),
    groups={"patient": "000007"},
)
RIGHT = Reference(item="q1", answer="B")
REPLY = Response(run="r", item="q1", draw=2, status=Status.OK, text="(B)", request_hash="h")
HONEST = ChoiceScorer(profile="honest")


def test_a_right_answer_is_one_row_that_says_all() -> None:
    (row,) = HONEST.score(ITEM, RIGHT, REPLY)
    assert (row.value, row.status, row.answer, row.reason) == (1.0, Status.OK, "B", "first-letter")
    assert (row.run, row.item, row.draw, row.patient) == ("r", "q1", 2, "000007")
    assert (row.metric, row.metric_version, row.profile) == ("accuracy", "1", "honest")


def test_a_wrong_answer_is_zero() -> None:
    (row,) = HONEST.score(ITEM, RIGHT, replace(REPLY, text="C"))
    assert (row.value, row.status, row.answer) == (0.0, Status.OK, "C")


@pytest.mark.parametrize(
    ("response", "status", "reason"),
    [
        (replace(REPLY, text="B or D"), Status.UNPARSED, "several-letters"),
        (replace(REPLY, text=""), Status.UNPARSED, "empty"),
        (replace(REPLY, text=None), Status.UNPARSED, "empty"),
        (replace(REPLY, text="As an AI model, I cannot…"), Status.REFUSED, "refusal"),
        (
            replace(REPLY, text=None, status=Status.REFUSED, reason="content filter"),
            Status.REFUSED,
            "content filter",
        ),
        (
            replace(REPLY, text=None, status=Status.FAILED, reason="missing image"),
            Status.FAILED,
            "missing image",
        ),
        (replace(REPLY, text="B", status=Status.FAILED), Status.FAILED, "no reply"),
    ],
)
def test_without_an_answer_there_is_no_value_and_a_reason(
    response: Response, status: Status, reason: str
) -> None:
    (row,) = HONEST.score(ITEM, RIGHT, response)
    assert (row.value, row.answer, row.status, row.reason) == (None, None, status, reason)


@pytest.mark.parametrize(
    "reference",
    [
        Reference(item="q1", answer="E"),
        Reference(item="q1", answer=None),
        Reference(item="q1", answer=""),
        Reference(item="q1", answer="B", problem="two right options"),
    ],
)
@pytest.mark.parametrize("text", ["B", "", None, "E"])
def test_an_unusable_reference_equals_nothing(reference: Reference, text: str | None) -> None:
    (row,) = HONEST.score(ITEM, reference, replace(REPLY, text=text))
    assert (row.value, row.status) == (None, Status.UNDEFINED)
    assert row.reason == (
        reference.problem or f"reference {reference.answer!r} is none of the options"
    )


def test_the_answer_read_is_kept_beside_an_unusable_reference() -> None:
    (row,) = HONEST.score(ITEM, Reference(item="q1", answer=None), REPLY)
    assert row.answer == "B"


def test_profiles_differ_in_their_reader_only() -> None:
    published = ChoiceScorer(profile="published", reader=read_ct_bench_script)
    (honest,) = HONEST.score(ITEM, RIGHT, REPLY)
    (script,) = published.score(ITEM, RIGHT, REPLY)
    assert (honest.value, script.value) == (1.0, None)
    assert (script.status, script.reason) == (Status.UNPARSED, "script:not-json")


FILTERED = replace(
    REPLY,
    status=Status.REFUSED,
    reason="the host's content filter stopped the reply",
    finish_reason="content_filter",
)
PUBLISHED = ChoiceScorer(profile="published", reader=read_ct_bench_script)


@pytest.mark.parametrize(
    ("text", "value", "status", "reason"),
    [
        ('{"selected_option": "B", "explanation": "x"}', 1.0, Status.OK, "script:selected_option"),
        ('{"selected_option": "C"}', 0.0, Status.OK, "script:selected_option"),
        ('{"selected_option": "B", "explana', None, Status.UNPARSED, "script:not-json"),
        ("", None, Status.UNPARSED, "script:not-json"),
        (None, None, Status.REFUSED, FILTERED.reason),
    ],
)
def test_the_script_reads_what_the_filter_let_through(
    text: str | None, value: float | None, status: Status, reason: str
) -> None:
    response = replace(FILTERED, text=text)
    (script,) = PUBLISHED.score(ITEM, RIGHT, response)
    assert (script.value, script.status, script.reason) == (value, status, reason)
    (honest,) = HONEST.score(ITEM, RIGHT, response)
    assert (honest.value, honest.status, honest.reason) == (None, Status.REFUSED, FILTERED.reason)


def test_text_beside_a_refusal_in_a_file_is_the_message() -> None:
    response = replace(FILTERED, text='{"selected_option": "B"}', finish_reason=None)
    assert PUBLISHED.score(ITEM, RIGHT, response)[0].value == 1.0


@pytest.mark.parametrize(
    "response",
    [
        # The words stand in the refusal field; the message has no content, and the script raises.
        replace(FILTERED, text='{"selected_option": "B"}', finish_reason="stop"),
        # An error of the host comes without a message.
        replace(FILTERED, text='{"selected_option": "B"}', status=Status.FAILED),
        replace(FILTERED, text=None, finish_reason=None),
    ],
)
def test_the_script_reads_nothing_where_it_raises(response: Response) -> None:
    (row,) = PUBLISHED.score(ITEM, RIGHT, response)
    assert (row.value, row.answer, row.status) == (None, None, response.status)
    assert row.status in PLAN.published_drops


def test_records_of_different_items_are_refused() -> None:
    with pytest.raises(UsageError, match="response: expected one to item 'q1'"):
        HONEST.score(ITEM, RIGHT, replace(REPLY, item="q2"))
    with pytest.raises(UsageError, match="reference of 'q2'"):
        HONEST.score(ITEM, replace(RIGHT, item="q2"), REPLY)


def test_an_item_that_asks_for_no_choice_is_refused() -> None:
    with pytest.raises(UsageError, match="an answer space of the type Choice, got Text"):
        HONEST.score(replace(ITEM, answer_space=Text()), RIGHT, REPLY)
