from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overread.benchmarks.ct_spatialvqa import layout
from overread.benchmarks.ct_spatialvqa.layout import CaseName, Pair, case_stem, volume_path
from overread.errors import UsageError


@pytest.mark.parametrize(
    ("case", "patient", "study"),
    [
        ("valid_1000_a_1.nii.gz", "valid_1000", "valid_1000_a"),
        ("valid_208_a_5.nii.gz", "valid_208", "valid_208_a"),
        ("train_3_aa_12", "train_3", "train_3_aa"),
    ],
)
def test_a_case_tells_its_patient_and_study(case, patient, study):
    name = CaseName.of(case)
    assert (name.patient, name.study, name.told) == (patient, study, True)


@pytest.mark.parametrize(
    "case", ["scan 7", "valid_1000", "valid_1000_a", "é☃", "a_1_b_c.nii.gz", ""]
)
def test_a_case_of_another_form_is_a_patient_of_its_own(case):
    name = CaseName.of(case)
    assert not name.told
    assert name.patient == name.study == (case_stem(case) or case)


@pytest.mark.parametrize(
    "name",
    [
        "/PATH/TO/PROJECT/3D_VLM_Spatial/preprocess/m3d_npy/valid_1/valid_1_a/valid_1_a_1.npy",
        "valid_1_a_1.nii.gz",
        "valid_1_a_1.npz",
        "C:\\data\\valid_1_a_1.NII",
        "valid_1_a_1",
    ],
)
def test_every_spelling_of_a_path_has_the_same_stem(name):
    assert case_stem(name) == "valid_1_a_1"


def test_a_volume_lies_where_ct_rate_keeps_it():
    where = "valid_fixed/valid_1/valid_1_b/valid_1_b_3.nii.gz"
    assert volume_path("valid_1_b_3.nii.gz") == where
    assert volume_path("valid_1_b_3") == where
    assert volume_path("hospital 4.nii") == "hospital 4.nii"


@given(st.text())
def test_no_name_breaks_the_reading_of_names(name):
    assert isinstance(CaseName.of(name).patient, str)
    assert isinstance(volume_path(name), str)


def test_written_questions_have_the_released_form(tmp_path):
    pairs = [
        Pair(
            case="valid_1_a_1.nii.gz",
            question="Where?",
            answer="Left – “there”",
            categories=("x",),
        ),
        Pair(case="valid_2_a_1.nii.gz", question="Which?", answer="Right"),
        Pair(case="valid_1_a_1.nii.gz", question="How?", answer="So"),
    ]
    layout.write_questions(tmp_path, pairs, with_categories=True)
    plain = json.loads((tmp_path / layout.QUESTIONS_FILE).read_text("utf-8"))
    assert plain["valid_1_a_1.nii.gz"]["qa_pairs"] == [
        {"question": "Where?", "answer": "Left – “there”"},
        {"question": "How?", "answer": "So"},
    ]
    labelled = json.loads((tmp_path / layout.CATEGORIES_FILE).read_text("utf-8"))
    assert labelled["valid_1_a_1.nii.gz"]["qa_pairs"][0]["category"] == ["x"]
    rows = (tmp_path / layout.ROWS_FILE).read_text("utf-8").splitlines()
    # The image_path of the released rows, at that place for this case.
    assert json.loads(rows[0])["image_path"] == (
        "dataset/data_volumes/dataset/valid_fixed/valid_1/valid_1_a/valid_1_a_1.nii.gz"
    )
    assert len(rows) == 3
    assert len((tmp_path / layout.CASES_FILE).read_text("utf-8").splitlines()) == 2


def test_without_categories_no_file_of_categories_is_written(tmp_path):
    layout.write_questions(tmp_path, [Pair(case="c", question="q", answer="a")])
    assert not (tmp_path / layout.CATEGORIES_FILE).exists()


def test_reports_have_the_released_fields(tmp_path):
    layout.write_reports(tmp_path, {"valid_1_a_1.nii.gz": ("Seen.", "Meant.")})
    assert json.loads((tmp_path / layout.REPORTS_FILE).read_text("utf-8")) == {
        "valid_1_a_1.nii.gz": {"Findings_EN": "Seen.", "Impressions_EN": "Meant."}
    }


def test_a_used_folder_is_refused(tmp_path):
    layout.refuse_used_folder(tmp_path / "new", argument="OUT")
    layout.refuse_used_folder(tmp_path, argument="OUT")
    (tmp_path / "file").write_text("")
    for used in (tmp_path, tmp_path / "file"):
        with pytest.raises(UsageError, match=r"OUT: expected a new or empty folder"):
            layout.refuse_used_folder(used, argument="OUT")
