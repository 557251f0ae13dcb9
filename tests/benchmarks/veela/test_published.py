from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from tests.benchmarks.veela.tubes import items_of, respond

from overread.benchmarks.veela.loader import VeelaRelease
from overread.records import Reference, Status


@pytest.fixture
def submission(root: Path, tmp_path: Path) -> Path:
    """Give a copy of a submission that may be broken."""
    shutil.copytree(root / "predictions/broken", tmp_path / "handed-in")
    return tmp_path / "handed-in"


def scored(root: Path, submission: Path, task: str, **responses):
    """Score a whole task; the rows by (case, target, metric)."""
    release = VeelaRelease(root)
    (scorer,) = release.scorers("published")
    rows = []
    for item in items_of(release, task):
        response = respond(item, submission / f"{item.id}.nii")
        changed = responses.get(item.groups["case"])
        rows.append((item, release.reference(item.id), changed(item) if changed else response))
    found = list(scorer.score_all(rows))
    assert {row.profile for row in found} == {"published"}
    assert all((row.value is None) == (row.status is not Status.OK) for row in found)
    by_key = {(row.item.partition("/")[2], row.target, row.metric): row for row in found}
    assert len(by_key) == len(found)
    return by_key


def test_rows_of_each_class_and_their_mean(root, submission):
    rows = scored(root, submission, "Task02")
    assert len(rows) == 3 * 3 * 3
    classes = [rows["case_1", target, "cldice"].value for target in ("hepatic", "portal")]
    assert classes == pytest.approx([0.9641025641025642, 0.6527777777777778], abs=1e-12)
    assert rows["case_1", None, "cldice"].value == pytest.approx(sum(classes) / 2)
    assert {row.answer for row in rows.values()} == {"both present"}
    single = scored(root, submission, "Task01")
    assert len(single) == 3 * 2 * 3
    assert single["case_2", None, "iou"].value == single["case_2", "vessel", "iou"].value
    assert "skimage" in single["case_2", None, "iou"].metric_version


def test_one_missing_file_rejects_the_whole_task(root, submission):
    (submission / "Task01/case_2.nii").unlink()

    def missing(item):
        return respond(item, None, status=Status.FAILED, reason="no mask: expected case_2.nii")

    rows = scored(root, submission, "Task01", case_2=missing)
    assert {row.status for row in rows.values()} == {Status.FAILED}
    assert {row.reason for row in rows.values()} == {
        "the whole submission is rejected: E2: 2 files '.nii' instead of 3"
    }
    other = scored(root, submission, "Task02")  # each task is a submission of its own
    assert {row.status for row in other.values()} == {Status.OK}


def test_a_task01_mask_of_two_classes_rejects_all(root, submission):
    shutil.copy(submission / "Task02/case_3.nii", submission / "Task01/case_3.nii")
    rows = scored(root, submission, "Task01")
    assert {row.reason for row in rows.values()} == {
        "the whole submission is rejected: E4: Task01/case_3: values 0, 1, 2 instead of 0 and 1"
    }


def test_one_nan_is_the_mean_of_all(root, submission, write):
    import nibabel
    import numpy as np

    reference = np.asarray(nibabel.load(root / "Test_GT/case_2_gt.nii").dataobj)  # type: ignore[attr-defined]
    apart = reference == 0
    apart[:, :, 1:] = False
    path = write("apart.nii", apart)
    rows = scored(root, submission, "Task01", case_2=lambda item: respond(item, path))
    assert rows["case_2", None, "cldice"].status is Status.UNDEFINED
    assert rows["case_2", None, "cldice"].reason == "no overlap: clDice is 0 / 0"
    other = rows["case_1", "vessel", "cldice"]
    assert other.status is Status.UNDEFINED
    assert other.reason == (
        "the mean is NaN (Task01/case_2: no overlap: clDice is 0 / 0); "
        "this case's own value is 0.885870"
    )
    assert rows["case_1", "vessel", "iou"].status is Status.OK  # IoU has a mean
    assert rows["case_2", "vessel", "iou"].value == 0.0


def test_what_became_of_both_classes_together(root, submission, write):
    """Task02 takes any three values: here hepatic veins are swapped for portal ones, and for 7."""
    import nibabel
    import numpy as np

    reference = np.asarray(nibabel.load(root / "Test_GT/case_2_gt.nii").dataobj)  # type: ignore[attr-defined]
    path = write("seven.nii", np.where(reference == 1, 7, reference))
    rows = scored(root, submission, "Task02", case_2=lambda item: respond(item, path))
    fates = [rows["case_2", target, "iou"].answer for target in ("hepatic", "portal", None)]
    assert fates == ["missed", "both present", "both present"]
    assert rows["case_2", None, "iou"].value == 0.5
    both = write("other.nii", np.where(reference == 1, 7, 8))
    rows = scored(root, submission, "Task02", case_2=lambda item: respond(item, both))
    assert "E5" in (rows["case_2", None, "iou"].reason or "")
    nothing = write("nothing.nii", np.where(reference == 1, 7, np.where(reference == 2, 8, 0)))
    rows = scored(root, submission, "Task02", case_2=lambda item: respond(item, nothing))
    assert {rows["case_2", target, "nsd_1mm"].answer for target in ("hepatic", None)} == {"missed"}


def test_a_file_written_over_since_is_not_in_the_submission(root, submission):
    def changed(item):
        response = respond(item, submission / f"{item.id}.nii")
        shutil.copy(submission / "Task01/case_1.nii", submission / f"{item.id}.nii")
        return response

    rows = scored(root, submission, "Task01", case_3=changed)
    assert {row.reason for row in rows.values()} == {
        "the whole submission is rejected: E2: 2 files '.nii' instead of 3"
    }


def test_repetitions_are_submissions_of_their_own(root, submission):
    release = VeelaRelease(root)
    (scorer,) = release.scorers("published")
    rows = [
        (item, release.reference(item.id), respond(item, submission / f"{item.id}.nii", draw=draw))
        for item in items_of(release, "Task01")
        for draw in (0, 1)
    ][:-1]
    found = list(scorer.score_all(rows))
    assert {row.status for row in found if row.draw == 0} == {Status.OK}
    assert {row.status for row in found if row.draw == 1} == {Status.FAILED}


def test_a_case_by_itself_needs_no_other(root, submission):
    release = VeelaRelease(root)
    (scorer,) = release.scorers("published")
    item = items_of(release, "Task01")[0]
    rows = list(
        scorer.score(item, release.reference(item.id), respond(item, submission / f"{item.id}.nii"))
    )
    assert [row.status for row in rows] == [Status.OK] * 6
    empty = list(scorer.score(item, release.reference(item.id), respond(item, None)))
    assert {row.status for row in empty} == {Status.UNPARSED}


def test_an_unusable_reference_is_nobodys_fault(root, submission):
    release = VeelaRelease(root)
    (scorer,) = release.scorers("published")
    rows = []
    for item in items_of(release, "Task01"):
        reference = release.reference(item.id)
        if item.groups["case"] == "case_1":
            reference = Reference(item=item.id, answer=None, problem="torn")
        rows.append((item, reference, respond(item, submission / f"{item.id}.nii")))
    by_case = {row.item: row for row in scorer.score_all(rows)}
    assert by_case["Task01/case_1"].status is Status.UNDEFINED
    assert by_case["Task01/case_1"].reason == "torn"
    # It cannot be evaluated without: two masks are left where three are wanted.
    assert by_case["Task01/case_2"].status is Status.FAILED


def test_the_number_of_the_challenge_holds_for_real_releases(root, tmp_path):
    for number in range(1, 4):
        (tmp_path / "Test_GT").mkdir(exist_ok=True)
        shutil.copy(root / f"Test_GT/case_{number}_gt.nii", tmp_path / "Test_GT")
    rows = scored(tmp_path, root / "predictions/broken", "Task01")
    assert {row.reason for row in rows.values()} == {
        "the whole submission is rejected: E2: 3 files '.nii' instead of 20"
    }
