from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overread.contracts import Judging, JuryRule, VoteReading
from overread.records import Item, Reference, Response, Status, Text
from overread.scoring.judging.fenced import FencedForm
from overread.scoring.jury import Ballot, JuryScorer, decide, graded_of
from overread.store.hashes import sha256_text

ITEM = Item(
    id="valid_1_a_1.nii.gz::0",
    benchmark="ct-spatialvqa",
    task="spatial",
    condition="none",
    question="Which side?",
    answer_space=Text(),
    groups={"patient": "valid_1"},
)
REFERENCE = Reference(item=ITEM.id, answer="Left")
JUDGING = Judging(form=FencedForm(), rule=JuryRule())
HASHES = tuple(sha256_text(name) for name in ("one", "two", "three"))


def response(text: str | None = "left", status: Status = Status.OK) -> Response:
    return Response(run="r", item=ITEM.id, status=status, text=text, request_hash="h", draw=2)


def ballots(*verdicts: bool | None) -> list[Ballot]:
    return [
        Ballot(
            judge=f"chat:{number}",
            reading=VoteReading(verdict=None, status=Status.UNPARSED, reason="no JSON")
            if verdict is None
            else VoteReading(verdict=verdict, status=Status.OK),
        )
        for number, verdict in enumerate(verdicts)
    ]


def scorer(judging: Judging = JUDGING, n: int = 3) -> JuryScorer:
    return JuryScorer(judging=judging, profile="honest", judge_hashes=HASHES[:n])


# ---------------------------------------------------------------- the rule


@pytest.mark.parametrize(
    ("votes", "present", "needs_all"),
    [
        ([True, True, True], True, True),
        ([True, True, False], True, True),
        ([True, False, False], False, False),
        ([False, False, False], False, False),
        ([True, True, None], True, None),
        ([True, False, None], None, None),
        ([False, None, None], False, None),
        ([None, None, None], None, None),
        ([True], True, True),
        ([True, False], None, None),
        ([], None, None),
    ],
)
def test_votes_are_counted_by_the_rule(
    votes: list[bool | None], present: bool | None, needs_all: bool | None
) -> None:
    assert decide(votes, JuryRule())[0] is present
    assert decide(votes, JuryRule(needs_all=True))[0] is needs_all


def test_a_higher_threshold_has_no_tie() -> None:
    rule = JuryRule(threshold=2 / 3)
    found = [decide(votes, rule)[0] for votes in product((True, False), repeat=3)]
    assert found.count(True) == 1
    assert None not in found
    assert decide([True, False], rule)[0] is False


@given(st.lists(st.sampled_from([True, False, None]), max_size=9), st.booleans(), st.randoms())
def test_the_verdict_does_not_hang_on_order_and_mirrors_its_votes(
    votes: list[bool | None], needs_all: bool, shuffler: object
) -> None:
    rule = JuryRule(needs_all=needs_all)
    verdict, reason = decide(votes, rule)
    shuffled = list(votes)
    shuffler.shuffle(shuffled)  # type: ignore[attr-defined]
    assert decide(shuffled, rule) == (verdict, reason)
    mirrored = decide([None if vote is None else not vote for vote in votes], rule)[0]
    assert mirrored is (None if verdict is None else not verdict)
    if verdict is not None:
        assert verdict in votes


# ---------------------------------------------------------------- rows


def test_the_jury_and_each_judge_have_a_row() -> None:
    jury, *judges = scorer().score(ITEM, REFERENCE, response(), ballots(True, False, True))
    assert (jury.metric, jury.value, jury.target) == ("jury_accuracy", 1.0, None)
    assert jury.reason == "jury: 2 of 3 votes say yes"
    assert [(row.metric, row.target, row.value) for row in judges] == [
        ("judge_accuracy", "chat:0", 1.0),
        ("judge_accuracy", "chat:1", 0.0),
        ("judge_accuracy", "chat:2", 1.0),
    ]
    for row in (jury, *judges):
        assert (row.item, row.draw, row.patient, row.profile) == (ITEM.id, 2, "valid_1", "honest")
        assert row.status is Status.OK


def test_a_missing_vote_is_neither_yes_nor_no() -> None:
    jury, *judges = scorer().score(ITEM, REFERENCE, response(), ballots(None, True, True))
    assert jury.value == 1.0
    assert (judges[0].value, judges[0].status, judges[0].reason) == (
        None,
        Status.UNDEFINED,
        "no JSON",
    )
    jury, *_ = scorer().score(ITEM, REFERENCE, response(), ballots(None, None, None))
    assert (jury.value, jury.status) == (None, Status.UNDEFINED)
    assert jury.reason == "no judge's vote could be read"


def test_who_was_not_asked_is_said() -> None:
    unasked = [Ballot(judge=f"chat:{n}", reading=None) for n in range(3)]
    jury, *judges = scorer().score(ITEM, REFERENCE, response(), unasked)
    assert (jury.status, jury.reason) == (Status.UNDEFINED, "no judge was asked yet")
    assert {row.reason for row in judges} == {"this judge was not asked yet"}


@pytest.mark.parametrize(
    ("text", "status", "expected"),
    [
        ("", Status.OK, Status.UNPARSED),
        (" \n", Status.OK, Status.UNPARSED),
        (None, Status.OK, Status.UNPARSED),
        (None, Status.FAILED, Status.FAILED),
        ("I cannot say.", Status.REFUSED, Status.REFUSED),
    ],
)
def test_an_answer_that_is_none_needs_no_judge(
    text: str | None, status: Status, expected: Status
) -> None:
    answer = response(text, status)
    assert graded_of(ITEM, REFERENCE, answer, JUDGING) is None
    rows = scorer().score(ITEM, REFERENCE, answer, ballots(True, True, True))
    assert {(row.value, row.status) for row in rows} == {(None, expected)}


def test_a_reference_that_cannot_be_used_is_undefined() -> None:
    for reference in (
        Reference(item=ITEM.id, answer=None),
        Reference(item=ITEM.id, answer="Left", problem="asked twice"),
    ):
        assert graded_of(ITEM, reference, response(), JUDGING) is None
        rows = scorer().score(ITEM, reference, response(), ballots(True, True, True))
        assert {(row.value, row.status) for row in rows} == {(None, Status.UNDEFINED)}


def test_empty_answers_are_judged_where_the_release_does() -> None:
    judging = Judging(form=FencedForm(), rule=JuryRule(), judges_empty=True)
    graded = graded_of(ITEM, REFERENCE, response(""), judging)
    assert graded is not None
    assert (graded.prediction, graded.draw) == ("", 2)
    jury, *_ = scorer(judging).score(ITEM, REFERENCE, response(""), ballots(False, False, True))
    assert jury.value == 0.0
    assert graded_of(ITEM, REFERENCE, None, judging) is None


def test_another_jury_form_or_rule_is_another_metric() -> None:
    strict = Judging(form=FencedForm(), rule=JuryRule(needs_all=True))
    batched = Judging(form=FencedForm(batch_size=3), rule=JuryRule())
    versions = {
        scorer().metric_version,
        scorer(n=2).metric_version,
        scorer(strict).metric_version,
        scorer(batched).metric_version,
    }
    assert len(versions) == 4
    backwards = JuryScorer(judging=JUDGING, profile="honest", judge_hashes=HASHES[::-1])
    assert backwards.metric_version == scorer().metric_version
    assert scorer().metric_version.startswith("1 fenced-2 ")


def test_a_rule_may_count_a_null_as_no_but_never_a_vote_that_did_not_come() -> None:
    rule = JuryRule(needs_all=True, null_is_no=True)
    judging = Judging(form=FencedForm(), rule=rule)
    null = ballots(True, True, None)
    refused = [
        *null[:2],
        replace(null[2], reading=VoteReading(verdict=None, status=Status.REFUSED)),
    ]
    absent = [*null[:2], replace(null[2], reading=VoteReading(verdict=None, status=Status.FAILED))]
    unasked = [*null[:2], replace(null[2], reading=None)]
    found = [
        scorer(judging).score(ITEM, REFERENCE, response(), each)[0]
        for each in (null, refused, absent, unasked)
    ]
    assert [(row.value, row.status) for row in found] == [
        (1.0, Status.OK), (1.0, Status.OK), (None, Status.UNDEFINED), (None, Status.UNDEFINED),
    ]  # fmt: skip
    assert found[0].reason == "jury: 2 of 3 votes say yes, 1 without a verdict counted as no"
    lenient = Judging(form=FencedForm(), rule=JuryRule())
    told = scorer(lenient).score(ITEM, REFERENCE, response(), null)[0].reason
    assert told == "jury: 2 of 2 votes say yes, 1 missing"
