from __future__ import annotations

import json

import nibabel
import numpy as np
import pytest

from overread.benchmarks.trials.clicks import read_clicks
from overread.builders.clicks import build_clicks
from overread.cli import main
from overread.errors import UsageError

LESION = np.zeros((12, 12, 12), dtype=np.uint8)
LESION[2:6, 2:6, 2:6] = 1
LIVER = np.zeros_like(LESION)
LIVER[1:11, 1:11, 1:11] = 1


def write(path, array, spacing_mm=1.0):
    path.parent.mkdir(parents=True, exist_ok=True)
    nibabel.save(nibabel.Nifti1Image(array, np.diag([spacing_mm] * 3 + [1.0])), path)


@pytest.fixture
def folders(tmp_path):
    for case in ("venous_2", "venous_10"):
        write(tmp_path / "lesions" / f"{case}.nii.gz", LESION)
        write(tmp_path / "liver" / f"{case}.nii.gz", LIVER)
    return tmp_path / "lesions", tmp_path / "liver", tmp_path / "out"


def test_every_case_has_ten_clicks_of_each_kind_where_they_belong(folders):
    report = build_clicks(*folders)
    assert report.written == ("venous_2", "venous_10")
    assert (report.without_lesion, report.left_out) == ((), ())
    for case in report.written:
        clicks = read_clicks(folders[2] / f"{case}_clicks.json")
        assert (len(clicks.lesion), len(clicks.background), clicks.problems) == (10, 10, ())
        assert all(LESION[click] for click in clicks.lesion)
        assert all(LIVER[click] and not LESION[click] for click in clicks.background)


def test_a_case_has_the_same_clicks_whatever_else_is_there(folders, tmp_path):
    build_clicks(*folders)
    (folders[0] / "venous_10.nii.gz").unlink()
    again, other = tmp_path / "again", tmp_path / "other"
    build_clicks(*folders[:2], again)
    build_clicks(*folders[:2], other, seed=1)
    name = "venous_2_clicks.json"
    first = (folders[2] / name).read_bytes()
    assert first == (again / name).read_bytes() != (other / name).read_bytes()


def test_two_cases_alike_are_not_clicked_alike(folders):
    build_clicks(*folders)
    one, two = (read_clicks(folders[2] / f"venous_{n}_clicks.json") for n in (2, 10))
    assert one.background != two.background


def test_a_case_without_lesion_has_background_alone(folders):
    write(folders[0] / "venous_2.nii.gz", np.zeros_like(LESION))
    report = build_clicks(*folders)
    assert report.without_lesion == ("venous_2",)
    assert json.loads((folders[2] / "venous_2_clicks.json").read_text())["lesion"] == []


def test_a_case_that_cannot_be_clicked_is_left_out_with_the_reason(folders):
    write(folders[1] / "venous_2.nii.gz", LIVER, spacing_mm=2.0)
    write(folders[0] / "venous_3.nii.gz", LESION)
    (folders[0] / "venous_4.nii.gz").write_bytes(b"no mask")
    write(folders[1] / "venous_4.nii.gz", LIVER)
    report = build_clicks(*folders)
    assert report.written == ("venous_10",)
    reasons = dict(report.left_out)
    assert "two grids" in reasons["venous_2"]
    assert "no mask of the organ" in reasons["venous_3"]
    assert str(folders[0]) not in reasons["venous_4"]


def test_two_masks_of_one_case_are_refused_with_both_names(folders):
    write(folders[0] / "venous_2.nii", LESION)
    with pytest.raises(UsageError, match=r"venous_2\.nii and venous_2\.nii\.gz"):
        build_clicks(*folders)


def test_a_used_folder_and_an_empty_one_are_refused(folders, tmp_path):
    build_clicks(*folders)
    with pytest.raises(UsageError, match="OUT: expected a new or empty folder"):
        build_clicks(*folders)
    with pytest.raises(UsageError, match="LIVERS: expected a folder of masks"):
        build_clicks(folders[0], tmp_path / "nowhere", tmp_path / "new")


def test_the_command_says_what_was_written(folders, capsys):
    with pytest.raises(SystemExit) as stop:
        main(["build", "clicks", *map(str, folders)])
    assert int(stop.value.code or 0) == 0
    assert "clicks of 2 cases" in capsys.readouterr().out
