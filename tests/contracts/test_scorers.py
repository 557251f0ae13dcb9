"""What every scorer must do, held against those of each registered benchmark and the template."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from overread.contracts import Selective
from overread.records import Choice, Profile, Reference, Response, Status, Text

PROFILES = get_args(Profile)


def response(item, text, *, status=Status.OK, reason=None):
    return Response(
        run="r", item=item.id, draw=1, text=text, request_hash="h", status=status, reason=reason
    )


@pytest.fixture(params=PROFILES)
def scorers(request, case):
    return case.open().scorers(request.param)


@pytest.fixture
def asked(case):
    """Give one item of every task and condition, with its reference."""
    release = case.open()
    first = {(item.task, item.condition): item for item in reversed(case.items())}
    return [(item, release.reference(item.id)) for item in first.values()]


def taken(scorer, item):
    return not isinstance(scorer, Selective) or scorer.takes(item)


def check_rows(scorer, item, rows):
    assert rows
    for row in rows:
        assert (row.run, row.item, row.draw, row.profile) == ("r", item.id, 1, scorer.profile)
        assert row.patient == item.groups.get("patient")
        assert row.metric_version
        assert row.unit
        assert row.reason or row.status is Status.OK  # a measure needs no rule to explain it
        assert (row.value is None) == (row.status is not Status.OK)
    assert any(row.metric == scorer.metric for row in rows)


@pytest.mark.parametrize("profile", PROFILES)
def test_a_profile_scores_the_headline_of_the_plan(case, profile):
    scorers, plan = case.open().scorers(profile), case.open().plan()
    assert all(scorer.profile == profile for scorer in scorers)
    metrics = {scorer.metric for scorer in scorers}
    also = {one.metric for one in plan.also if profile in one.profiles}
    # Released code may know nothing of the headline; the careful profile always has it.
    assert plan.headline in metrics or (profile == "published" and metrics & also)


@pytest.mark.parametrize("status", [Status.FAILED, Status.REFUSED])
def test_no_reply_has_no_value_and_keeps_its_reason(scorers, asked, status):
    for item, reference in asked:
        for scorer in (each for each in scorers if taken(each, item)):
            silent = response(item, None, status=status, reason="the server died")
            rows = list(scorer.score(item, reference, silent))
            check_rows(scorer, item, rows)
            assert {(row.status, row.reason) for row in rows} == {(status, "the server died")}


def allowed_for_silence(scorer, item, text):
    """Give the statuses that an empty reply may have: never a value, but for two faults of code."""
    if scorer.profile == "honest":
        return {Status.UNPARSED}
    if isinstance(item.answer_space, Text):
        # Likeness of texts is undefined without words, and "…" is likened like any other text.
        return {Status.UNDEFINED, Status.OK} if text == "…" else {Status.UNDEFINED}
    # A released script may break off where there is no text at all.
    return {Status.UNPARSED, Status.FAILED} if text is None else {Status.UNPARSED}


@pytest.mark.parametrize("text", [None, "", " \n", "…"])
def test_an_empty_reply_has_no_value(scorers, asked, text):
    for item, reference in asked:
        for scorer in (each for each in scorers if taken(each, item)):
            rows = list(scorer.score(item, reference, response(item, text)))
            check_rows(scorer, item, rows)
            assert {row.status for row in rows} <= allowed_for_silence(scorer, item, text)


def test_right_and_wrong_letters_are_one_and_zero(case, asked):
    for item, reference in asked:
        if not isinstance(item.answer_space, Choice):
            continue
        for scorer in case.open().scorers("honest"):
            if not taken(scorer, item):
                continue
            for letter in item.answer_space.letters:
                (row,) = scorer.score(item, reference, response(item, f"**{letter}**"))
                check_rows(scorer, item, [row])
                assert (row.answer, row.value) == (letter, float(letter == reference.answer))


def test_an_unusable_reference_equals_nothing(scorers, asked):
    for item, reference in asked:
        for scorer in (each for each in scorers if taken(each, item)):
            for change in ({"problem": "two answers"}, {"answer": None}):
                broken = replace(reference, **change)
                for text in ("A", "", None, "None"):
                    rows = list(scorer.score(item, broken, response(item, text)))
                    check_rows(scorer, item, rows)
                    assert {row.status for row in rows} == {Status.UNDEFINED}


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(text=st.text(), answer=st.sampled_from("ABCD"))
def test_no_reply_raises_and_no_letter_comes_from_nowhere(scorers, asked, text, answer):
    item, _ = asked[0]
    reference = Reference(item=item.id, answer=answer)
    for scorer in (each for each in scorers if taken(each, item)):
        rows = list(scorer.score(item, reference, response(item, text)))
        check_rows(scorer, item, rows)
        if isinstance(item.answer_space, Choice):
            assert {row.answer for row in rows} <= {None, *item.answer_space.letters}
