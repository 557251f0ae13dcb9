from __future__ import annotations

import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from overread.errors import StoreError
from overread.records import Manifest, PlannedItem, Response, Status, Vote
from overread.store import database
from overread.store.hashes import sha256_text
from overread.store.run_store import RunStore
from overread.store.votes import Juror


def vote(place: int = 0, *, request: str = "a request", **changes: object) -> Vote:
    fields: dict[str, object] = {
        "run": "run-1",
        "item": f"case::{place}",
        "profile": "honest",
        "judge": "chat:judge",
        "judge_hash": sha256_text("judge"),
        "request_hash": sha256_text(request),
        "position": place,
        "verdict": True,
        "status": Status.OK,
        "rationale": "The same side. " * 40,
        "text": '[{"index": 1}] ' * 100,
    }
    return Vote(**(fields | changes))  # type: ignore[arg-type]


UNREAD = {"verdict": None, "status": Status.UNPARSED, "reason": "no JSON", "rationale": None}


def test_votes_come_back_as_they_were(tmp_path: Path, manifest: Manifest) -> None:
    votes = [vote(0), vote(1, verdict=False), vote(2, **UNREAD), vote(3, run="run-0", draw=2)]
    with RunStore.create(tmp_path / "run.db", manifest) as store:
        store.add_votes(votes)
        assert list(store.votes()) == votes
        assert [each.text for each in store.votes(texts=False)] == [None] * 4
    with RunStore.open(tmp_path / "run.db") as store:
        assert list(store.votes()) == votes
        assert store.voted("honest") == {sha256_text("a request")}
        assert store.voted("published") == set()


def test_more_votes_than_a_page_come_in_order(tmp_path: Path, manifest: Manifest) -> None:
    votes = [vote(place, request=f"request {place // 5}") for place in range(503)]
    with RunStore.create(tmp_path / "run.db", manifest) as store:
        for start in range(0, 503, 5):
            store.add_votes(votes[start : start + 5])
        assert list(store.votes("honest")) == votes
        assert list(store.votes("published")) == []


def test_the_raw_reply_of_a_batch_is_kept_once(tmp_path: Path, manifest: Manifest) -> None:
    path = tmp_path / "run.db"
    with RunStore.create(path, manifest) as store:
        store.add_votes([vote(place) for place in range(5)])
        store.add_votes([vote(5, request="another")])
    with sqlite3.connect(path) as connection:
        assert connection.execute("SELECT count(*) FROM judgement").fetchone() == (2,)
    connection.close()


def test_the_latest_readable_vote_counts_and_all_are_kept(
    tmp_path: Path, manifest: Manifest
) -> None:
    path = tmp_path / "run.db"
    attempts = [vote(**UNREAD), vote(verdict=False), vote(verdict=True), vote(**UNREAD)]
    with RunStore.create(path, manifest) as store:
        for attempt in attempts:
            store.add_votes([attempt])
        assert [each.verdict for each in store.votes()] == [True]
    with sqlite3.connect(path) as connection:
        assert connection.execute("SELECT count(*) FROM vote").fetchone() == (4,)
    connection.close()


def test_a_request_that_failed_was_not_voted_on(tmp_path: Path, manifest: Manifest) -> None:
    failed = vote(**(UNREAD | {"status": Status.FAILED, "text": None, "reason": "500"}))
    refused = vote(
        request="another", **(UNREAD | {"status": Status.REFUSED, "text": None, "reason": "filter"})
    )
    with RunStore.create(tmp_path / "run.db", manifest) as store:
        store.add_votes([failed])
        store.add_votes([refused])
        assert store.voted("honest") == {sha256_text("another")}
        # A reply came, and it left this one out.
        store.add_votes([vote(request="short", **(UNREAD | {"status": Status.FAILED}))])
        assert store.voted("honest") == {sha256_text("another"), sha256_text("short")}
        store.add_votes([vote()])
        assert sha256_text("a request") in store.voted("honest")


@pytest.mark.parametrize(
    "changes", [{"verdict": 1}, {"status": "ok"}, {"profile": "mine"}, {"position": "0"}]
)
def test_a_vote_of_the_wrong_form_is_refused_and_none_of_its_batch_stored(
    tmp_path: Path, manifest: Manifest, changes: dict[str, object]
) -> None:
    with RunStore.create(tmp_path / "run.db", manifest) as store:
        with pytest.raises(StoreError, match=r"Vote\."):
            store.add_votes([vote(), vote(1, **changes)])
        assert list(store.votes()) == []


def test_a_store_opened_for_reading_takes_no_votes(tmp_path: Path, manifest: Manifest) -> None:
    RunStore.create(tmp_path / "run.db", manifest).close()
    with RunStore.open(tmp_path / "run.db") as store:
        for write in (lambda: store.add_votes([vote()]), lambda: store.set_jury("honest", [])):
            with pytest.raises(StoreError, match="opened for writing"):
                write()


def test_the_jury_is_told_by_profile_in_order(tmp_path: Path, manifest: Manifest) -> None:
    jury = [
        Juror(judge=f"chat:{name}", judge_hash=sha256_text(name), form="fenced-2")
        for name in ("zeta", "alpha")
    ]
    with RunStore.create(tmp_path / "run.db", manifest) as store:
        assert store.jury("honest") == []
        store.set_jury("honest", jury)
        store.set_jury("published", jury[:1])
        store.set_jury("published", jury[1:])
        assert store.jury("honest") == jury
        assert store.jury("published") == jury[1:]


# ---------------------------------------------------------------- files of before there were votes


@pytest.fixture
def old(
    tmp_path: Path,
    manifest: Manifest,
    planned: Callable[[int], list[PlannedItem]],
    answer: Callable[..., Response],
) -> Path:
    path = tmp_path / "old.db"
    with RunStore.create(path, manifest) as store:
        store.set_plan(planned(3))
        store.add(answer(planned(1)[0]))
    with sqlite3.connect(path) as connection:  # as version 1 left it
        for table in ("vote", "judgement", "juror"):
            connection.execute(f"DROP TABLE {table}")
        connection.execute("PRAGMA user_version = 1")
    connection.close()
    return path


def test_an_older_file_is_read_as_it_is(old: Path) -> None:
    before = old.read_bytes()
    with RunStore.open(old) as store:
        assert len(store.plan()) == 3
        assert list(store.votes()) == store.jury("honest") == []
        assert store.voted("honest") == set()
    assert old.read_bytes() == before


def test_an_older_file_is_upgraded_when_it_is_written(old: Path) -> None:
    with RunStore.open(old) as reader, RunStore.open(old, write=True) as store:
        assert store.answered()
        store.add_votes([vote()])
        store.flush()
        assert list(reader.votes()) == [vote()]
    with RunStore.open(old) as store:
        assert list(store.votes()) == [vote()]
        assert len(store.answered()) == 1
    with sqlite3.connect(old) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (database.SCHEMA_VERSION,)
    connection.close()


def test_a_file_that_lost_its_votes_is_damaged(old: Path) -> None:
    with sqlite3.connect(old) as connection:
        connection.execute(f"PRAGMA user_version = {database.SCHEMA_VERSION}")
    connection.close()
    with pytest.raises(StoreError, match="without the tables judgement, juror, vote"):
        RunStore.open(old)


# ---------------------------------------------------------------- killed

WRITER = """
import itertools, sys
from pathlib import Path
from overread.store.run_store import RunStore
sys.path.insert(0, sys.argv[2])
from test_votes import vote
store = RunStore.open(Path(sys.argv[1]), write=True)
for number in itertools.count():
    store.add_votes([vote(place, request=f"request {number}") for place in range(5)])
    if number % 20 == 19:
        store.flush()
        print(number + 1, flush=True)
"""


def test_kill_9_loses_no_committed_vote_and_splits_no_batch(
    tmp_path: Path, manifest: Manifest
) -> None:
    path = tmp_path / "run.db"
    RunStore.create(path, manifest).close()
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path), str(Path(__file__).parent)],
        stdout=subprocess.PIPE,
        text=True,
    ) as writer:
        assert writer.stdout is not None
        said = [int(writer.stdout.readline()) for _ in range(3)][-1]
        time.sleep(0.05)
        writer.kill()
        writer.wait()
    with RunStore.open(path, write=True) as store:
        votes = list(store.votes())
        assert len(votes) % 5 == 0
        assert len(votes) >= 5 * said
        assert votes[0] == vote(0, request="request 0")
        store.add_votes([replace(vote(), judge="chat:another")])
