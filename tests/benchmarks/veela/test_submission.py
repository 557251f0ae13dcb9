from __future__ import annotations

import shutil
import zipfile
from pathlib import Path

import numpy as np
import pytest

from overread.benchmarks.veela import submission as module
from overread.benchmarks.veela.submission import look_through, released_evaluation, unpack
from overread.cli import main
from overread.errors import UsageError
from overread.records import Score, Status
from overread.store.run_store import RunStore


@pytest.fixture
def handed_in(root: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(root / "predictions/broken", tmp_path / "handed-in"))


@pytest.fixture
def three_cases(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a submission of the small synthetic release be a whole one."""
    monkeypatch.setattr(module, "N_TEST", 3)


def zipped(folder: Path, archive: Path, *extra: tuple[str, bytes]) -> Path:
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as made:
        for path in sorted(folder.rglob("*.nii")):
            made.write(path, f"Results/{path.relative_to(folder).as_posix()}")
        for name, content in extra:
            made.writestr(name, content)
    return archive


# ---------------------------------------------------------------- what the released code makes


@pytest.mark.usefixtures("three_cases")
def test_a_zip_file_is_evaluated_as_released(root, handed_in, tmp_path):
    mac = ("__MACOSX/Results/Task01/case_1.nii", b"no mask")
    archive = zipped(handed_in, tmp_path / "s.zip", mac, ("Results/readme.txt", b"hello"))
    folder = unpack(archive, tmp_path / "unpacked")
    assert not (folder / "__MACOSX").exists()
    assert not (folder / "Results/readme.txt").exists()
    found = released_evaluation(root, folder, "Task02")
    assert found.rejection is None
    case, *_, average = found.records()
    assert case["sampleId"] == "case_1.nii"
    assert case["clDice"] == pytest.approx(
        {"hepatic": 0.9641025641025642, "portal": 0.6527777777777778}, abs=1e-12
    )
    assert average["sampleId"] == "Average"
    assert not list(look_through(root, folder))


def test_a_submission_of_three_is_none_of_the_challenge(root, handed_in):
    found = released_evaluation(root, handed_in, "Task01")
    assert found.rejection == "E2: 3 files '.nii' instead of 20"


@pytest.mark.usefixtures("three_cases")
def test_a_name_with_a_second_dot_has_no_reference(root, handed_in):
    (handed_in / "Task01/case_2.nii").rename(handed_in / "Task01/case_2.v2.nii")
    found = released_evaluation(root, handed_in, "Task01")
    assert found.rejection is not None
    assert found.rejection.startswith("E3: case_2.v2: ")


@pytest.mark.usefixtures("three_cases")
def test_without_its_folder_the_submission_itself_is_taken(root, handed_in):
    assert released_evaluation(root, handed_in / "Task01", "Task01").rejection is None
    absent = released_evaluation(root, handed_in / "nowhere", "Task01")
    assert absent.rejection == "E1: no folder Results/Task01"


# ---------------------------------------------------------------- hostile archives


@pytest.mark.parametrize(
    "name", ["../evil.nii", "/etc/evil.nii", "C:/evil.nii", "a\\..\\..\\evil.nii", "a/../../e.nii"]
)
def test_names_that_lead_out_are_refused(handed_in, tmp_path, name):
    archive = zipped(handed_in, tmp_path / "s.zip", (name, b"x"))
    with pytest.raises(UsageError, match="a name that leads out of it"):
        unpack(archive, tmp_path / "inner" / "unpacked")
    assert not list(tmp_path.glob("*evil*"))


def test_what_is_no_submission_is_refused(tmp_path, monkeypatch):
    (tmp_path / "text.zip").write_text("hello")
    with pytest.raises(UsageError, match=r"expected a zip file with the masks .+, got File is not"):
        unpack(tmp_path / "text.zip", tmp_path / "unpacked")
    with pytest.raises(UsageError, match="got 0 masks of 0 bytes"):
        unpack(zipped(tmp_path / "nowhere", tmp_path / "empty.zip"), tmp_path / "unpacked")
    bomb = zipped(tmp_path / "nowhere", tmp_path / "bomb.zip", ("Task01/a.nii", bytes(2**16)))
    monkeypatch.setattr(module, "MAX_VOLUME_BYTES", 2**15)
    with pytest.raises(UsageError, match=r"Task01/a\.nii of 65,536 bytes"):
        unpack(bomb, tmp_path / "unpacked")


# ---------------------------------------------------------------- what is wrong with it


def test_every_fault_is_told_by_itself(root, handed_in, write):
    import gzip

    import nibabel

    for task in ("Task01", "Task02"):
        (handed_in / task / "case_9.nii").write_bytes(b"nobody's")
    (handed_in / "Task01/case_1.nii").unlink()
    (handed_in / "Task01/case_2.nii").write_bytes(b"no NIfTI")
    image = nibabel.load(root / "Test_GT/case_3_gt.nii")  # type: ignore[attr-defined]
    array = np.asarray(image.dataobj)
    moved = image.affine.copy()
    moved[0, 3] += 10
    nibabel.save(nibabel.Nifti1Image(array, moved), handed_in / "Task02/case_1.nii")  # type: ignore[attr-defined]
    nibabel.save(nibabel.Nifti1Image(array[1:], image.affine), handed_in / "Task02/case_2.nii")  # type: ignore[attr-defined]
    third = handed_in / "Task02/case_3.nii"
    nibabel.save(
        nibabel.Nifti1Image(np.where(array == 2, 5, array).astype(np.uint8), image.affine), third
    )  # type: ignore[attr-defined]
    zipped_too = handed_in / "Task01/case_3.nii.gz"
    zipped_too.write_bytes(gzip.compress((handed_in / "Task01/case_3.nii").read_bytes()))
    found = [(one.code, one.where) for one in look_through(root, handed_in)]
    assert sorted(found) == sorted(
        [
            ("unknown-file", "Task01/case_9.nii"),
            ("doubled-mask", "Task01/case_3.nii.gz"),
            ("missing-mask", "Task01/case_1"),
            ("unreadable-mask", "Task01/case_2.nii"),
            ("unknown-file", "Task02/case_9.nii"),
            ("other-grid", "Task02/case_1.nii"),
            ("other-grid", "Task02/case_2.nii"),
            ("foreign-labels", "Task02/case_3.nii"),
        ]
    )


def test_a_lost_folder_is_told(root, handed_in):
    shutil.rmtree(handed_in / "Task02")
    (finding,) = look_through(root, handed_in)
    assert (finding.code, finding.where) == ("missing-folder", "Task02")


# ---------------------------------------------------------------- the same from the command line


def scores_of(root: Path, handed_in: Path, out: Path) -> list[Score]:
    with pytest.raises(SystemExit):
        main(["run", "veela", str(root), "--model", f"masks:{handed_in}", "--out", str(out)])
    with RunStore.open(out) as store:
        return [score for score in store.scores() if score.target is None]


def test_one_file_less_is_rejected_as_published_and_counted_honestly(root, handed_in, tmp_path):
    """With 19 files of 20 the evaluator scores nothing; 19 are scored and one is missing."""
    (handed_in / "Task01/case_2.nii").unlink()
    scores = scores_of(root, handed_in, tmp_path / "run.sqlite")
    published = [
        one for one in scores if one.profile == "published" and one.item.startswith("Task01")
    ]
    assert {one.status for one in published} == {Status.FAILED}
    assert {one.reason for one in published} == {
        "the whole submission is rejected: E2: 2 files '.nii' instead of 3"
    }
    honest = {one.item: one for one in scores if (one.profile, one.metric) == ("honest", "cldice")}
    assert [one.status for one in honest.values()].count(Status.OK) == 5
    assert honest["Task01/case_2"].status is Status.FAILED
    assert "no mask: expected Task01/case_2" in (honest["Task01/case_2"].reason or "")
    with RunStore.open(tmp_path / "run.sqlite") as store:
        estimates = {
            (one.profile, one.stratum.get("task")): one
            for one in store.estimates()
            if one.metric == "cldice" and not one.stratum.keys() - {"task"}
        }
    valued = [honest[f"Task01/case_{number}"].value for number in (1, 3)]
    assert estimates["honest", "Task01"].value == pytest.approx(sum(map(float, valued)) / 3)  # type: ignore[arg-type]
    assert estimates["published", "Task01"].value is None
    assert estimates["published", "Task02"].value is not None
