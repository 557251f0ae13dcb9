"""Rows of the honest scorer of masks: every fate of a mask, and everything that may be wrong."""

from __future__ import annotations

import hashlib
import os
import pickle  # noqa: TID251  as between two processes of ours
from pathlib import Path

import numpy as np
import pytest

from overread.contracts import CaseScorer
from overread.errors import UsageError
from overread.records import Item, Mask, Reference, Response, Status, Text
from overread.scoring.masks.standard import MaskScorer

LESION = {1: "lesion"}
ORGANS = {1: "liver", 2: "spleen", 3: "kidney"}
A, B, ALL = slice(2, 6), slice(4, 8), slice(1, 7)


def item(labels) -> Item:
    return Item(
        id="case",
        benchmark="b",
        task="t",
        condition="c",
        question="Where?",
        answer_space=Mask(labels=labels),
        groups={"patient": "p"},
    )


def response(path, *, status=Status.OK, text=None, reason=None) -> Response:
    return Response(
        run="r",
        item="case",
        status=status,
        path=None if path is None else str(path),
        text=text,
        reason=reason,
        request_hash="h",
    )


def rows(scorer, reply, *, reference="reference.nii.gz", problem=None):
    given = Reference(item="case", answer=None, path=reference, problem=problem)
    found = list(scorer.score(item(scorer.labels), given, reply))
    assert {(row.run, row.item, row.patient, row.profile) for row in found} == {
        ("r", "case", "p", scorer.profile)
    }
    keyed = {(row.metric, row.target): row for row in found}
    assert len(keyed) == len(found)
    assert all((row.value is None) == (row.status is not Status.OK) for row in found)
    return keyed


@pytest.fixture
def scorer(tmp_path: Path) -> MaskScorer:
    return MaskScorer(root=tmp_path, labels=LESION, lesions="any overlap", skeleton=True)


def test_two_shifted_boxes_have_the_values_of_a_hand_calculation(scorer, write_mask, boxes):
    # 4 × 6 × 6 = 144 voxels each, two of four planes shared: 72 in both.
    write_mask("reference.nii.gz", boxes((1, A, ALL, ALL)), spacing_mm=(2.0, 1.0, 1.0))
    path = write_mask("out.nii.gz", boxes((1, B, ALL, ALL)), spacing_mm=(2.0, 1.0, 1.0))
    found = rows(scorer, response(path))
    for target in ("lesion", None):
        value = {name: row.value for (name, of), row in found.items() if of == target}
        assert value["dice"] == 0.5
        assert value["iou"] == pytest.approx(1 / 3, abs=1e-15)
        assert value["hd_mm"] == value["hd95_mm"] == 4.0
        assert (value["reference_voxels"], value["prediction_voxels"]) == (144.0, 144.0)
        assert value["overlap_voxels"] == 72.0
        assert value["reference_ml"] == value["prediction_ml"] == pytest.approx(0.288, abs=1e-12)
        assert value["volume_difference"] == 0.0
        assert (value["lesions_found"], value["lesions_missed"]) == (1.0, 0.0)
        assert (value["lesions_invented"], value["fpv_ml"], value["fnv_ml"]) == (0.0, 0.0, 0.0)
    assert {row.answer for row in found.values()} == {"both present"}
    # 24, 10 and 8 mm.
    assert found["grid_diagonal_mm", None].value == pytest.approx(740**0.5, abs=1e-12)
    assert ("grid_diagonal_mm", "lesion") not in found


def test_a_missed_lesion_has_a_dice_of_0_and_no_distance(scorer, write_mask, boxes):
    write_mask("reference.nii.gz", boxes((1, A, ALL, ALL)))
    found = rows(scorer, response(write_mask("out.nii.gz", boxes())))
    assert {row.answer for row in found.values()} == {"missed"}
    assert found["dice", None].value == 0.0
    assert found["volume_difference", None].value == -1.0
    assert found["lesions_missed", None].value == 1.0
    assert found["fnv_ml", None].value == pytest.approx(0.144, abs=1e-12)
    assert found["nsd_1mm", None].value == 0.0  # nothing of the reference's surface is found
    for name in ("hd_mm", "hd95_mm", "assd_mm"):
        row = found[name, None]
        assert (row.value, row.status, row.reason) == (None, Status.UNDEFINED, "missed")


def test_an_invented_lesion_costs_volume_and_has_no_false_negative_one(scorer, write_mask, boxes):
    write_mask("reference.nii.gz", boxes())
    found = rows(scorer, response(write_mask("out.nii.gz", boxes((1, A, ALL, ALL)))))
    assert {row.answer for row in found.values()} == {"invented"}
    assert found["fpv_ml", None].value == pytest.approx(0.144, abs=1e-12)
    assert found["lesions_invented", None].value == 1.0
    # Whoever answers: else the number of cases behind a mean would depend on the model.
    for name in ("dice", "iou", "cldice", "nsd_1mm", "fnv_ml", "hd95_mm", "volume_difference"):
        row = found[name, "lesion"]
        assert (row.value, row.status, row.reason) == (None, Status.UNDEFINED, "invented")


def test_two_empty_masks_agree_and_have_no_dice(scorer, write_mask, boxes):
    write_mask("reference.nii.gz", boxes())
    found = rows(scorer, response(write_mask("out.nii.gz", boxes())))
    assert {row.answer for row in found.values()} == {"both empty"}
    for name in ("dice", "iou", "cldice", "hd_mm", "fnv_ml"):
        row = found[name, None]
        assert (row.value, row.status, row.reason) == (None, Status.UNDEFINED, "both empty")
    assert found["reference_voxels", None].value == 0.0
    assert found["fpv_ml", None].value == 0.0


def test_several_labels_are_averaged_over_those_of_the_reference(tmp_path, write_mask, boxes):
    reference = boxes((1, A, ALL, ALL), (2, slice(8, 10), ALL, ALL))
    prediction = boxes((1, B, ALL, ALL), (2, slice(8, 10), ALL, ALL), (3, slice(0, 1), ALL, ALL))
    write_mask("reference.nii.gz", reference)
    scorer = MaskScorer(root=tmp_path, labels=ORGANS)
    found = rows(scorer, response(write_mask("out.nii.gz", prediction)))
    assert [found["dice", name].value for name in ORGANS.values()] == [0.5, 1.0, None]
    assert found["dice", None].value == 0.75
    assert found["hd95_mm", None].value == 1.0  # 2 mm and 0 mm
    assert found["hd95_mm", "kidney"].answer == found["hd95_mm", "kidney"].reason == "invented"
    assert found["reference_voxels", None].value == 216.0
    assert found["prediction_voxels", None].value == 252.0


def test_a_missed_structure_leaves_no_mean_distance(tmp_path, write_mask, boxes):
    write_mask("reference.nii.gz", boxes((1, A, ALL, ALL), (2, slice(8, 10), ALL, ALL)))
    path = write_mask("out.nii.gz", boxes((1, A, ALL, ALL)))
    found = rows(MaskScorer(root=tmp_path, labels=ORGANS), response(path))
    assert found["dice", None].value == 0.5
    row = found["hd95_mm", None]
    assert (row.value, row.status) == (None, Status.UNDEFINED)
    assert row.reason == ("no mean: 1 of 2 labels of the reference have no value: spleen (missed)")


def test_a_missing_prediction_leaves_what_the_reference_has(scorer, write_mask, boxes):
    write_mask("reference.nii.gz", boxes((1, A, ALL, ALL), (1, slice(8, 9), ALL, ALL)))
    reply = response(None, status=Status.FAILED, reason="no mask: expected out/case.nii.gz")
    found = rows(scorer, reply)
    known = {"reference_voxels": 180.0, "reference_ml": 0.18, "lesions_missed": 2.0}
    for target in ("lesion", None):
        for name, value in known.items():
            assert found[name, target].value == pytest.approx(value, abs=1e-12)
    for (name, target), row in found.items():
        assert row.answer is None
        if name not in (*known, "grid_diagonal_mm"):
            assert (row.status, row.reason) == (Status.FAILED, reply.reason), (name, target)


@pytest.mark.parametrize("how", ["both empty", "invented", "missing", "another grid"])
def test_an_empty_reference_has_no_overlap_whatever_is_answered(scorer, write_mask, boxes, how):
    write_mask("reference.nii.gz", boxes())
    masks = {"both empty": boxes(), "invented": boxes((1, A, ALL, ALL))}
    spacing_mm = (1.0, 1.0, 2.0 if how == "another grid" else 1.0)
    path = write_mask("out.nii.gz", masks.get(how, boxes()), spacing_mm=spacing_mm)
    reply = response(path)
    if how == "missing":
        reply = response(None, status=Status.FAILED, reason="no mask: expected case.nii.gz")
    found = rows(scorer, reply)
    of_reference = ("dice", "iou", "hd_mm", "hd95_mm", "assd_mm", "nsd_2mm", "cldice", "fnv_ml")
    for name in (*of_reference, "volume_difference"):
        for target in ("lesion", None):
            assert found[name, target].status is Status.UNDEFINED, name
    # What an answer would have added is not known without one: the case stays with these.
    lost = {"missing": Status.FAILED, "another grid": Status.UNPARSED}.get(how, Status.OK)
    for name in ("fpv_ml", "lesions_invented", "prediction_voxels"):
        assert found[name, "lesion"].status is lost
    assert found["reference_voxels", "lesion"].value == 0.0


def test_a_label_that_the_reference_lacks_has_no_overlap_without_a_mask(
    tmp_path, write_mask, boxes
):
    write_mask("reference.nii.gz", boxes((1, A, ALL, ALL)))
    scorer = MaskScorer(root=tmp_path, labels=ORGANS)
    found = rows(scorer, response(None, status=Status.FAILED, reason="no mask"))
    assert found["dice", "liver"].status is Status.FAILED
    assert found["dice", "spleen"].status is Status.UNDEFINED
    assert found["dice", "spleen"].reason == "the reference is empty"
    assert found["dice", None].status is Status.FAILED  # the mean over what the reference has


def test_a_mask_on_another_grid_is_refused_with_both_values(scorer, write_mask, boxes):
    array = boxes((1, A, ALL, slice(0, 3)))
    write_mask("reference.nii.gz", array)
    path = write_mask("out.nii.gz", array[::-1], affine=np.diag([-1.0, 1.0, 1.0, 1.0]))
    found = rows(scorer, response(path))
    row = found["dice", None]
    assert row.status is Status.UNPARSED
    assert row.reason is not None
    assert "direction: RAS in the reference, LAS in the prediction" in row.reason
    assert str(path.parent) not in row.reason
    assert found["reference_voxels", "lesion"].value == 72.0


def test_a_mask_on_another_grid_can_be_resampled(tmp_path, write_mask, boxes):
    array = boxes((1, A, ALL, slice(0, 3)))
    write_mask("reference.nii.gz", array)
    affine = np.diag([-1.0, 1.0, 1.0, 1.0])
    affine[0, 3] = 11.0
    path = write_mask("out.nii.gz", np.ascontiguousarray(array[::-1]), affine=affine)
    scorer = MaskScorer(root=tmp_path, labels=LESION, on_mismatch="nearest")
    row = rows(scorer, response(path))["dice", None]
    assert row.value == 1.0
    assert (row.reason or "").endswith("resampled to the reference's grid by the nearest voxel")


def test_what_the_geometry_doctor_saw_is_told_of_a_mask_that_is_scored(tmp_path, write_mask, boxes):
    array = boxes((1, A, ALL, slice(0, 3)))
    write_mask("reference.nii.gz", array)
    turned = np.ascontiguousarray(array[::-1])
    turned[0, 0, 0] = 9
    scorer = MaskScorer(root=tmp_path, labels=LESION)
    found = rows(scorer, response(write_mask("out.nii.gz", turned)))
    assert found["dice", None].value == 0.0
    assert found["dice", None].reason == (
        "With axis 1 reversed the prediction would reach a Dice of 0.993 (as stored: 0.000); "
        "labels that nobody named: 9"
    )
    assert found["dice", "lesion"].reason is None
    assert found["iou", None].reason is None


def test_probabilities_and_broken_files_are_no_mask(scorer, write_mask, boxes, tmp_path):
    write_mask("reference.nii.gz", boxes((1, A, ALL, ALL)))
    soft = write_mask("soft.nii.gz", (boxes((1, A, ALL, ALL)) * 0.7).astype(np.float32))
    row = rows(scorer, response(soft))["dice", "lesion"]
    assert row.status is Status.UNPARSED
    assert "a map of probabilities" in (row.reason or "")
    broken = tmp_path / "broken.nii.gz"
    broken.write_bytes(b"no mask at all")
    assert rows(scorer, response(broken))["dice", None].status is Status.UNPARSED


def test_a_mask_without_a_named_label_is_foreign(tmp_path, write_mask, boxes):
    write_mask("reference.nii.gz", boxes((1, A, ALL, ALL)))
    scorer = MaskScorer(root=tmp_path, labels=LESION)
    row = rows(scorer, response(write_mask("out.nii.gz", boxes((255, A, ALL, ALL)))))["dice", None]
    assert row.status is Status.UNPARSED
    assert row.reason == (
        "labels 255 and none of those asked for: 1 (lesion); label 255 of the prediction lies "
        "where label 1 of the reference is (Dice 1.000)"
    )
    path = write_mask("out.nii.gz", boxes((1, A, ALL, ALL), (9, slice(8, 9), ALL, ALL)))
    assert rows(scorer, response(path))["dice", None].value == 1.0


def test_a_file_that_was_written_again_is_not_scored_as_this_answer(scorer, write_mask, boxes):
    write_mask("reference.nii.gz", boxes((1, A, ALL, ALL)))
    path = write_mask("out.nii.gz", boxes((1, A, ALL, ALL)))
    text = f"sha256:{hashlib.sha256(path.read_bytes()).hexdigest()}"
    assert rows(scorer, response(path, text=text))["dice", None].value == 1.0
    write_mask("out.nii.gz", boxes((1, B, ALL, ALL)))
    os.utime(path, ns=(1, 1))
    row = rows(scorer, response(path, text=text))["dice", None]
    assert row.status is Status.FAILED
    assert "out.nii.gz was changed" in (row.reason or "")


@pytest.mark.parametrize("name", ["absent.nii.gz", "../reference.nii.gz"])
def test_without_a_reference_nobody_is_scored(scorer, write_mask, boxes, name):
    path = write_mask("out.nii.gz", boxes((1, A, ALL, ALL)))
    for reply in (response(path), response(None, status=Status.FAILED, reason="none")):
        found = rows(scorer, reply, reference=name)
        assert {row.status for row in found.values()} == {Status.UNDEFINED}
    found = rows(scorer, response(path), problem="the annotators disagree")
    assert {row.reason for row in found.values()} == {"the annotators disagree"}


def test_a_broken_case_has_all_its_rows(scorer):
    reply = response("out.nii.gz")
    found = list(scorer.failed(item(LESION), reply, "its process died"))
    assert {(row.status, row.reason) for row in found} == {(Status.FAILED, "its process died")}
    assert ("lesions_missed", "lesion") in {(row.metric, row.target) for row in found}


def test_the_scorer_can_be_sent_to_another_process(scorer):
    assert isinstance(scorer, CaseScorer)
    assert pickle.loads(pickle.dumps(scorer)) == scorer
    assert scorer.metric == "dice"


def test_only_items_that_ask_for_a_mask_are_taken(scorer):
    words = Item(
        id="case", benchmark="b", task="t", condition="c", question="?", answer_space=Text()
    )
    with pytest.raises(UsageError, match="Mask"):
        list(scorer.score(words, Reference(item="case", answer="x"), response(None)))


def test_a_picture_without_a_voxel_size_has_overlaps_and_no_distances(tmp_path):
    from PIL import Image

    array = np.zeros((20, 30), np.uint8)
    array[5:10, 5:15] = 1
    for name in ("reference.png", "out.png"):
        Image.fromarray(array).save(tmp_path / name)
    scorer = MaskScorer(root=tmp_path, labels=LESION, lesions=("iou", 0.5))
    found = rows(scorer, response(tmp_path / "out.png"), reference="reference.png")
    assert found["dice", None].value == 1.0
    assert found["lesions_found", None].value == 1.0
    for name in ("hd_mm", "reference_ml", "fpv_ml", "grid_diagonal_mm"):
        assert found[name, None].reason == "no voxel size is stated"
    # A missed one has no surface Dice either: else a mean would be over the missed alone.
    Image.fromarray(np.zeros_like(array)).save(tmp_path / "none.png")
    found = rows(scorer, response(tmp_path / "none.png"), reference="reference.png")
    assert (found["dice", None].value, found["nsd_2mm", None].value) == (0.0, None)
    assert found["nsd_2mm", None].reason == "no voxel size is stated"


def test_items_that_ask_for_words_are_left_to_others(scorer):
    words = Item(
        id="case", benchmark="b", task="t", condition="c", question="?", answer_space=Text()
    )
    assert scorer.takes(item(LESION))
    assert not scorer.takes(words)


def test_a_missed_picture_leaves_what_is_known_without_a_voxel_size(tmp_path):
    from PIL import Image

    array = np.zeros((20, 30), np.uint8)
    array[5:10, 5:15] = 1
    Image.fromarray(array).save(tmp_path / "reference.png")
    scorer = MaskScorer(root=tmp_path, labels=LESION)
    reply = response(None, status=Status.REFUSED, reason="blocked")
    found = rows(scorer, reply, reference="reference.png")
    assert found["reference_voxels", None].value == 50.0
    for name in ("reference_ml", "grid_diagonal_mm", "dice"):
        assert (found[name, None].status, found[name, None].reason) == (Status.REFUSED, "blocked")


def test_a_reply_without_a_file_is_no_answer(scorer, write_mask, boxes):
    write_mask("reference.nii.gz", boxes((1, A, ALL, ALL)))
    row = rows(scorer, response(None))["dice", None]
    assert (row.status, row.reason) == (Status.UNPARSED, "a reply without a mask")
    assert rows(scorer, response(None))["lesions_missed", None].value == 1.0


def test_a_mask_that_does_not_say_where_it_lies_cannot_be_resampled(tmp_path, write_mask, boxes):
    write_mask("reference.nii.gz", boxes((1, A, ALL, ALL)))
    path = write_mask("out.nii", boxes((1, A, ALL, ALL))[:-1])
    raw = bytearray(path.read_bytes())
    raw[252:256] = bytes(4)  # no qform, no sform
    path.write_bytes(raw)
    scorer = MaskScorer(root=tmp_path, labels=LESION, on_mismatch="nearest")
    row = rows(scorer, response(path))["dice", None]
    assert row.status is Status.UNPARSED
    assert "a header that says where the voxels lie" in (row.reason or "")


def test_several_labels_without_any_value_say_why(tmp_path):
    from PIL import Image

    array = np.zeros((20, 30), np.uint8)
    array[5:10, 5:15], array[12:14, 3:9] = 1, 2
    for name in ("reference.png", "out.png"):
        Image.fromarray(array).save(tmp_path / name)
    scorer = MaskScorer(root=tmp_path, labels=ORGANS)
    found = rows(scorer, response(tmp_path / "out.png"), reference="reference.png")
    assert found["hd_mm", None].reason == "no voxel size is stated"
    assert found["reference_ml", None].reason == "no voxel size is stated"
    Image.fromarray(array * 0).save(tmp_path / "empty.png")
    found = rows(scorer, response(tmp_path / "out.png"), reference="empty.png")
    assert found["dice", None].reason == "invented"
    assert found["dice", "liver"].value is None
