"""Exact nearest neighbours over a lesion set of the released size, beside a plain sort.

Run by itself as ``python -m benches.neighbours LESIONS WIDTH``: draws embeddings, finds the 64
nearest of other patients for every lesion, prints how long that took.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

import numpy as np

from benches.measure import measure, python
from overread.builders.retrieved_exam.neighbours import nearest_neighbours, unit_length

__all__ = ["NEIGHBOURS_LESIONS", "NEIGHBOURS_WIDTH", "measure_neighbours"]

NEIGHBOURS_LESIONS = 20_335
NEIGHBOURS_WIDTH = 512
_NEAREST = 64
_LESIONS_PER_PATIENT = 4.6
"""Of the released set: 20,335 of about 4,400."""
_SEED = 20260219


def measure_neighbours(*, lesions: int, width: int, rounds: int) -> dict[str, Any]:
    """Find neighbours in a new process, several times.

    Returns
    -------
    dict
        Best seconds of wall clock and of CPU, peak MB.
    """
    runs = [measure(python("benches.neighbours", lesions, width)) for _ in range(rounds)]
    best = min(runs, key=lambda run: run.report["seconds"])
    return {f"{lesions:,} lesions, {width} dimensions": {**best.report, "peak_mb": best.peak_mb}}


def _main(lesions: int, width: int) -> None:
    rng = np.random.default_rng(_SEED)
    vectors = unit_length(rng.normal(size=(lesions, width)), what="embeddings")
    patients = rng.integers(0, max(2, round(lesions / _LESIONS_PER_PATIENT)), lesions)
    start, cpu = time.perf_counter(), time.process_time()
    found = nearest_neighbours(vectors, k=_NEAREST, groups=patients)
    report = {"seconds": time.perf_counter() - start, "cpu_seconds": time.process_time() - cpu}
    print(json.dumps({**report, "found": int((found.index >= 0).sum())}))


if __name__ == "__main__":
    _main(int(sys.argv[1]), int(sys.argv[2]))
