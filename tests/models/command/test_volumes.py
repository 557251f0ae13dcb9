from __future__ import annotations

from pathlib import Path

import pytest

from overread.models.command.volumes import hand_on, volume_kind


def files(folder: Path, *names: str) -> list[Path]:
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        (folder / name).write_text(name)
    return [folder / name for name in names]


@pytest.mark.parametrize(
    ("name", "handed_on", "kind"),
    [
        ("patient_7_lesion.nii.gz", "volume-0.nii.gz", "nifti"),
        ("patient_7.NII", "volume-0.nii", "nifti"),
        ("a.b.mha", "volume-0.mha", "metaimage"),
        ("cell.PNG", "volume-0.png", "picture"),
        ("cell.jpeg", "volume-0.jpeg", "picture"),
    ],
)
def test_a_file_is_copied_under_a_name_that_tells_nothing(
    tmp_path: Path, name: str, handed_on: str, kind: str
) -> None:
    source = files(tmp_path / "release", name)
    copy = hand_on(source, tmp_path / "volume-0")
    assert copy == tmp_path / handed_on
    assert copy.read_text() == name
    assert volume_kind(copy) == kind
    copy.write_text("changed")
    assert source[0].read_text() == name


def test_a_series_is_a_folder_in_the_order_of_its_files(tmp_path: Path) -> None:
    source = files(tmp_path / "release", "lesion_b.dcm", "lesion_a", "IM3")
    copy = hand_on(source, tmp_path / "volume-0")
    assert [(each.name, each.read_text()) for each in sorted(copy.iterdir())] == [
        ("00001.dcm", "lesion_b.dcm"), ("00002.dcm", "lesion_a"), ("00003.dcm", "IM3"),
    ]  # fmt: skip
    assert volume_kind(copy) == "dicom-series"
    # Another question's series of fewer slices leaves nothing of this one.
    again = hand_on(source[:1], tmp_path / "volume-0")
    assert [each.name for each in again.iterdir()] == ["00001.dcm"]


def test_a_series_of_one_slice_is_still_a_folder(tmp_path: Path) -> None:
    copy = hand_on(files(tmp_path / "release", "IM1"), tmp_path / "volume-0")
    assert [each.name for each in copy.iterdir()] == ["00001.dcm"]


def test_a_header_keeps_the_name_of_its_data_file(tmp_path: Path) -> None:
    copy = hand_on(files(tmp_path / "release", "ct.raw", "ct.mhd"), tmp_path / "volume-0")
    assert copy == tmp_path / "volume-0/ct.mhd"
    assert (copy.parent / "ct.raw").read_text() == "ct.raw"
    assert volume_kind(copy) == "metaimage"
