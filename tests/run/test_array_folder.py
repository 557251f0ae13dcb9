import logging
import os
import signal
import subprocess
import sys
import threading

import pytest

from overread.contracts import Selection
from overread.imaging import volume_shelf
from overread.registry import find_benchmark
from overread.run.array_folder import array_folder
from overread.run.pipeline import execute
from overread.run.request import RunRequest
from overread.store.run_store import RunStore

MODEL = """
import json, os, pathlib, sys
import numpy
for line in sys.stdin:
    question = json.loads(line)
    numpy.load(question["arrays"][0]["path"])
    dead = pathlib.Path({dead!r})
    if question["id"].endswith("::2") and not dead.exists():
        dead.touch()
        os.kill(os.getppid(), {number})
    print(json.dumps({{"id": question["id"], "text": "Yes."}}), flush=True)
"""


@pytest.fixture
def request_for(tmp_path):
    """A run of a process that sends its parent a signal at the third question of a volume."""
    root = tmp_path / "release"
    find_benchmark("ct-spatialvqa").synthesise(root, seed=1, size=6)

    def make(number):
        script = tmp_path / "model.py"
        script.write_text(MODEL.format(dead=str(tmp_path / "dead"), number=number))
        return RunRequest(
            benchmark="ct-spatialvqa",
            release=root,
            model=f"command:{sys.executable} {script}",
            out=tmp_path / "run.sqlite",
            selection=Selection(recipe="array-hu"),
        )

    return make


def test_a_killed_run_leaves_arrays_that_the_next_start_uses_and_removes(
    request_for, tmp_path, caplog, monkeypatch
):
    request = request_for(int(signal.SIGKILL))
    command = [sys.executable, "-m", "overread", "run", "ct-spatialvqa", str(request.release)]
    more = ["--model", request.model, "--recipe", "array-hu", "--out", str(request.out)]
    killed = subprocess.run([*command, *more], capture_output=True, check=False)
    assert killed.returncode == -signal.SIGKILL
    folder = tmp_path / "run.sqlite.arrays"
    (left,) = folder.glob("*.npy")
    read, real = [], volume_shelf.read_volume
    monkeypatch.setattr(volume_shelf, "read_volume", lambda path: read.append(path) or real(path))
    with caplog.at_level(logging.WARNING):
        outcome = execute(request)
    assert outcome.n_failed == 0
    assert f"{folder}: " in caplog.text
    assert "left by a start that was killed, are used where they fit and removed" in caplog.text
    assert len(read) == 5  # of six volumes: one was prepared already
    assert not folder.exists()
    assert not left.exists()
    # Killed between the last answer and the end: nothing is missing, and still it goes.
    folder.mkdir()
    assert execute(request).n_asked == 0
    assert not folder.exists()


def test_a_run_that_is_stopped_while_it_prepares_leaves_nothing(request_for, tmp_path, monkeypatch):
    """The thread that prepares goes on for a while after Ctrl-C and would write its file."""
    request, real, begun = request_for(0), volume_shelf.read_volume, threading.Event()

    def slow(path):
        if not begun.is_set():
            begun.set()
            os.kill(os.getpid(), signal.SIGINT)
            threading.Event().wait(0.3)
        return real(path)

    monkeypatch.setattr(volume_shelf, "read_volume", slow)
    # A shell that starts tests in the background has them ignore Ctrl-C: here it must be heard.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(Exception, match="Stopped"):
            execute(request)
    finally:
        signal.signal(signal.SIGINT, before)
    assert begun.is_set()
    assert not (tmp_path / "run.sqlite.arrays").exists()
    with RunStore.open(request.out) as store:
        assert not list(store.responses())


def test_a_folder_of_the_users_stays(tmp_path):
    kept = tmp_path / "kept"
    kept.mkdir()
    (tmp_path / "a.sqlite.arrays").mkdir()
    with array_folder(tmp_path / "a.sqlite", kept=kept) as folder:
        assert folder == kept
    assert list(tmp_path.iterdir()) == [kept]
