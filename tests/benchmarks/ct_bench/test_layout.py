from __future__ import annotations

import csv
import dataclasses

import pytest

from overread.benchmarks.ct_bench import layout
from overread.errors import UsageError

DEEPLESION = layout.DeepLesionRow(
    file_name="000001_01_02_103.png",
    patient_index=1,
    study_index=1,
    series_id=2,
    key_slice_index=103,
    measurement_px=(233.537, 95.0204, 234.057, 106.977, 231.169, 101.605, 236.252, 101.143),
    box_px=(226.169, 90.0204, 241.252, 111.977),
    diameters_px=(11.9677, 5.10387),
    normalised_location=(0.44666, 0.283794, 0.434454),
    coarse_type=3,
    possibly_noisy=False,
    slice_range=(99, 107),
    spacing_mm=(0.488281, 0.488281, 5.0),
    image_size=(512, 512),
    window_hu=(-175.0, 275.0),
    gender="F",
    age=62,
    train_val_test=3,
)
LESION = layout.LesionRow(
    lesion_idx=7,
    description='A node, "necrotic",\nin the mediastinum.',
    size="23.4 x 15.1 mm",
    dataset="test",
    deeplesion=DEEPLESION,
    lesion_type="node",
    body_part="mediastinum",
    imaging_property="",
)


def test_settings_add_up_to_the_printed_totals():
    # arXiv 2602.14879: 1,900 test questions, 950 validation questions, 100 reader cases
    # of which 55 with a box; 900 test questions without a box.
    assert len(layout.SETTINGS) == 13
    assert sum(s.test for s in layout.SETTINGS) == 1900
    assert sum(s.test for s in layout.SETTINGS if s.bbox_type == "nobox") == 900
    assert sum(s.validation for s in layout.SETTINGS) == 950
    assert sum(s.reader_cases for s in layout.SETTINGS) == 100
    assert sum(s.reader_cases for s in layout.SETTINGS if s.bbox_type == "bbox") == 55


def test_the_blank_before_csv_is_real():
    assert layout.MERGED_FILE.endswith("Metadata .csv")


def test_tables_survive_quotes_and_newlines(tmp_path):
    layout.write_tables(tmp_path, [LESION])
    with (tmp_path / layout.MERGED_FILE).open(newline="", encoding="utf-8") as file:
        (row,) = csv.DictReader(file)
    assert tuple(row) == layout.MERGED_COLUMNS
    assert row["description"] == LESION.description
    assert row["Measurement_coordinates"].startswith("233.54, 95.02, 234.06, 106.98")
    assert row["Series_ID"] == "02"
    assert row["Image_size"] == "512, 512"
    assert row["Spacing_mm_px_"] == "0.48828, 0.48828, 5"
    assert row["Train_Val_Test"] == "3"
    with (tmp_path / layout.METADATA_FILE).open(newline="", encoding="utf-8") as file:
        assert next(csv.reader(file)) == ["lesion_idx", "description", "size", "dataset"]


def test_an_unknown_age_is_empty_and_not_zero(tmp_path):
    row = dataclasses.replace(DEEPLESION, age=None)
    assert row.cells()["Patient_age"] == ""


def test_key_slices_lie_in_their_two_folders(tmp_path):
    layout.write_lesion_pictures(tmp_path, 12, nobox=b"n", bbox=b"b")
    assert (tmp_path / "lesion_nobox" / "12.png").read_bytes() == b"n"
    assert (tmp_path / "lesion_bbox" / "12.png").read_bytes() == b"b"


def test_a_folder_that_holds_something_is_refused_by_its_argument(tmp_path):
    layout.refuse_used_folder(tmp_path, argument="OUT")
    layout.refuse_used_folder(tmp_path / "new", argument="OUT")
    (tmp_path / "mine").write_text("")
    for used in (tmp_path, tmp_path / "mine"):
        with pytest.raises(UsageError, match="OUT: expected a new or empty folder"):
            layout.refuse_used_folder(used, argument="OUT")
