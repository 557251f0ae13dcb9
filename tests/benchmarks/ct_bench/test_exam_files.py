from __future__ import annotations

import dataclasses
import json

import pytest

from overread.benchmarks.ct_bench import exam_files, layout
from overread.errors import UsageError


def question(**changes):
    base = exam_files.Question(
        qa_id=3,
        q_type="img2txt",
        lesion_idx=7,
        split="test",
        bbox_type="nobox",
        correct_choice="B",
        texts=("a", "b", "c", "d"),
        image_paths=("x.png",),
    )
    return dataclasses.replace(base, **changes)


def test_both_formats_hold_the_same_question(tmp_path):
    asked = [
        question(),
        question(q_type="ct2txt", image_paths=tuple(f"{i}.png" for i in range(9))),
        question(q_type="txt2img", texts=("find me",), image_paths=("a", "b", "c", "d")),
    ]
    exam_files.write_exam(tmp_path, asked)
    clip = json.loads((tmp_path / layout.QA_CLIP_FILE).read_text(encoding="utf-8"))
    llm = json.loads((tmp_path / layout.QA_LLM_FILE).read_text(encoding="utf-8"))
    assert clip[0]["image_path"] == "x.png"
    assert clip[0]["text"] == ["a", "b", "c", "d"]
    assert "image_paths" not in clip[0]
    assert llm[0]["choices"] == {"A": "a", "B": "b", "C": "c", "D": "d"}
    assert llm[0]["image_path"] == "x.png"
    assert clip[1]["image_paths"] == llm[1]["image_path"] == [f"{i}.png" for i in range(9)]
    assert clip[2]["text"] == "find me"
    assert llm[2]["choices"]["C"] == "Image C"
    assert llm[2]["question"].endswith("find me")
    for left, right in zip(clip, llm, strict=True):
        for field in ("lesion_idx", "q_type", "split", "bbox_type", "correct_choice"):
            assert left[field] == right[field]


@pytest.mark.parametrize(
    ("changes", "rule"),
    [
        ({"q_type": "img2organ"}, "one of img2txt"),
        ({"texts": ("a", "b", "c")}, "4 for img2txt"),
        ({"q_type": "ct2txt"}, "9 for ct2txt"),
        ({"q_type": "txt2img"}, "1 for txt2img"),
        ({"correct_choice": "E"}, "a letter from A to D"),
    ],
)
def test_a_question_its_task_cannot_have_is_refused(changes, rule):
    with pytest.raises(UsageError, match=rule):
        question(**changes)


def test_exam_pictures_lie_under_both_formats(tmp_path):
    exam_files.write_exam_picture(tmp_path, "validation", "p.png", b"png")
    assert (tmp_path / "clip" / "validation" / "p.png").read_bytes() == b"png"
    assert (tmp_path / "llm" / "validation" / "p.png").read_bytes() == b"png"
