"""Runs a program to its end and tells how long it took and how much memory it held at most."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["PROJECT", "Measured", "measure", "python"]

PROJECT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """One finished program."""

    seconds: float
    """From its start to its end, interpreter and imports included."""
    cpu_seconds: float
    """Of the process itself; what else runs on the machine moves it little."""
    peak_mb: float
    """Largest resident set of the process itself, in MB of 10⁶ bytes."""
    report: Mapping[str, Any]
    """What it printed on its last line, as JSON; empty where that is none."""


def python(module: str, *arguments: object) -> list[str]:
    """Give the command that runs a module of this project."""
    return [sys.executable, "-m", module, *map(str, arguments)]


def measure(
    command: Sequence[str], *, environment: Mapping[str, str] | None = None, cwd: Path = PROJECT
) -> Measured:
    """Run a program and wait for it.

    Raises
    ------
    RuntimeError
        It ended with another status than 0; the message holds the end of what it said.
    """
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        begin = time.perf_counter()
        process = subprocess.Popen(
            command, stdout=out, stderr=err, cwd=cwd, env={**os.environ, **(environment or {})}
        )
        # wait4 tells the memory of this one child; RUSAGE_CHILDREN only of the largest ever.
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - begin
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        said, complaints = out.read(), err.read()
    if process.returncode != 0:
        raise RuntimeError(
            f"{' '.join(command)} ended with {process.returncode}: {complaints[-2000:]}"
        )
    unit = 1 if sys.platform == "darwin" else 1024  # ru_maxrss: bytes there, KiB on Linux
    return Measured(
        seconds=seconds,
        cpu_seconds=usage.ru_utime + usage.ru_stime,
        peak_mb=usage.ru_maxrss * unit / 1e6,
        report=_last_json(said),
    )


def _last_json(text: str) -> Mapping[str, Any]:
    lines = text.strip().splitlines()
    try:
        found = json.loads(lines[-1]) if lines else {}
    except json.JSONDecodeError:
        return {}
    return found if isinstance(found, dict) else {}
