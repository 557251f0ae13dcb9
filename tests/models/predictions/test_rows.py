import json
from pathlib import Path

import pytest

from overread.benchmarks.ct_bench import layout, questions
from overread.errors import UsageError
from overread.models.predictions.rows import read_rows


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
