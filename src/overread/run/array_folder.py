"""Where the prepared arrays of a run lie, and how they go again."""

from __future__ import annotations

import contextlib
import logging
import shutil
from collections.abc import Iterator
from pathlib import Path

__all__ = ["array_folder"]

_log = logging.getLogger(__name__)


@contextlib.contextmanager
def array_folder(run_file: Path, *, kept: Path | None) -> Iterator[Path]:
    """Give the folder for a run's arrays; it is gone at the end, however the end comes.

    What a start that was killed left there is said. It is used again where it fits what is
    missing, and gone with the rest.

    Parameters
    ----------
    run_file
        Its folder of arrays lies beside it: one for temporary files may be small and in memory.
    kept
        A folder of the user's, given instead and never emptied.
    """
    own = run_file.with_name(f"{run_file.name}.arrays")
    if own.is_dir():
        size = sum(file.stat().st_size for file in own.iterdir() if file.is_file())
        _log.warning(
            "%s: %.0f MB of prepared volumes, left by a start that was killed, are %sremoved when "
            "this one ends",
            own,
            size / 1e6,
            "" if kept is not None else "used where they fit and ",
        )
    try:
        yield own if kept is None else kept
    finally:
        shutil.rmtree(own, ignore_errors=True)
