"""Cases without a benchmark: labels that are found, and folders with a file a structure."""

from __future__ import annotations

import numpy as np
import pytest

from overread.errors import ImageError
from overread.records import Item, Mask, Reference, Response, Status
from overread.scoring.masks.case_report import CaseReport, take_reports
from overread.scoring.masks.folder_scorer import FolderScorer
from overread.scoring.masks.measures import MaskMeasures
from overread.scoring.masks.structures import read_structures, structure_files

A, B, ALL = slice(2, 6), slice(4, 8), slice(1, 7)
PLAIN = MaskMeasures(surface=False, lesions="any overlap")


def score(scorer, reference, prediction, *, reason=None):
    item = Item(
        id="c",
        benchmark="b",
        task="t",
        condition="c",
        question="?",
        answer_space=Mask(labels={}),
    )
    response = Response(
        run="r",
        item="c",
        status=Status.OK if prediction else Status.FAILED,
        path=str(prediction) if prediction else None,
        reason=reason,
        request_hash="",
    )
    path = None if reference is None else str(reference)
    given = Reference(item="c", answer=None, path=path)
    scores, reports = take_reports(scorer.score(item, given, response))
    return {(row.metric, row.target): row for row in scores}, reports.get("c", CaseReport())


def test_every_label_of_either_side_is_scored_under_its_number(write_mask, boxes):
    one = write_mask("one.nii.gz", boxes((1, A, ALL, ALL), (7, slice(8, 9), ALL, ALL)))
    other = write_mask("other.nii.gz", boxes((1, A, ALL, ALL), (300 % 256, B, ALL, ALL)))
    found, report = score(FolderScorer(labels=None, measures=PLAIN), one, other)
    assert {target for _, target in found} == {"1", "7", "44", None}
    assert found["dice", "7"].answer == "missed"
    assert found["dice", "44"].answer == "invented"
    assert (report.reference_labels, report.prediction_labels) == (("1", "7"), ("1", "44"))


def test_named_labels_alone_are_scored(write_mask, boxes):
    one = write_mask("one.nii.gz", boxes((1, A, ALL, ALL)))
    other = write_mask("other.nii.gz", boxes((1, A, ALL, ALL), (9, slice(8, 9), ALL, ALL)))
    scorer = FolderScorer(labels={1: "liver", 2: "spleen"}, measures=PLAIN)
    found, report = score(scorer, one, other)
    assert {target for _, target in found} == {"liver", "spleen", None}
    assert found["dice", "spleen"].answer == "both empty"
    assert report.prediction_labels == ("liver", "9")


def test_another_grid_is_reported_and_refused_or_resampled(write_mask, boxes):
    array = boxes((1, A, ALL, slice(0, 3)))
    one = write_mask("one.nii.gz", array)
    affine = np.diag([-1.0, 1.0, 1.0, 1.0])
    affine[0, 3] = 11.0
    other = write_mask("other.nii.gz", np.ascontiguousarray(array[::-1]), affine=affine)
    found, report = score(FolderScorer(labels=None, measures=PLAIN), one, other)
    assert found["dice", "1"].status is Status.UNPARSED
    assert found["reference_voxels", None].value == 72.0
    assert any(problem.startswith("direction: RAS") for problem in report.problems)
    assert "axis 1 reversed" in report.advice
    assert report.remedy == ""
    scorer = FolderScorer(labels=None, measures=PLAIN, on_mismatch="nearest")
    found, report = score(scorer, one, other)
    assert found["dice", "1"].value == 1.0
    assert report.remedy.startswith("resampled")


def test_a_spacing_that_is_told_is_taken_for_true(write_mask, boxes):
    path = write_mask("one.nii.gz", boxes((1, A, ALL, ALL)))
    scorer = FolderScorer(labels=None, measures=PLAIN, spacing_mm=(1.0, 1.0, 10.0))
    found, _ = score(scorer, path, path)
    assert found["reference_ml", "1"].value == pytest.approx(1.44, abs=1e-12)
    found, _ = score(scorer, path, None, reason="no mask: expected one")
    assert found["reference_ml", "1"].value == pytest.approx(1.44, abs=1e-12)


def test_a_missing_prediction_and_a_missing_reference(write_mask, boxes, tmp_path):
    one = write_mask("one.nii.gz", boxes((1, A, ALL, ALL)))
    scorer = FolderScorer(labels=None, measures=PLAIN)
    found, _ = score(scorer, one, None, reason="no mask: expected one")
    assert found["dice", "1"].reason == "no mask: expected one"
    assert found["lesions_missed", None].value == 1.0
    found, _ = score(scorer, None, one)
    assert {row.status for row in found.values()} == {Status.UNDEFINED}
    found, _ = score(scorer, tmp_path / "absent.nii.gz", one)
    assert {row.status for row in found.values()} == {Status.UNDEFINED}
    (tmp_path / "bad.nii.gz").write_bytes(b"bad")
    found, _ = score(scorer, one, tmp_path / "bad.nii.gz")
    assert found["dice", "1"].status is Status.UNPARSED


@pytest.mark.parametrize("is_absolute", [True, False])
def test_reasons_hold_the_bare_names_of_files(
    write_mask, boxes, tmp_path, monkeypatch, is_absolute
):
    """However the folder was typed: a page of scores tells nothing of where it lay."""
    monkeypatch.chdir(tmp_path)
    write_mask("secret/one.nii.gz", boxes((1, A, ALL, ALL)))
    write_mask("secret/small.nii.gz", boxes((1, A, ALL, ALL))[:-1])
    (tmp_path / "secret" / "bad.nii.gz").write_bytes(b"bad")
    folder = tmp_path / "secret" if is_absolute else (tmp_path / "secret").relative_to(tmp_path)
    for name in ("bad.nii.gz", "small.nii.gz"):
        found, _ = score(
            FolderScorer(labels=None, measures=PLAIN), folder / "one.nii.gz", folder / name
        )
        reason = found["dice", "1"].reason or ""
        assert name in reason
        assert "secret" not in reason


@pytest.fixture
def structures(write_mask, boxes, tmp_path):
    """A folder of structures on either side, and the label map of the first."""
    write_mask("ref/liver.nii.gz", boxes((1, A, ALL, ALL)))
    write_mask("ref/spleen.nii.gz", boxes((255, slice(8, 10), ALL, ALL)))
    write_mask("ref/cyst.nii.gz", boxes())
    write_mask("pred/segmentations/liver.nii.gz", boxes((1, B, ALL, ALL)))
    write_mask("pred/segmentations/extra.nii.gz", boxes((1, B, ALL, ALL)))
    write_mask("map.nii.gz", boxes((5, A, ALL, ALL), (3, slice(8, 10), ALL, ALL)))
    return tmp_path


def test_structures_stand_in_the_order_in_which_people_count(write_mask, boxes, tmp_path):
    for name in ("organ13", "organ2", "Organ1", "organ2b", "liver"):
        write_mask(f"case/{name}.nii.gz", boxes((1, A, ALL, ALL)))
    assert list(structure_files(tmp_path / "case")) == [
        "Organ1",
        "liver",
        "organ2",
        "organ2b",
        "organ13",
    ]


def test_folders_of_structures_are_compared_by_name(structures):
    scorer = FolderScorer(labels=None, measures=PLAIN)
    found, report = score(scorer, structures / "ref", structures / "pred")
    assert {target for _, target in found} == {"cyst", "liver", "spleen", None}
    assert found["dice", "liver"].value == 0.5
    assert found["dice", "spleen"].answer == "missed"
    assert found["dice", "cyst"].answer == "both empty"
    assert found["dice", None].value == 0.25
    assert found["reference_voxels", None].value == 144 + 72
    assert report.prediction_labels == ("extra", "liver")
    assert report.notes == ("prediction: no file of cyst, spleen: taken as empty",)


def test_a_folder_of_structures_is_compared_with_a_label_map_of_named_labels(structures):
    scorer = FolderScorer(labels={5: "liver", 3: "spleen", 4: "cyst"}, measures=PLAIN)
    found, _ = score(scorer, structures / "ref", structures / "map.nii.gz")
    assert [found["dice", name].value for name in ("liver", "spleen", None)] == [1.0, 1.0, 1.0]
    assert found["dice", "cyst"].answer == "both empty"
    found, _ = score(scorer, structures / "map.nii.gz", structures / "pred")
    assert found["dice", "liver"].value == 0.5


def test_structures_of_a_missing_prediction_are_known(structures):
    scorer = FolderScorer(labels=None, measures=PLAIN)
    found, _ = score(scorer, structures / "ref", None, reason="no mask: expected pred")
    assert found["lesions_missed", None].value == 2.0
    assert found["reference_voxels", "spleen"].value == 72.0
    assert found["dice", None].status is Status.FAILED


def test_structures_on_another_grid(structures, write_mask, boxes):
    affine = np.diag([1.0, 1.0, 1.0, 1.0])
    affine[0, 3] = 2.0
    write_mask("shifted/liver.nii.gz", boxes((1, slice(0, 4), ALL, ALL)), affine=affine)
    scorer = FolderScorer(labels={1: "liver"}, measures=PLAIN)
    found, _ = score(scorer, structures / "ref", structures / "shifted")
    assert found["dice", "liver"].status is Status.UNPARSED
    assert "origin" in (found["dice", "liver"].reason or "")
    scorer = FolderScorer(labels={1: "liver"}, measures=PLAIN, on_mismatch="nearest")
    found, report = score(scorer, structures / "ref", structures / "shifted")
    assert found["dice", "liver"].value == 1.0
    assert report.remedy.startswith("resampled")


def test_a_folder_without_what_was_asked_for(structures, tmp_path):
    (tmp_path / "empty").mkdir()
    scorer = FolderScorer(labels={1: "brain"}, measures=PLAIN)
    found, _ = score(scorer, structures / "ref", structures / "pred")
    assert found["dice", "brain"].reason == "ref has none of the structures asked for"
    scorer = FolderScorer(labels=None, measures=PLAIN)
    found, _ = score(scorer, structures / "ref", tmp_path / "empty")
    assert found["dice", "liver"].status is Status.UNPARSED


def test_structures_are_put_together_to_be_looked_at(structures, write_mask, boxes):
    labels = {2: "liver", 3: "spleen", 4: "nobody"}
    together = read_structures(structures / "ref", labels)
    np.testing.assert_array_equal(
        together.array, boxes((2, A, ALL, ALL), (3, slice(8, 10), ALL, ALL))
    )
    with pytest.raises(ImageError, match="none of those asked for"):
        read_structures(structures / "ref", {1: "brain"})
    write_mask("ref/brain.nii.gz", boxes()[1:])
    with pytest.raises(ImageError, match="brain of another size"):
        read_structures(structures / "ref", {1: "liver", 9: "brain"})
    write_mask("ref/more/liver.nii", boxes())
    with pytest.raises(ImageError, match="two of 'liver'"):
        structure_files(structures / "ref")


def test_a_broken_case_has_a_row_of_every_metric(structures):
    scorer = FolderScorer(labels=None, measures=PLAIN)
    item = Item(
        id="c", benchmark="b", task="t", condition="c", question="?", answer_space=Mask(labels={})
    )
    reply = Response(run="r", item="c", status=Status.OK, request_hash="")
    rows = list(scorer.failed(item, reply, "its process died"))
    assert {row.metric for row in rows} >= {"dice", "lesions_missed", "grid_diagonal_mm"}
    assert {row.status for row in rows} == {Status.FAILED}
    assert scorer.metric == "dice"


def test_structures_with_a_spacing_and_a_broken_file(structures):
    scorer = FolderScorer(labels=None, measures=PLAIN, spacing_mm=(1.0, 1.0, 10.0))
    found, _ = score(scorer, structures / "ref", structures / "pred")
    assert found["reference_ml", "liver"].value == pytest.approx(1.44, abs=1e-12)
    (structures / "ref" / "liver.nii.gz").write_bytes(b"broken")
    found, _ = score(scorer, structures / "ref", structures / "pred")
    assert {row.status for row in found.values()} == {Status.UNDEFINED}


def test_named_labels_of_a_missing_prediction(write_mask, boxes):
    one = write_mask("one.nii.gz", boxes((1, A, ALL, ALL)))
    scorer = FolderScorer(labels={1: "liver"}, measures=PLAIN)
    found, _ = score(scorer, one, None, reason="no mask: expected one")
    assert found["reference_voxels", "liver"].value == 144.0
