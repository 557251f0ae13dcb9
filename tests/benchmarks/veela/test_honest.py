from __future__ import annotations

from multiprocessing.reduction import ForkingPickler
from pathlib import Path

import numpy as np
import pytest
from tests.benchmarks.veela.tubes import items_of, respond, tube

from overread.benchmarks.veela.honest import VesselScorer
from overread.benchmarks.veela.loader import VeelaRelease
from overread.contracts import CaseScorer
from overread.metrics.chaos import chaos_measures, chaos_scores
from overread.records import Reference, Response, Score, Status

SPACING = (3.0, 2.0, 1.0)


@pytest.fixture
def release(tmp_path: Path, write) -> VeelaRelease:
    """Give a release of the tube: hepatic, with three slices of portal vein at its end."""
    labels = tube().astype(np.uint8)
    labels[32:][labels[32:] > 0] = 2
    write("Test_GT/case_1_gt.nii.gz", labels, spacing=SPACING)
    return VeelaRelease(tmp_path)


def score(release: VeelaRelease, path: Path | None, task: str = "Task01", **changes):
    (item,) = items_of(release, task)
    (scorer,) = release.scorers("honest")
    response = respond(item, path, **changes)
    return by_key(scorer.score(item, release.reference(item.id), response))


def by_key(rows) -> dict[tuple[str, str | None], Score]:
    rows = list(rows)
    found = {(row.metric, row.target): row for row in rows}
    assert len(found) == len(rows)
    assert all((row.value is None) == (row.status is not Status.OK) for row in rows)
    assert {row.profile for row in rows} == {"honest"}
    return found


def values(rows, *names: str, target: str | None = None):
    return [rows[name, target].value for name in names]


NAMES = ("cldice", "iou", "dice", "nsd_1mm", "cal_connectivity", "cal_area_2vx", "cal_length_2vx")


# ---------------------------------------------------------------- known values


@pytest.mark.parametrize(
    ("prediction", "known"),
    [
        (tube(), (1, 1, 1, 1, 1, 1, 1)),
        (tube(last=20), (0.666667, 0.5, 0.666667, 0.676841, 1, 0.566667, 0.571429)),
        (np.roll(tube(), 1, 1), (1, 0.611111, 0.758621, 0.813810, 1, 1, 1)),
        (tube(radius2=16), (1, 0.591837, 0.743590, 0.836448, 1, 1, 1)),
        (np.roll(tube(), 10, 2), (0, 0, 0, 0, 1, 0, 0)),
    ],
    ids=["same", "half", "y", "thick", "apart"],
)
def test_the_tube_on_the_grid_of_its_header(release, write, prediction, known):
    rows = score(release, write("p.nii.gz", prediction, spacing=SPACING))
    assert values(rows, *NAMES) == pytest.approx(known, abs=5e-7)
    assert values(rows, *NAMES, target="vessel") == values(rows, *NAMES)
    assert {row.answer for row in rows.values()} == {"both present"}


def test_the_header_decides_what_a_voxel_is(tmp_path, write):
    """In voxels of 1 mm a shift by one is within 1 mm: 0.813810 is owed to the evaluator's size."""
    write("Test_GT/case_1_gt.nii.gz", tube())
    rows = score(VeelaRelease(tmp_path), write("p.nii.gz", np.roll(tube(), 1, 1)))
    assert rows["nsd_1mm", None].value == 1.0


def test_centrelines_volumes_and_pieces(release, write):
    cut = tube()
    cut[19:21] = False
    rows = score(release, write("p.nii.gz", cut, spacing=SPACING))
    assert values(rows, "cldice", "skeleton_precision", "skeleton_sensitivity") == pytest.approx(
        [0.962963, 1, 26 / 28], abs=5e-7
    )
    assert values(rows, "reference_voxels", "prediction_voxels", "overlap_voxels") == [
        870,
        812,
        812,
    ]
    assert values(rows, "reference_ml", "volume_difference") == pytest.approx(
        [870 * 0.006, -58 / 870]
    )
    assert rows["reference_skeleton_mm", None].value == pytest.approx(81)  # 27 steps of 3 mm
    assert values(rows, "reference_components", "prediction_components", "component_error") == [
        1, 2, 1,
    ]  # fmt: skip
    assert rows["cal_connectivity", None].value == pytest.approx(0.998851, abs=5e-7)
    points = chaos_scores(chaos_measures(tube(), cut, spacing_mm=SPACING))
    assert (points.dice, points.ravd) == (pytest.approx(96.5517), 0.0)  # 6.7 per cent too small
    assert rows["chaos_score", None].value == pytest.approx(points.final)
    assert ("swapped_share", None) not in rows


def test_the_edge_of_the_scan_is_no_border_and_that_of_the_mask_is(tmp_path, write):
    mask = np.zeros((12, 8, 8), bool)
    mask[:6, 2:5, 2:5] = True  # goes on beyond the first slice
    write("Test_GT/case_1_gt.nii.gz", mask, spacing=SPACING)
    other = np.roll(mask, 1, 2)
    rows = score(VeelaRelease(tmp_path), write("p.nii.gz", other, spacing=SPACING))
    points = chaos_scores(chaos_measures(mask, other, spacing_mm=SPACING))
    assert rows["chaos_score", None].value == pytest.approx(points.final)
    within = chaos_scores(chaos_measures(mask[1:], other[1:], spacing_mm=SPACING))
    assert points.assd != within.assd


def test_both_classes_and_their_mean(release, write):
    swapped = tube().astype(np.uint8)
    swapped[20:][swapped[20:] > 0] = 2
    rows = score(release, write("p.nii.gz", swapped, spacing=SPACING), "Task02")
    hepatic, portal = (rows["iou", name].value for name in ("hepatic", "portal"))
    assert (hepatic, portal) == pytest.approx((15 / 27, 3 / 15))
    assert rows["iou", None].value == pytest.approx((15 / 27 + 3 / 15) / 2)
    assert rows["swapped_share", "hepatic"].value == pytest.approx(12 / 27)
    assert rows["swapped_share", "portal"].value == 0.0
    assert rows["reference_voxels", None].value == 870
    lengths = [rows["reference_skeleton_mm", name].value for name in ("hepatic", "portal")]
    assert rows["reference_skeleton_mm", None].value == pytest.approx(sum(lengths))
    assert rows["component_error", None].value == 0.0


# ---------------------------------------------------------------- empty masks


def test_missed_is_zero_where_a_share_can_be(release, write):
    rows = score(release, write("p.nii.gz", np.zeros((40, 30, 30), bool), spacing=SPACING))
    zero = ("cldice", "skeleton_sensitivity", "iou", "dice", "nsd_1mm", "chaos_score")
    assert values(rows, *zero) == [0.0] * 6
    for name in ("hd95_mm", "assd_mm", "skeleton_precision"):
        assert (rows[name, None].status, rows[name, None].reason) == (Status.UNDEFINED, "missed")
    assert {row.answer for row in rows.values()} == {"missed"}


def test_a_class_that_one_mask_alone_has(tmp_path, write):
    """Hepatic veins are in the reference alone, the portal vein in the prediction alone."""
    write("Test_GT/case_1_gt.nii.gz", tube(), spacing=SPACING)
    prediction = write("p.nii.gz", 2 * tube().astype(np.uint8), spacing=SPACING)
    rows = score(VeelaRelease(tmp_path), prediction, "Task02")
    assert [rows["cldice", name].answer for name in ("hepatic", "portal")] == ["missed", "invented"]
    assert [rows["nsd_1mm", name].value for name in ("hepatic", "portal")] == [0.0, None]
    assert rows["swapped_share", "hepatic"].value == 1.0
    assert rows["swapped_share", "portal"].status is Status.UNDEFINED
    # The mean is over what the reference has.
    assert values(rows, "cldice", "iou", "swapped_share") == [0.0, 0.0, 1.0]
    assert rows["cldice", None].answer == "both present"


@pytest.mark.parametrize("how", ["both empty", "invented", "missing"])
def test_an_empty_reference_has_no_share_whatever_is_answered(tmp_path, write, how):
    """Else the number of cases behind a mean would depend on who answers."""
    write("Test_GT/case_1_gt.nii.gz", np.zeros((40, 30, 30), bool), spacing=SPACING)
    release = VeelaRelease(tmp_path)
    if how == "missing":
        rows = score(release, None, status=Status.FAILED, reason="no mask")
    else:
        mask = tube() if how == "invented" else np.zeros((40, 30, 30), bool)
        rows = score(release, write("p.nii.gz", mask, spacing=SPACING))
    reason = "the reference is empty" if how == "missing" else how
    for name in (*NAMES, "chaos_score", "skeleton_sensitivity", "hd95_mm"):
        for target in ("vessel", None):
            row = rows[name, target]
            assert (row.status, row.reason) == (Status.UNDEFINED, reason), (name, target)
    invented = {"both empty": 0.0, "invented": 1.0, "missing": None}[how]
    assert rows["prediction_components", None].value == invented
    assert rows["component_error", None].value == invented


def test_two_empty_masks_have_no_value(tmp_path, write):
    empty = np.zeros((6, 6, 6), bool)
    write("Test_GT/case_1_gt.nii.gz", empty)
    rows = score(VeelaRelease(tmp_path), write("p.nii.gz", empty))
    for name in (*NAMES, "chaos_score", "skeleton_sensitivity"):
        assert (rows[name, None].status, rows[name, None].reason) == (
            Status.UNDEFINED, "both empty",
        )  # fmt: skip
    assert rows["component_error", None].value == 0.0


# ---------------------------------------------------------------- what cannot be scored


def test_a_missing_mask_stays_with_what_is_known(release):
    rows = score(release, None, status=Status.FAILED, reason="no mask: expected case_1.nii")
    assert rows["reference_voxels", None].value == 870
    assert rows["reference_ml", "vessel"].value == pytest.approx(5.22)
    for name in NAMES:
        assert rows[name, None].status is Status.FAILED
        assert rows[name, None].reason == "no mask: expected case_1.nii"


def test_another_grid_is_refused(release, write):
    rows = score(release, write("p.nii.gz", tube(), spacing=(1.0, 1.0, 1.0)))
    assert rows["cldice", None].status is Status.UNPARSED
    assert "spacing: 3 × 2 × 1 mm in the reference" in (rows["cldice", None].reason or "")
    smaller = score(release, write("q.nii.gz", tube()[:, :, 1:], spacing=SPACING))
    assert "size: 40 × 30 × 30 in the reference" in (smaller["iou", None].reason or "")


@pytest.mark.parametrize(
    ("task", "labels", "reason"),
    [
        ("Task01", (1, 2), "label 2 is none of those asked for, 1 (vessel): a mask of Task02?"),
        ("Task02", (1, 5), "label 5 is none of those asked for, 1 (hepatic), 2 (portal)"),
    ],
)
def test_other_labels_are_refused(release, write, task, labels, reason):
    prediction = np.where(tube(), labels[0], 0)
    prediction[:10][prediction[:10] > 0] = labels[1]
    rows = score(release, write("p.nii.gz", prediction, spacing=SPACING), task)
    assert (rows["cldice", None].status, rows["cldice", None].reason) == (Status.UNPARSED, reason)


def test_a_probability_map_is_refused(release, write):
    rows = score(release, write("p.nii.gz", np.where(tube(), 0.7, 0.0), spacing=SPACING))
    assert rows["cldice", None].status is Status.UNPARSED
    assert "p.nii.gz: expected " in (rows["cldice", None].reason or "")
    assert str(release.root) not in (rows["cldice", None].reason or "")


def test_a_file_written_over_since_is_not_scored(release, write):
    path = write("p.nii.gz", tube(), spacing=SPACING)
    (item,) = items_of(release, "Task01")
    response = respond(item, path)
    write("p.nii.gz", tube(last=20), spacing=SPACING)
    (scorer,) = release.scorers("honest")
    rows = by_key(scorer.score(item, release.reference(item.id), response))
    assert rows["cldice", None].status is Status.FAILED
    assert "was changed since" in (rows["cldice", None].reason or "")


def test_an_unusable_reference_is_nobodys_fault(release, write):
    path = write("p.nii.gz", tube(), spacing=SPACING)
    (item,) = items_of(release, "Task01")
    (scorer,) = release.scorers("honest")
    for reference in (
        Reference(item=item.id, answer=None, path="../elsewhere.nii"),
        Reference(item=item.id, answer=None, path="Test_GT/absent_gt.nii"),
        Reference(item=item.id, answer=None, problem="torn"),
    ):
        rows = by_key(scorer.score(item, reference, respond(item, path)))
        assert {row.status for row in rows.values()} == {Status.UNDEFINED}
    lost = by_key(
        scorer.score(
            item,
            Reference(item=item.id, answer=None, path="Test_GT/absent_gt.nii"),
            respond(item, None, status=Status.FAILED, reason="no mask"),
        )
    )
    assert {row.status for row in lost.values()} == {Status.UNDEFINED}


def test_a_case_whose_scoring_broke_has_its_rows(release, write):
    (item,) = items_of(release, "Task02")
    scorer = VesselScorer(root=release.root)
    assert isinstance(scorer, CaseScorer)
    assert ForkingPickler.loads(ForkingPickler.dumps(scorer)) == scorer  # as a pool does
    response = Response(run="r", item=item.id, status=Status.OK, path="p.nii", request_hash="h")
    broken = by_key(scorer.failed(item, response, "its process died"))
    whole = score(release, write("p.nii.gz", tube(), spacing=SPACING), "Task02")
    assert broken.keys() == whole.keys()
    assert {(row.status, row.reason) for row in broken.values()} == {
        (Status.FAILED, "its process died")
    }


def test_whatever_happens_the_rows_are_the_same(release, write):
    """A table of cases has no holes: failed, unparsed and scored ones have rows of one set."""
    whole = score(release, write("p.nii.gz", tube(), spacing=SPACING))
    for rows in (
        score(release, None, status=Status.REFUSED, reason="refused"),
        score(release, None),
        score(release, write("q.nii.gz", np.ones((3, 3, 3), bool))),
    ):
        assert rows.keys() == whole.keys()
