"""How long a person waits before anything happens: imports and ``overread --help``."""

from __future__ import annotations

import statistics
import sys
from typing import Any

from benches.measure import measure, python

__all__ = ["measure_startup"]


def measure_startup(*, rounds: int) -> dict[str, Any]:
    """Time the interpreter alone, ``import overread`` and ``overread --help``, in turn.

    Returns
    -------
    dict
        Name → median, best and worst seconds; each contains the interpreter's own start.
    """
    commands = {
        "python -c pass": [sys.executable, "-c", "pass"],
        "import overread": [sys.executable, "-c", "import overread"],
        "overread --help": python("overread", "--help"),
        "overread list models": python("overread", "list", "models"),
        "import openai": [sys.executable, "-c", "import openai"],
    }
    times: dict[str, list[float]] = {name: [] for name in commands}
    for number in range(rounds + 1):
        for name, command in commands.items():
            seconds = measure(command).seconds
            if number:  # the first round writes byte code and warms the disk
                times[name].append(seconds)
    return {
        name: {"seconds": statistics.median(many), "best": min(many), "worst": max(many)}
        for name, many in times.items()
    }
