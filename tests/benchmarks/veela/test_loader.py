from __future__ import annotations

import gzip
import shutil
from pathlib import Path

import numpy as np
import pytest
from tests.benchmarks.veela.tubes import tube

from overread.benchmarks.veela import BENCHMARK
from overread.benchmarks.veela.layout import find_scans, task_folder
from overread.benchmarks.veela.loader import VeelaRelease
from overread.benchmarks.veela.synthetic import SUBMISSIONS
from overread.contracts import Selection
from overread.errors import ReleaseError
from overread.records import Mask, Severity


@pytest.fixture
def copy(root: Path, tmp_path: Path) -> Path:
    """Give a copy of the synthetic release that may be broken, without its predictions."""
    folder = tmp_path / "release"
    shutil.copytree(root, folder, ignore=shutil.ignore_patterns("predictions"))
    return folder


def codes(root: Path, *, thorough: bool = False, media: Path | None = None):
    return {one.code: one for one in VeelaRelease(root, media=media).findings(thorough=thorough)}


# ---------------------------------------------------------------- items


def test_items_in_numeric_order_with_one_reference_for_both_tasks(copy):
    shutil.copy(copy / "Test_GT/case_1_gt.nii", copy / "Test_GT/case_10_gt.nii")
    release = VeelaRelease(copy)
    items = list(release.items(Selection()))
    cases = ["case_1", "case_2", "case_3", "case_10"]
    assert [item.id for item in items] == [
        f"{task}/{case}" for task in ("Task01", "Task02") for case in cases
    ]
    assert [dict(item.groups) for item in items[:1]] == [{"patient": "case_1", "case": "case_1"}]
    spaces = [item.answer_space for item in (items[0], items[-1])]
    assert spaces == [Mask(labels={1: "vessel"}), Mask(labels={1: "hepatic", 2: "portal"})]
    assert items[1].media[0].paths == ("Test/case_2.nii.gz",)
    for task in ("Task01", "Task02"):
        assert release.reference(f"{task}/case_10").path == "Test_GT/case_10_gt.nii"
    with pytest.raises(KeyError):
        release.reference("Task03/case_1")


def test_a_limit_is_shared_by_the_tasks(root):
    ids = [item.id for item in VeelaRelease(root).items(Selection(limit=3))]
    assert ids == ["Task01/case_1", "Task01/case_2", "Task02/case_1"]


def test_zipped_references_do_as_well(copy):
    path = copy / "Test_GT/case_2_gt.nii"
    zipped = copy / "Test_GT/case_2_gt.nii.gz"
    zipped.write_bytes(gzip.compress(path.read_bytes()))
    assert codes(copy)["doubled-reference"].where == "Test_GT/case_2_gt.nii.gz"
    path.unlink()
    assert VeelaRelease(copy).reference("Task01/case_2").path == "Test_GT/case_2_gt.nii.gz"
    assert "doubled-reference" not in codes(copy)


def test_scans_are_found_wherever_they_lie(copy, tmp_path):
    elsewhere = tmp_path / "download"
    (elsewhere / "VEELA/imagesTs/case_3").mkdir(parents=True)  # a folder of a DICOM series
    shutil.move(copy / "Test/case_1.nii.gz", elsewhere / "VEELA/case_1.nii.gz")
    shutil.move(copy / "Test/case_2.nii.gz", elsewhere / "VEELA/imagesTs/case_2.nii.gz")
    (elsewhere / "Task01").mkdir()
    shutil.copy(copy / "Test_GT/case_1_gt.nii", elsewhere / "Task01/case_1.nii")
    assert find_scans(elsewhere, ("case_1", "case_2", "case_3", "case_4")) == {
        "case_1": "VEELA/case_1.nii.gz",
        "case_2": "VEELA/imagesTs/case_2.nii.gz",
        "case_3": "VEELA/imagesTs/case_3",
    }
    release = BENCHMARK.open(copy, media=elsewhere)
    assert release.media_root == elsewhere
    assert next(release.items(Selection())).media[0].paths == ("VEELA/case_1.nii.gz",)
    assert "missing-volume" in codes(copy)
    assert "missing-volume" not in codes(copy, media=elsewhere)


@pytest.mark.parametrize("kind", ["absent", "file"])
def test_a_media_folder_that_is_none_is_refused(root, tmp_path, kind):
    place = tmp_path / kind
    if kind == "file":
        place.write_text("hello")
    with pytest.raises(ReleaseError, match="--media: expected the folder of VEELA's scans"):
        BENCHMARK.open(root, media=place)


def test_no_reference_is_no_release(tmp_path):
    (tmp_path / "Test_GT").mkdir()
    (tmp_path / "Test_GT/case_1.v2_gt.nii").write_bytes(b"")  # a second dot breaks the pairing
    with pytest.raises(ReleaseError, match="with 1 files of other names there"):
        BENCHMARK.open(tmp_path)


# ---------------------------------------------------------------- findings


def test_a_constant_spacing_is_told(root):
    finding = codes(root)["constant-spacing"]
    assert finding.severity is Severity.WARNING
    assert finding.evidence == (
        "3 cases measure 0.8 × 0.8 × 3 mm; the evaluator takes 3 × 2 × 1 mm for all of them"
    )
    assert codes(root, thorough=True)["constant-spacing"] == finding
    assert set(codes(root, thorough=True)) == {"constant-spacing"}


def test_voxels_of_the_evaluators_size_need_no_warning(tmp_path, write):
    write("Test_GT/case_1_gt.nii", 1 * tube() + 1 * tube(first=20), spacing=(3.0, 2.0, 1.0))
    found = codes(tmp_path, thorough=True)
    assert set(found) == {"missing-volume", "number-of-cases"}
    assert found["number-of-cases"].evidence == (
        "1 references; the evaluator takes exactly 20 files"
    )


def test_odd_references_are_told(copy, write, tmp_path):
    (copy / "Test_GT/case_1_gt.nii").write_bytes(b"no NIfTI")
    (copy / "Test_GT/notes.txt").write_text("hello")
    (copy / "Test_GT/._case_1_gt.nii").write_text("an archive's")
    path = write("other.nii", np.where(tube(), 7, 0))
    shutil.copy(path, copy / "Test_GT/case_2_gt.nii")
    quick, found = codes(copy), codes(copy, thorough=True)
    assert quick["unreadable-reference"].severity is Severity.ERROR
    assert found["unreadable-reference"].where == "case_1"
    assert str(tmp_path) not in found["unreadable-reference"].evidence
    assert found["unknown-file"].evidence == "1: Test_GT/notes.txt"
    assert found["foreign-labels"].evidence == "1: case_2"
    assert "class-absent" in found
    assert not {"foreign-labels", "class-absent"} & set(quick)


# ---------------------------------------------------------------- the rest


def test_real_and_synthetic_releases_differ_in_what_is_wanted(root, tmp_path):
    release = VeelaRelease(root)
    assert release.expected_counts() == ()
    assert release.notes()[0].startswith("This release is synthetic")
    shutil.copytree(root / "Test_GT", tmp_path / "Test_GT")
    real = VeelaRelease(tmp_path)
    assert {count.n for count in real.expected_counts()} == {20}
    assert len(real.notes()) == 4
    assert real.fingerprint == release.fingerprint  # the same references


def test_the_fingerprint_hears_of_a_voxel(copy):
    before = VeelaRelease(copy).fingerprint
    path = copy / "Test_GT/case_3_gt.nii"
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(bytes(data))
    assert VeelaRelease(copy).fingerprint != before


def test_submissions_have_the_folders_of_real_ones(root):
    for name in SUBMISSIONS:
        for task in ("Task01", "Task02"):
            folder = task_folder(root / "predictions" / name, task)
            assert folder is not None
            assert len(list(folder.glob("*.nii"))) == 3


def test_folders_of_archives_are_passed_over(tmp_path):
    (tmp_path / "__MACOSX/Task01").mkdir(parents=True)
    assert task_folder(tmp_path, "Task01") is None
    (tmp_path / "Results/Task01").mkdir(parents=True)
    assert task_folder(tmp_path, "Task01") == tmp_path / "Results/Task01"
