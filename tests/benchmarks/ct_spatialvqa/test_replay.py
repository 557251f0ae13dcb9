from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from overread.benchmarks.ct_spatialvqa import layout

ONE = "valid_1_a_1.nii.gz"
ROW = {
    "image_path": "/PATH/m3d_npy/valid_1/valid_1_a/valid_1_a_1.npy",
    "question": "In which lung is the nodule?",
    "prediction": " Right",
    "answer": "In the right lung.",
}


def predictions(small, *rows, model="m3d"):
    text = "".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows)
    small.put(f"predictions/{model}_predictions_full.jsonl", text)
    return small.open().replay().predictions[0].rows


def votes(small, value, name="m3d_gpt_eval.json"):
    small.put(f"llm_eval/{name}", value)
    return small.open().replay().votes[0]


def test_questions_stand_in_order_with_patient_and_labels(small):
    replay = small.open().replay()
    assert [one.item for one in replay.questions] == [item.id for item in small.items()]
    assert replay.questions[2].patient == "valid_1"
    assert replay.questions[2].labels == ("Medial-Lateral Orientation",)


def test_a_case_is_told_by_its_id_or_by_the_image(small):
    rows = predictions(
        small, ROW, {**ROW, "case_id": "valid_1_b_1.nii.gz"}, {**ROW, "image_path": None}
    )
    assert [row.case for row in rows] == [ONE, "valid_1_b_1.nii.gz", None]
    assert rows[0].prediction == " Right"


@pytest.mark.parametrize("value", [None, 7, float("nan"), ["Right"]])
def test_a_prediction_that_is_no_text_is_missing(small, value):
    assert predictions(small, {**ROW, "prediction": value})[0].prediction is None


def test_an_unreadable_line_keeps_its_place(small):
    rows = predictions(small, ROW, '{"image_path": "cut', "[]", ROW)
    assert [row.question for row in rows] == [ROW["question"], "", "", ROW["question"]]
    assert small.finding("odd-row", thorough=True).count == 2


def test_only_true_and_false_are_verdicts(small):
    values = [True, False, None, "true", 1, 0, float("nan"), {}, "absent"]
    rows = [{**ROW, "is_correct": value} for value in values]
    del rows[-1]["is_correct"]
    read = votes(small, rows)
    assert [row.verdict for row in read.rows] == [True, False] + [None] * 7
    assert (read.model, read.judge, read.file) == ("m3d", "gpt", "llm_eval/m3d_gpt_eval.json")


@pytest.mark.parametrize(
    ("name", "model", "judge"),
    [
        ("vila_m3_vista3d_gemini2.5_eval_full.json", "vila_m3_vista3d", "gemini"),
        ("radfm_qwen_eval.json", "radfm", "qwen"),
        ("my_model_claude_eval.json", "my_model", "claude"),
    ],
)
def test_a_file_name_tells_model_and_judge(small, name, model, judge):
    read = votes(small, [], name)
    assert (read.model, read.judge) == (model, judge)


def test_models_stand_in_the_order_of_the_table_then_by_name(small):
    for model in ("zeta", "radfm", "alpha", "merlin"):
        predictions(small, ROW, model=model)
    read = [one.model for one in small.open().replay().predictions]
    assert read == ["merlin", "radfm", "alpha", "zeta"]


def test_a_file_of_votes_may_be_shorter_than_the_predictions(small):
    predictions(small, ROW, ROW, ROW)
    assert len(votes(small, [{**ROW, "is_correct": True}]).rows) == 1


@pytest.mark.parametrize("value", ["[{", "", b"\xff", "[" * 99_999])
def test_an_unreadable_part_is_a_finding_and_the_rest_is_read(small, value):
    small.put("llm_eval/m3d_gpt_eval.json", value)
    small.put("llm_eval/m3d_qwen_eval.json", [{**ROW, "is_correct": True}])
    assert [one.judge for one in small.open().replay().votes] == ["qwen"]
    found = small.finding("unreadable-part", thorough=True)
    assert found.where == "llm_eval/m3d_gpt_eval.json"
    assert found.severity == "error"
    assert found in small.open().replay().findings


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("predictions/m3d_predictions_full.jsonl", b"\xff"),
        (layout.MATRIX_FILE, b"\xff"),
        (layout.JURY_FILE, "[{"),
        (layout.CANDIDATES_FILE, "[]"),
        (layout.PROGRESS_FILE, ""),
        (layout.PROGRESS_FILE, "[]"),
        (layout.DISAGREEMENTS_FILE, "{}"),
        (layout.JURY_FILE, '{"m3d": 0.3}'),
        (layout.TEXT_METRICS_FILE, "null"),
        (layout.MATRIX_FILE, "id,m3d\r\nvalid_1_a_1.nii.gz::0,1.00\r\n"),
        (layout.MATRIX_FILE, ""),
        (layout.CATEGORY_FILE, "name,count,m3d\r\nA,3,27.39\r\n"),
        ("llm_eval/m3d_gpt_eval.json", '{"results": []}'),
    ],
)
def test_every_part_may_be_unreadable(small, name, value):
    small.put(name, value)
    assert small.finding("unreadable-part", thorough=True).where == name
    assert len(small.open().replay().questions) == 4


@pytest.mark.parametrize("cell", ["", "n/a", "nan", "-inf", "1e999"])
def test_a_cell_that_is_no_finite_number_is_missing(small, cell):
    small.put(layout.CATEGORY_FILE, f"category,count,m3d\r\nA,many,{cell}\r\n,3,1.0\r\n")
    assert not [v for v in small.open().replay().published if v.source == layout.CATEGORY_FILE]


def test_files_of_other_names_are_told(small):
    small.put("llm_eval/m3d_gpt_eval (1).json", [])
    small.put("llm_eval/.DS_Store", b"\0")
    small.put("predictions/m3d.jsonl", "")
    found = [one for one in small.open().replay().findings if one.code == "unknown-file"]
    assert [(one.where, one.count) for one in found] == [("predictions", 1), ("llm_eval", 1)]


def test_metric_files_become_published_values(small):
    small.put(
        layout.JURY_FILE, [{"model": "m3d", "count": 9074, "llm_jury_accuracy": 0.3057086180295349}]
    )
    small.put(
        layout.TEXT_METRICS_FILE,
        [{"model": "m3d_full", "count": 9045, "bleu": 1.075053407972095, "meteor": float("nan")}],
    )
    small.put(layout.CATEGORY_FILE, "category,count,m3d\r\nAdjacency & Containment,4396,27.39\r\n")
    files = ("metrics/",)
    found = [v for v in small.open().replay().published if v.source.startswith(files)]
    assert [(v.who, v.metric, v.value, v.n) for v in found] == [
        ("M3D", "jury_accuracy", 0.3057086180295349, 9074),
        ("M3D", "category_performance", 0.2739, 4396),
        ("M3D", "bleu", 1.075053407972095, 9045),
    ]
    assert found[1].stratum == {"category": "Adjacency & Containment"}


def test_an_empty_cell_of_the_matrix_is_no_zero(small):
    small.put(
        layout.MATRIX_FILE, f"question_id,m3d,radfm\r\n{ONE}::0,,0.00\r\n{ONE}::1,nan,1.00\r\n"
    )
    assert small.open().replay().matrix == {
        f"{ONE}::0": {"m3d": None, "radfm": 0.0},
        f"{ONE}::1": {"m3d": None, "radfm": 1.0},
    }


def test_a_mean_that_can_be_none_is_missing_and_told(small):
    table = f"question_id,m3d\r\n{ONE}::0,33\r\n{ONE}::1,words\r\n{ONE}::1,1.00\r\n,0.33\r\n"
    small.put(layout.MATRIX_FILE, table)
    replay = small.open().replay()
    assert replay.matrix == {f"{ONE}::0": {"m3d": None}, f"{ONE}::1": {"m3d": None}}
    counts = {one.code: one.count for one in replay.findings}
    assert (counts["odd-mean"], counts["matrix-row-unused"]) == (2, 2)


def test_audit_labels_are_those_that_were_given(small):
    answers = [
        {"spatial": True, "relevant": False, "note": "why"},
        None,
        {"spatial": None, "relevant": 1, "note": None},
    ]
    small.put(layout.PROGRESS_FILE, {"Annotator_1": {ONE: {"answers": answers}, "x": 7}})
    first, second = small.open().replay().audit
    assert (first.annotator, first.case, first.index) == ("Annotator_1", ONE, 0)
    assert (first.is_spatial, first.is_relevant, first.note) == (True, False, "why")
    assert (second.index, second.is_spatial, second.is_relevant, second.note) == (2, None, None, "")


def test_a_label_that_the_release_lists_as_disputed_is_marked(small):
    given = {"spatial": True, "relevant": True}
    small.put(layout.PROGRESS_FILE, {"A": {ONE: {"answers": [given, given]}}})
    small.put(
        layout.DISAGREEMENTS_FILE,
        [{"user": "A", "case": ONE, "index": 1}, {"user": "B", "case": ONE, "index": 0}, 7,
         {"user": "A", "case": ONE, "index": True}],
    )  # fmt: skip
    assert [one.is_disputed for one in small.open().replay().audit] == [False, True]


def test_candidates_keep_their_order(small):
    small.put(
        layout.CANDIDATES_FILE,
        {ONE: {"file_name": ONE, "qa_pairs": [{"question": "b", "answer": "1"},
                                              {"question": "a", "answer": None}]}},
    )  # fmt: skip
    assert small.open().replay().candidates == ((ONE, "b", "1"), (ONE, "a", ""))


def test_absent_rows_are_told(small):
    small.put(layout.JURY_FILE, [{"model": "ctchat", "count": 2, "llm_jury_accuracy": 0.5}])
    small.put("llm_eval/m3d_gpt_eval.json", [])
    found = [f for f in small.open().findings(thorough=True) if f.code == "missing-rows"]
    assert [one.evidence for one in found] == [
        "no predictions of CT-CHAT",
        "no verdicts of CT-CHAT by gpt",
    ]


def test_without_any_part_there_are_questions_alone(small):
    replay = small.open().replay()
    assert len(replay.questions) == 4
    assert replay.predictions == replay.votes == replay.candidates == replay.audit == ()
    assert replay.matrix == {}


FIELDS = ["case_id", "image_path", "question", "answer", "prediction", "is_correct"]
scalars = st.none() | st.booleans() | st.floats() | st.text(max_size=9)
objects = st.dictionaries(st.sampled_from(FIELDS), scalars | st.lists(scalars, max_size=2))
rows = st.lists(st.none() | st.integers() | objects, max_size=6)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=80)
@given(rows=rows)
def test_no_row_raises_or_moves(small, rows):
    read = votes(small, json.dumps(rows)).rows
    assert len(read) == len(rows)
    assert all(row.verdict in (True, False, None) for row in read)
    lines = predictions(small, *rows)
    assert len(lines) == len(rows)
