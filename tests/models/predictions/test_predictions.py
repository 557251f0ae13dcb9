from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from overread.contracts import ModelOptions, Query, Reply
from overread.errors import UsageError
from overread.models.predictions import ADAPTER
from overread.models.predictions.adapter import PredictionsModel
from overread.models.predictions.joining import Join
from overread.models.predictions.rows import read_rows
from overread.records import Choice, Item, Option, Status, Text

CHOICES = {"A": "Left lung", "B": "Liver, 12 mm", "C": "Spleen", "D": "Rib"}
QUESTION = "Which description fits the lesion?"


def item(lesion: str = "17", *, box: str = "box", task: str = "img2txt", n: int = 1) -> Item:
    """An item as CT-Bench makes it."""
    suffix = "" if n == 1 else f"#{n}"
    return Item(
        id=f"test/{task}/{box}/{lesion}{suffix}",
        benchmark="ct-bench",
        task=task,
        condition=box,
        question=QUESTION,
        answer_space=Choice(options=tuple(Option(letter=k, text=v) for k, v in CHOICES.items())),
        groups={"lesion": lesion, "patient": "p1"},
        strata={"task": task, "box": box, "stack": "single", "split": "test"},
    )


def script_row(lesion: object = 17, **changes: Any) -> dict[str, Any]:
    """A row of output_data.json: the fields that the CT-Bench script writes, without a box."""
    row = {
        "i": 0,
        "lesion_idx": lesion,
        "q_type": "img2txt",
        "question": QUESTION,
        "choices": CHOICES,
        "correct_choice": "C",
        "answer": {"selected_option": "B", "explanation": "It is in the liver."},
    }
    return row | changes


def opened(path: Path) -> PredictionsModel:
    model = ADAPTER.open(str(path), ModelOptions())
    assert isinstance(model, PredictionsModel)
    return model


def ask_raw(model: PredictionsModel, asked: Item, *, draw: int = 0) -> Reply:
    return asyncio.run(model.ask(Query(item=asked, draw=draw)))


def ask(model: PredictionsModel, asked: Item, *, draw: int = 0) -> Reply:
    """Ask, and take a lone letter out of the JSON that makes both profiles read it."""
    reply = ask_raw(model, asked, draw=draw)
    for letter in "ABCDE":
        if reply.text == json.dumps({"selected_option": letter}):
            return replace(reply, text=letter)
    return reply


def written(tmp_path: Path, content: object, name: str = "answers.json") -> Path:
    path = tmp_path / name
    text = content if isinstance(content, str) else json.dumps(content)
    path.write_text(text, encoding="utf-8")
    return path


ID, OTHER_ID = "test/img2txt/box/17", "test/img2txt/no-box/17"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("map.json", {ID: "B", OTHER_ID: "C"}),
        ("map.json", {ID: {"answer": "B"}, OTHER_ID: {"prediction": "C"}}),
        ("list.json", [{"item": OTHER_ID, "text": "C"}, {"item": ID, "text": "B"}]),
        ("wrapped.json", {"model": "m", "predictions": [{"id": ID, "answer": "B"}]}),
        ("one.json", {"item_id": ID, "answer": "B"}),
        ("lines.jsonl", f'{{"item": "{ID}", "text": "B"}}\n\n{{"item": "x", "text": "C"}}\n'),
        ("lines.json", f'{{"item": "{ID}", "text": "B"}}\n{{"item": "x", "text": "C"}}\n'),
        ("table.csv", f"item,answer\n{OTHER_ID},C\n{ID},B\n"),
        ("table.csv", f"\ufeffitem;answer\r\n{ID};B\r\n"),
        ("table.tsv", f"item\tanswer\n{ID}\tB\n"),
        ("by_lesion.csv", "lesion_idx,q_type,bbox_type,answer\n17,img2txt,bbox,B\n"),
        ("by_lesion.csv", "lesion_idx,q_type,bbox_type,answer\n17.0,img2txt,BBox,B\n"),
        ("by_lesion.json", [{"lesion_idx": 17, "q_type": "img2txt", "answer": "B"}]),
    ],
)
def test_every_shape_of_file_is_joined_by_key(tmp_path: Path, name: str, content: object) -> None:
    assert ask(opened(written(tmp_path, content, name)), item()) == Reply(text="B")


def test_the_order_of_rows_changes_nothing(tmp_path: Path) -> None:
    rows = [{"lesion_idx": n, "q_type": "img2txt", "answer": "ABCD"[n % 4]} for n in range(40)]
    forward = opened(written(tmp_path, rows, "a.json"))
    backward = opened(written(tmp_path, rows[::-1], "b.json"))
    for n in range(40):
        expected = Reply(text="ABCD"[n % 4])
        assert ask(forward, item(str(n))) == ask(backward, item(str(n))) == expected


def numbered(asked: Item, qa_id: str) -> Item:
    return replace(asked, groups={**asked.groups, "qa_id": qa_id})


def test_a_number_that_two_questions_share_answers_neither(tmp_path: Path) -> None:
    one, two = numbered(item("17"), "5"), numbered(item("18"), "5")
    model = opened(written(tmp_path, [{"qa_id": 5, "answer": "B"}]))
    model.announce([one, two])
    for asked in (one, two):
        reply = ask(model, asked)
        assert reply.status is Status.FAILED
        assert "fits 2 questions" in (reply.reason or "")
    assert "ambiguous-prediction" in {finding.code for finding in model.findings()}


@pytest.mark.parametrize(
    "key", [{"lesion_idx": 18}, {"q_type": "ct2txt"}, {"bbox_type": "nobox"}, {"split": "val"}]
)
def test_a_number_is_not_enough_where_the_row_names_another_question(
    tmp_path: Path, key: dict[str, object]
) -> None:
    asked = numbered(item("17"), "5")
    other = opened(written(tmp_path, [{"qa_id": 5, "answer": "B", **key}], "other.json"))
    assert ask(other, asked).reason == "not in the file"
    own = {"lesion_idx": 17, "q_type": "img2txt", "bbox_type": "bbox", "split": "test"}
    rows = [{"qa_id": 5, "answer": "B", **key}, {"qa_id": 5, "answer": "C", **own}]
    assert ask(opened(written(tmp_path, rows)), asked) == Reply(text="C")


def test_the_scripts_own_output_is_read_with_its_answer_whole(tmp_path: Path) -> None:
    reply = ask(opened(written(tmp_path, [script_row()], "output_data.json")), item())
    assert reply.status is Status.OK
    assert json.loads(reply.text or "") == {
        "selected_option": "B",
        "explanation": "It is in the liver.",
    }
    # The folder that the script writes is as good as its file.
    assert ask(opened(tmp_path), item()) == reply


def test_a_reply_the_script_could_not_read_comes_back_raw(tmp_path: Path) -> None:
    raw = "The answer is (B), because…"
    answer = {"selected_option": None, "explanation": raw}
    reply = ask(opened(written(tmp_path, [script_row(answer=answer)])), item())
    assert reply == Reply(text=raw)


def test_a_script_row_must_ask_the_same_question(tmp_path: Path) -> None:
    shuffled = {"A": "Rib", "B": "Spleen", "C": "Left lung", "D": "Liver, 12 mm"}
    for changes in ({"choices": shuffled}, {"question": "What size is the lesion?"}):
        path = written(tmp_path, [script_row(**changes)])
        assert ask(opened(path), item()).reason == "not in the file"


def test_one_script_row_cannot_answer_with_and_without_box(tmp_path: Path) -> None:
    model = opened(written(tmp_path, [script_row()]))
    both = [item(), item(box="no-box")]
    model.announce(both)
    for asked in both:
        reply = ask(model, asked)
        assert reply.status is Status.FAILED
        assert reply.text is None
        assert "row 1 of the file fits 2 questions" in (reply.reason or "")
    (finding,) = model.findings()
    assert (finding.code, finding.count) == ("ambiguous-prediction", 2)


def test_without_an_announcement_a_row_still_serves_only_one_item(tmp_path: Path) -> None:
    model = opened(written(tmp_path, [script_row()]))
    assert ask(model, item()).status is Status.OK
    assert ask(model, item(box="no-box")).status is Status.FAILED
    assert ask(model, item()).status is Status.FAILED  # known by now to fit two


def test_two_script_rows_that_differ_are_refused_and_equal_ones_are_not(tmp_path: Path) -> None:
    other = script_row(i=1, answer={"selected_option": "C", "explanation": "…"})
    model = opened(written(tmp_path, [script_row(), other]))
    reply = ask(model, item())
    assert reply.status is Status.FAILED
    assert reply.reason == "2 rows of the file fit it and differ (row 1, row 2)"

    model = opened(written(tmp_path, [script_row(), script_row(i=1)]))
    both = [item(), item(box="no-box")]
    model.announce(both)
    assert [ask(model, asked).status for asked in both] == [Status.OK, Status.OK]


def test_a_box_type_tells_the_two_apart(tmp_path: Path) -> None:
    no_box = script_row(i=1, bbox_type="nobbox", answer={"selected_option": "D"})
    model = opened(written(tmp_path, [script_row(bbox_type="bbox"), no_box]))
    assert '"B"' in (ask_raw(model, item()).text or "")
    assert '"D"' in (ask_raw(model, item(box="no-box")).text or "")


def test_what_is_not_in_the_file_has_failed_not_been_wrong(tmp_path: Path) -> None:
    model = opened(written(tmp_path, {ID: "B"}))
    assert ask(model, item("18")) == Reply(status=Status.FAILED, reason="not in the file")
    assert ask(model, item(), draw=1).reason == "not in the file (draw 1)"


def test_no_answer_is_not_an_empty_answer(tmp_path: Path) -> None:
    rows = [
        {"item": "test/img2txt/box/1", "text": ""},
        {"item": "test/img2txt/box/2", "text": None},
        {"item": "test/img2txt/box/3"},
        {"item": "test/img2txt/box/4", "error": "out of memory"},
        {"item": "test/img2txt/box/5", "status": "refused", "text": "", "reason": "filter"},
        {"item": "test/img2txt/box/6", "answer": 2},
    ]
    model = opened(written(tmp_path, rows))
    assert [ask(model, item(str(n))) for n in range(1, 7)] == [
        Reply(text=""),
        Reply(status=Status.FAILED, reason="the file has no answer for it"),
        Reply(status=Status.FAILED, reason="the file has no answer for it"),
        Reply(status=Status.FAILED, reason="out of memory"),
        Reply(status=Status.REFUSED, reason="filter"),
        Reply(text="2"),
    ]


def test_the_right_letter_in_the_file_is_never_used(tmp_path: Path) -> None:
    row = script_row()
    del row["answer"]
    reply = ask(opened(written(tmp_path, [row])), item())
    assert (reply.status, reply.text) == (Status.FAILED, None)


def test_draws_have_answers_of_their_own(tmp_path: Path) -> None:
    rows = [{"item": ID, "draw": draw, "text": "ABC"[draw]} for draw in range(3)]
    model = opened(written(tmp_path, rows))
    assert [ask(model, item(), draw=draw).text for draw in range(3)] == ["A", "B", "C"]
    assert model.findings() == ()


def test_duplicate_unknown_and_keyless_rows_are_reported(tmp_path: Path) -> None:
    text = f"""[
        {{"item": "{ID}", "text": "A"}},
        {{"item": "{ID}", "text": "B"}},
        {{"item": "test/img2txt/box/999", "text": "B"}},
        {{"text": "B"}}
    ]"""
    model = opened(written(tmp_path, text))
    model.announce([item()])
    assert ask(model, item()).status is Status.FAILED
    assert {finding.code: finding.evidence for finding in model.findings()} == {
        "duplicate-prediction": "row 1 and row 2",
        "prediction-without-key": "row 4",
        "unknown-prediction": "row 3",
        "ambiguous-prediction": f"{ID}: 2 rows of the file fit it and differ (row 1, row 2)",
    }


def test_a_key_that_comes_twice_in_one_object_is_not_overwritten_in_silence(
    tmp_path: Path,
) -> None:
    model = opened(written(tmp_path, f'{{"{ID}": "A", "{ID}": "B"}}'))
    assert ask(model, item()).status is Status.FAILED


def test_quoted_newlines_and_replies_of_two_megabytes_in_a_table(tmp_path: Path) -> None:
    huge = "x" * 2_000_000
    text = f'item,text\n{ID},"first, ""line""\nANSWER: B"\n{OTHER_ID},{huge}\n'
    model = opened(written(tmp_path, text, "a.csv"))
    assert ask(model, item()).text == 'first, "line"\nANSWER: B'
    assert ask(model, item(box="no-box")).text == huge


def test_half_a_character_becomes_a_question_mark(tmp_path: Path) -> None:
    model = opened(written(tmp_path, f'{{"{ID}": "B \\ud83d"}}'))
    assert ask(model, item()).text == "B ?"


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("a.json", "", "whole JSON, got Expecting value in line 1"),
        ("a.csv", "", "got no header"),
        ("a.json", '[{"item": "x", "text": "A"}', "got Expecting ',' delimiter in line 1"),
        ("a.jsonl", '{"item": "x"}\n{"item": \n', "in line 2"),
        ("a.json", "[1, 2]", "an object in row 1, got int"),
        ("a.json", "[]", "no rows"),
        ("a.json", '[{"text": "A"}]', "1 rows, none with a key"),
        ("a.json", '"B"', "a JSON list or object, got str"),
        ("a.csv", "answer\nB\n", "a header with item, qa_id, lesion_idx"),
        ("a.csv", "item,answer\nx,B,C\n", "2 cells in line 2, got more"),
        ("a.csv", 'item,answer\nx,"B\n', "a sound CSV table"),
    ],
)
def test_a_broken_file_is_refused_with_its_place(
    tmp_path: Path, name: str, content: str, says: str
) -> None:
    with pytest.raises(UsageError, match=says):
        opened(written(tmp_path, content, name))


def test_no_file_and_no_text_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="No such file"):
        opened(tmp_path / "none.json")
    (tmp_path / "latin.json").write_bytes(b'[{"item": "\xe9"}]')
    with pytest.raises(UsageError, match="text in UTF-8, got byte 0xe9 at 11"):
        opened(tmp_path / "latin.json")
    (tmp_path / "deep.json").write_text("[" * 100_000)
    with pytest.raises(UsageError, match="sound JSON"):
        opened(tmp_path / "deep.json")


def test_the_identity_is_the_files_content(tmp_path: Path) -> None:
    first = opened(written(tmp_path, {ID: "A"})).identity
    second = opened(written(tmp_path, {ID: "B"})).identity
    assert first.label == second.label == "predictions:answers.json"
    assert first.revision != second.revision


@settings(max_examples=60, deadline=None)
@given(st.dictionaries(st.text(min_size=1).map(str.strip).filter(bool), st.text(), max_size=6))
def test_any_map_of_texts_is_given_back_as_it_was(
    tmp_path_factory: pytest.TempPathFactory, answers: dict[str, str]
) -> None:
    reserved = {"item", "item_id", "id", "qa_id", "lesion_idx", "data", "items"}
    answers = {k: v for k, v in answers.items() if k not in reserved}
    if not answers:
        return
    path = tmp_path_factory.mktemp("p") / "a.json"
    path.write_text(json.dumps(answers), encoding="utf-8")
    join = Join(read_rows(path))
    for key, text in answers.items():
        plain = Item(
            id=key,
            benchmark="b",
            task="t",
            condition="c",
            question="q",
            answer_space=Choice(options=()),
        )
        joined = join.find(plain, draw=0)
        assert joined.row is not None
        assert joined.row.text == text


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=60), st.sampled_from(["a.json", "a.jsonl", "a.csv"]))
def test_any_text_is_read_or_refused_with_a_message(
    tmp_path_factory: pytest.TempPathFactory, text: str, name: str
) -> None:
    path = tmp_path_factory.mktemp("p") / name
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    with suppress(UsageError):
        assert any(row.is_keyed for row in read_rows(path))


def test_a_lone_letter_in_a_field_for_choices_is_a_choice_and_a_raw_text_stays_raw(tmp_path):
    wrapped = opened(written(tmp_path, [{"item": ID, "answer": " b "}]))
    assert ask_raw(wrapped, item()).text == '{"selected_option": "b"}'
    for name, text in (("text", "B"), ("reply", "B"), ("answer", "It is B."), ("answer", "")):
        raw = opened(written(tmp_path, [{"item": ID, name: text}]))
        assert ask_raw(raw, item()).text == text


def text_item(item_id, case, question):
    return Item(
        id=item_id, benchmark="b", task="spatial", condition="c", question=question,
        answer_space=Text(), groups={"case": case},
    )  # fmt: skip


@pytest.mark.parametrize(
    "key",
    [
        {"case_id": "valid_1_a_1.nii.gz"},
        {"case": "valid_1_a_1"},
        {"image_path": "/home/me/m3d_npy/valid_1/valid_1_a_1.npy"},
        {"image_path": "C:\\data\\valid_1_a_1.npz"},
    ],
)
def test_a_row_may_name_its_case_and_its_question(tmp_path, key):
    file = tmp_path / "rows.jsonl"
    row = {**key, "question": "Which  side?", "prediction": "Left.", "answer": "Right."}
    file.write_text(json.dumps(row) + "\n")
    model = ADAPTER.open(str(file), ModelOptions())
    items = [
        text_item("1::0", "valid_1_a_1.nii.gz", "Which side?"),
        text_item("1::1", "valid_1_a_1.nii.gz", "Which lobe?"),
        text_item("2::0", "valid_2_a_1.nii.gz", "Which side?"),
    ]
    model.announce(items)
    replies = [asyncio.run(model.ask(Query(item=item))) for item in items]
    assert [reply.text for reply in replies] == ["Left.", None, None]
    assert model.findings() == ()


@pytest.mark.parametrize("prediction", ["", None])
def test_the_reference_beside_an_empty_prediction_is_never_the_reply(tmp_path, prediction):
    file = tmp_path / "rows.jsonl"
    row = {"case_id": "c", "question": "Where?", "prediction": prediction, "answer": "Right."}
    file.write_text(json.dumps(row) + "\n")
    model = ADAPTER.open(str(file), ModelOptions())
    reply = asyncio.run(model.ask(Query(item=text_item("c::0", "c", "Where?"))))
    assert reply.text == prediction
    assert reply.status is (Status.OK if prediction == "" else Status.FAILED)


def test_two_rows_of_one_case_and_question_that_differ_are_refused(tmp_path):
    file = tmp_path / "rows.jsonl"
    rows = [{"case": "c", "question": "Where?", "prediction": text} for text in ("Left", "Right")]
    file.write_text("\n".join(map(json.dumps, rows)))
    model = ADAPTER.open(str(file), ModelOptions())
    reply = asyncio.run(model.ask(Query(item=text_item("c::0", "c", "Where?"))))
    assert reply.status is Status.FAILED
    assert "2 rows of the file fit it and differ" in reply.reason


def test_a_lone_letter_answers_an_open_question_as_it_is(tmp_path):
    file = tmp_path / "rows.jsonl"
    file.write_text(json.dumps({"case": "c", "question": "Where?", "prediction": "B"}) + "\n")
    model = ADAPTER.open(str(file), ModelOptions())
    assert asyncio.run(model.ask(Query(item=text_item("c::0", "c", "Where?")))).text == "B"
