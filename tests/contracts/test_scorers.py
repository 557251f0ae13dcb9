"""What every scorer must do, held against those of each registered benchmark and the template."""

from __future__ import annotations

import pickle  # noqa: TID251  as the engine sends scorers to its own processes
from dataclasses import replace
from typing import get_args

import nibabel
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from overread.contracts import BatchScorer, CaseScorer, Selective
from overread.imaging.label_map import read_label_map
from overread.imaging.safe_path import resolve_inside
from overread.records import Choice, Mask, Profile, Reference, Response, Status, Text
from overread.store.hashes import file_sha256

PROFILES = get_args(Profile)


def response(item, text, *, status=Status.OK, reason=None, path=None):
    return Response(
        run="r",
        item=item.id,
        draw=1,
        text=text,
        path=path,
        request_hash="h",
        status=status,
        reason=reason,
    )


def mask_response(item, path):
    return response(item, f"sha256:{file_sha256(path)}", path=str(path))


@pytest.fixture(params=PROFILES)
def scorers(request, case):
    return case.open().scorers(request.param)


@pytest.fixture
def asked(case):
    """Give one item of every task and condition, with its reference."""
    release = case.open()
    first = {(item.task, item.condition): item for item in reversed(case.items())}
    return [(item, release.reference(item.id)) for item in first.values()]


@pytest.fixture
def worded(asked):
    """Give those of them that are answered by words: a mask is a file."""
    return [row for row in asked if not isinstance(row[0].answer_space, Mask)]


@pytest.fixture
def masked(asked):
    """Give those of them that are answered by a mask."""
    return [row for row in asked if isinstance(row[0].answer_space, Mask)]


def of_the_answer(scorer, item, rows):
    """Leave out what is known without an answer: counts of classes, the volume of a reference."""
    if isinstance(item.answer_space, Mask):
        return headlines(scorer, rows)
    return [row for row in rows if row.target is None]


def headlines(scorer, rows):
    return [row for row in rows if row.metric == scorer.metric and row.target is None]


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
            assert {(row.status, row.reason) for row in of_the_answer(scorer, item, rows)} == {
                (status, "the server died")
            }


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
def test_an_empty_reply_has_no_value(scorers, worded, text):
    for item, reference in worded:
        for scorer in (each for each in scorers if taken(each, item)):
            rows = list(scorer.score(item, reference, response(item, text)))
            check_rows(scorer, item, rows)
            found = {row.status for row in of_the_answer(scorer, item, rows)}
            assert found <= allowed_for_silence(scorer, item, text)


def test_right_and_wrong_letters_are_one_and_zero(case, asked):
    for item, reference in asked:
        if not isinstance(item.answer_space, Choice):
            continue
        for scorer in case.open().scorers("honest"):
            if not taken(scorer, item):
                continue
            for letter in item.answer_space.letters:
                rows = list(scorer.score(item, reference, response(item, f"**{letter}**")))
                check_rows(scorer, item, rows)
                (row,) = of_the_answer(scorer, item, rows)
                assert (row.answer, row.value) == (letter, float(letter == reference.answer))


def test_an_unusable_reference_equals_nothing(scorers, worded):
    for item, reference in worded:
        for scorer in (each for each in scorers if taken(each, item)):
            for change in ({"problem": "two answers"}, {"answer": None}):
                broken = replace(reference, **change)
                for text in ("A", "", None, "None"):
                    rows = list(scorer.score(item, broken, response(item, text)))
                    check_rows(scorer, item, rows)
                    assert {row.status for row in rows} == {Status.UNDEFINED}


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(text=st.text(), answer=st.sampled_from("ABCD"))
def test_no_reply_raises_and_no_letter_comes_from_nowhere(scorers, worded, text, answer):
    if not worded:
        return
    item, _ = worded[0]
    reference = Reference(item=item.id, answer=answer)
    for scorer in (each for each in scorers if taken(each, item)):
        rows = list(scorer.score(item, reference, response(item, text)))
        check_rows(scorer, item, rows)
        if isinstance(item.answer_space, Choice):
            assert {row.answer for row in rows} <= {None, *item.answer_space.letters}


# ---------------------------------------------------------------- masks


def reference_file(case, reference):
    return resolve_inside(case.root, reference.path)


@pytest.fixture
def right_of(case, tmp_path):
    """Give the response that is the reference, with its kinds of a label put together."""

    def right(item, reference):
        path = reference_file(case, reference)
        labels = item.answer_space.labels
        array = read_label_map(path).array
        if not set(np.unique(array)) <= {0, *labels}:
            image = nibabel.load(path)
            one = np.where(array > 0, min(labels), 0).astype(np.uint8)
            path = tmp_path / "one_label.nii.gz"
            nibabel.save(nibabel.Nifti1Image(one, image.affine), path)
        return mask_response(item, path)

    return right


def test_masks_are_scored_case_by_case_or_all_together(scorers, masked):
    for item, _ in masked:
        assert [scorer for scorer in scorers if taken(scorer, item)] != []
        for scorer in (each for each in scorers if taken(each, item)):
            assert isinstance(scorer, CaseScorer | BatchScorer)


def of_cases(scorers, item):
    return [each for each in scorers if taken(each, item) and isinstance(each, CaseScorer)]


def test_a_scorer_of_masks_gives_the_same_in_another_process(right_of, scorers, masked):
    for item, reference in masked:
        right = right_of(item, reference)
        for scorer in of_cases(scorers, item):
            sent, *records = pickle.loads(pickle.dumps((scorer, item, reference, right)))
            assert records == [item, reference, right]
            assert list(sent.score(*records)) == list(scorer.score(item, reference, right))


def test_the_reference_itself_is_a_mask_with_a_value_or_a_reason(right_of, scorers, masked):
    for item, reference in masked:
        right = right_of(item, reference)
        for scorer in of_cases(scorers, item):
            rows = list(scorer.score(item, reference, right))
            check_rows(scorer, item, rows)
            assert {row.status for row in rows} <= {Status.OK, Status.UNDEFINED}


@pytest.mark.parametrize("data", [b"", b"no mask", b"\x1f\x8b\x08\x00 cut off"])
def test_a_file_that_is_no_mask_has_no_value(scorers, masked, tmp_path, data):
    path = tmp_path / "mask.nii.gz"
    path.write_bytes(data)
    for item, reference in masked:
        for scorer in (each for each in scorers if taken(each, item)):
            rows = list(scorer.score(item, reference, mask_response(item, path)))
            check_rows(scorer, item, rows)
            # Released code may break off where there is no mask to be read.
            honest = scorer.profile == "honest"
            allowed = {Status.UNPARSED} if honest else {Status.UNPARSED, Status.FAILED}
            assert {row.status for row in headlines(scorer, rows)} <= allowed


def test_a_mask_that_has_changed_or_gone_is_not_scored(case, scorers, masked, tmp_path):
    for item, reference in masked:
        mask = reference_file(case, reference)
        gone = response(item, "sha256:" + 64 * "0", path=str(tmp_path / mask.name))
        changed = response(item, "sha256:" + 64 * "0", path=str(mask))
        for scorer in (each for each in scorers if taken(each, item)):
            for lost in (gone, changed):
                rows = list(scorer.score(item, reference, lost))
                check_rows(scorer, item, rows)
                assert {row.status for row in headlines(scorer, rows)} == {Status.FAILED}


def test_a_broken_case_has_failed_rows(right_of, scorers, masked):
    for item, reference in masked:
        right = right_of(item, reference)
        for scorer in of_cases(scorers, item):
            rows = list(scorer.failed(item, right, "its process died"))
            check_rows(scorer, item, rows)
            assert {(row.status, row.reason) for row in headlines(scorer, rows)} == {
                (Status.FAILED, "its process died")
            }


def test_an_unusable_reference_mask_equals_nothing(right_of, scorers, masked):
    for item, reference in masked:
        right = right_of(item, reference)
        broken = replace(reference, problem="two masks")
        for scorer in (each for each in scorers if taken(each, item)):
            rows = list(scorer.score(item, broken, right))
            check_rows(scorer, item, rows)
            assert {row.status for row in headlines(scorer, rows)} == {Status.UNDEFINED}
