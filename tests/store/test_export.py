from __future__ import annotations

import json
import resource
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from overread.errors import StoreFullError, UsageError
from overread.records import (
    Estimate,
    Finding,
    Manifest,
    PlannedItem,
    PublishedValue,
    Response,
    Score,
    Severity,
    Status,
    Vote,
)
from overread.store.export import TABLES, export
from overread.store.hashes import sha256_text
from overread.store.records_json import from_json
from overread.store.run_store import RunStore

FINDING = Finding(severity=Severity.WARNING, code="odd-size", where="é.png", evidence="3 × 3")
PUBLISHED = PublishedValue(
    metric="accuracy",
    stratum={"task": "img2txt", "box": "box"},
    who="GPT-4V",
    kind="model",
    value=0.275,
    source="arXiv 2602.14879, table 2",
)
ESTIMATES = [
    Estimate(
        metric="accuracy",
        profile="honest",
        stratum={},
        n=3,
        n_answered=2,
        n_clusters=None,
        value=None,
        low=None,
        high=None,
        method="none",
        status=Status.UNDEFINED,
        reason="one cluster",
    ),
    Estimate(
        metric="accuracy",
        profile="published",
        stratum={"task": "img2txt"},
        n=3,
        n_answered=2,
        n_clusters=1,
        value=1 / 3,
        low=0.06,
        high=0.79,
        method="wilson",
        published=(PUBLISHED, replace(PUBLISHED, stratum={}, count=540, n=1900)),
    ),
]

VOTES = [
    Vote(
        run="run-1",
        item=f"img2txt/box/{place}",
        profile="published",
        judge="chat:judge",
        judge_hash=sha256_text("judge"),
        request_hash=sha256_text("five of them"),
        position=place,
        verdict=verdict,
        status=Status.UNPARSED if verdict is None else Status.OK,
        reason="no JSON" if verdict is None else None,
        rationale=None if verdict is None else "same side \ud83d",
        text="[true, false",
    )
    for place, verdict in enumerate((True, False, None))
]


@pytest.fixture
def store(
    tmp_path: Path,
    manifest: Manifest,
    planned: Callable[[int], list[PlannedItem]],
    answer: Callable[..., Response],
) -> RunStore:
    plan = planned(3)
    plan[1] = replace(plan[1], groups={"patient": "p9"}, strata={"stack": "mosaic"}, chance=None)
    with RunStore.create(tmp_path / "run.db", manifest) as store:
        store.set_plan(plan)
        store.add(answer(plan[0], text='Line one\n"quoted", 肝臓 \ud83d'))
        store.add(answer(plan[2], status=Status.FAILED, text=None, reason="500", receipts=()))
        store.replace_scores(
            Score(
                run="run-1",
                item=each.item,
                patient=each.groups["patient"],
                metric="accuracy",
                metric_version="1",
                profile="honest",
                unit="share",
                value=value,
                status=Status.OK if value is not None else Status.FAILED,
            )
            for each, value in zip(plan, (1.0, 0.0, None), strict=True)
        )
        store.add_votes(VOTES)
        store.replace_estimates(ESTIMATES)
        store.replace_findings("release", [FINDING])
        store.replace_findings("canary", [replace(FINDING, count=2)])
    return RunStore.open(tmp_path / "run.db")


def lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_json_lines_hold_every_record_whole(store: RunStore, tmp_path: Path) -> None:
    out = tmp_path / "a" / "b"
    with store:
        written = export(store, out, "jsonl")
        assert [path.name for path in written] == [f"{table}.jsonl" for table in TABLES]
        assert sorted(out.iterdir()) == sorted(written)

        def read(cls: type, table: str) -> list[object]:
            return [from_json(cls, row) for row in lines(out / f"{table}.jsonl")]  # type: ignore[arg-type]

        assert read(PlannedItem, "plan") == store.plan()
        assert read(Response, "responses") == list(store.responses())
        assert read(Score, "scores") == store.scores()
        assert read(Vote, "votes") == list(store.votes()) == VOTES
        assert read(Estimate, "estimates") == store.estimates() == ESTIMATES
    findings = lines(out / "findings.jsonl")
    assert [row.pop("kind") for row in findings] == ["canary", "release"]
    assert from_json(Finding, findings[1]) == FINDING  # type: ignore[arg-type]


def test_json_lines_keep_characters_readable(store: RunStore, tmp_path: Path) -> None:
    with store:
        export(store, tmp_path, "jsonl")
    assert "é.png" in (tmp_path / "findings.jsonl").read_text("utf-8")


def test_parquet_holds_the_same_values(store: RunStore, tmp_path: Path) -> None:
    with store:
        written = export(store, tmp_path / "out")
        plan, responses, scores, votes, estimates, findings = (
            pl.read_parquet(path) for path in written
        )

        assert plan["request_hash"].to_list() == [each.request_hash for each in store.plan()]
        assert plan["groups.patient"].to_list() == ["p0", "p9", "p0"]
        assert plan["groups.lesion"].to_list() == ["0", None, "2"]
        assert plan["strata.stack"].to_list() == [None, "mosaic", None]
        assert plan["chance"].to_list() == [0.25, None, 0.25]

        assert responses["item"].to_list() == ["img2txt/box/0", "img2txt/box/2"]
        # Parquet holds UTF-8 only: the lone surrogate is shown as its escape.
        assert responses["text"].to_list() == ['Line one\n"quoted", 肝臓 \\ud83d', None]
        assert responses["status"].to_list() == ["ok", "failed"]
        receipt = next(store.responses()).receipts[0]
        assert responses["receipts"][0][0]["sha256"] == receipt.sha256
        assert responses["receipts"][0][0]["sources"] == ["lesion_bbox/0.png"]
        assert len(responses["receipts"][1]) == 0

        assert scores["value"].to_list() == [1.0, 0.0, None]
        assert votes["verdict"].to_list() == [True, False, None]
        assert votes["text"].to_list() == ["[true, false"] * 3
        assert votes["rationale"].to_list() == ["same side \\ud83d"] * 2 + [None]
        assert scores["answer"].dtype == pl.String

        assert estimates["stratum.task"].to_list() == [None, "img2txt"]
        assert estimates["value"].to_list() == [None, 1 / 3]
        first, second = estimates["published"][1]
        assert json.loads(first["stratum"]) == PUBLISHED.stratum
        assert (second["count"], second["n"]) == (540, 1900)

        assert findings["kind"].to_list() == ["canary", "release"]
        assert findings["count"].to_list() == [2, 1]


@pytest.mark.parametrize("form", ["jsonl", "parquet"])
def test_a_new_run_gives_empty_tables_with_their_columns(
    tmp_path: Path, manifest: Manifest, form: str
) -> None:
    with RunStore.create(tmp_path / "run.db", manifest) as store:
        written = export(store, tmp_path / "out", form)  # type: ignore[arg-type]
    if form == "parquet":
        frames = [pl.read_parquet(path) for path in written]
        assert [frame.height for frame in frames] == [0] * 6
        assert frames[2].columns[:5] == ["run", "item", "draw", "patient", "metric"]
    else:
        assert [path.read_bytes() for path in written] == [b""] * 6


def test_a_second_export_replaces_the_first(store: RunStore, tmp_path: Path) -> None:
    out = tmp_path / "out"
    with store:
        first = [path.read_bytes() for path in export(store, out, "jsonl")]
        assert [path.read_bytes() for path in export(store, out, "jsonl")] == first
    assert len(list(out.iterdir())) == len(TABLES)


def test_an_unknown_format_is_said(store: RunStore, tmp_path: Path) -> None:
    with store, pytest.raises(UsageError, match="--format: expected one of parquet, jsonl"):
        export(store, tmp_path, "xlsx")  # type: ignore[arg-type]


def test_a_file_in_the_place_of_the_folder_is_said(store: RunStore, tmp_path: Path) -> None:
    taken = tmp_path / "out"
    taken.write_bytes(b"mine")
    with store, pytest.raises(UsageError, match="a folder that can be written"):
        export(store, taken)
    assert taken.read_bytes() == b"mine"


@pytest.mark.parametrize("form", ["jsonl", "parquet"])
def test_a_full_disk_leaves_no_half_table(store: RunStore, tmp_path: Path, form: str) -> None:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, before[1]))
    try:
        with store, pytest.raises(StoreFullError, match="The run is untouched"):
            export(store, tmp_path / "out", form)  # type: ignore[arg-type]
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert list((tmp_path / "out").iterdir()) == []
