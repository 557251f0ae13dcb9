import json
from pathlib import Path

import pytest

from overread.benchmarks.ct_bench import layout, questions
from overread.errors import UsageError
from overread.models.predictions.rows import read_rows
from overread.records import Status


@pytest.mark.parametrize("name", ["a" * 10_000, "a\0b"])
def test_a_name_that_no_file_can_have_is_wrong_use(name):
    with pytest.raises(UsageError, match="a file of predictions"):
        read_rows(Path(name))


def read(tmp_path, **fields):
    path = tmp_path / "rows.json"
    path.write_text(json.dumps([{"lesion_idx": 1, "q_type": "img2txt", "answer": "A"} | fields]))
    (row,) = read_rows(path)
    return row


SPELLINGS = [*sorted(questions._WITH_BOX | questions._WITHOUT_BOX), "No_BBox", True, False, 0, 1]


@pytest.mark.parametrize("field", ["bbox_type", "box"])
@pytest.mark.parametrize("spelling", SPELLINGS)
def test_a_box_is_spelt_as_in_the_release(tmp_path, spelling, field):
    entry = {"q_type": "img2txt", "lesion_idx": 1, "bbox_type": spelling}
    expected = questions.read_question(entry, form="chat", place="p").box
    assert expected in ("box", "no-box")
    assert read(tmp_path, **{field: spelling}).box == expected


@pytest.mark.parametrize("split", layout.DATASET_SPELLINGS)
def test_a_split_is_spelt_as_in_the_release(tmp_path, split):
    for spelling in layout.DATASET_SPELLINGS[split]:
        assert read(tmp_path, split=spelling.upper()).split == split


def test_a_file_of_the_released_caption_script_is_read(tmp_path):
    path = tmp_path / "gpt4v_captions.json"
    entry = {
        "lesion_id": "12.0", "caption": "A cyst.", "ground_truth": "A node.", "size": "9 mm",
        "model": "gpt4v",
    }  # fmt: skip
    path.write_text(json.dumps([entry, {**entry, "lesion_id": 13, "caption": ""}]))
    first, second = read_rows(path)
    assert (first.lesion, first.task, first.text, first.box) == ("12", "caption", "A cyst.", None)
    assert (second.lesion, second.text, second.status) == ("13", "", "ok")
    assert first.is_keyed
    assert not first.is_choice


def test_a_row_without_a_caption_has_no_task_of_its_own(tmp_path):
    path = tmp_path / "p.json"
    path.write_text(json.dumps([{"id": "a", "text": "x"}, {"lesion_idx": 1, "q_type": "t"}]))
    assert [row.task for row in read_rows(path)] == [None, "t"]


def test_a_null_caption_is_a_gap_and_keeps_its_key(tmp_path):
    path = tmp_path / "captions.json"
    entries = [
        {"lesion_id": 12, "caption": None},
        {"lesion_id": 13, "caption": None, "answer": "B"},
        {"lesion_id": 14, "caption": None, "task": "img2txt"},
    ]
    path.write_text(json.dumps(entries))
    gap, choice, named = read_rows(path)
    assert (gap.task, gap.is_keyed, gap.status, gap.place) == (
        "caption", True, Status.FAILED, "row 1",
    )  # fmt: skip
    assert gap.reason == "the file has no answer for it"
    assert (choice.task, choice.text, named.task) == (None, "B", "img2txt")
