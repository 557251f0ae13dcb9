from __future__ import annotations

import pytest

from overread.benchmarks.trials.layout import CaseName, find_part, natural, phase_of
from overread.errors import ReleaseError


@pytest.mark.parametrize(
    ("case", "phase", "patient"),
    [
        ("venous_11", "venous", "11"),
        ("NCCT_3", "noncontrast", "3"),
        ("non_contrast_3", "noncontrast", "3"),
        ("late_3", "late", "3"),
        ("liver", "liver", "liver"),
        ("venous_", "venous_", "venous_"),
    ],
)
def test_an_id_says_phase_and_patient(case, phase, patient):
    assert CaseName.of(case) == CaseName(phase=phase, patient=patient)


def test_phases_of_one_patient_stay_together():
    names = [CaseName.of(f"{phase}_7") for phase in ("noncontrast", "arterial", "venous", "delay")]
    assert {name.patient for name in names} == {"7"}
    assert len({name.phase for name in names}) == 4


def test_an_unknown_prefix_stands_for_itself():
    assert phase_of("Portal") == "venous"
    assert phase_of("phase2") == "phase2"


def test_numbers_are_sorted_as_numbers():
    assert sorted(["venous_10", "venous_2", "arterial_11"], key=natural) == [
        "arterial_11",
        "venous_2",
        "venous_10",
    ]


def test_ids_come_from_the_list_as_it_is_written(tmp_path):
    (tmp_path / "test.csv").write_bytes(b"\xef\xbb\xbfvenous_3,x\n\nvenous_1\n")
    part = find_part(tmp_path, "")
    assert part is not None
    assert (part.ids, part.blank_lines, part.is_listed) == (("venous_3", "venous_1"), 1, True)


def test_without_a_list_ids_come_from_the_reference_masks(tmp_path):
    folder = tmp_path / "groundtruth"
    folder.mkdir()
    for name in ("venous_10.nii.gz", "venous_9.nii", "notes.txt"):
        (folder / name).touch()
    part = find_part(tmp_path, "")
    assert part is not None
    assert (part.ids, part.truth) == (("venous_9", "venous_10"), "groundtruth")


def test_clicks_may_lie_beside_the_volumes(tmp_path):
    (tmp_path / "test.csv").write_text("venous_1\nvenous_2\n")
    for folder, case in (("inputs", 1), ("inputs", 2), ("clicks", 2)):
        (tmp_path / folder).mkdir(exist_ok=True)
        (tmp_path / folder / f"venous_{case}_clicks.json").touch()
    part = find_part(tmp_path, "")
    assert part is not None
    assert dict(part.click_files) == {
        "venous_1": "inputs/venous_1_clicks.json",
        "venous_2": "clicks/venous_2_clicks.json",
    }


def test_a_folder_of_neither_is_no_part(tmp_path):
    assert find_part(tmp_path, "") is None
    (tmp_path / "ground_truth").mkdir()
    assert find_part(tmp_path, "") is None


@pytest.mark.parametrize("data", [b"\xff\xfe\x00", b"x" * 500], ids=["no text", "a long id"])
def test_a_list_that_is_none_is_refused(tmp_path, data):
    (tmp_path / "test.csv").write_bytes(data)
    with pytest.raises(ReleaseError, match="one id a line"):
        find_part(tmp_path, "")
