from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from overread.errors import StoreError
from overread.records import Manifest, ModelIdentity
from overread.store.run_store import RunStore


def manifest() -> Manifest:
    return Manifest(
        run="r1",
        benchmark="b",
        protocol_version="1",
        release_root="/r",
        release_fingerprint="f",
        model=ModelIdentity(kind="k", name="n"),
        selection={},
        seed=0,
        created="2026-01-01T00:00:00+00:00",
        software={},
        command="",
    )


def test_what_was_drawn_comes_back_as_it_was(tmp_path: Path) -> None:
    drawn = {
        "a/1": {"order": ["B", "A"], "low_hu": -1350.0, "n": 3, "on": True, "none": None},
        "ü\ud800": {},
        "x" * 2000: {"item": "\ud800"},
    }
    with RunStore.create(tmp_path / "run.sqlite", manifest()) as store:
        store.keep_parameters(drawn)
    with RunStore.open(tmp_path / "run.sqlite") as store:
        assert store.parameters() == drawn


def test_what_is_kept_is_frozen(tmp_path: Path) -> None:
    with RunStore.create(tmp_path / "run.sqlite", manifest()) as store:
        store.keep_parameters({"a": {"n": 1}})
        store.keep_parameters({"a": {"n": 2}, "b": {"n": 3}})
        assert store.parameters() == {"a": {"n": 1}, "b": {"n": 3}}


def test_a_run_as_released_has_no_table_of_them(tmp_path: Path) -> None:
    path = tmp_path / "run.sqlite"
    RunStore.create(path, manifest()).close()
    with RunStore.open(path) as store:
        assert store.parameters() == {}
        with pytest.raises(StoreError):
            store.keep_parameters({"a": {}})
    names = sqlite3.connect(path).execute("SELECT name FROM sqlite_master").fetchall()
    assert ("perturbed",) not in names
