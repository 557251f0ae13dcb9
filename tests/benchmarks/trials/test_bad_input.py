"""Masks that are none, and references that cannot be used: rows with a reason, never a number."""

from __future__ import annotations

import nibabel
import numpy as np
import pytest

from overread.benchmarks.trials import BENCHMARK
from overread.contracts import Selection
from overread.errors import UsageError
from overread.metrics.click_curve import CLICKS
from overread.records import Response, Status
from overread.scoring.masks.pair import file_hash

SHAPE = (8, 7, 6)
GOOD = np.zeros(SHAPE, dtype=np.uint8)
GOOD[2:6, 2:6, 2:5] = 1
AFFINE = np.diag([1.0, 1.0, 2.0, 1.0])


def save(path, array, affine=AFFINE):
    path.parent.mkdir(parents=True, exist_ok=True)
    nibabel.save(nibabel.Nifti1Image(array, affine), path)


def write_prediction(release, kind):
    path = release.masks / "venous_0.nii.gz"
    if kind == "cut":
        save(path, np.random.default_rng(0).integers(0, 2, SHAPE).astype(np.uint8))
        path.write_bytes(path.read_bytes()[:-40])
    elif kind == "no mask":
        path.parent.mkdir()
        path.write_bytes(b"hello")
    elif kind == "empty file":
        path.parent.mkdir()
        path.touch()
    else:
        arrays = {
            "fractions": GOOD * np.float32(0.7),
            "no number": np.where(GOOD, np.nan, 0).astype(np.float32),
            "negative": -GOOD.astype(np.int16),
            "4D": np.stack([GOOD, GOOD], axis=-1),
        }
        save(path, arrays[kind])


@pytest.mark.parametrize("profile", ["published", "honest"])
@pytest.mark.parametrize(
    "kind", ["cut", "no mask", "empty file", "fractions", "no number", "negative", "4D"]
)
def test_a_prediction_that_is_no_label_map_is_no_answer(release, kind, profile):
    release.case("venous_0", GOOD)
    write_prediction(release, kind)
    rows = release.rows(profile)
    lacking = [row for row in rows if row.value is None]
    assert {row.status for row in lacking} == {Status.UNPARSED}
    assert all(row.reason and str(release.masks) not in row.reason for row in lacking)
    if profile == "honest":
        assert release.value("lits_missed") == [1.0]


@pytest.mark.parametrize("kind", ["big-endian", "scaled", "whole floats", "not zipped"])
def test_an_odd_file_of_whole_labels_is_read(release, kind):
    release.case("venous_0", GOOD)
    path = release.masks / ("venous_0.nii.gz" if kind == "whole floats" else "venous_0.nii")
    path.parent.mkdir()
    if kind == "whole floats":
        save(path, GOOD.astype(np.float64))
    elif kind == "not zipped":
        save(path, GOOD)
    elif kind == "big-endian":
        header = nibabel.Nifti1Header(endianness=">")
        header.set_data_dtype(">i2")
        nibabel.save(nibabel.Nifti1Image(GOOD.astype(">i2"), AFFINE, header), path)
    else:  # stored as 2, with a slope of one half in the header
        data = bytearray(nibabel.Nifti1Image(GOOD.astype(np.int16) * 2, AFFINE).to_bytes())
        data[112:120] = np.array([0.5, 0.0], dtype="<f4").tobytes()
        path.write_bytes(data)
    opened = release.open()
    (item,) = opened.items(Selection())
    response = Response(
        run="r",
        item=item.id,
        status=Status.OK,
        text=file_hash(path),
        path=str(path),
        request_hash="h",
    )
    for profile in ("published", "honest"):
        rows = {
            row.metric: row.value
            for scorer in opened.scorers(profile)
            if not hasattr(scorer, "takes") or scorer.takes(item)
            for row in scorer.score(item, opened.reference(item.id), response)
            if row.target is None
        }
        assert (rows["dice"], rows["lits_found"]) == (1.0, 1.0)


@pytest.mark.parametrize("profile", ["published", "honest"])
@pytest.mark.parametrize("task", ["segmentation", "interactive"])
def test_a_reference_that_cannot_be_read_scores_nobody(release, task, profile):
    release.case("venous_0", GOOD)
    release.clicks("venous_0")
    for item in ("venous_0", *(f"venous_0_{clicks}" for clicks in range(CLICKS))):
        release.predict(item, GOOD)
    (release.root / "ground_truth/venous_0.nii.gz").write_bytes(b"no mask")
    rows = release.rows(profile, task)
    assert rows
    assert {row.status for row in rows} == {Status.UNDEFINED}
    assert all(row.reason and str(release.root) not in row.reason for row in rows)


def test_a_missing_mask_and_an_unreadable_reference_know_nothing(release):
    release.case("venous_0", GOOD)
    (release.root / "ground_truth/venous_0.nii.gz").write_bytes(b"no mask")
    rows = [row for row in release.rows() if row.metric.startswith("lits")]
    assert {row.value for row in rows} == {None}


@pytest.mark.parametrize("profile", ["published", "honest"])
def test_a_mask_of_a_curve_on_another_grid_is_no_answer(release, profile):
    release.case("venous_0", GOOD)
    release.clicks("venous_0")
    for clicks in range(CLICKS):
        release.predict(f"venous_0_{clicks}", GOOD[:-1])
    rows = [
        row
        for row in release.rows(profile, "interactive")
        if row.metric in ("dice_curve", "dice_last")
    ]
    assert {row.status for row in rows} == {Status.UNPARSED}


@pytest.mark.parametrize("profile", ["published", "honest"])
def test_a_broken_mask_of_a_curve_has_its_rows(release, profile):
    release.case("venous_0", GOOD)
    release.clicks("venous_0")
    opened = release.open()
    for item in opened.items(Selection(tasks=("interactive",))):
        for scorer in opened.scorers(profile):
            if hasattr(scorer, "takes") and not scorer.takes(item):
                continue
            rows = list(scorer.failed(item, release.response(item.id), "killed"))
            assert any(row.metric == scorer.metric for row in rows)
            assert {row.reason for row in rows} == {"killed"}


# ---------------------------------------------------------------- what lies beside a release


def test_odd_tables_of_teams_are_read_as_far_as_they_go(release):
    release.case("venous_0", GOOD)
    team = release.root / "team-x"
    save(team / "predictions/venous_0.nii.gz", GOOD)
    (team / "metrics").mkdir()
    (team / "metrics/metrics.csv").write_text(
        "Metric,Value\nlesion_dice,1.0\nlesion_recall,none\nlesion_precision\nlesion_voe,nan\n"
    )
    cells = {cell.column: cell for cell in release.open().rebuild()}
    assert (cells["lesion_dice"].published, cells["lesion_dice"].recomputed) == (1.0, 1.0)
    assert {cells[f"lesion_{name}"].published for name in ("recall", "precision", "voe")} == {None}


def test_a_team_without_a_table_or_without_masks(release):
    release.case("venous_0", GOOD)
    save(release.root / "team-x/predictions/venous_0.nii.gz", GOOD)
    (release.root / "team-y/predictions").mkdir(parents=True)
    cells = list(release.open().rebuild())
    assert {cell.row for cell in cells} == {"team-x"}
    assert {cell.published for cell in cells} == {None}


def test_a_mask_on_another_grid_stops_a_teams_table(release):
    for number in range(2):
        release.case(f"venous_{number}", GOOD)
        save(release.root / f"team-x/predictions/venous_{number}.nii.gz", GOOD)
    save(release.root / "team-x/predictions/venous_1.nii.gz", GOOD[:-1])
    cells = {cell.column: cell for cell in release.open().rebuild()}
    assert cells["lesion_dice"].recomputed is None
    assert "breaks off at venous_1" in (cells["lesion_dice"].fault or "")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"seed": 1, "size": 3}, "size: expected 4 volumes or more"),
        ({"seed": -1, "size": 4}, "seed: expected a number of 0 or more"),
    ],
)
def test_a_synthetic_release_of_nothing_is_refused(tmp_path, options, words):
    with pytest.raises(UsageError, match=words):
        BENCHMARK.synthesise(tmp_path / "out", **options)


def test_a_synthetic_release_is_not_written_over_another(synthetic):
    with pytest.raises(UsageError, match="OUT: expected a new or empty folder"):
        BENCHMARK.synthesise(synthetic, seed=1, size=4)
