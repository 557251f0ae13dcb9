"""The same exam through `overread.run.pipeline`, from release to stored estimates.

Run as ``python -m benches.overread_run RELEASE BASE_URL OUT CONCURRENCY``. ``RELEASE.profile``
in the environment variable BENCH_PROFILE writes a profile of the run there.
"""

from __future__ import annotations

import cProfile
import json
import os
import sys
import time
from pathlib import Path

from overread.contracts import ModelOptions
from overread.run.pipeline import execute
from overread.run.request import RunRequest

__all__ = ["main"]


def main(release: Path, base_url: str, out: Path, concurrency: int) -> None:
    """Run and say what came of it."""
    request = RunRequest(
        benchmark="ct-bench",
        release=release,
        model="chat:bench",
        out=out,
        options=ModelOptions(base_url=base_url, concurrency=concurrency),
    )
    asked: list[float] = []
    begin = time.perf_counter()
    outcome = execute(request, on_progress=lambda _: asked.append(time.perf_counter()))
    seconds = time.perf_counter() - begin
    report = {
        "asked": outcome.n_asked,
        "failed": outcome.n_failed,
        "before_seconds": asked[0] - begin,
        "ask_seconds": asked[-1] - asked[0],
        "after_seconds": begin + seconds - asked[-1],
        "store_bytes": out.stat().st_size,
    }
    print(json.dumps(report))


if __name__ == "__main__":
    arguments = (Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3]), int(sys.argv[4]))
    if target := os.environ.get("BENCH_PROFILE"):
        profile = cProfile.Profile()
        profile.runcall(main, *arguments)
        profile.dump_stats(target)
    else:
        main(*arguments)
