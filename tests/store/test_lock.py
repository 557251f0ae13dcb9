from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from overread.errors import StoreBusyError, StoreError
from overread.store.lock import WriterLock

HOLD = """
import sys, time
from pathlib import Path
from overread.store.lock import WriterLock
lock = WriterLock(Path(sys.argv[1]))
print("held", flush=True)
time.sleep(60)
"""


def hold(path: Path) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(path)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def test_another_process_is_refused_by_name_until_it_is_killed(tmp_path: Path) -> None:
    run = tmp_path / "run"
    with hold(run) as holder:
        with pytest.raises(StoreBusyError, match=f"written by process {holder.pid}"):
            WriterLock(run)
        holder.kill()
        holder.wait()
    WriterLock(run).release()
    assert list(tmp_path.iterdir()) == []


def test_the_same_process_is_refused_too_and_keeps_its_lock(tmp_path: Path) -> None:
    run = tmp_path / "run"
    lock = WriterLock(run)
    for _ in range(2):
        with pytest.raises(StoreBusyError, match=f"process {os.getpid()}"):
            WriterLock(run)
    other = subprocess.run([sys.executable, "-c", HOLD, str(run)], capture_output=True, text=True)
    assert "StoreBusyError" in other.stderr
    lock.release()
    lock.release()
    WriterLock(run).release()


def test_two_names_of_one_run_are_one_lock(tmp_path: Path) -> None:
    (tmp_path / "run").touch()
    (tmp_path / "link").symlink_to("run")
    lock = WriterLock(tmp_path / "run")
    with pytest.raises(StoreBusyError):
        WriterLock(tmp_path / "link")
    lock.release()


def test_a_forked_worker_does_not_keep_the_lock(tmp_path: Path) -> None:
    run = tmp_path / "run"
    code = """
import os, sys, time
from pathlib import Path
from overread.store.lock import WriterLock
lock = WriterLock(Path(sys.argv[1]))
child = os.fork()
if child == 0:
    time.sleep(60)
    os._exit(0)
print(child, flush=True)
time.sleep(60)
"""
    with subprocess.Popen(
        [sys.executable, "-c", code, str(run)], stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        parent.kill()
        parent.wait()
        try:
            WriterLock(run).release()
        finally:
            os.kill(child, 9)


def test_a_folder_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="a folder that can be written and takes file locks, got"):
        WriterLock(tmp_path / "absent" / "run")
