"""The released sample of the repository: two volumes, five lesions, thirteen stored numbers."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from overread.benchmarks.trials import BENCHMARK
from overread.contracts import Selection
from overread.records import Response, Status
from overread.scoring.masks.pair import file_hash

pytestmark = pytest.mark.data

STORED = {
    # eval_scripts/metrics/team-check/metrics.csv
    "lesion_precision": 0.8,
    "lesion_recall": 0.8,
    "lesion_precision_greater_zero": 1.0,
    "lesion_recall_greater_zero": 1.0,
    "lesion_dice": 0.8767814601809033,
    "lesion_jaccard": 0.7816992461567145,
    "lesion_voe": 0.2183007538432856,
    "lesion_rvd": 0.07925593492650387,
    "lesion_assd": 0.5891962909208087,
    "lesion_rmsd": 0.9451723162962817,
    "lesion_msd": 5.4471563162678365,
    "lesion_dice_per_case": 0.8734970954079257,
    "lesion_dice_global": 0.8827353964438224,
}
VOXELS = {"venous_0": (42_258, 38_351, 35_792), "venous_11": (9_406, 8_574, 7_722)}
PER_CASE = {
    # …/per_case_metrics.csv: Dice, then precision and recall at 0.5 and at any overlap
    "venous_0": (0.888039797044995, 2 / 3, 2 / 3, 1.0, 1.0),
    "venous_11": (0.8589543937708565, 1.0, 1.0, 1.0, 1.0),
}


@pytest.fixture(scope="module")
def clone():
    if not os.environ.get("OVERREAD_DATA"):
        pytest.skip("OVERREAD_DATA names no folder of released files")
    folder = Path(os.environ["OVERREAD_DATA"]) / "trials"
    if not folder.is_dir():
        pytest.skip(f"no {folder}")
    return folder


@pytest.fixture(scope="module")
def rows(clone):
    release = BENCHMARK.open(clone)
    masks = clone / "docker/template/sample-test-data/team-check/predictions"
    found = []
    for item in release.items(Selection()):
        path = masks / f"{item.id}.nii.gz"
        response = Response(
            run="r",
            item=item.id,
            status=Status.OK,
            text=file_hash(path),
            path=str(path),
            request_hash="h",
        )
        for profile in ("published", "honest"):
            for scorer in release.scorers(profile):
                if not hasattr(scorer, "takes") or scorer.takes(item):
                    found += scorer.score(item, release.reference(item.id), response)
    return {(row.item, row.profile, row.metric, row.target): row.value for row in found}


def test_twelve_of_thirteen_stored_numbers_come_out_to_the_last_digit(clone):
    cells = {cell.column: cell for cell in BENCHMARK.open(clone).rebuild()}
    assert {name: cell.published for name, cell in cells.items()} == STORED
    off = [name for name, cell in cells.items() if cell.recomputed != cell.published]
    assert off == ["lesion_rvd"]
    # The thirteenth was stored before differences lost their sign.
    difference = cells["lesion_rvd"]
    assert difference.recomputed == pytest.approx(0.080585, abs=5e-7)
    assert difference.corrected == pytest.approx(0.072290, abs=5e-7)
    assert "kept their sign" in (difference.fault or "")


@pytest.mark.parametrize("case", VOXELS)
def test_each_volume_has_its_stored_row(rows, case):
    names = ("dice", *(f"lits_case_{what}" for what in ("precision", "recall")))
    more = tuple(f"lits_case_{what}_any" for what in ("precision", "recall"))
    stored = tuple(rows[case, "published", name, None] for name in (*names, *more))
    assert stored == PER_CASE[case]
    counted = ("reference_voxels", "prediction_voxels", "overlap_voxels")
    for profile in ("published", "honest"):
        assert tuple(rows[case, profile, name, None] for name in counted) == VOXELS[case]


def test_the_two_profiles_agree_where_numbers_line_up(rows):
    for case in VOXELS:
        for name in ("lits_found", "lits_missed", "lits_invented", "lits_dice_sum"):
            assert rows[case, "published", name, None] == rows[case, "honest", name, None]


def test_the_missed_lesion_has_its_own_dice(rows):
    assert rows["venous_0", "honest", "lesion_found", "lesion 1"] == 0.0
    assert rows["venous_0", "honest", "lesion_dice", "lesion 1"] == pytest.approx(
        0.625571, abs=5e-7
    )
    assert rows["venous_0", "honest", "lesion_iou", "lesion 1"] == pytest.approx(0.455150, abs=5e-7)


def test_the_released_clicks_are_whole_and_on_their_lesions(clone):
    import nibabel
    import numpy as np

    release = BENCHMARK.open(clone)
    items = list(release.items(Selection(tasks=("interactive",))))
    assert len(items) == 22
    for case in VOXELS:
        clicks = release.clicks(case)
        assert clicks is not None
        assert (clicks.problems, len(clicks.lesion), len(clicks.background)) == ((), 10, 10)
        reference = release.reference(f"{case}_0").path
        array = np.asanyarray(nibabel.load(clone / reference).dataobj)
        assert all(array[click] == 1 for click in clicks.lesion)
        assert all(array[click] == 0 for click in clicks.background)
