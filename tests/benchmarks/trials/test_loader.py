from __future__ import annotations

import json
import shutil

import numpy as np
import pytest

from overread.benchmarks.trials import BENCHMARK
from overread.benchmarks.trials.layout import SAMPLES
from overread.contracts import Selection
from overread.errors import ReleaseError
from overread.records import Mask, Severity

ARRAY = np.zeros((4, 4, 4), dtype=np.uint8)
ARRAY[1:3, 1:3, 1:3] = 1


def codes(opened, **options):
    return {finding.code for finding in opened.findings(**options)}


def test_a_case_from_file_to_item(release):
    release.case("venous_11", ARRAY)
    volume = release.root / "inputs" / "venous_11_0000.nii.gz"
    volume.parent.mkdir()
    volume.touch()
    opened = release.open()
    (item,) = opened.items(Selection())
    assert (item.id, item.task, item.condition) == ("venous_11", "segmentation", "ct")
    assert item.media[0].paths == ("inputs/venous_11_0000.nii.gz",)
    assert item.answer_space == Mask(labels={1: "lesion"})
    assert item.groups == {"patient": "11", "case": "venous_11"}
    assert (item.strata["phase"], item.strata["centre"]) == ("venous", "not stated")
    reference = opened.reference("venous_11")
    assert (reference.answer, reference.path, reference.problem) == (
        None,
        "ground_truth/venous_11.nii.gz",
        None,
    )


def test_a_case_with_clicks_is_eleven_masks(release):
    release.case("venous_1", ARRAY)
    release.clicks("venous_1", [[i, 0, 0] for i in range(10)])
    opened = release.open()
    assert [item.id for item in opened.items(Selection())] == ["venous_1"]
    items = list(opened.items(Selection(tasks=("interactive",))))
    assert [item.id for item in items] == [f"venous_1_{clicks}" for clicks in range(11)]
    shown = [json.loads(item.question.partition("file: ")[2])["lesion"] for item in items]
    assert [len(clicks) for clicks in shown] == list(range(11))
    assert shown[3] == [[0, 0, 0], [1, 0, 0], [2, 0, 0]]
    chosen = opened.items(Selection(tasks=("interactive",), conditions=("clicks-3",)))
    assert [item.id for item in chosen] == ["venous_1_3"]
    assert {opened.reference(item.id).path for item in items} == {"ground_truth/venous_1.nii.gz"}


def test_a_mask_of_a_curve_never_bears_the_id_of_a_volume(release):
    for case in ("venous_1", "venous_1_1"):
        release.case(case, ARRAY)
    release.clicks("venous_1")
    opened = release.open()
    ids = [item.id for item in opened.items(Selection(tasks=("segmentation", "interactive")))]
    assert len(set(ids)) == len(ids)
    assert "venous_1_1#clicks" in ids


def test_phases_without_any_clicks_are_not_asked_with_clicks(release):
    for case in ("venous_1", "venous_2", "arterial_1"):
        release.case(case, ARRAY)
    release.clicks("venous_1")
    opened = release.open()
    asked = {item.groups["case"] for item in opened.items(Selection(tasks=("interactive",)))}
    assert asked == {"venous_1", "venous_2"}
    (lost,) = (each for each in opened.findings() if each.code == "missing-clicks")
    assert (lost.where, lost.count) == ("venous_2", 1)


def test_a_missing_reference_is_a_finding_and_its_question_stays(release):
    release.case("venous_1", ARRAY)
    with (release.root / "test.csv").open("a") as file:
        file.write("venous_2\n")
    opened = release.open()
    assert len(list(opened.items(Selection()))) == 2
    assert "not there" in (opened.reference("venous_2").problem or "")
    assert "unusable-reference" in codes(opened)


def test_two_references_for_one_case_are_refused_with_both_names(release):
    release.case("venous_1", ARRAY)
    (release.root / "ground_truth" / "venous_1.nii").touch()
    problem = release.open().reference("venous_1").problem or ""
    assert "venous_1.nii.gz" in problem
    assert problem.endswith("venous_1.nii")


def test_an_id_that_leaves_the_release_has_no_reference(release):
    release.case("venous_1", ARRAY)
    with (release.root / "test.csv").open("a") as file:
        file.write("../../venous_2\n")
    opened = release.open()
    assert "climbs out" in (opened.reference("../../venous_2").problem or "")


def test_a_repeated_id_keeps_both_questions(release):
    for _ in range(2):
        release.case("venous_1", ARRAY)
    opened = release.open()
    assert [item.id for item in opened.items(Selection())] == ["venous_1", "venous_1#2"]
    assert "repeated-id" in codes(opened)


def test_an_id_without_number_and_blank_lines_are_said(release):
    release.case("liver", ARRAY)
    with (release.root / "test.csv").open("a") as file:
        file.write("\n")
    assert {"odd-id", "blank-line", "no-volumes"} <= codes(release.open())


def test_a_thorough_look_reads_references(release):
    release.case("venous_1", np.zeros((3, 3, 3)))
    release.case("venous_2", ARRAY)
    (release.root / "ground_truth/venous_2.nii.gz").write_bytes(b"no mask")
    release.case("venous_3", ARRAY * 2)  # labels that are no lesion
    quick, thorough = (codes(release.open(), thorough=each) for each in (False, True))
    assert not quick & {"empty-reference", "unreadable-reference"}
    assert {"empty-reference", "unreadable-reference"} <= thorough
    (empty,) = (
        one for one in release.open().findings(thorough=True) if one.code == "empty-reference"
    )
    assert (empty.evidence, empty.count) == ("venous_1, venous_3 (labels 2)", 2)


def test_centres_come_from_a_file_of_ones_own(release):
    for case in ("venous_1", "arterial_1", "venous_2"):
        release.case(case, ARRAY)
    (release.root / "centres.csv").write_text("1,Cairo\nvenous_2,Guangzhou\n")
    centres = [item.strata["centre"] for item in release.open().items(Selection())]
    assert centres == ["Cairo", "Cairo", "Guangzhou"]


def test_volumes_may_lie_elsewhere(release, tmp_path):
    release.case("venous_1", ARRAY)
    media = tmp_path / "ct" / "imagesTs"
    media.mkdir(parents=True)
    (media / "venous_1_0000.nii.gz").touch()
    opened = BENCHMARK.open(release.root, media=tmp_path / "ct")
    (item,) = opened.items(Selection())
    assert item.media[0].paths == ("imagesTs/venous_1_0000.nii.gz",)
    assert opened.media_root == tmp_path / "ct"
    with pytest.raises(ReleaseError, match="--media: expected a folder of CT volumes"):
        BENCHMARK.open(release.root, media=tmp_path / "nowhere")


def test_a_clone_of_the_repository_is_a_release(release, tmp_path):
    release.case("venous_1", ARRAY)
    release.clicks("venous_1")
    clone = tmp_path / "clone"
    for folder in SAMPLES.values():
        shutil.copytree(release.root, clone / folder)
    shutil.rmtree(clone / SAMPLES["segmentation"] / "clicks")
    opened = BENCHMARK.open(clone)
    tasks = ("segmentation", "interactive")
    items = list(opened.items(Selection(tasks=tasks)))
    assert [sum(item.task == task for item in items) for task in tasks] == [1, 11]
    folders = {opened.reference(item.id).path for item in items}
    assert folders == {f"{each}/ground_truth/venous_1.nii.gz" for each in SAMPLES.values()}


def test_the_fingerprint_follows_references_and_clicks(release):
    release.case("venous_1", ARRAY)
    release.clicks("venous_1")
    first = release.open().fingerprint
    assert release.open().fingerprint == first
    release.clicks("venous_1", [[3, 3, 3]])
    second = release.open().fingerprint
    assert second != first
    release.predict("x", ARRAY)  # beside it
    assert release.open().fingerprint == second


# ---------------------------------------------------------------- synthetic


def test_a_synthetic_release_has_four_phases_and_clicks(synthetic):
    opened = BENCHMARK.open(synthetic)
    items = list(opened.items(Selection()))
    assert {item.strata["phase"] for item in items} == {
        "noncontrast",
        "arterial",
        "venous",
        "delayed",
    }
    assert {item.groups["patient"] for item in items} == {"0", "1", "2"}
    assert all(item.strata["centre"] != "not stated" for item in items)
    assert len(list(opened.items(Selection(tasks=("interactive",))))) == 3 * 11
    found = opened.findings(thorough=True)
    assert [each for each in found if each.severity is not Severity.INFO] == []
    assert "synthetic" in opened.notes()[0]


def test_the_stored_tables_of_a_synthetic_release_come_out_but_for_the_sign(synthetic):
    cells = list(BENCHMARK.open(synthetic).rebuild())
    assert len(cells) == 26
    off = [
        (cell.row, cell.column)
        for cell in cells
        if cell.published is None or cell.published != cell.recomputed
    ]
    assert set(off) <= {("team-careful", "lesion_rvd"), ("team-eager", "lesion_rvd")}
    assert ("team-eager", "lesion_rvd") in off
    faults = {(cell.row, cell.column): cell.fault or "" for cell in cells}
    assert "missing masks are left out: 1" in faults["team-eager", "lesion_recall"]
    assert "missing" not in faults["team-careful", "lesion_recall"]
    assert "kept their sign" in faults["team-eager", "lesion_rvd"]
    moved = {cell.column: cell.corrected for cell in cells if cell.row == "team-eager"}
    shown = {cell.column: cell.recomputed for cell in cells if cell.row == "team-eager"}
    assert moved["lesion_dice_per_case"] < shown["lesion_dice_per_case"]
