from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from overread.benchmarks.ct_bench import layout
from overread.builders.retrieved_exam.lesions import read_lesion_set
from overread.errors import ReleaseError


def _rows(make_row, n: int = 6):
    return [
        make_row(
            lesion_idx=str(i),
            description=f"A nodule of {i + 5} mm in the left lung.",
            patient=i,
            split=("train", "val", "test")[i % 3],
        )
        for i in range(1, n + 1)
    ]


def test_reads_what_a_lesion_is(write_set, make_row) -> None:
    found = read_lesion_set(write_set(_rows(make_row)), seed=1)
    assert [one.lesion_idx for one in found.lesions] == [1, 2, 3, 4, 5, 6]
    assert found.findings == ()
    assert found.patients == 6
    first = found.lesions[0]
    assert (first.split, first.patient, first.size) == ("validation", "1", "20.0 x 10.0 mm")
    assert first.box is not None
    assert first.box.x_max == 40
    assert first.facts.lesions[0].organs == {"lung"}
    assert first.cells["File_name"] == "000001_01_01_010.png"


def test_two_lesions_with_one_id_are_both_left_out(write_set, make_row) -> None:
    rows = [*_rows(make_row), make_row(lesion_idx="3", description="A liver cyst.", patient=9)]
    found = read_lesion_set(write_set(rows), seed=1)
    assert 3 not in {one.lesion_idx for one in found.lesions}
    assert any("its id stands twice" in one.evidence for one in found.findings)


def test_two_rows_of_one_id_in_the_merged_table_are_two_lesions_as_well(
    write_set, make_row
) -> None:
    # one row says patient 3, the other patient 9: whose lesion it is decides its split
    root = write_set([*_rows(make_row), make_row(lesion_idx="3", description="A cyst.", patient=9)])
    metadata = root / layout.METADATA_FILE
    metadata.write_text("".join(metadata.read_text().splitlines(keepends=True)[:-1]))
    found = read_lesion_set(root, seed=1)
    assert [one.lesion_idx for one in found.lesions] == [1, 2, 4, 5, 6]
    assert any("its id stands twice" in one.evidence for one in found.findings)


def test_metadata_is_the_list_of_lesions_and_no_other_table(write_set, make_row) -> None:
    root = write_set(_rows(make_row))
    metadata = root / layout.METADATA_FILE
    lines = metadata.read_text().splitlines(keepends=True)
    metadata.write_text("".join(lines[:4]))
    found = read_lesion_set(root, seed=1)
    assert [one.lesion_idx for one in found.lesions] == [1, 2, 3]
    metadata.write_text(lines[0])
    with pytest.raises(ReleaseError, match=r"no lesion in Metadata\.csv"):
        read_lesion_set(root, seed=1)


def test_another_language_is_said_and_left_for_no_question(write_set, make_row) -> None:
    rows = [
        *_rows(make_row),
        make_row(lesion_idx="7", description="Rundherd im rechten Oberlappen.", patient=7),
    ]
    found = read_lesion_set(write_set(rows), seed=1)
    (finding,) = (one for one in found.findings if "cannot be read" in one.evidence)
    assert "not in English" in finding.evidence
    assert (finding.where, finding.effect) == ("lesion 7", "no question asks about it or offers it")
    assert found.lesions[-1].facts.unreadable is not None


def test_a_patient_in_two_splits_moves_all_of_him_into_one(write_set, make_row) -> None:
    rows = [
        *_rows(make_row, 9),
        make_row(lesion_idx="10", description="A liver cyst.", patient=1, split="test"),
        make_row(lesion_idx="11", description="A renal cyst.", patient=1, split="train"),
    ]
    found = read_lesion_set(write_set(rows), seed=1)
    assert any(one.code == "patient-in-two-splits" for one in found.findings)
    splits: dict[str, set[str]] = {}
    for one in found.lesions:
        splits.setdefault(one.patient, set()).add(one.split)
    assert all(len(each) == 1 for each in splits.values())


@pytest.mark.parametrize("folder", [layout.LESION_NOBOX_FOLDER, layout.LESION_BBOX_FOLDER])
def test_a_lesion_without_a_key_slice_is_left_out(write_set, make_row, folder: str) -> None:
    root = write_set(_rows(make_row))
    (root / folder / "2.png").unlink()
    (root / folder / "4.png").write_bytes(b"nothing")
    found = read_lesion_set(root, seed=1)
    assert {one.lesion_idx for one in found.lesions} == {1, 3, 5, 6}
    assert {one.count for one in found.findings} == {1}


def test_one_picture_under_two_patients_is_in_no_split(write_set, make_row) -> None:
    root = write_set(_rows(make_row))
    folder = root / layout.LESION_NOBOX_FOLDER
    shutil.copy(folder / "1.png", folder / "3.png")  # patients 1 (validation) and 3 (train)
    found = read_lesion_set(root, seed=1)
    assert [one.lesion_idx for one in found.lesions] == [2, 4, 5, 6]
    (finding,) = found.findings
    assert (finding.evidence, finding.count) == ("its picture is another patient's as well", 2)


def test_without_a_patient_splits_cannot_be_proved(write_set, make_row) -> None:
    root = write_set(_rows(make_row))
    (root / layout.MERGED_FILE).unlink()
    with pytest.raises(ReleaseError, match="its patient is unknown"):
        read_lesion_set(root, seed=1)


def test_one_patient_only_is_refused(write_set, make_row) -> None:
    rows = [make_row(lesion_idx=str(i), description="A cyst.", patient=4) for i in range(1, 4)]
    with pytest.raises(ReleaseError, match=r"expected lesions of several patients.*3 lesions of"):
        read_lesion_set(write_set(rows), seed=1)


def test_an_empty_set_and_none_are_refused(write_set, make_row, tmp_path: Path) -> None:
    root = write_set(_rows(make_row))
    (root / layout.METADATA_FILE).write_text("lesion_idx,description,size,dataset\n")
    (root / layout.MERGED_FILE).unlink()
    with pytest.raises(ReleaseError, match=r"no lesion in Metadata\.csv"):
        read_lesion_set(root, seed=1)
    with pytest.raises(ReleaseError, match="nothing there"):
        read_lesion_set(tmp_path / "absent", seed=1)
    shutil.rmtree(root)


def test_an_id_that_is_no_number_is_left_out(write_set, make_row) -> None:
    rows = [*_rows(make_row), make_row(lesion_idx="x9", description="A liver cyst.", patient=9)]
    found = read_lesion_set(write_set(rows), seed=1)
    assert len(found.lesions) == 6
    assert any("no whole number" in one.evidence for one in found.findings)


def test_a_size_that_is_not_read_is_reported(write_set, make_row) -> None:
    rows = [*_rows(make_row), make_row(lesion_idx="7", description="A 1 . 5 cm cyst.", patient=9)]
    found = read_lesion_set(write_set(rows), seed=1)
    (odd,) = [one for one in found.findings if one.code == "size-unreadable"]
    assert (odd.where, odd.count) == ("lesion 7", 1)
    assert "5 cm" in odd.evidence
