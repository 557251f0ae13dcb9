from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from overread.errors import StoreDamagedError, StoreError
from overread.records import Manifest, PlannedItem, Response
from overread.store import database
from overread.store.run_store import RunStore


@pytest.fixture
def run(
    tmp_path: Path,
    manifest: Manifest,
    planned: Callable[[int], list[PlannedItem]],
    answer: Callable[..., Response],
) -> Path:
    path = tmp_path / "run.db"
    with RunStore.create(path, manifest) as store:
        plan = planned(200)
        store.set_plan(plan)
        for each in plan:
            store.add(answer(each, text="long " * 200))
    return path


def tree(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def refuse_both_ways(path: Path, error: type[StoreError], message: str) -> None:
    before = tree(path.parent)
    for write in (False, True):
        with pytest.raises(error, match=message):
            RunStore.open(path, write=write)
        assert tree(path.parent) == before


def test_at_rest_a_run_is_one_file(run: Path) -> None:
    assert list(tree(run.parent)) == ["run.db"]
    before = tree(run.parent)
    with RunStore.open(run) as store:
        assert len(list(store.responses())) == 200
    assert tree(run.parent) == before


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "an empty file"),
        (b"run", "no SQLite file"),
        (b"\x00" * 5000, "no SQLite file"),
        (b"SQLite format 3\x00", "no SQLite file"),
        ("Übersicht,1\n".encode("utf-16") * 100, "no SQLite file"),
    ],
)
def test_a_file_of_another_kind_is_reported_and_left(
    tmp_path: Path, content: bytes, message: str
) -> None:
    path = tmp_path / "run.db"
    path.write_bytes(content)
    refuse_both_ways(path, StoreDamagedError, message)


def test_another_programs_sqlite_file_is_left(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE response (id)")
    connection.commit()
    connection.close()
    refuse_both_ways(path, StoreDamagedError, "of another program")


@pytest.mark.parametrize("share", [0.999, 0.75, 0.5, 0.1])
def test_a_truncated_file_is_reported_and_left(run: Path, share: float) -> None:
    size = run.stat().st_size
    os.truncate(run, int(size * share))
    refuse_both_ways(run, StoreDamagedError, f"of the {size} that its header states")


@pytest.mark.parametrize("seed", range(6))
def test_overwritten_pages_are_reported_and_left(run: Path, seed: int) -> None:
    rng = np.random.default_rng(seed)
    data = bytearray(run.read_bytes())
    page = int(rng.integers(1, len(data) // 4096))
    data[page * 4096 : (page + 1) * 4096] = rng.bytes(4096)
    run.write_bytes(data)
    refuse_both_ways(run, StoreDamagedError, "left as it is")


def test_a_damaged_header_is_reported_and_left(run: Path) -> None:
    data = bytearray(run.read_bytes())
    data[16:18] = b"\x00\x03"  # a page size that is no power of two
    run.write_bytes(data)
    refuse_both_ways(run, StoreDamagedError, "left as it is")


def test_a_changed_byte_in_a_long_reply_is_found_when_it_is_read(run: Path) -> None:
    with sqlite3.connect(run) as connection:
        text = connection.execute("SELECT text FROM response WHERE id = 7").fetchone()[0]
        broken = text[:12] + bytes([text[12] ^ 0x10]) + text[13:]
        connection.execute("UPDATE response SET text = ? WHERE id = 7", (broken,))
    connection.close()
    with RunStore.open(run) as store, pytest.raises(StoreDamagedError, match="cannot be read"):
        list(store.responses())


def test_a_missing_table_is_reported(run: Path) -> None:
    with sqlite3.connect(run) as connection:
        connection.execute("DROP TABLE score")
    connection.close()
    refuse_both_ways(run, StoreDamagedError, "without the tables score")


def test_a_missing_manifest_is_reported(run: Path) -> None:
    with sqlite3.connect(run) as connection:
        connection.execute("DELETE FROM meta")
    connection.close()
    refuse_both_ways(run, StoreDamagedError, "one without its manifest")


def test_a_newer_schema_is_said(run: Path) -> None:
    with sqlite3.connect(run) as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    refuse_both_ways(run, StoreError, "schema version 1 or 2, got version 99")


def test_an_absent_file_leaves_no_lock_behind(tmp_path: Path) -> None:
    refuse_both_ways(tmp_path / "run.db", StoreError, "expected a run file, got No such file")


def test_a_folder_is_no_run(tmp_path: Path) -> None:
    folder = tmp_path / "run.db"
    folder.mkdir()
    with pytest.raises(StoreError, match="Is a directory"):
        RunStore.open(folder)


SPILL = """
import os, signal, sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("PRAGMA cache_size=2")
connection.execute("BEGIN")
connection.execute("UPDATE response SET text = 'lost'")
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("write", [False, True])
def test_a_change_cut_short_is_undone_on_opening(run: Path, write: bool) -> None:
    # A process killed while it folds the log into the file leaves a rollback journal like this.
    before = run.read_bytes()
    subprocess.run([sys.executable, "-c", SPILL, str(run)], check=False)
    assert database.has_journal(run)
    assert run.read_bytes() != before, "the half-done change reached the file"
    with RunStore.open(run, write=write) as store:
        assert all(response.text == "long " * 200 for response in store.responses())
    assert list(tree(run.parent)) == ["run.db"]


def test_a_reader_in_mid_query_does_not_stop_a_writer(
    run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "_BUSY_S", 0.1)
    reader = sqlite3.connect(f"file:{run}?mode=ro", uri=True)
    cursor = reader.execute("SELECT * FROM response")
    cursor.fetchone()
    with RunStore.open(run, write=True) as store:
        first = store.response("img2txt/box/0")
        assert first is not None
        store.add(first)
        cursor.close()
    reader.close()
    with RunStore.open(run) as store:
        assert len(store.attempts("img2txt/box/0")) == 2


AS_NOBODY = """
import os, sys
from pathlib import Path
from overread.errors import StoreError
from overread.store.run_store import RunStore
path = Path(sys.argv[1])
if os.geteuid() == 0:
    os.setgroups([])
    os.setuid(65534)
with RunStore.open(path) as store:
    print(len(store.answered()))
for _ in range(2):
    try:
        RunStore.open(path, write=True)
    except StoreError as error:
        print(error)
print(sorted(os.listdir(path.parent)))
"""


@pytest.mark.parametrize(
    ("mode", "message"), [(0o555, "takes file locks, got Permission denied"), (0o777, "readonly")]
)
def test_what_may_not_be_written_can_be_read(run: Path, mode: int, message: str) -> None:
    # Not in tmp_path: another user may not enter that one.
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = folder / "run.db"
        shutil.copy(run, path)
        path.chmod(0o444)
        folder.chmod(mode)
        done = subprocess.run(
            [sys.executable, "-c", AS_NOBODY, str(path)], capture_output=True, text=True
        )
        folder.chmod(0o700)
    lines = done.stdout.splitlines()
    assert lines[0] == "200", done.stderr
    assert message in lines[1]
    assert lines[2] == lines[1], "the failed opening kept the lock"
    assert lines[3] == "['run.db']"
