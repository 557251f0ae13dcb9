from __future__ import annotations

from dataclasses import replace

import pytest

from overread.errors import UsageError
from overread.records import Choice, Item, Reference, Response, Status, Text
from overread.scoring.spatial.scorer import SpatialScorer

ITEM = Item(
    id="case-1::0",
    benchmark="test",
    task="spatial",
    condition="slices-32",
    question="Which lung shows the nodule?",
    answer_space=Text(),
    groups={"patient": "p1"},
)
RIGHT = Reference(item=ITEM.id, answer="In the left lung.")
REPLY = Response(
    run="r", item=ITEM.id, draw=3, status=Status.OK, text="The left one", request_hash="h"
)
SCORER = SpatialScorer()


def test_a_right_answer_is_one_row_that_says_all() -> None:
    (row,) = SCORER.score(ITEM, RIGHT, REPLY)
    assert (row.value, row.status, row.answer) == (1.0, Status.OK, "left")
    assert (row.run, row.item, row.draw, row.patient) == ("r", ITEM.id, 3, "p1")
    assert (row.metric, row.metric_version, row.profile) == ("rule_accuracy", "1", "honest")
    assert (row.reason, row.unit) == ("side: agrees", "share")


def test_a_wrong_answer_is_zero() -> None:
    (row,) = SCORER.score(ITEM, RIGHT, replace(REPLY, text="Both lungs"))
    assert (row.value, row.status, row.reason) == (0.0, Status.OK, "side: differs")


@pytest.mark.parametrize(
    ("response", "status", "reason"),
    [
        (replace(REPLY, text=""), Status.UNPARSED, "empty"),
        (replace(REPLY, text=None), Status.UNPARSED, "empty"),
        (replace(REPLY, text="yes"), Status.UNPARSED, "side: not read in the reply"),
        (replace(REPLY, text="I cannot determine the side."), Status.REFUSED, "abstention"),
        (replace(REPLY, text="As an AI model, I cannot help"), Status.REFUSED, "refusal"),
        (
            replace(REPLY, text="left", status=Status.REFUSED, reason="content filter"),
            Status.REFUSED,
            "content filter",
        ),
        (replace(REPLY, text="left", status=Status.FAILED), Status.FAILED, "no reply"),
    ],
)
def test_without_a_readable_reply_there_is_no_value_and_a_reason(
    response: Response, status: Status, reason: str
) -> None:
    (row,) = SCORER.score(ITEM, RIGHT, response)
    assert (row.value, row.status, row.reason) == (None, status, reason)


@pytest.mark.parametrize(
    ("reference", "reason"),
    [
        (replace(RIGHT, answer="Towards the mediastinum."), "side: not read in the reference"),
        (replace(RIGHT, answer=""), "side: not read in the reference"),
        (replace(RIGHT, answer=None), "the release states no answer"),
        (replace(RIGHT, problem="two answers"), "two answers"),
    ],
)
@pytest.mark.parametrize(
    "response",
    [REPLY, replace(REPLY, text=""), replace(REPLY, text=None, status=Status.FAILED)],
)
def test_an_unusable_reference_is_undefined_whatever_the_reply(
    reference: Reference, reason: str, response: Response
) -> None:
    (row,) = SCORER.score(ITEM, reference, response)
    assert (row.value, row.status, row.reason) == (None, Status.UNDEFINED, reason)


@pytest.mark.parametrize("question", ["Where is the nodule?", "What is the size of the nodule?"])
def test_a_question_that_is_not_closed_gets_no_row(question: str) -> None:
    assert SCORER.score(replace(ITEM, question=question), RIGHT, REPLY) == ()


def test_records_that_do_not_belong_together_are_refused() -> None:
    with pytest.raises(UsageError, match="response: expected one to item 'case-1::0'"):
        SCORER.score(ITEM, RIGHT, replace(REPLY, item="case-1::1"))
    with pytest.raises(UsageError, match="an answer space of the type Text, got Choice"):
        SCORER.score(replace(ITEM, answer_space=Choice(options=())), RIGHT, REPLY)
