"""The private folder of pictures and volumes that a process is handed, gone also after kill -9.

A run that is killed cannot clean up. Each folder therefore holds a file that its run keeps locked;
the next run removes the folders beside its own whose lock is free.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Final

try:
    import fcntl
except ImportError:  # pragma: no cover - Windows
    fcntl = None

__all__ = ["ExchangeFolder"]

_PREFIX: Final = "overread-exchange-"
_LOCK: Final = ".lock"


class ExchangeFolder:
    """A new folder in the place for temporary files, readable by its owner alone.

    Raises
    ------
    OSError
        It cannot be made.
    """

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix=_PREFIX))
        self._lock: int | None = None
        if fcntl is not None:
            # Locked before it has its name: nobody sees the file without its lock.
            fresh = self.path / f"{_LOCK}-new"
            self._lock = os.open(fresh, os.O_CREAT | os.O_RDWR, 0o600)
            with suppress(OSError):  # a disk without locks: then nothing is ever swept
                fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                fresh.rename(self.path / _LOCK)
            _sweep(self.path)

    def remove(self) -> None:
        """Remove the folder with all in it, and let go of its lock."""
        shutil.rmtree(self.path, ignore_errors=True)
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


def _sweep(own: Path) -> None:
    """Remove the folders beside ours that a killed run of this user left."""
    for place in own.parent.glob(f"{_PREFIX}*"):
        if place != own:
            with suppress(OSError):  # another user's, or just being removed
                _remove_if_left(place)


def _remove_if_left(place: Path) -> None:
    assert fcntl is not None
    if place.is_symlink() or place.stat().st_uid != os.getuid():
        return
    lock = os.open(place / _LOCK, os.O_RDWR | os.O_NOFOLLOW)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # BlockingIOError: its run goes on
        shutil.rmtree(place, ignore_errors=True)
    finally:
        os.close(lock)
