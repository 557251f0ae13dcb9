from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overread.contracts import Picture
from overread.records import Media, Response, Score, Status
from overread.report.data import GalleryAnswer, ReportData
from overread.report.gallery import (
    THUMBNAILS_PER_BLOCK,
    gallery_payload,
    json_block,
    outcome,
    thumbnail_blocks,
)
from overread.report.pictures import stock_shelf


def make_score(value: float | None, status: Status) -> Score:
    return Score(
        run="r", item="i", patient=None, metric="accuracy", metric_version="1",
        profile="honest", unit="share", value=value, status=status,
    )  # fmt: skip


@given(st.text() | st.text(alphabet="<>&/script!-\u2028\u2029\"'"))
def test_a_json_block_cannot_be_closed_from_inside(text: str) -> None:
    block = json_block({text: [text]})
    assert not set(block) & set("<>&\u2028\u2029")
    assert json.loads(block) == {text: [text]}


@pytest.mark.parametrize(
    ("score", "expected"),
    [
        (make_score(1.0, Status.OK), "right"),
        (make_score(0.0, Status.OK), "wrong"),
        (make_score(None, Status.UNPARSED), "none"),
        (make_score(None, Status.REFUSED), "none"),
        (make_score(None, Status.FAILED), "none"),
        (make_score(None, Status.UNDEFINED), "undefined"),
        (None, "pending"),
    ],
)
def test_outcomes(score: Score | None, expected: str) -> None:
    answer = GalleryAnswer(response=None, honest=score, published=None)
    assert outcome(answer) == expected
    assert outcome(answer, in_headline=False) == expected
    assert outcome(None) == "absent"


def test_a_reply_outside_the_headline_is_open() -> None:
    response = Response(run="r", item="i", status=Status.OK, text="", request_hash="h")
    answer = GalleryAnswer(response=response, honest=None, published=None)
    assert outcome(answer, in_headline=False) == "open"
    assert outcome(answer) == "pending"


def test_the_payload_holds_every_item_and_every_run(
    small_report: ReportData, renderer: Callable[[Media], tuple[Picture, ...]]
) -> None:
    payload: Any
    shelf = stock_shelf(small_report, renderer)
    payload = gallery_payload(small_report, shelf)
    assert [entry["id"] for entry in payload["items"]] == [
        entry.item.id for entry in small_report.gallery
    ]
    assert [run["label"] for run in payload["runs"]] == [
        "chat:medgemma-27b", "clip:biomedclip", "chat:radfm",
    ]  # fmt: skip
    (box,) = payload["filters"]
    assert (box["key"], box["values"], box["several"]) == ("box", ["no-box", "box"], False)
    assert box["labels"] == {"no-box": "no box", "box": "with box"}
    assert payload["open"] is False
    stacked = next(entry for entry in payload["items"] if entry["task"] == "ct2txt")
    assert len(stacked["media"][0]["at"]) == 9
    chosen = next(entry for entry in payload["items"] if entry["task"] == "txt2bbox")
    assert chosen["media"] == []
    assert all(len(option["media"]["at"]) == 1 for option in chosen["options"])
    blocks = [json.loads(block) for block in thumbnail_blocks(shelf)]
    assert sum(map(len, blocks)) == len(shelf.thumbnails)
    assert all(len(block) == THUMBNAILS_PER_BLOCK for block in blocks[:-1])
    places = [place for entry in payload["items"] for m in entry["media"] for place in m["at"]]
    assert max(places) < len(shelf.thumbnails)


def test_a_long_reply_keeps_both_ends_and_says_what_is_missing(
    report_maker: Callable[..., ReportData], renderer: Callable[[Media], tuple[Picture, ...]]
) -> None:
    report = report_maker(size=0.01, n_runs=1)
    entry = report.gallery[0]
    run = report.runs[0].manifest.run
    reply = "begin " + "x" * 2_000_000 + " ANSWER: B"
    answer = entry.answers[run]
    assert answer.response is not None
    response = Response(
        run=run, item=entry.item.id, status=Status.OK, text=reply,
        request_hash=answer.response.request_hash,
    )  # fmt: skip
    long = GalleryAnswer(response=response, honest=answer.honest, published=None)
    changed = type(entry)(item=entry.item, reference=entry.reference, answers={run: long})
    small = ReportData(
        title="t", card=report.card, plan=report.plan, runs=report.runs,
        gallery=(changed,), created=report.created,
    )  # fmt: skip
    payload: Any = gallery_payload(small, stock_shelf(small, renderer))
    shown = payload["items"][0]["answers"][0]
    text = payload["texts"][shown["reply"]]
    assert text.startswith("begin")
    assert text.endswith("ANSWER: B")
    assert len(text) < 7000
    assert shown["cut"] == len(reply) - 6000
    assert {"finish", "seconds", "tokens", "receipts"}.isdisjoint(shown)  # not known


def test_an_item_that_a_run_was_not_asked_is_absent(
    small_report: ReportData, renderer: Callable[[Media], tuple[Picture, ...]]
) -> None:
    entry = small_report.gallery[0]
    first = small_report.runs[0].manifest.run
    pending = GalleryAnswer(response=None, honest=None, published=None)
    changed = type(entry)(item=entry.item, reference=entry.reference, answers={first: pending})
    report = replace(small_report, gallery=(changed,))
    payload: Any = gallery_payload(report, stock_shelf(report, renderer))
    waiting, *others = payload["items"][0]["answers"]
    assert waiting["outcome"] == "pending"
    assert "reply" not in waiting
    assert others == [None, None]
