"""Rows of hand-made cases, in both profiles."""

from __future__ import annotations

import nibabel
import numpy as np
import pytest

from overread.benchmarks.trials.measures import measure_case, summary
from overread.contracts import Selection
from overread.metrics.click_curve import CLICKS
from overread.metrics.lits_outlines import NO_DISTANCE
from overread.records import Status

SHAPE = (40, 10, 10)
FIRST, SECOND = np.s_[5:11, 2:8, 2:8], np.s_[20:26, 2:8, 2:8]
BLOB = np.s_[0:3, 0:3, 0:3]


def mask(*boxes, shape=SHAPE):
    array = np.zeros(shape, dtype=np.uint8)
    for box in boxes:
        array[box] = 1
    return array


# ---------------------------------------------------------------- segmentation


def test_a_false_blob_that_comes_first(release):
    release.case("venous_0", mask(FIRST, SECOND))
    release.predict("venous_0", mask(BLOB, FIRST, SECOND))
    counts = ("lits_found", "lits_invented", "lits_missed")
    assert [release.value(name, "published")[0] for name in counts] == [1, 2, 1]
    assert [release.value(name, "honest")[0] for name in counts] == [2, 1, 0]
    found = release.estimates()
    assert found["lits_precision", "published"] == pytest.approx(1 / 3)
    assert found["lits_precision", "honest"] == pytest.approx(2 / 3)
    assert found["lits_recall", "published"] == 0.5
    assert found["lits_recall", "honest"] == 1.0
    # Any overlap will do where no union is taken.
    assert found["lits_recall_any", "published"] == found["lits_recall_any", "honest"] == 1.0


def test_dice_of_volumes_and_of_all_voxels(release):
    release.case("venous_0", mask(FIRST))  # 216 voxels, all found
    release.predict("venous_0", mask(FIRST))
    release.case("venous_1", mask(SECOND))  # 216, of which the first 2 planes of 36 are found
    release.predict("venous_1", mask(np.s_[20:22, 2:8, 2:8]))
    found = release.estimates()
    assert release.value("dice", "published") == [1.0, 0.5]
    for profile in ("published", "honest"):
        assert found["dice", profile] == 0.75
        assert found["pooled_dice", profile] == pytest.approx(2 * 288 / (432 + 288))
        # Of found lesions alone: the second overlaps by a third.
        assert found["lits_dice", profile] == 1.0
        assert found["lits_voe", profile] == 0.0
    assert found["lits_dice_all", "honest"] == 0.75
    assert found["lits_dice_missed_0", "honest"] == 0.5


def test_three_volume_differences_tell_their_denominators(release):
    release.case("venous_0", mask(np.s_[0:10, 2:8, 2:8]))
    release.predict("venous_0", mask(np.s_[0:8, 2:8, 2:8]))
    found = release.estimates()
    assert found["lits_rvd", "published"] == pytest.approx(2 / 8)
    assert found["lits_ravd", "honest"] == pytest.approx(2 / 10)


def test_a_missing_mask_is_left_out_as_released_and_counts_as_missed_honestly(release):
    for number in range(2):
        release.case(f"venous_{number}", mask(FIRST, SECOND))
    release.predict("venous_0", mask(FIRST, SECOND))
    rows = [row for row in release.rows("published") if row.item == "venous_1"]
    assert rows
    assert {(row.status, row.reason) for row in rows} == {(Status.FAILED, "no mask")}
    assert release.value("lits_missed") == [0, 2]
    assert release.value("lits_found") == [2, "failed"]
    volume = release.value("reference_ml")[1]
    assert volume > 0
    assert release.value("fnv_ml") == [0, volume]
    assert release.value("fpv_ml") == [0, "failed"]
    found = release.estimates()
    assert (found["dice", "published"], found["dice", "honest"]) == (1.0, 0.5)
    assert (found["lits_recall", "published"], found["lits_recall", "honest"]) == (1.0, 0.5)
    assert found["pooled_dice", "honest"] == pytest.approx(2 * 432 / (432 * 3))
    assert found["lits_dice_all", "honest"] == 0.5


def test_two_empty_masks_are_a_success_as_released_and_nothing_honestly(release):
    release.case("venous_0", mask())
    release.predict("venous_0", mask())
    release.case("venous_1", mask(FIRST))
    release.predict("venous_1", mask(np.s_[5:8, 2:8, 2:8]))
    assert release.value("dice", "published") == [1.0, pytest.approx(2 / 3)]
    assert release.value("lits_case_precision", "published")[0] == 0.0
    assert release.value("dice") == ["undefined", pytest.approx(2 / 3)]
    assert release.estimates()["dice", "honest"] == pytest.approx(2 / 3)


def test_a_found_lesion_has_a_row_of_its_own_and_a_missed_one_too(release):
    release.case("venous_0", mask(FIRST, SECOND))
    release.predict("venous_0", mask(FIRST, BLOB))
    one, two = ("lesion 1", "lesion 2")
    assert release.value("lesion_dice", target=one) == [1.0]
    assert release.value("lesion_dice", target=two) == [0.0]
    assert release.value("lesion_ml", target=two) == [pytest.approx(216 * 2 / 1000)]
    assert release.value("lesion_assd_mm", target=one) == [0.0]
    assert release.value("lesion_assd_mm", target=two) == ["undefined"]
    assert release.value("lesion_found", target=two) == [0.0]


def test_recall_goes_by_the_volume_of_a_lesion(release):
    large = np.s_[0:20, 0:10, 0:10]  # 2,000 voxels of 2 mm³: 4 ml
    small = np.s_[30:32, 0:2, 0:2]
    release.case("venous_0", mask(large, small))
    release.predict("venous_0", mask(large))
    found = release.estimates()
    assert found["lits_recall_large", "honest"] == 1.0
    assert found["lits_recall_small", "honest"] == 0.0
    assert found["lits_recall_middle", "honest"] is None


@pytest.mark.parametrize("profile", ["published", "honest"])
def test_a_mask_of_another_size_is_no_answer(release, profile):
    release.case("venous_0", mask(FIRST))
    release.predict("venous_0", np.ones((4, 4, 4)))
    rows = [row for row in release.rows(profile) if row.metric == "lits_found"]
    assert [row.status for row in rows] == [Status.UNPARSED]
    assert "size" in (rows[0].reason or "")


def test_another_spacing_stops_the_honest_profile_alone(release):
    release.case("venous_0", mask(FIRST))
    release.predict("venous_0", mask(FIRST), spacing_mm=(1.0, 1.0, 5.0))
    assert release.value("dice", "published") == [1.0]
    assert release.value("dice") == ["unparsed"]
    assert release.value("lits_found") == ["unparsed"]
    assert release.value("lits_missed") == [1]


def test_a_label_above_255_does_not_pass_for_a_lesion_honestly(release):
    release.case("venous_0", mask(FIRST))
    labels = mask(FIRST).astype(np.uint16) * 257
    release.masks.mkdir()
    image = nibabel.Nifti1Image(labels, np.diag([1.0, 1.0, 2.0, 1.0]))
    nibabel.save(image, release.masks / "venous_0.nii.gz")
    assert release.value("dice", "published") == [1.0]
    assert release.value("dice") == ["unparsed"]


def test_a_mask_that_was_changed_since_is_not_scored(release):
    release.case("venous_0", mask(FIRST))
    release.predict("venous_0", mask(FIRST))
    opened = release.open()
    item = _only(opened)
    response = release.response("venous_0")
    release.predict("venous_0", mask(SECOND))
    for profile in ("published", "honest"):
        for scorer in opened.scorers(profile):
            if hasattr(scorer, "takes") and not scorer.takes(item):
                continue
            rows = list(scorer.score(item, opened.reference(item.id), response))
            assert {row.status for row in rows if row.metric == scorer.metric} == {Status.FAILED}


def _only(opened):
    return next(opened.items(Selection()))


def test_a_case_whose_scoring_broke_has_its_rows(release):
    release.case("venous_0", mask(FIRST))
    opened = release.open()
    item = _only(opened)
    for profile in ("published", "honest"):
        for scorer in opened.scorers(profile):
            if hasattr(scorer, "takes") and not scorer.takes(item):
                continue
            rows = list(scorer.failed(item, release.response("venous_0"), "out of memory"))
            assert any(row.metric == scorer.metric for row in rows)
            assert {(row.status, row.reason) for row in rows} == {(Status.FAILED, "out of memory")}


def test_the_released_numbers_take_9001_for_no_distance():
    empty = np.zeros((3, 3, 3), dtype=np.bool_)
    full = np.ones((3, 3, 3), dtype=np.bool_)
    nothing = summary([measure_case(full, empty, (1.0, 1.0, 1.0), mended=False)])
    assert (nothing["dice"], nothing["voe"]) == (0.0, 1.0)
    assert {nothing[name] for name in ("rvd", "assd", "rmsd", "msd")} == {NO_DISTANCE}
    assert (nothing["precision"], nothing["recall"]) == (0.0, 0.0)


# ---------------------------------------------------------------- clicks


def curve(release, dice_of):
    """Write a case of ten voxels whose eleven masks have ten voxels each, so many of them right."""
    array = mask(np.s_[0:10, 0:1, 0:1])
    release.case("venous_0", array)
    release.clicks("venous_0")
    for clicks in range(CLICKS):
        right = dice_of(clicks)
        if right is not None:
            boxes = np.s_[0:right, 0:1, 0:1], np.s_[0 : 10 - right, 5:6, 5:6]
            release.predict(f"venous_0_{clicks}", mask(*boxes))


def test_a_steady_rise_has_another_area_and_end_in_the_released_order(release):
    curve(release, lambda clicks: clicks)
    assert release.value("dice", task="interactive") == pytest.approx(
        [clicks / 10 for clicks in range(CLICKS)]
    )
    found = release.estimates("interactive")
    assert found["dice_auc", "honest"] == pytest.approx(5.0)
    assert found["dice_final", "honest"] == pytest.approx(1.0)
    assert found["dice_auc", "published"] == pytest.approx(5.05)
    assert found["dice_final", "published"] == pytest.approx(0.9)
    assert found["dice_auc_per_click", "honest"] == pytest.approx(0.5)
    assert found["dice_after_3", "honest"] == pytest.approx(0.3)


def test_a_constant_dice_of_one_has_an_area_of_ten(release):
    curve(release, lambda clicks: 10)
    found = release.estimates("interactive")
    for profile in ("published", "honest"):
        assert found["dice_auc", profile] == pytest.approx(10.0)
        assert found["dice_auc_per_click", profile] == pytest.approx(1.0)


def test_a_missing_mask_of_a_curve_counts_as_no_overlap(release):
    curve(release, lambda clicks: None if clicks in (4, 10) else 10)
    found = release.estimates("interactive")
    assert found["dice_auc", "honest"] == pytest.approx(10.0 - 1.0 - 0.5)
    assert found["dice_final", "honest"] == 0.0
    assert found["dice_after_4", "honest"] == 0.0


def test_an_empty_mask_has_no_distance_but_in_the_released_mean(release):
    curve(release, lambda clicks: 10)
    release.predict("venous_0_3", mask())
    assert release.value("assd_mm", "published", "interactive")[3] == NO_DISTANCE
    assert release.value("dice", "published", "interactive")[3] == 0.0
    assert release.value("assd_mm", "honest", "interactive")[3] == "undefined"


def test_a_reference_without_lesion_has_no_curve(release):
    release.case("venous_0", mask())
    release.clicks("venous_0")
    for clicks in range(CLICKS):
        release.predict(f"venous_0_{clicks}", mask(FIRST))
    for profile in ("published", "honest"):
        assert set(release.value("dice_curve", profile, "interactive")) == {"undefined"}
        assert set(release.value("curve_cases", profile, "interactive")) == {"undefined"}
    assert release.estimates("interactive")["dice_auc", "honest"] is None


# ---------------------------------------------------------------- plans


def test_a_run_is_estimated_by_what_it_asked(release):
    release.case("venous_0", mask(FIRST))
    opened = release.open()
    lesions, clicks, both = (
        {one.metric for one in opened.plan_for(tasks).also}
        for tasks in (("segmentation",), ("interactive",), ("segmentation", "interactive"))
    )
    assert {one.metric for one in opened.plan().also} == lesions
    assert "lits_recall" in lesions - clicks
    assert "dice_auc" in clicks - lesions
    assert both == lesions | clicks
    # The headline of a run of both is Dice of whole volumes without clicks.
    mixed = opened.plan_for(("segmentation", "interactive"))
    assert mixed.headline_only == {"task": ("segmentation",)}


def test_distances_of_few_patients_have_an_interval(release):
    for number, shift in enumerate((0, 1, 2)):
        release.case(f"venous_{number}", mask(FIRST))
        release.predict(f"venous_{number}", mask(np.s_[5 + shift : 11 + shift, 2:8, 2:8]))
    found = release.total("lits_assd_mm", "honest")
    assert found.low is not None
    assert found.low < found.value < found.high
