from __future__ import annotations

import pytest

from overread.benchmarks.ct_spatialvqa import volumes
from overread.benchmarks.ct_spatialvqa.volumes import VolumeFolder

CASE = "valid_1_a_1.nii.gz"
USUAL = f"valid_fixed/valid_1/valid_1_a/{CASE}"


def touch(root, *paths):
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(b"")


@pytest.mark.parametrize(
    "path",
    [
        CASE,
        f"valid_1_a/{CASE}",
        f"valid_1/valid_1_a/{CASE}",
        USUAL,
        f"dataset/{USUAL}",
        f"a/dataset/{USUAL}",
        f"dataset/data_volumes/dataset/{USUAL}",
        "flat/valid_1_a_1.nii",
        "flat/valid_1_a_1.mha",
    ],
)
def test_a_volume_is_found_at_any_depth(tmp_path, path):
    touch(tmp_path, path, "other/valid_2_a_1.nii.gz")
    folder = VolumeFolder(tmp_path, [CASE])
    assert folder.path_of(CASE) == path
    assert folder.has(CASE)
    assert folder.holds_any


def test_a_folder_of_slices_stands_for_its_case(tmp_path):
    touch(tmp_path, "series/valid_1_a_1/0001.dcm", "series/valid_1_a_1/deep/valid_1_a_1.nii")
    assert VolumeFolder(tmp_path, [CASE]).path_of(CASE) == "series/valid_1_a_1"


def test_the_usual_place_wins_then_the_shallowest(tmp_path):
    touch(tmp_path, f"a/{CASE}", f"b/c/{CASE}")
    assert VolumeFolder(tmp_path, [CASE]).path_of(CASE) == f"a/{CASE}"
    touch(tmp_path, USUAL)
    assert VolumeFolder(tmp_path, [CASE]).path_of(CASE) == USUAL


def test_an_absent_volume_is_expected_at_its_usual_place(tmp_path):
    folder = VolumeFolder(tmp_path, [CASE])
    assert folder.path_of(CASE) == USUAL
    assert not folder.has(CASE)
    assert not folder.holds_any


def test_what_lies_too_deep_is_not_looked_for(tmp_path):
    touch(tmp_path, f"1/2/3/4/5/6/7/{CASE}")
    assert not VolumeFolder(tmp_path, [CASE]).holds_any


def test_a_wrong_folder_is_not_walked_for_ever(tmp_path, monkeypatch):
    monkeypatch.setattr(volumes, "_MOST_FOLDERS", 3)
    touch(tmp_path, *(f"{n}/x" for n in range(9)), f"9/{CASE}")
    assert not VolumeFolder(tmp_path, [CASE]).holds_any


def test_nothing_is_walked_before_a_path_is_needed(tmp_path, monkeypatch):
    monkeypatch.setattr(volumes.os, "walk", None)
    VolumeFolder(tmp_path, [CASE])
