from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from overread.errors import StoreError
from overread.records import Manifest, Status
from overread.store.fact_replies import FactReader, FactReply
from overread.store.hashes import sha256_text
from overread.store.run_store import RunStore

ONE, TWO = sha256_text("one"), sha256_text("two")
READER = FactReader(model="chat:m@http://x", model_hash=sha256_text("m"), form="facts-1")


def reply(text: str | None, status: Status = Status.OK) -> FactReply:
    return FactReply(status=status, text=text, reason=None, finish_reason="stop")


def test_a_run_in_which_no_model_read_has_no_tables_for_it(
    tmp_path: Path, manifest: Manifest
) -> None:
    with RunStore.create(tmp_path / "r.sqlite", manifest) as store:
        assert store.fact_replies() == {}
        assert store.fact_reader() is None
    with sqlite3.connect(tmp_path / "r.sqlite") as connection:
        names = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
    assert not {"fact_reply", "fact_reader"} & names


def test_the_latest_reply_that_came_counts(tmp_path: Path, manifest: Manifest) -> None:
    path = tmp_path / "r.sqlite"
    with RunStore.create(path, manifest) as store:
        store.set_fact_reader(READER)
        for each in ("first", "\ud800 half a character", "long " * 1000):
            store.add_fact_reply(ONE, reply(each))
        store.add_fact_reply(ONE, reply(None, Status.FAILED))
        store.add_fact_reply(TWO, reply(None, Status.FAILED))
    with RunStore.open(path) as store:
        assert store.fact_replies() == {
            ONE: reply("long " * 1000),
            TWO: reply(None, Status.FAILED),
        }
        assert store.fact_reader() == READER
        with pytest.raises(StoreError, match="opened for writing"):
            store.add_fact_reply(ONE, reply("x"))
        with pytest.raises(StoreError, match="opened for writing"):
            store.set_fact_reader(READER)
    with sqlite3.connect(path) as connection:
        assert connection.execute("SELECT count(*) FROM fact_reply").fetchone() == (5,)


def test_replies_without_a_reader_count_for_nobody(tmp_path: Path, manifest: Manifest) -> None:
    with RunStore.create(tmp_path / "r.sqlite", manifest) as store:
        store.add_fact_reply(ONE, reply("x"))
        assert store.fact_reader() is None
        assert store.fact_replies() == {ONE: reply("x")}


def test_the_reader_named_last_counts(tmp_path: Path, manifest: Manifest) -> None:
    other = FactReader(model="chat:other", model_hash=sha256_text("o"), form="facts-2")
    with RunStore.create(tmp_path / "r.sqlite", manifest) as store:
        store.set_fact_reader(READER)
        store.add_fact_reply(ONE, reply("x"))
        store.set_fact_reader(other)
        assert store.fact_reader() == other
        assert store.fact_replies() == {ONE: reply("x")}
