"""A full-size lesion set and far more questions than any exam has: opened, then streamed.

Run by itself as ``python -m benches.scale RELEASE``: opens the release, streams its items and
prints how long each took.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from benches.measure import measure, python
from overread.benchmarks.ct_bench import layout
from overread.contracts import Selection
from overread.registry import find_benchmark

__all__ = ["measure_scale"]

LESIONS = 20_335
"""Of the released lesion set."""
QUESTIONS = 476_000
_SEED = 20260219


def measure_scale(*, lesions: int, questions: int) -> dict[str, Any]:
    """Write tables of `lesions` and a file of `questions`, then open and stream in a new process.

    Returns
    -------
    dict
        For the tables with one question, and for the tables with all questions: seconds to open,
        seconds to stream all items, peak MB.
    """
    found: dict[str, Any] = {}
    with tempfile.TemporaryDirectory(prefix="overread-bench-") as name:
        for title, count in (
            (f"{lesions:,} lesions", 1),
            (f"{lesions:,} lesions and {questions:,} questions", questions),
        ):
            root = Path(name) / str(count)
            root.mkdir()
            _write(root, lesions, count)
            run = measure(python("benches.scale", root))
            found[title] = {**run.report, "peak_mb": run.peak_mb}
    return found


def _write(root: Path, lesions: int, questions: int) -> None:
    rng = np.random.default_rng(_SEED)
    layout.write_tables(root, [_lesion(number, rng) for number in range(1, lesions + 1)])
    tasks = ("img2txt", "img2size", "img2attrib")
    with (root / layout.QA_LLM_FILE).open("w", encoding="utf-8") as file:
        for number in range(questions):
            task = tasks[number % 3]
            lesion = 1 + number % lesions
            sizes = rng.integers(5, 80, 4)
            entry = {
                "lesion_idx": lesion,
                "q_type": task,
                "question": layout.LLM_QUESTIONS[task],
                "choices": {
                    letter: f"A lesion of the left kidney, {size} mm, number {number % 97}"
                    for letter, size in zip(layout.LETTERS, sizes, strict=True)
                },
                "correct_choice": layout.LETTERS[number % 4],
                "image_path": f"{lesion}_{number}.png",
                "split": "test",
                "bbox_type": layout.BBOX_TYPES[number % 2],
            }
            file.write(("[" if number == 0 else ",\n") + json.dumps(entry))
        file.write("]\n")


def _lesion(number: int, rng: np.random.Generator) -> layout.LesionRow:
    x, y = (float(value) for value in rng.uniform(60, 450, 2))
    long_px, short_px = sorted((float(value) for value in rng.uniform(6, 60, 2)), reverse=True)
    patient = 1 + number // 5
    kind = int(rng.integers(1, 9))
    split = (1, 1, 1, 2, 3)[patient % 5]
    return layout.LesionRow(
        lesion_idx=number,
        description=f"A round lesion, number {number}, of low attenuation in the liver, segment 4.",
        size=f"{long_px:.1f} x {short_px:.1f} mm",
        dataset=("train", "val", "test")[split - 1],
        lesion_type=layout.COARSE_TYPES[kind],
        body_part="liver",
        imaging_property="",
        deeplesion=layout.DeepLesionRow(
            file_name=f"{patient:06d}_01_01_{100 + number % 5}.png",
            patient_index=patient,
            study_index=1,
            series_id=1,
            key_slice_index=100 + number % 5,
            measurement_px=(x, y, x + long_px, y, x, y, x, y + short_px),
            box_px=(x - 5, y - 5, x + long_px + 5, y + short_px + 5),
            diameters_px=(long_px, short_px),
            normalised_location=(x / 512, y / 512, 0.5),
            coarse_type=kind,
            possibly_noisy=False,
            slice_range=(90, 115),
            spacing_mm=(0.8, 0.8, 5.0),
            image_size=(512, 512),
            window_hu=(-175.0, 275.0),
            gender="F",
            age=61,
            train_val_test=split,
        ),
    )


def _open_and_stream(root: Path) -> dict[str, Any]:
    benchmark = find_benchmark("ct-bench")
    begin = time.perf_counter()
    release = benchmark.open(root)
    first = next(iter(release.items(Selection())), None)
    opened = time.perf_counter()
    count = sum(1 for _ in release.items(Selection()))
    streamed = time.perf_counter()
    return {
        "open_seconds": opened - begin,
        "stream_seconds": streamed - opened,
        "items": count,
        "patient_known": first is not None and "patient" in first.groups,
    }


if __name__ == "__main__":
    print(json.dumps(_open_and_stream(Path(sys.argv[1]))))
