from __future__ import annotations

from pathlib import Path

import pytest

from overread.builders.tru import read_tru_folder
from overread.errors import ReleaseError
from overread.records import Box


def test_a_line_is_type_then_y_before_x(tmp_path: Path) -> None:
    (tmp_path / "train").mkdir()
    (tmp_path / "train" / "000016_01_01_030.tru").write_text(
        "  6   0.6621   0.6378   0.7112   0.7129\n  6   0.5909   0.1951   0.6938   0.2962\n\n"
    )
    first, second = read_tru_folder(tmp_path).lesions
    assert first.box == Box(x_min=0.6378, y_min=0.6621, x_max=0.7129, y_max=0.7112)
    assert first.box_is_share
    assert (first.coarse_type, first.patient, first.key_slice) == (6, "000016", 30)
    assert (first.stated_split, first.diameters_mm, first.window) == ("train", None, None)
    assert first.cells["File_name"] == "000016_01_01_030.png"
    assert first.cells["Lesion_diameters_Pixel_"] == ""
    assert second.where == "train/000016_01_01_030.tru, line 2"


def test_files_come_in_the_order_of_their_names_whatever_their_folder(tmp_path: Path) -> None:
    for folder, name in (("test", "000002_01_01_001"), ("a/val", "000001_01_01_001")):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / f"{name}.tru").write_text("5 0.1 0.1 0.2 0.2")
    lesions = read_tru_folder(tmp_path).lesions
    assert [lesion.patient for lesion in lesions] == ["000001", "000002"]
    assert [lesion.stated_split for lesion in lesions] == ["validation", "test"]


@pytest.mark.parametrize(
    "line",
    [
        "5 0.1 0.1 0.2",
        "5 0.1 0.1 0.2 0.2 0.3",
        "lung 0.1 0.1 0.2 0.2",
        "5 0.2 0.1 0.1 0.2",
        "5 0.1 0.1 0.2 1.2",
        "5 -0.1 0.1 0.2 0.2",
        "5 nan 0.1 0.2 0.2",
        "9 0.1 0.1 0.2 0.2",
        "5.5 0.1 0.1 0.2 0.2",
        "x" * 100,
    ],
)
def test_a_line_that_is_none_is_left_out_aloud(tmp_path: Path, line: str) -> None:
    (tmp_path / "000001_01_01_001.tru").write_text(f"5 0.1 0.1 0.2 0.2\n{line}\n")
    table = read_tru_folder(tmp_path)
    assert len(table.lesions) == 1
    assert [finding.code for finding in table.findings] == ["lesion-left-out"]


def test_binary_files_and_odd_names_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "000001_01_01_001.tru").write_text("5 0.1 0.1 0.2 0.2")
    (tmp_path / "000001_01_01_002.tru").write_bytes(bytes(range(256)))
    (tmp_path / "notes.tru").write_text("5 0.1 0.1 0.2 0.2")
    (tmp_path / "000001_01_01_003.tru").write_bytes(b"5 " * 2**20)
    table = read_tru_folder(tmp_path)
    assert len(table.lesions) == 1
    assert sum(finding.count for finding in table.findings) >= 3


def test_a_folder_without_any_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ReleaseError, match=r"a folder of \.tru files, .* got none"):
        read_tru_folder(tmp_path)
    (tmp_path / "notes.tru").write_text("5 0.1 0.1 0.2 0.2\n" * 3)
    with pytest.raises(ReleaseError, match=r"not named PPPPPP_SS_RR_KKK.tru \(lines: 3\)"):
        read_tru_folder(tmp_path)


@pytest.mark.data
def test_the_released_slices_are_read(released_slices: Path) -> None:
    table = read_tru_folder(released_slices)
    # 50 files, one with two lesions; patients counted in the file names.
    assert len(table.lesions) == 51
    assert table.findings == ()
    assert len({lesion.patient for lesion in table.lesions}) == 10
    assert {lesion.stated_split for lesion in table.lesions} == {"train", "test"}
