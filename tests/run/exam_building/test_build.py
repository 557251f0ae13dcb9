"""An exam of a synthetic lesion set, end to end: drawn, checked, reviewed, refused."""

from __future__ import annotations

import csv
import hashlib
import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from overread.builders.retrieved_exam.built_in_embedding import BuiltInEmbedder
from overread.builders.retrieved_exam.release import HASHES_FILE
from overread.contracts import Selection
from overread.errors import ReleaseError, UsageError
from overread.records import Severity
from overread.registry import find_benchmark
from overread.run.exam_building import build
from overread.run.exam_building.build import build_lesion_exam
from overread.run.exam_building.request import ExamOutcome, ExamRequest


def _build(request: ExamRequest) -> ExamOutcome:
    return build_lesion_exam(request, on_progress=lambda step, done, total: None)


pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def lesion_set(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("set") / "release"
    find_benchmark("ct-bench").synthesise(root, seed=3, size=96)
    return root


@pytest.fixture(scope="module")
def request_of(lesion_set: Path, tmp_path_factory: pytest.TempPathFactory):
    def make(**changes) -> ExamRequest:
        plain = ExamRequest(
            lesion_set=lesion_set,
            out=tmp_path_factory.mktemp("out") / "exam",
            embedder=BuiltInEmbedder(),
            most=6,
        )
        return replace(plain, **changes)

    return make


@pytest.fixture(scope="module")
def built(request_of) -> ExamOutcome:
    return _build(request_of())


def test_it_is_a_release_that_can_be_asked(built: ExamOutcome) -> None:
    release = find_benchmark("ct-bench").open(built.out)
    problems = [one for one in release.findings(thorough=True) if one.severity is Severity.ERROR]
    assert problems == []
    items = [
        item for split in ("test", "validation") for item in release.items(Selection(split=split))
    ]
    assert len(items) == sum(built.report.questions.values()) > 60
    by_clip = list(release.items(Selection(split="test", form="clip")))
    by_chat = list(release.items(Selection(split="test")))
    assert [item.id for item in by_clip] == [item.id for item in by_chat]
    for item in by_chat:
        assert release.reference(item.id).answer in {option.letter for option in item.options}


def test_no_patient_is_in_two_splits_and_no_question_has_one_twice(built: ExamOutcome) -> None:
    with (built.out / "CT-Bench-Final-Merged-with-DeepLesion-Metadata .csv").open() as file:
        rows = list(csv.DictReader(file))
    splits: dict[str, set[str]] = {}
    for row in rows:
        splits.setdefault(row["Patient_index"], set()).add(row["dataset"])
    assert all(len(each) == 1 for each in splits.values())
    patient = {row["lesion_idx"]: row["Patient_index"] for row in rows}
    split = {row["lesion_idx"]: row["dataset"] for row in rows}
    with (built.out / "choices.csv").open() as file:
        choices = list(csv.DictReader(file))
    by_question: dict[str, list[dict[str, str]]] = {}
    for row in choices:
        by_question.setdefault(row["qa_id"], []).append(row)
    for rows_of in by_question.values():
        lesions = {row["lesion_idx"] for row in rows_of}
        assert {split[one].replace("val", "validation") for one in lesions} == {rows_of[0]["split"]}
        if rows_of[0]["q_type"] != "txt2bbox":
            assert len({patient[one] for one in lesions}) == 4


def test_difficulty_is_shown_for_every_choice(built: ExamOutcome) -> None:
    with (built.out / "choices.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 4 * sum(built.report.questions.values())
    by_question: Counter[str] = Counter()
    for row in rows:
        by_question[row["qa_id"]] += int(row["chosen_by"])
        assert int(row["chosen_by"]) == len(row["names"].split())
        assert (row["is_right"] == "1") == (row["why_wrong"] == "")
    assert all(by_question[row["qa_id"]] == int(row["readers"]) for row in rows)
    right, n = built.report.readers["radiomics"]
    assert right / n > 0.4, "the reader that looks does better than chance"


def test_sheet_and_exam_are_told_of_by_both_their_numbers(built: ExamOutcome) -> None:
    with (built.out / "choices.csv").open(newline="") as file:
        both = {row["qa_id"]: row["review_question"] for row in csv.DictReader(file)}
    with (built.out / "review" / "sheet.csv").open(encoding="utf-8-sig", newline="") as file:
        asked = {row["question"] for row in csv.DictReader(file)}
    assert set(both.values()) == asked
    assert len(both) > len(asked), "most are asked without and with the box"
    pages = sorted((built.out / "review").glob("test-*.html"))
    shown = "".join(path.read_text("utf-8") for path in pages)
    first = [qa_id for qa_id, number in both.items() if number == "1"]
    told = f"In the exam as drawn: qa_id {first[0]} (nobox), qa_id {first[1]} (bbox)."
    assert told in shown


def test_hashes_card_licence_and_metadata_are_those_of_the_files(built: ExamOutcome) -> None:
    lines = (built.out / "SHA256SUMS").read_text().splitlines()
    named = dict(reversed(line.split("  ", 1)) for line in lines)
    files = {
        path.relative_to(built.out).as_posix(): path
        for path in built.out.rglob("*")
        if path.is_file() and "review" not in path.parts and path.name != "SHA256SUMS"
    }
    assert named.keys() == files.keys()
    for name, path in files.items():
        assert hashlib.sha256(path.read_bytes()).hexdigest() == named[name]
    croissant = json.loads((built.out / "croissant.json").read_text())
    objects = [one for one in croissant["distribution"] if one["@type"] == "cr:FileObject"]
    assert {one["contentUrl"] for one in objects} >= {"qa_clip.json", "qa_llm.json", "Metadata.csv"}
    for one in objects:
        assert one["sha256"] == named[one["contentUrl"]]
    ids = [one["@id"] for one in croissant["distribution"]]
    assert len(set(ids)) == len(ids)
    assert not any(" " in one for one in ids)
    card = (built.out / "CARD.md").read_text()
    assert "Status: released." in card
    assert "Nobody has reviewed" in card
    assert "phantoms" in (built.out / "LICENSE.txt").read_text()


def test_what_is_not_looked_at_scores_within_luck(built: ExamOutcome) -> None:
    assert built.report.is_released
    assert {check.split for check in built.report.blind} == {"test", "validation"}
    for check in built.report.blind:
        assert check.value <= check.mark
        assert check.leaks == ()


def test_equal_requests_give_equal_bytes(built: ExamOutcome, request_of) -> None:
    again = _build(request_of())
    for name in ("SHA256SUMS", "review/sheet.csv", "review/draft.json", "review/index.html"):
        assert (again.out / name).read_bytes() == (built.out / name).read_bytes()


def _filled(out: Path, keep) -> Path:
    with (out / "review" / "sheet.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    path = out.parent / "filled.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        for row in rows:
            writer.writerow({**row, "keep": "yes" if keep(row) else "no", "reviewer": "reader 1"})
    return path


@pytest.fixture(scope="module")
def drawn_anew(request_of) -> ExamRequest:
    request = request_of(most=40, readers=("longest",))
    _build(request)
    return request


def test_people_strike_questions_and_the_rest_is_released(drawn_anew: ExamRequest) -> None:
    out = drawn_anew.out
    before = {path.name for path in (out / "clip" / "test").iterdir()}
    sheet = _filled(out, lambda row: int(row["question"]) % 3 != 0)
    outcome = _build(replace(drawn_anew, reviewed=(sheet,), seed=7))
    assert outcome.report.seed == drawn_anew.seed, "what was drawn keeps its seed"
    review = outcome.report.review
    assert review is not None
    assert review.error_rate.count == len(review.struck) > 10
    assert f"{len(review.struck)} were struck" in (out / "CARD.md").read_text()
    after = {path.name for path in (out / "clip" / "test").iterdir()}
    assert after <= before
    named = {
        name
        for one in json.loads((out / "qa_clip.json").read_text())
        if one["split"] == "test"
        for name in ([one["image_path"]] if "image_path" in one else one["image_paths"])
    }
    assert after == named
    counts = outcome.report.letters.values()
    assert max(counts) - min(counts) <= 2 * 7  # at most one a task, split and condition


def test_an_exam_that_leaks_is_not_called_released(drawn_anew: ExamRequest) -> None:
    # people who strike whatever is not the longest description leave an exam that needs no picture
    out = drawn_anew.out
    key = {
        unit["number"]: unit["letter"]
        for unit in json.loads((out / "review" / "draft.json").read_text())["units"]
    }

    def keep(row: dict[str, str]) -> bool:
        right = row[key[int(row["question"])]]
        texts = [row[letter] for letter in "ABCD"]
        return row["task"] == "img2txt" and len(right) == max(map(len, texts))

    outcome = _build(replace(drawn_anew, reviewed=(_filled(out, keep),)))
    assert not outcome.report.is_released
    leak = next(one for check in outcome.report.blind for one in check.leaks)
    assert leak.policy == "longest option"
    assert leak.value > leak.mark
    found = next(one for one in outcome.report.findings if one.code == "leak")
    assert "'longest option' is right on" in found.evidence
    assert "not released" in (out / "CARD.md").read_text()
    assert "NOT released" in (out / "BUILT.txt").read_text()
    assert json.loads((out / "croissant.json").read_text())["creativeWorkStatus"] == "Draft"
    with (out / "leaks.csv").open() as file:
        listed = list(csv.DictReader(file))
    assert {row["question"] for row in listed} >= set(leak.questions)


def test_a_review_of_another_set_is_refused(built: ExamOutcome, request_of, tmp_path: Path) -> None:
    other = tmp_path / "other"
    find_benchmark("ct-bench").synthesise(other, seed=4, size=40)
    sheet = _filled(built.out, lambda row: True)
    with pytest.raises(ReleaseError, match="another lesion set"):
        _build(request_of(lesion_set=other, out=built.out, reviewed=(sheet,)))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"seed": -1}, "--seed"),
        ({"most": 0}, "--most"),
        ({"picture_weight": 1.5}, "--picture-weight"),
        ({"readers": ("chat",)}, "--reader: expected one of radiomics"),
        ({"slices": Path("/absent/folder")}, "--slices"),
    ],
)
def test_wrong_arguments_are_refused(request_of, changes, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        _build(request_of(**changes))


def test_nothing_is_written_over(request_of, lesion_set: Path, built: ExamOutcome) -> None:
    with pytest.raises(UsageError, match="a new or empty folder"):
        _build(request_of(out=built.out))
    with pytest.raises(UsageError, match="outside the lesion set"):
        _build(request_of(out=lesion_set / "exam"))


def _stopped(request_of, monkeypatch: pytest.MonkeyPatch, **changes) -> ExamRequest:
    """Begin an exam and stop it when most of it is written."""
    request = request_of(**changes)
    with monkeypatch.context() as patch:
        patch.setattr(build, "check_blind", lambda release: (_ for _ in ()).throw(RuntimeError))
        with pytest.raises(RuntimeError):
            _build(request)
    return request


def test_a_stopped_build_says_so_and_starts_over(
    request_of, monkeypatch: pytest.MonkeyPatch
) -> None:
    request = _stopped(request_of, monkeypatch, readers=("longest",))
    assert (request.out / "qa_llm.json").is_file()
    assert "Half-built" in (request.out / "UNFINISHED.txt").read_text()
    with pytest.raises(ReleaseError, match="whose building was stopped half-way or still goes on"):
        find_benchmark("ct-bench").open(request.out)
    (request.out / "mine.txt").write_text("of somebody")
    with pytest.raises(UsageError, match=r"half-built and with mine\.txt"):
        _build(request)
    (request.out / "mine.txt").unlink()
    again = _build(request)
    never_stopped = _build(request_of(readers=("longest",)))
    assert (again.started_over, never_stopped.started_over) == (True, False)
    assert not (request.out / "UNFINISHED.txt").exists()
    assert (request.out / HASHES_FILE).read_bytes() == (
        never_stopped.out / HASHES_FILE
    ).read_bytes()


def test_a_stopped_review_keeps_what_people_did(
    drawn_anew: ExamRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    rest = _filled(drawn_anew.out, lambda row: True)
    with monkeypatch.context() as patch:
        patch.setattr(build, "check_blind", lambda release: (_ for _ in ()).throw(RuntimeError))
        with pytest.raises(RuntimeError):
            _build(replace(drawn_anew, reviewed=(rest,)))
    with pytest.raises(UsageError, match="a finished one that was being changed"):
        _build(drawn_anew)
    assert rest.is_file()
    _build(replace(drawn_anew, reviewed=(rest,)))
    assert not (drawn_anew.out / "UNFINISHED.txt").exists()


def test_sheets_that_strike_everything_change_nothing(drawn_anew: ExamRequest) -> None:
    before = (drawn_anew.out / HASHES_FILE).read_bytes()
    sheet = _filled(drawn_anew.out, lambda row: False)
    with pytest.raises(UsageError, match=r"--reviewed: expected sheets that leave .* are struck"):
        _build(replace(drawn_anew, reviewed=(sheet,)))
    assert (drawn_anew.out / HASHES_FILE).read_bytes() == before
    assert find_benchmark("ct-bench").open(drawn_anew.out)
