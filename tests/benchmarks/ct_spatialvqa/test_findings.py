from __future__ import annotations

import gzip

import numpy as np
import pytest

from overread.benchmarks.ct_spatialvqa import BENCHMARK, findings, layout
from overread.records import Severity

ONE, TWO, THREE = "valid_1_a_1.nii.gz", "valid_1_b_1.nii.gz", "valid_20_a_2.nii.gz"


def all_volumes(small):
    return [small.volume(layout.volume_path(case)) for case in (ONE, TWO, THREE)]


def test_without_volumes_one_line_says_so_and_nothing_is_wrong(small):
    found = small.finding("no-volumes")
    assert found.severity is Severity.INFO
    assert "--media" in found.remedy
    assert not [f for f in small.open().findings() if f.severity is Severity.ERROR]


def test_with_all_volumes_there_is_nothing_to_say(small):
    all_volumes(small)
    assert not {"no-volumes", "missing-volume", "unreadable-volume"} & small.codes(thorough=True)


def test_a_missing_volume_is_an_error_once_there_are_others(small):
    all_volumes(small)[0].unlink()
    found = small.finding("missing-volume")
    assert (found.severity, found.count, found.where) == ("error", 1, layout.volume_path(ONE))
    assert found.evidence == "1 volumes of 2 questions"


@pytest.mark.parametrize(
    "data", [b"", b"\x1f\x8b", b"no volume at all", b"\x1f\x8b\x08" + b"x" * 99]
)
def test_a_damaged_volume_is_found_by_a_thorough_look(small, data):
    all_volumes(small)[1].write_bytes(data)
    assert "unreadable-volume" not in small.codes()
    assert small.finding("unreadable-volume", thorough=True).count == 1


@pytest.mark.parametrize(
    ("affine", "shape"),
    [
        (np.array([[1, 0.4, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1.0]]), (4, 5, 6)),
        (None, (4, 5, 6, 3)),
    ],
    ids=["sheared", "four dimensions"],
)
def test_a_volume_on_no_grid_is_found_by_a_thorough_look(small, affine, shape):
    all_volumes(small)
    small.volume(layout.volume_path(TWO), affine=affine, shape=shape)
    assert small.finding("unreadable-volume", thorough=True).count == 1


def test_a_volume_without_spacing_is_found_by_a_thorough_look(small):
    file = all_volumes(small)[0]
    header = bytearray(gzip.decompress(file.read_bytes()))
    header[80:84] = b"\0" * 4  # pixdim[1] of the NIfTI-1 header
    header[280:296] = b"\0" * 16  # srow_x
    file.write_bytes(gzip.compress(bytes(header)))
    assert small.finding("unreadable-volume", thorough=True).count == 1


def test_a_link_out_of_the_folder_of_volumes_is_unsafe(small, tmp_path):
    file = all_volumes(small)[2]
    file.rename(tmp_path / "elsewhere.nii.gz")
    file.symlink_to(tmp_path / "elsewhere.nii.gz")
    found = small.finding("unsafe-path")
    assert found.count == 1
    assert "links" in found.remedy
    # With the folder that holds both, the link may be followed.
    inside = BENCHMARK.open(small.root, media=tmp_path)
    assert "unsafe-path" not in {one.code for one in inside.findings()}


def test_reading_stops_when_its_budget_is_spent(small, monkeypatch):
    all_volumes(small)
    monkeypatch.setattr(findings, "_MOST_BYTES_READ", 1)
    assert small.finding("volumes-not-read", thorough=True).count == 2
    assert "volumes-not-read" not in small.codes()


def test_labels_are_counted(small):
    found = small.finding("category-counts", thorough=True)
    assert found.evidence.startswith("Laterality & Bilateral Symmetry: 2; ")
    assert small.finding("misspelt-category").count == 1
    assert small.finding("no-category").where == f"{THREE}::0"


def test_without_a_file_of_categories_there_are_no_counts(small):
    (small.root / layout.CATEGORIES_FILE).unlink()
    assert "no-categories" in small.codes()
    assert not {"category-counts", "no-category", "misspelt-category"} & small.codes(thorough=True)


def test_missing_parts_are_told_and_are_no_errors(small):
    found = [f for f in small.open().findings() if f.code == "missing-part"]
    assert {f.where for f in found} >= {layout.PREDICTIONS_FOLDER, layout.MATRIX_FILE}
    assert {f.severity for f in found} == {Severity.INFO}


def test_a_release_built_from_reports_lacks_no_answers_or_votes(small):
    small.put(layout.BUILT_MARK, "")
    found = [f for f in small.open().findings() if f.code == "missing-part"]
    assert {f.where for f in found} == {layout.CANDIDATES_FILE, layout.REPORTS_FILE}


def test_names_that_tell_no_patient_are_told(small):
    small.pairs["scan seven"] = {"qa_pairs": [{"question": "Where?", "answer": "There."}]}
    small.write()
    found = small.finding("unknown-patient")
    assert (found.where, found.count) == ("scan seven", 1)


@pytest.mark.parametrize("case", ["../../etc/passwd", "/etc/hostname", "a\\b", "x\0y", "~root"])
def test_a_case_that_is_a_path_leads_nowhere(small, case):
    all_volumes(small)
    small.pairs[case] = {"qa_pairs": [{"question": "Where?", "answer": "There."}]}
    small.write()
    (item,) = [item for item in small.items() if item.groups["case"] == case]
    assert item.media[0].paths == (case,)
    assert small.finding("missing-volume").count == 1
