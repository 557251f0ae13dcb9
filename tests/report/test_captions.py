"""Reports of lesion descriptions: a score between 0 and 1 for each, and clinical errors beside."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from overread.benchmarks.ct_bench import protocol
from overread.contracts import ModelOptions
from overread.imaging.render import PictureRenderer
from overread.models.fake.script import read_script
from overread.models.fake.server import FakeServer
from overread.records import PlannedItem, Score, Status
from overread.registry import find_benchmark
from overread.report.clinical_errors import count_left_out, error_groups, errors_title
from overread.report.collect import collect
from overread.report.data import GalleryAnswer, ReportData
from overread.report.fates import fates, kinds_shown
from overread.report.gallery import gallery_payload, outcome
from overread.report.grades import facts_of
from overread.report.html import write_html
from overread.report.json_report import report_json
from overread.report.markdown import markdown
from overread.report.pictures import stock_shelf
from overread.report.sentence import limits, sentences
from overread.report.spread import quartiles, spreads
from overread.report.text_metrics import text_metrics
from overread.run.fact_reading import FactRequest, read_facts
from overread.run.pipeline import quietly
from overread.run.scoring import score_run
from overread.store.run_store import RunStore


def rows_of(path: Path, metric: str) -> list[Score]:
    with RunStore.open(path) as store:
        return [s for s in store.scores() if s.metric == metric and s.profile == "honest"]


def test_a_score_is_neither_right_nor_wrong(
    caption_runs: tuple[Path, ...], caption_report: ReportData
) -> None:
    shown = fates(caption_report)
    assert not {"right", "wrong"} & set(kinds_shown(shown))
    for path, run, row in zip(caption_runs[1:3], caption_report.runs, shown, strict=True):
        scored = rows_of(path, "fact_score")
        assert run.fates["answered"] == sum(s.value is not None for s in scored)
        assert sum(part.n for part in row.slices) == run.n_planned == len(scored)
        assert not [one for one in row.reasons if "organ" in one.reason]
    assert caption_report.runs[0].fates["answered"] > 0


def test_the_spread_holds_every_score_once(
    caption_runs: tuple[Path, ...], caption_report: ReportData
) -> None:
    found = spreads(caption_report)
    assert found is not None
    assert found.metric == "Facts right"
    values = [s.value for s in rows_of(caption_runs[1], "fact_score") if s.value is not None]
    bars = found.rows[0].bars
    expected = [0] * 10
    for value in values:
        expected[next(k for k in range(10) if value < (k + 1) / 10 - 1e-12 or k == 9)] += 1
    assert [bar.n for bar in bars] == expected
    assert found.rows[0].ends[0] == f"{100 * min(values):.1f}"


def test_quartiles_by_hand() -> None:
    # Of 0.1, 0.2, 0.4, 0.8 a quarter of the way: 0.1 + 0.75 × 0.1, then 0.4 + 0.25 × 0.4.
    assert quartiles([0.8, 0.1, 0.4, 0.2]) == pytest.approx((0.1, 0.175, 0.3, 0.5, 0.8))
    assert quartiles([0.5]) == (0.5,) * 5
    assert quartiles([]) is None


def test_clinical_errors_stand_with_their_direction(
    caption_runs: tuple[Path, ...], caption_report: ReportData
) -> None:
    groups = error_groups(caption_report)
    assert [(group.label, group.direction) for group in groups] == [
        ("Wrong side", "fewer is better"),
        ("Wrong organ", "fewer is better"),
    ]
    for group, metric in zip(groups, ("side_error", "organ_error"), strict=True):
        of_run = rows_of(caption_runs[1], metric)
        for row, box in zip(group.rows[:3], ("", "no-box", "box"), strict=True):
            read = [s.value for s in of_run if f"/{box}/" in f"/{s.item}/" or not box]
            valued = [value for value in read if value is not None]
            assert row.shown.value == f"{100 * sum(valued) / len(valued):.1f}"
            assert row.n == str(len(valued))
        assert [row.setting for row in group.rows] == ["", "no box", "with box"] * 2
        assert [row.label for row in group.rows] == ["majority", "", "", "fake:hash", "", ""]
    told = " ".join(sentences(caption_report))
    assert "Wrong side (fewer is better): majority" in told


def test_what_an_error_does_not_count_is_told_by_reason(
    caption_runs: tuple[Path, ...], caption_report: ReportData
) -> None:
    sides, organs = error_groups(caption_report)
    for group, metric in ((sides, "side_error"), (organs, "organ_error")):
        lost = [s for s in rows_of(caption_runs[2], metric) if s.value is None]
        told = group.rows[3].left_out
        assert sum(map(int, re.findall(r"\d+", told))) == len(lost)
        n_silent = sum("the description states no" in str(s.reason) for s in lost)
        assert (f"{n_silent} silent on it" in told) == (n_silent > 0)
    assert "not counted: " in markdown(caption_report)


@pytest.mark.parametrize(
    ("status", "reason", "told"),
    [
        (Status.UNPARSED, "the description states no side", "silent on it"),
        (Status.UNPARSED, "empty", "without an answer"),
        (Status.REFUSED, "refusal", "without an answer"),
        (Status.FAILED, "HTTP 500", "without an answer"),
        (Status.UNDEFINED, "the reference states no side", "without it in the reference"),
        (Status.UNDEFINED, "the model gave no reply: busy", "that could not be read"),
        (None, "", "not asked yet"),
    ],
)
def test_each_reason_has_words_of_its_own(status: Status | None, reason: str, told: str) -> None:
    line = PlannedItem(item="i", request_hash="h", groups={}, strata={"box": "box"}, chance=None)
    other = replace(line, item="j", strata={"box": "no-box"})
    right = Score(
        run="r", item="j", patient=None, metric="side_error", metric_version="2",
        profile="honest", unit="share", value=0.0, status=Status.OK,
    )  # fmt: skip
    lost = [replace(right, item="i", value=None, status=status, reason=reason)] if status else []
    found = count_left_out([right, *lost], [line, other], protocol.CAPTION_PLAN)
    assert found == {"side_error": {"": {told: 1}, "box": {told: 1}}}


def test_what_a_model_read_stands_beside_the_rules(
    caption_runs: tuple[Path, ...], tmp_path: Path
) -> None:
    run = tmp_path / "read.sqlite"
    shutil.copy(caption_runs[1], run)
    release = find_benchmark("ct-bench").open(caption_runs[0])
    with FakeServer(read_script("")) as server, RunStore.open(run, write=True) as store:
        options = ModelOptions(base_url=server.base_url, max_retries=0)
        request = FactRequest(model="chat:reader", options=options)
        read_facts(store, release, request, on_progress=quietly)
        score_run(store, release)
    data = collect([run, caption_runs[2]], release=None, title=None)[0]
    groups = {group.label: group for group in error_groups(data)}
    assert next(iter(groups)) == "Facts right, read by a model"
    assert "Wrong side, read by a model" in groups
    assert errors_title(data) == "Descriptions and their clinical errors"
    read, unread = groups["Facts right, read by a model"].rows[0::3]
    assert read.shown.value != "–"
    assert unread.shown.reason == "not estimated"
    payload: Any = gallery_payload(data, stock_shelf(data, PictureRenderer(caption_runs[0])))
    assert "side_error_by_model" in {each["key"] for each in payload["errors"]}


def test_a_run_that_no_model_read_shows_nothing_of_it(caption_report: ReportData) -> None:
    assert "by a model" not in markdown(caption_report)
    card = markdown(caption_report).partition("## Clinical")[0]
    assert "| Chance |" not in card


def test_the_page_speaks_of_descriptions(
    caption_runs: tuple[Path, ...], caption_report: ReportData, tmp_path: Path
) -> None:
    page = write_html(caption_report, tmp_path, PictureRenderer(caption_runs[0])).read_text()
    body = page.partition("</style>")[2]
    shown = body.partition('<script type="application/json"')[0]
    # Right below the score card, before anything else is said.
    assert shown.index('id="card"') < shown.index('id="errors"') < shown.index("the result shows")
    assert "fact score" not in shown.lower()
    for name in ("bleu1", "meteor penn", "rouge1 plain", "judge", "McNemar", "BLEU runs"):
        assert name not in shown
    assert "BLEU-1 of each caption" in shown
    assert "BERTScore F1 and Cosine of sentence embeddings run from −1 to 1" in shown
    text = markdown(caption_report)
    assert "## Clinical errors" in text
    assert "| All descriptions | majority |" in text
    assert "All questions |" not in text.partition("## Published")[0]
    assert "in accuracy" not in text
    assert "| Wrong side (fewer is better) | majority |" in text
    assert "judge" not in limits(caption_report)[0]
    assert "facts of the reference description" in limits(caption_report)[0]
    one: Any = report_json(replace(caption_report, runs=caption_report.runs[:1]))
    assert one["fates"]["answered"] == caption_report.runs[0].fates["answered"]
    found = quartiles(caption_report.runs[0].graded)
    assert found is not None
    assert one["scores"]["median"] == found[2]


def test_one_run_is_said_in_scores(caption_report: ReportData) -> None:
    one = replace(caption_report, runs=caption_report.runs[:1], comparison=None)
    first, *_ = sentences(one)
    assert re.match(r"Facts right: majority has [\d.]+ % on the mean of \d+ descriptions", first)
    assert "reference answer" not in first


@pytest.mark.parametrize(
    ("value", "third"),
    [(0.0, "low"), (0.333, "low"), (1 / 3, "middle"), (2 / 3, "high"), (1.0, "high")],
)
def test_a_score_is_marked_by_thirds(value: float, third: str) -> None:
    score = Score(
        run="r", item="i", patient=None, metric="fact_score", metric_version="1",
        profile="honest", unit="score", value=value, status=Status.OK,
    )  # fmt: skip
    answer = GalleryAnswer(response=None, honest=score, published=None, graded=score)
    assert outcome(answer) == third
    silent = replace(score, value=None, status=Status.UNPARSED)
    assert outcome(replace(answer, honest=silent, graded=silent)) == "none"


def test_facts_are_taken_apart_or_left_alone() -> None:
    assert facts_of("body part right (chest); size missing (10 x 8 mm)") == [
        ("body part", "right", "chest"),
        ("size", "missing", "10 x 8 mm"),
    ]
    assert facts_of("side wrong (left, not right); something else") == []
    assert facts_of(None) == []


def test_the_gallery_has_score_facts_and_errors(
    caption_runs: tuple[Path, ...], caption_report: ReportData
) -> None:
    shelf = stock_shelf(caption_report, PictureRenderer(caption_runs[0]))
    payload: Any = gallery_payload(caption_report, shelf)
    assert payload["graded"] == {"label": "Facts right", "leads": True}
    scores = {s.item: s for s in rows_of(caption_runs[1], "fact_score")}
    sides = {s.item: s.value for s in rows_of(caption_runs[1], "side_error")}
    n_facts = 0
    for item in payload["items"]:
        answer = item["answers"][0]
        assert answer["score"] == scores[item["id"]].value
        assert ("side_error" in answer.get("made", ())) == (sides[item["id"]] == 1)
        told = [f"{f} {v} ({payload['texts'][w]})" for f, v, w in answer.get("facts", ())]
        if answer["score"] is not None:
            assert "; ".join(told) == scores[item["id"]].reason
            n_facts += len(told)
    assert n_facts > 0
    assert any(value == 1 for value in sides.values())
    json.dumps(payload)


def test_questions_asked_too_keep_their_marks(caption_runs: tuple[Path, ...]) -> None:
    data, _ = collect(caption_runs[3:], release=None, title=None)
    assert {"right", "wrong"} <= set(data.runs[0].fates)
    assert [group.label for group in error_groups(data)] == [
        "Facts right", "Wrong side", "Wrong organ",
    ]  # fmt: skip
    assert errors_title(data) == "Descriptions and their clinical errors"
    names = kinds_shown(fates(data), plan=data.plan)
    assert names["open"] == "described: see the scores"
    assert "for judges" not in markdown(data)
    found = text_metrics(data)
    assert found is not None
    assert "Facts right" not in found.metrics
    kinds = {
        (entry.item.task == "caption", outcome(answer) in {"low", "middle", "high"})
        for entry in data.gallery
        for answer in entry.answers.values()
        if outcome(answer) != "none"
    }
    assert kinds == {(True, True), (False, False)}
