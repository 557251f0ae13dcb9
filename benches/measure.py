"""Runs a program to its end and tells how long it took and how much memory it held at most."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["PROJECT", "Measured", "measure", "python"]

PROJECT = Path(__file__).resolve().parent.parent

_LAUNCHER = """
import os, sys, time
begin = time.perf_counter()
child = os.posix_spawnp(sys.argv[2], sys.argv[2:], os.environ)
_, status, usage = os.wait4(child, 0)
seconds = time.perf_counter() - begin
figures = seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss
os.write(int(sys.argv[1]), " ".join(map(repr, figures)).encode())
sys.exit(os.waitstatus_to_exitcode(status) != 0)
"""
"""A small process in between: Linux counts what the parent held into the peak of its child, and
whoever measures has numpy, and after some parts a gigabyte of weights, in its memory."""


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
    with (
        tempfile.TemporaryFile("w+") as out,
        tempfile.TemporaryFile("w+") as err,
        tempfile.TemporaryFile("w+") as usage,
    ):
        launched = subprocess.run(
            [sys.executable, "-I", "-S", "-c", _LAUNCHER, str(usage.fileno()), *command],
            stdout=out,
            stderr=err,
            cwd=cwd,
            env={**os.environ, **(environment or {})},
            pass_fds=(usage.fileno(),),
            check=False,
        )
        for file in (out, err, usage):
            file.seek(0)
        said, complaints, used = out.read(), err.read(), usage.read().split()
    if launched.returncode != 0:
        raise RuntimeError(
            f"{' '.join(command)} ended with {launched.returncode}: {complaints[-2000:]}"
        )
    unit = 1 if sys.platform == "darwin" else 1024  # ru_maxrss: bytes there, KiB on Linux
    return Measured(
        seconds=float(used[0]),
        cpu_seconds=float(used[1]),
        peak_mb=int(used[2]) * unit / 1e6,
        report=_last_json(said),
    )


def _last_json(text: str) -> Mapping[str, Any]:
    lines = text.strip().splitlines()
    try:
        found = json.loads(lines[-1]) if lines else {}
    except json.JSONDecodeError:
        return {}
    return found if isinstance(found, dict) else {}
