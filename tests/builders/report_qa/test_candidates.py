"""Pairs that were generated elsewhere go through the same filter."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

import pytest

from overread.benchmarks.ct_spatialvqa import layout
from overread.builders.report_qa.build import BuildOutcome, BuildRequest, build_report_qa
from overread.builders.report_qa.candidates import read_candidates
from overread.contracts import Query
from overread.errors import ReleaseError

PAIR = {"question": "Where is the cyst?", "answer": "Left"}
OTHER = {"question": "Where is the nodule?", "answer": "Right"}


class Models(Protocol):
    asked: list[Query]

    def __call__(self, answer: Callable[[Query], Any]) -> str: ...


def build(request: BuildRequest) -> BuildOutcome:
    return build_report_qa(request, on_progress=lambda phase, progress: None)


def written(path: Path, value: object) -> Path:
    path.write_text(json.dumps(value), "utf-8")
    return path


def test_a_file_by_case_and_the_list_of_the_released_script_are_both_read(tmp_path: Path) -> None:
    by_case = written(
        tmp_path / "a.json", {"b.nii.gz": {"qa_pairs": [PAIR, OTHER]}, "a.nii.gz": {"qa_pairs": []}}
    )
    listed = written(
        tmp_path / "b.json",
        [
            {"file_name": "b.nii.gz", "base_volume": "b", "qa_pairs": [PAIR, OTHER]},
            {"case_id": "a.nii.gz", "qa_pairs": [{"error": "Invalid JSON output"}]},
            {"qa_pairs": [PAIR]},
            {"case": "c", "qa_pairs": "none"},
            7,
        ],
    )
    for honestly in (True, False):
        read = read_candidates(by_case, honestly=honestly)
        assert list(read) == ["b.nii.gz", "a.nii.gz"]
        assert [pair.answer for pair in read["b.nii.gz"].pairs] == ["Left", "Right"]
        read = read_candidates(listed, honestly=honestly)
        assert list(read) == ["b.nii.gz", "a.nii.gz", "c"]
        assert [each.reason for each in read["a.nii.gz"].refused] == ["question-is-no-text"]
        assert [each.reason for each in read["c"].refused] == ["no-pair"]


@pytest.mark.parametrize("text", ["", "[", "[]", "{}", "7", '"text"', '{"a": 1}', "[" * 100_000])
def test_what_holds_no_candidates_is_refused_in_words(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.json"
    path.write_text(text)
    with pytest.raises(ReleaseError, match="--candidates"):
        read_candidates(path, honestly=True)


def test_an_absent_file_is_refused_in_words(tmp_path: Path) -> None:
    with pytest.raises(ReleaseError, match="--candidates"):
        read_candidates(tmp_path / "none.json", honestly=True)


def test_candidates_are_checked_against_the_report_of_their_case(
    tmp_path: Path, table: Path, models: Models, scripts: dict[str, Callable[[Query], str]]
) -> None:
    candidates = {
        "valid_2_a_1.nii.gz": {"qa_pairs": [PAIR, {"question": "?", "answer": ""}, PAIR]},
        "valid_1_a_1.nii.gz": {"qa_pairs": [OTHER]},
        "valid_9_a_1.nii.gz": {"qa_pairs": [OTHER]},
    }
    request = BuildRequest(
        reports=table,
        out=tmp_path / "exam",
        candidates=written(tmp_path / "c.json", candidates),
        validator=models(scripts["check"]),
    )
    report = build(request).report
    assert (report.reports, report.candidates, report.kept) == (2, 2, 2)
    assert report.refused == {"empty": 1, "twice-in-the-report": 1}
    assert report.generator == "file c.json"
    assert [one.code for one in report.findings] == ["candidates-without-report"]
    held = json.loads((request.out / layout.QUESTIONS_FILE).read_text("utf-8"))
    # In the order of their file.
    assert list(held) == ["valid_2_a_1.nii.gz", "valid_1_a_1.nii.gz"]
    assert len(models.asked) == 2
    assert "A cyst lies in the left hepatic lobe" in models.asked[0].item.question


def test_candidates_of_other_cases_are_refused(
    tmp_path: Path, table: Path, models: Models, scripts: dict[str, Callable[[Query], str]]
) -> None:
    request = BuildRequest(
        reports=table,
        out=tmp_path / "exam",
        candidates=written(tmp_path / "c.json", {"x": {"qa_pairs": [PAIR]}}),
        validator=models(scripts["check"]),
    )
    with pytest.raises(ReleaseError, match="1 other cases"):
        build(request)
    assert models.asked == []


def test_recorded_replies_serve_as_models(tmp_path: Path, table: Path) -> None:
    label = '{"is_spatial": true, "is_relevant": true}'
    recorded = {
        "valid_1_a_1.nii.gz/generate/0": json.dumps(
            [{**PAIR, "question": f"{n}?"} for n in "abcdef"]
        ),
        "valid_1_a_1.nii.gz/validate/0": f'[{", ".join([label] * 4)}, {{"is_spatial": false}}]',
        "valid_1_a_1.nii.gz/validate/1": f"[{label}]",
    }
    for kind in ("generate", "validate"):
        lines = [
            json.dumps({"item": item, "text": text})
            for item, text in recorded.items()
            if kind in item
        ]
        (tmp_path / f"{kind}.jsonl").write_text("\n".join(lines), "utf-8")
    request = BuildRequest(
        reports=table,
        out=tmp_path / "exam",
        profile="published",
        generator=f"predictions:{tmp_path / 'generate.jsonl'}",
        validator=f"predictions:{tmp_path / 'validate.jsonl'}",
    )
    report = build(request).report
    assert (report.candidates, report.kept, report.dropped) == (6, 5, {"not-spatial": 1})
    # The two other reports stand in no line of the file.
    assert report.unanswered_requests == 2
    assert ["not in the file" in one.evidence for one in report.findings] == [True]
