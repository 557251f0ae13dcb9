"""Says on standard error what a slow command is doing, and nothing for a fast one."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

from overread.cli.output import notice

__all__ = ["slowly"]

_SECONDS_BETWEEN_LINES: Final = 2.0


def slowly(what: str, *, quiet: bool) -> Callable[[str], None]:
    """Make a function that is told each step and says one every two seconds.

    Parameters
    ----------
    what
        The command, before each step.
    quiet
        Say nothing.
    """
    said_at = time.monotonic()

    def tell(step: str) -> None:
        nonlocal said_at
        now = time.monotonic()
        if not quiet and now - said_at >= _SECONDS_BETWEEN_LINES:
            said_at = now
            notice(f"{what}: {step} …")

    return tell
