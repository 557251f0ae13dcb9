"""A release as it lies there: from file to item, and everything that may be odd about it."""

from __future__ import annotations

import csv
import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from overread.benchmarks.igakuqa119 import BENCHMARK, layout
from overread.benchmarks.igakuqa119.loader import IgakuQa119Release
from overread.contracts import Selection
from overread.errors import ReleaseError, UsageError
from overread.imaging.encode import encode_png
from overread.records import Choice, MultiChoice, Number, Option, Response, Severity, Status

FIVE = ["a. 肺炎", "b. 気胸", "c. 肺癌", "d. 喘息", "e. 結核"]


def question(number, text="診断はどれか。 ", choices=FIVE, has_image=False):
    return {"number": number, "question": text, "choices": choices, "has_image": has_image}


def write(root: Path, questions, key, *, answers=None, block="A"):
    (root / "questions").mkdir(parents=True, exist_ok=True)
    (root / "results").mkdir(exist_ok=True)
    (root / "images").mkdir(exist_ok=True)
    path = root / "questions" / f"119{block}_json.json"
    path.write_text(json.dumps(questions, ensure_ascii=False), encoding="utf-8")
    with (root / layout.KEY_FILE).open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([layout.KEY_COLUMNS, *key.items()])
    for name, results in (answers or {}).items():
        (root / "answers").mkdir(exist_ok=True)
        content = {"experiment_id": name, "results": results}
        (root / "answers" / name).write_text(json.dumps(content), encoding="utf-8")
    return IgakuQa119Release(root)


def codes(release, **more):
    return Counter(each.code for each in release.findings(**more))


def takes(scorer, item):
    return scorer.takes(item)


def items(release, **more):
    return {item.id: item for item in release.items(Selection(**more))}


def test_one_question_from_file_to_item(tmp_path):
    release = write(
        tmp_path,
        [question("119A1", "図を示す。診断はどれか。2つ選べ。 ", has_image=True)],
        {"119A1": "ec"},
    )
    for name in ("119A1-1.png", "119A1-2.png"):
        (tmp_path / "images" / name).write_bytes(encode_png(np.zeros((4, 4), np.uint8)))
    release = IgakuQa119Release(tmp_path)
    item = items(release)["119A1"]
    assert item.task == "several"
    assert item.question == "図を示す。診断はどれか。2つ選べ。"
    assert isinstance(item.answer_space, MultiChoice)
    assert (item.answer_space.count, item.answer_space.letters) == (2, tuple("abcde"))
    assert [media.paths for media in item.media] == [
        ("images/119A1-1.png",),
        ("images/119A1-2.png",),
    ]
    assert item.groups == {"patient": "119A1", "case": "119A1"}
    assert item.strata == {
        "task": "several",
        "block": "A",
        "section": "general",
        "image": "with figure",
        "split": "test",
    }
    words = "\n".join(part.text or "" for part in item.prompt)
    assert "選ぶ数：2" in words
    assert "b. 気胸" in words
    assert [part.media for part in item.prompt if part.media] == list(item.media)
    assert release.reference("119A1").answer == "ce"
    assert codes(release) == {}


def test_the_kinds_have_their_spaces(tmp_path):
    release = write(
        tmp_path,
        [question("119B1"), question("119B2", "値を求めよ。", [])],
        {"119B1": "Ｃ", "119B2": "600"},
        block="B",
    )
    found = items(release)
    assert isinstance(found["119B1"].answer_space, Choice)
    assert isinstance(found["119B2"].answer_space, Number)
    assert {item.strata["section"] for item in found.values()} == {"required"}
    assert release.reference("119B1").answer == "c"
    assert list(items(release, tasks=("number",))) == ["119B2"]


@pytest.mark.parametrize(
    ("asked", "key", "problem"),
    [
        (question("119A1"), "", "no answer"),
        (question("119A1"), "x", "names no options"),
        (question("119A1"), "ab", "asks for 1"),
        (question("119A1", "2つ選べ。"), "a", "asks for 2"),
        (question("119A1", "2つ選べ。"), "abc", "asks for 2"),
        (question("119A1", "値を求めよ。", []), "a", "is no number"),
        (question("119A1"), "600", "names no options"),
    ],
)
def test_a_key_that_does_not_fit_is_a_problem_and_a_finding(tmp_path, asked, key, problem):
    release = write(tmp_path, [asked], {"119A1": key})
    reference = release.reference("119A1")
    assert problem in (reference.problem or "")
    assert codes(release)["unusable-answer"] == 1
    assert list(items(release)) == ["119A1"]


def test_one_question_takes_either_of_two_answers(tmp_path):
    release = write(tmp_path, [question("119E28")], {"119E28": "ac"}, block="E")
    reference = release.reference("119E28")
    assert (reference.answer, reference.problem) == ("a", None)
    item = items(release)["119E28"]
    for profile in ("honest", "published"):
        values = {}
        for text in ("answer: a", "answer: c", "answer: b", "answer: ac"):
            response = Response(
                run="r", item=item.id, text=text, status=Status.OK, request_hash="h"
            )
            (scorer,) = (s for s in release.scorers(profile) if takes(s, item))
            (row,) = scorer.score(item, reference, response)
            values[text] = row.value
        assert [values[f"answer: {each}"] for each in "acb"] == [1.0, 1.0, 0.0]
        assert values["answer: ac"] == (None if profile == "honest" else 0.0)


def test_accepted_answers_follow_their_options_when_these_are_shuffled(tmp_path):
    release = write(tmp_path, [question("119E28")], {"119E28": "ac"}, block="E")
    item = items(release)["119E28"]
    # 肺炎 and 肺癌 stand at d and b now.
    texts = ("気胸", "肺癌", "喘息", "肺炎", "結核")
    options = tuple(Option(letter=a, text=t) for a, t in zip("abcde", texts, strict=True))
    shuffled = replace(item, answer_space=Choice(options=options))
    moved = replace(release.reference("119E28"), answer="d")
    for profile in ("honest", "published"):
        (scorer,) = (s for s in release.scorers(profile) if takes(s, shuffled))
        values = {}
        for letter in "abcde":
            response = Response(
                run="r", item=item.id, text=f"answer: {letter}", status=Status.OK, request_hash=""
            )
            (row,) = scorer.score(shuffled, moved, response)
            values[letter] = row.value
        assert values == {"a": 0.0, "b": 1.0, "c": 0.0, "d": 1.0, "e": 0.0}


def test_what_is_missing_is_a_finding_and_every_question_stays(tmp_path):
    release = write(
        tmp_path,
        [
            question("119A1", has_image=True),
            question("119A1"),
            question("119A2", "", FIVE),
            question("119A3", choices=["a. 一", "b. 二", "d. 四"]),
            question("119A4", "写真を別に示す。診断はどれか。"),
            question("119A5", choices=["一", "二"]),
            {"question": "no number"},
            "no object",
        ],
        {"119A1": "a", "119A2": "b", "119A3": "c", "119A4": "d", "119A5": "b", "119A9": "a"},
    )
    assert codes(release) == {
        "missing-image": 1,
        "repeated-id": 1,
        "empty-question": 1,
        "lost-option": 1,
        "figure-named": 1,
        "odd-options": 2,
        "unusable-rows": 1,
        "unasked-key": 1,
    }
    assert list(items(release)) == ["119A1", "119A1#1", "119A2", "119A3", "119A4", "119A5"]
    # The lost option may be the right one: the key stands, and the prompt shows what there is.
    assert release.reference("119A3").answer == "c"
    words = "\n".join(part.text or "" for part in items(release)["119A3"].prompt)
    assert "c." not in words
    assert release.reference("119A3").problem is None


def test_a_figure_of_a_question_without_one_is_told(tmp_path):
    release = write(tmp_path, [question("119A1")], {"119A1": "a"})
    (tmp_path / "images" / "119A1.png").write_bytes(b"x")
    assert codes(IgakuQa119Release(tmp_path)) == {"unflagged-figure": 1}
    assert items(release)["119A1"].media == ()


def test_a_gap_between_figures_is_a_missing_one(tmp_path):
    write(tmp_path, [question("119A1", has_image=True)], {"119A1": "a"})
    (tmp_path / "images" / "119A1-2.png").write_bytes(b"no picture")
    release = IgakuQa119Release(tmp_path)
    assert [media.paths[0] for media in items(release)["119A1"].media] == [
        "images/119A1-1.png",
        "images/119A1-2.png",
    ]
    assert codes(release) == {"missing-image": 1}
    assert codes(release, thorough=True) == {"missing-image": 1, "unreadable-image": 1}


def test_a_number_cannot_lead_out_of_the_release(tmp_path):
    release = write(tmp_path, [question("../../etc/passwd", has_image=True)], {})
    assert codes(release)["unsafe-path"] == 1


@pytest.mark.parametrize("key", [None, b"\xff\xfe", "a,b\n1,2\n", ""])
def test_without_a_key_nothing_has_an_answer(tmp_path, key):
    write(tmp_path, [question("119A1")], {})
    path = tmp_path / layout.KEY_FILE
    path.unlink()
    if key is not None:
        path.write_bytes(key if isinstance(key, bytes) else key.encode())
    release = IgakuQa119Release(tmp_path)
    assert codes(release)["missing-key"] == 1
    assert release.reference("119A1").problem == "the key has no answer"


def test_two_keys_for_one_question(tmp_path):
    write(tmp_path, [question("119A1")], {})
    header = ",".join(layout.KEY_COLUMNS)
    text = f"\ufeff{header}\n119A1,a\n119A1,b\n119A1,a\n\n"
    (tmp_path / layout.KEY_FILE).write_text(text, encoding="utf-8")
    release = IgakuQa119Release(tmp_path)
    assert codes(release) == {"two-keys": 1}
    assert release.reference("119A1").answer == "a"


def test_a_broken_block_is_a_finding_and_all_broken_no_release(tmp_path):
    write(tmp_path, [question("119A1")], {"119A1": "a"})
    broken = tmp_path / "questions" / "119B_json.json"
    broken.write_text('[{"number": ', encoding="utf-8")
    release = IgakuQa119Release(tmp_path)
    found = [each for each in release.findings() if each.code == "unreadable-file"]
    assert [each.where for each in found] == ["questions/119B_json.json"]
    assert found[0].severity is Severity.ERROR
    (tmp_path / "questions" / "119A_json.json").write_text("[" * 100_000, encoding="utf-8")
    with pytest.raises(ReleaseError, match="2 such files"):
        IgakuQa119Release(tmp_path)


def test_other_media_are_refused(tmp_path):
    with pytest.raises(UsageError, match="--media"):
        BENCHMARK.open(tmp_path, media=tmp_path)


def test_linked_questions_share_a_patient(tmp_path):
    case = "".join(f"{n}日前から発熱と咳嗽とが続き、{n}回受診した。" for n in range(20))
    other = "".join(f"体重{n}kg、身長{n}cmの児が{n}歳で来院した。" for n in range(20))
    texts = [f"{case}診断はどれか。", f"{case}治療はどれか。", f"{other}診断はどれか。"]
    asked = [question(f"119C{n}", text) for n, text in enumerate(texts, start=1)]
    release = write(tmp_path, asked, dict.fromkeys(("119C1", "119C2", "119C3"), "a"), block="C")
    assert [item.groups["patient"] for item in items(release).values()] == [
        "119C1",
        "119C1",
        "119C3",
    ]


def test_paths_card_and_notes(tmp_path):
    release = write(tmp_path, [question("119A1")], {"119A1": "a"})
    assert release.media_root == release.root == tmp_path
    assert release.card.name == "igakuqa119"
    assert any("no exam result" in note for note in release.notes())
    assert sum(each.n for each in release.expected_counts()) == 400
    assert release.training(Selection()).exam == ()
    BENCHMARK.synthesise(tmp_path / "made", seed=1, size=6)
    made = IgakuQa119Release(tmp_path / "made")
    assert "synthetic" in made.notes()[0]
    assert made.expected_counts() == ()
    assert len({row.who for row in release.published()}) == 27


def test_huge_files_are_not_read(tmp_path, monkeypatch):
    write(tmp_path, [question("119A1")], {"119A1": "a"})
    monkeypatch.setattr(layout, "_LARGEST_FILE_BYTES", 10)
    with pytest.raises(ReleaseError):
        IgakuQa119Release(tmp_path)


def test_a_limit_takes_every_kind(tmp_path):
    BENCHMARK.synthesise(tmp_path, seed=1, size=24)
    found = items(IgakuQa119Release(tmp_path), limit=3)
    assert {item.task for item in found.values()} == {"one", "several", "number"}


def test_a_changed_question_is_worded_anew(tmp_path):
    release = write(tmp_path, [question("119A1")], {"119A1": "a"})
    item = items(release)["119A1"]
    assert release.reword(item) == item
    bare = release.reword(replace(item, question=""))
    words = "\n".join(part.text or "" for part in bare.prompt)
    assert "診断はどれか" not in words
    assert "a. 肺炎" in words


# ---------------------------------------------------------------- what is stored with it


def stored(number, answer, **more):
    given = {"model": "m", "answer": answer, "confidence": 0.9, "explanation": "…", **more}
    return {
        "question_number": number,
        "question_text": "診断はどれか。 ",
        "choices": FIVE,
        "has_image": False,
        "answers": [given],
    }


def test_stored_answers_are_put_together_again(tmp_path):
    failed = {**stored("119A2", None), "answers": [{"model": "m", "error": "TimeoutError()"}]}
    empty = {**stored("119A2", None), "answers": []}
    release = write(
        tmp_path,
        [question("119A1"), question("119A2")],
        {"119A1": "a", "119A2": "b"},
        answers={
            "119A_new-model.json": [stored("119A1", "ac"), failed, empty, stored("119Z1", "a")],
            "119A_other.json": "nothing",
            "notes.json": [],
        },
    )
    replay = release.replay()
    (shipped,) = replay.predictions
    assert (shipped.model, shipped.file) == ("new-model", "answers/119A_new-model.json")
    assert [row.prediction for row in shipped.rows][:3] == [
        "answer: ac\nconfidence: 0.9\nexplanation: …",
        None,
        None,
    ]
    assert [row.case for row in shipped.rows] == ["119A1", "119A2", "119A2", None]
    assert [one.item for one in replay.questions] == ["119A1", "119A2"]
    assert [each.where for each in replay.findings] == ["answers/119A_other.json"]


def test_the_leaderboard_is_read_where_there_is_one(tmp_path):
    release = write(tmp_path, [question("119A1")], {"119A1": "a"})
    assert release.replay().published == ()
    board = {
        "Model": {
            "overall_correct": 314,
            "overall_total": 400,
            "no_image_correct": 241,
            "no_image_total": 297,
        },
        "Odd": {"overall_correct": 5, "overall_total": 0},
        "None": 3,
    }
    (tmp_path / layout.LEADERBOARD_FILE).write_text(json.dumps(board), encoding="utf-8")
    cells = IgakuQa119Release(tmp_path).replay().published
    assert [(cell.who, cell.count, cell.n, dict(cell.stratum)) for cell in cells] == [
        ("Model", 314, 400, {}),
        ("Model", 241, 297, {"image": "no figure"}),
    ]
    (tmp_path / layout.LEADERBOARD_FILE).write_text("{", encoding="utf-8")
    assert len(IgakuQa119Release(tmp_path).replay().findings) == 1
