"""What a benchmark with open answers must do besides: judging, and replay of what it ships."""

from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from overread.contracts import LABEL_SEPARATOR, Graded, Judged
from overread.contracts.audits import Replayable
from overread.records import Profile, Response, Status, Text

PROFILES = get_args(Profile)


@pytest.fixture
def judged(case):
    release = case.open()
    if not isinstance(release, Judged):
        assert not [item for item in case.items() if isinstance(item.answer_space, Text)]
        pytest.skip("no open answers")
    return release


@pytest.fixture
def replayed(case):
    release = case.open()
    if not isinstance(release, Replayable):
        pytest.skip("ships nothing for replay")
    return release.replay()


def graded(case, release, n):
    items = [item for item in case.items() if isinstance(item.answer_space, Text)][:n]
    return [
        Graded(
            item=item.id,
            draw=0,
            question=item.question,
            reference=release.reference(item.id).answer or "",
            prediction="somewhere",
        )
        for item in items
    ]


@pytest.mark.parametrize("profile", PROFILES)
def test_a_request_to_a_judge_holds_what_is_graded(case, judged, profile):
    judging = judged.judging(profile)
    assert judging.metric in {one.metric for one in judged.plan().also}
    assert judging.form.name
    assert judging.form.batch_size >= 1
    shown = graded(case, judged, judging.form.batch_size)
    words = "\n".join(part.text or "" for part in judging.form.prompt(shown))
    for one in shown:
        assert one.question in words
        assert one.reference in words
    assert not any(part.media for part in judging.form.prompt(shown))


def test_the_profiles_ask_judges_in_forms_of_two_names(judged):
    assert len({judged.judging(profile).form.name for profile in PROFILES}) == len(PROFILES)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
@given(text=st.none() | st.text())
@pytest.mark.parametrize("profile", PROFILES)
def test_no_reply_of_a_judge_raises_and_a_missing_vote_is_no_verdict(case, judged, profile, text):
    form = judged.judging(profile).form
    shown = graded(case, judged, form.batch_size)
    readings = form.read(text, shown)
    assert len(readings) == len(shown)
    for reading in readings:
        assert (reading.verdict is None) == (reading.status is not Status.OK)
        assert reading.reason or reading.status is Status.OK


def test_repeating_the_reference_is_right(case, judged):
    """The synthetic release's own answers must be readable, or its headline counts nothing."""
    seen = 0
    for item in case.items():
        reference = judged.reference(item.id)
        reply = Response(
            run="r", item=item.id, text=reference.answer, request_hash="h", status=Status.OK
        )
        for scorer in judged.scorers("honest"):
            for row in scorer.score(item, reference, reply):
                assert (row.status, row.value) == (Status.OK, 1.0), (item.question, row)
                seen += row.metric == judged.plan().headline
    assert seen


def test_replay_is_about_the_questions_that_are_asked(case, replayed):
    items = {item.id: item for item in case.items()}
    assert [one.item for one in replayed.questions] == list(items)
    for one in replayed.questions:
        assert one.question == items[one.item].question
        assert one.patient == items[one.item].groups["patient"]
    cases = {one.case for one in replayed.questions}
    for file in (*replayed.predictions, *replayed.votes):
        assert file.rows
        assert {row.case for row in file.rows} <= {None, *cases}
        assert (case.root / file.file).is_file()


def test_published_cells_of_a_release_name_their_file_or_table(case, replayed):
    titles = {replayed.title_of.get(one.model, one.model) for one in replayed.predictions}
    cells = [cell for cell in replayed.published if (case.root / cell.source).is_file()]
    assert cells
    assert {cell.who for cell in cells} >= titles
    assert all(cell.source for cell in replayed.published)


def test_several_labels_stand_parted_in_their_stratum(case):
    release = case.open()
    for key in release.plan().multi_label:
        for item in case.items():
            labels = item.strata[key].split(LABEL_SEPARATOR)
            assert all(labels)
            assert len(set(labels)) == len(labels)
