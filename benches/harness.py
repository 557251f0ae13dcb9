"""Whole harnesses on one exam, against one loopback server: overread, a bare loop, inspect_ai."""

from __future__ import annotations

import contextlib
import json
import os
import statistics
import subprocess
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benches.measure import PROJECT, Measured, measure, python
from benches.workload import write_single, write_stacks

__all__ = ["Contender", "measure_harness"]

_CONCURRENCY = 16
_SEED = 20261130
_LEAST_PICTURE_BYTES = 230_000
"""Of one 512×512 picture in base64: a harness that sends less has not sent the pictures."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Contender:
    """One harness: how to start it, and what it leaves on the disk."""

    name: str
    command: Callable[[Path, str, Path], Sequence[str]]
    """From release, base URL and an empty folder."""
    environment: Callable[[str, Path], Mapping[str, str]]


def measure_harness(
    *, questions: int, stack_questions: int, slices: int, rounds: int
) -> dict[str, Any]:
    """Time every harness on both exams, in turn, `rounds` times.

    Returns
    -------
    dict
        Exam → harness → medians of seconds, questions a second, peak MB, MB stored, and the ratio
        of the bare loop's time to this one's (above 1: faster than the bare loop), taken round by
        round.
    """
    contenders, skipped = _contenders()
    with tempfile.TemporaryDirectory(prefix="overread-bench-") as name, _server(Path(name)) as url:
        folder = Path(name)
        write_single(folder / "single", questions=questions, seed=_SEED)
        write_stacks(folder / "stacks", folder / "single", questions=stack_questions, slices=slices)
        exams = {
            f"{questions} questions, one picture each": ("single", questions, questions),
            f"{stack_questions} questions of {slices} slices": (
                "stacks",
                stack_questions,
                stack_questions * slices,
            ),
        }
        found: dict[str, Any] = {
            title: _exam(contenders, folder, url, *exam, rounds=rounds)
            for title, exam in exams.items()
        }
    return {**found, "skipped": skipped}


def _exam(
    contenders: Sequence[Contender],
    folder: Path,
    url: str,
    release: str,
    questions: int,
    pictures: int,
    *,
    rounds: int,
) -> dict[str, Any]:
    runs: dict[str, list[Measured]] = {one.name: [] for one in contenders}
    stored: dict[str, int] = {}
    for number in range(rounds):
        # Each round starts with another harness: none has the warm disk or the quiet to itself.
        turn = number % len(contenders)
        for one in (*contenders[turn:], *contenders[:turn]):
            out = folder / f"{one.name}-{release}-{number}"
            out.mkdir()
            before = _stats(url)
            runs[one.name].append(
                measure(
                    one.command(folder / release, url, out), environment=one.environment(url, out)
                )
            )
            sent = _stats(url)["body_bytes"] - before["body_bytes"]
            if sent < pictures * _LEAST_PICTURE_BYTES:
                raise RuntimeError(f"{one.name} sent {sent} bytes: not {pictures} pictures")
            stored[one.name] = sum(f.stat().st_size for f in out.rglob("*") if f.is_file())
    bare = [run.seconds for run in runs["bare loop"]]
    return {
        name: {
            "seconds": statistics.median(run.seconds for run in many),
            "questions_per_second": questions / statistics.median(run.seconds for run in many),
            "peak_mb": max(run.peak_mb for run in many),
            "stored_mb": stored[name] / 1e6,
            "speed_against_bare_loop": statistics.median(
                theirs / run.seconds for theirs, run in zip(bare, many, strict=True)
            ),
            "report": dict(many[-1].report),
        }
        for name, many in runs.items()
    }


def _contenders() -> tuple[list[Contender], dict[str, str]]:
    def nothing(url: str, out: Path) -> Mapping[str, str]:
        return {}

    contenders = [
        Contender(
            name="bare loop",
            command=lambda release, url, out: python(
                "benches.bare_loop", release, url, out / "answers.jsonl", _CONCURRENCY
            ),
            environment=nothing,
        ),
        Contender(
            name="overread",
            command=lambda release, url, out: python(
                "benches.overread_run", release, url, out / "run.db", _CONCURRENCY
            ),
            environment=nothing,
        ),
    ]
    interpreter, reason = _inspect_python()
    if interpreter is None:
        return contenders, {"inspect_ai": reason}
    contenders.append(
        Contender(
            name="inspect_ai",
            command=lambda release, url, out: [
                interpreter, str(PROJECT / "benches" / "inspect_run.py"), str(release), url,
                str(out), str(_CONCURRENCY),
            ],
            environment=lambda url, out: {"OPENAI_API_KEY": "none", "OPENAI_BASE_URL": url},
        )
    )  # fmt: skip
    return contenders, {}


def _inspect_python() -> tuple[str | None, str]:
    """Find an interpreter that has inspect_ai; it needs none of overread."""
    interpreter = os.environ.get("BENCH_INSPECT_PYTHON", python("x")[0])
    probe = [interpreter, "-c", "import inspect_ai; print(inspect_ai.__version__)"]
    try:
        subprocess.run(probe, capture_output=True, check=True, timeout=60)
    except (OSError, subprocess.SubprocessError):
        return None, (
            f"{interpreter} has no inspect_ai: make an environment with inspect-ai and openai and "
            "name its python in BENCH_INSPECT_PYTHON"
        )
    return interpreter, ""


@contextlib.contextmanager
def _server(folder: Path) -> Iterator[str]:
    port_file = folder / "port"
    process = subprocess.Popen(python("benches.server", port_file), cwd=PROJECT)
    try:
        end = time.monotonic() + 10
        while not port_file.exists():
            if process.poll() is not None or time.monotonic() > end:
                raise RuntimeError("the loopback server did not start")
            time.sleep(0.02)
        yield f"http://127.0.0.1:{port_file.read_text()}/v1"
    finally:
        process.kill()
        process.wait()


def _stats(url: str) -> dict[str, int]:
    with urllib.request.urlopen(url.removesuffix("/v1") + "/stats") as answer:
        return json.load(answer)
