from __future__ import annotations

import re
from pathlib import Path

from overread.benchmarks.ct_bench.exam_files import Question
from overread.builders.retrieved_exam.draw import Option, Unit
from overread.builders.retrieved_exam.review_page import write_pages

HOSTILE = '<script>alert(1)</script>"><img src=https://example.org/x>'


def test_pages_escape_every_text_and_load_nothing_from_elsewhere(
    tmp_path: Path, make_lesion
) -> None:
    lesions = {i: make_lesion(i, f"{HOSTILE} {i}") for i in range(4)}
    unit = Unit(
        number=1,
        split="test",
        task="img2txt",
        letter="B",
        options=tuple(
            Option(
                lesion_idx=i,
                why_wrong=None if i == 1 else f"side: {HOSTILE}",
                likeness=None if i == 1 else 0.25,
            )
            for i in range(4)
        ),
    )
    question = Question(
        qa_id=1,
        q_type="img2txt",
        lesion_idx=1,
        split="test",
        bbox_type="bbox",
        correct_choice="B",
        texts=("a", "b", "c", "d"),
        image_paths=("abc.png",),
    )
    said = {
        1: {
            "nobox": {HOSTILE: "C", "radiomics": "A", "longest": "D"},
            "bbox": {HOSTILE: "C", "radiomics": "B", "longest": "D"},
        }
    }
    write_pages(tmp_path, [(unit, question)], lesions, said)
    page = (tmp_path / "test-img2txt.html").read_text("utf-8")
    assert "<script" not in page
    assert page.count("<img") == 1
    assert '<img src="../clip/test/abc.png"' in page
    assert not re.search(r'(src|href)="(https?:)?//', page)
    assert "default-src &#x27;none&#x27;" in page
    assert "<td>radiomics (bbox)</td>" in page
    assert "<td>longest</td>" in page  # under both conditions
    assert 'href="test-img2txt.html"' in (tmp_path / "index.html").read_text("utf-8")
