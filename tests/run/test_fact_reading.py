"""Facts read by a model: asked once a text, stored, scored beside the rules, never instead."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from overread.contracts import ModelOptions, Selection
from overread.errors import FatalModelError, UsageError
from overread.models.fake.fact_answers import facts_reply
from overread.models.fake.script import read_script
from overread.models.fake.server import FakeServer
from overread.records import Estimate, Severity, Status
from overread.registry import find_benchmark
from overread.run.fact_reading import FactReadingOutcome, FactRequest, read_facts
from overread.run.pipeline import execute, quietly
from overread.run.scoring import score_run
from overread.scoring.facts.model_form import FactForm
from overread.store.hashes import sha256_text
from overread.store.run_store import RunStore

CAPTION = {"selection": {"tasks": ("caption",), "conditions": ("box",)}, "limit": None}


@contextmanager
def served(script: str) -> Iterator[FactRequest]:
    with FakeServer(read_script(script)) as server:
        options = ModelOptions(base_url=server.base_url, timeout_s=5, max_retries=0)
        yield FactRequest(model="chat:fake", options=options)


def read(path: Path, root: Path, request: FactRequest) -> FactReadingOutcome:
    release = find_benchmark("ct-bench").open(root)
    with RunStore.open(path, write=True) as store:
        outcome = read_facts(store, release, request, on_progress=quietly)
        score_run(store, release)
    return outcome


def totals(path: Path) -> dict[str, Estimate]:
    with RunStore.open(path) as store:
        return {e.metric: e for e in store.estimates() if not e.stratum and e.profile == "honest"}


@pytest.fixture
def captions(request_for, release_root: Path, tmp_path: Path) -> Path:
    """Every lesion described as it is, but with the other side."""
    release = find_benchmark("ct-bench").open(release_root)
    swap = {"left": "right", "right": "left"}
    rows = [
        {
            "id": item.id,
            "text": " ".join(
                swap.get(word, word) for word in release.reference(item.id).answer.split(" ")
            ),
        }
        for item in release.items(Selection(tasks=("caption",), conditions=("box",)))
    ]
    path = tmp_path / "captions.json"
    path.write_text(json.dumps(rows))
    request = request_for(f"predictions:{path}", **CAPTION)
    execute(request)
    return request.out


def test_each_text_is_asked_about_once_and_scored_beside_the_rules(captions, release_root) -> None:
    before = totals(captions)
    with RunStore.open(captions) as store:
        n_replies = len({response.text for response in store.responses()})
        assert store.fact_reader() is None
    with served("") as request:
        first = read(captions, release_root, request)
        second = read(captions, release_root, request)
    assert n_replies < first.n_asked == first.n_texts == first.n_read
    assert (second.n_asked, second.n_read) == (0, first.n_texts)
    after = totals(captions)
    assert {name: after[name] for name in before} == before
    for metric in ("fact_score", "side_error", "organ_error"):
        # The fake reads sides itself and leaves the rest to the lexicon: as the rules do.
        assert after[f"{metric}_by_model"].value == pytest.approx(before[metric].value, abs=0.02)
    assert after["side_error_by_model"].value > 0.9
    with RunStore.open(captions) as store:
        (finding,) = store.findings("facts-model")
        assert (finding.code, finding.severity) == ("facts-read-by-model", Severity.INFO)
        assert store.fact_reader().form == "facts-1"


def test_another_model_is_asked_anew_and_counts(captions, release_root) -> None:
    with served("") as request:
        n_texts = read(captions, release_root, request).n_texts
        nothing = replace(request, model="chat:other")
        assert read(captions, release_root, nothing).n_asked == n_texts
        assert read(captions, release_root, request).n_asked == 0  # its replies are still there


@pytest.mark.parametrize("facts", ["echo", "prose", "half", "stale"])
def test_what_cannot_be_read_is_no_fact_and_no_fault_of_the_caption(
    facts: str, captions, release_root
) -> None:
    before = totals(captions)
    with served(f"facts={facts}") as request:
        outcome = read(captions, release_root, request)
        assert outcome.n_read == 0
        assert read(captions, release_root, request).n_asked == 0
        again = read(captions, release_root, replace(request, retry=True))
    assert again.n_asked == outcome.n_texts
    after = totals(captions)
    assert after["fact_score_by_model"].value is None
    assert after["fact_score_by_model"].n == 0
    assert after["fact_score"] == before["fact_score"]
    with RunStore.open(captions) as store:
        (finding,) = store.findings("facts-model")
        rows = [s for s in store.scores() if s.metric == "fact_score_by_model"]
    assert (finding.code, finding.count) == ("facts-unread", outcome.n_texts)
    assert {row.status for row in rows} == {Status.UNDEFINED}


def test_a_failed_request_is_asked_again_and_the_others_are_not(captions, release_root) -> None:
    with served("queue=ok+500+ok+500") as request:  # the first is the preflight's
        one = replace(request, options=replace(request.options, concurrency=1))
        first = read(captions, release_root, one)
        assert (first.n_failed, first.n_read) == (2, first.n_texts - 2)
        with RunStore.open(captions) as store:
            (finding,) = store.findings("facts-model")
            lost = [s for s in store.scores() if s.status is Status.UNDEFINED]
        assert finding.count == 2
        assert "HTTP 500" in finding.evidence
        assert any("HTTP 500" in str(score.reason) for score in lost)
        second = read(captions, release_root, one)
    assert (second.n_asked, second.n_failed, second.n_read) == (2, 0, first.n_texts)


def test_a_server_that_dies_leaves_its_replies(captions, release_root) -> None:
    with served("die-after=5") as request:
        one = replace(request, options=replace(request.options, concurrency=1))
        with pytest.raises(FatalModelError, match="goes on from there"):
            read(captions, release_root, one)
    with RunStore.open(captions) as store:
        kept = [each for each in store.fact_replies().values() if each.status is Status.OK]
        assert 1 <= len(kept) <= 5
        assert not store.estimates()  # of an earlier reader


def test_a_server_that_is_not_there_changes_nothing(captions, release_root) -> None:
    with served("") as request:
        read(captions, release_root, request)
    before = totals(captions)
    dead = FactRequest(
        model="chat:fake",
        options=ModelOptions(base_url="http://127.0.0.1:9/v1", timeout_s=1, max_retries=0),
    )
    with pytest.raises(FatalModelError, match=r"0 of \d+ replies"):
        read(captions, release_root, dead)
    assert totals(captions) == before
    with RunStore.open(captions) as store:
        assert {f.code for f in store.findings("facts-model")} == {"facts-read-by-model"}


def test_a_model_that_finds_nothing_in_a_caption_says_so(captions, release_root) -> None:
    with served("facts=nothing") as request:
        assert read(captions, release_root, request).n_read > 0
    with RunStore.open(captions) as store:
        rows = [s for s in store.scores() if s.metric == "fact_score_by_model"]
    # The tables still say what the reference is about; the captions were read and say nothing.
    assert {row.status for row in rows} == {Status.UNPARSED}
    # Where not one caption was graded a share is unknown, as with a jury without a vote.
    assert totals(captions)["fact_score_by_model"].value is None


def test_readings_made_elsewhere_are_joined_by_the_hash_of_their_text(
    captions, release_root, tmp_path
) -> None:
    with RunStore.open(captions) as store:
        text = next(str(response.text) for response in store.responses())
    words = "\n\n".join(part.text or "" for part in FactForm().prompt(text))
    path = tmp_path / "readings.json"
    path.write_text(json.dumps([{"id": sha256_text(text), "text": facts_reply("text", words)}]))
    outcome = read(captions, release_root, FactRequest(model=f"predictions:{path}"))
    assert (outcome.n_read, outcome.n_failed) == (1, outcome.n_texts - 1)
    with RunStore.open(captions) as store:
        (finding,) = [f for f in store.findings("facts-model") if f.code == "facts-unread"]
    assert "not in the file" in finding.evidence


def test_runs_and_benchmarks_without_descriptions_are_refused(request_for, release_root) -> None:
    request = request_for("majority", selection={"tasks": ("img2txt",)}, limit=4)
    execute(request)
    with served("") as facts, pytest.raises(UsageError, match="which holds none"):
        read(request.out, release_root, facts)
