from __future__ import annotations

import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from overread.models.command.exchange import ExchangeFolder

HOLD = """
import sys, tempfile
tempfile.tempdir = sys.argv[1]
from overread.models.command.exchange import ExchangeFolder
folder = ExchangeFolder()
(folder.path / "volume-0.nii.gz").write_bytes(b"voxels")
print(folder.path, flush=True)
sys.stdin.read()
"""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


@pytest.fixture
def holder(here: Path) -> Iterator[tuple[subprocess.Popen[bytes], Path]]:
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(here)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    with process:
        yield process, Path(process.stdout.readline().decode().strip())
        process.kill()


def test_what_a_killed_run_left_goes_with_the_next_one(
    holder: tuple[subprocess.Popen[bytes], Path],
) -> None:
    process, left = holder
    during = ExchangeFolder()
    assert (left / "volume-0.nii.gz").is_file()  # its run goes on
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert left.is_dir()
    after = ExchangeFolder()
    assert not left.exists()
    assert during.path.is_dir()  # of this very process
    for folder in (during, after):
        folder.remove()
        assert not folder.path.exists()


def test_a_folder_without_a_lock_of_ours_is_nobodys_to_remove(here: Path) -> None:
    other = here / "overread-exchange-strange"
    other.mkdir()
    (other / "data.txt").write_text("kept")
    ExchangeFolder().remove()
    assert (other / "data.txt").is_file()
