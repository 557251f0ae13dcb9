"""``python -m benches [PART …] [--quick] [--json FILE]``: all parts by default."""

from __future__ import annotations

import argparse
import json
import platform
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from benches.bootstrap import DRAWS, ITEMS, MODELS, PATIENTS, measure_bootstrap
from benches.exam_drawing import EXAM_LESIONS, measure_exam_drawing
from benches.harness import measure_harness
from benches.masks import measure_masks
from benches.neighbours import NEIGHBOURS_LESIONS, NEIGHBOURS_WIDTH, measure_neighbours
from benches.perturb import measure_perturb
from benches.scale import LESIONS, QUESTIONS, measure_scale
from benches.startup import measure_startup
from benches.text_metrics import EMBEDDED_ALONE, PAIRS, measure_text_metrics
from benches.volumes import measure_volumes

__all__ = ["main"]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benches", description=__doc__)
    names = [
        "startup",
        "harness",
        "scale",
        "volumes",
        "text-metrics",
        "neighbours",
        "exam-drawing",
        "bootstrap",
        "masks",
        "perturb",
    ]
    parser.add_argument("parts", nargs="*", choices=[*names, []])
    parser.add_argument("--quick", action="store_true", help="small sizes: does it still run?")
    parser.add_argument("--json", type=Path, help="write the figures there as well")
    arguments = parser.parse_args()
    quick: bool = arguments.quick
    parts: Mapping[str, Callable[[], dict[str, Any]]] = {
        "startup": lambda: measure_startup(rounds=2 if quick else 9),
        "harness": lambda: measure_harness(
            questions=40 if quick else 1000,
            stack_questions=4 if quick else 100,
            slices=8 if quick else 32,
            rounds=1 if quick else 3,
        ),
        "scale": lambda: measure_scale(
            lesions=500 if quick else LESIONS, questions=2000 if quick else QUESTIONS
        ),
        "volumes": lambda: measure_volumes(
            slices=40 if quick else 600, side=128 if quick else 512, rounds=1 if quick else 3
        ),
        "text-metrics": lambda: measure_text_metrics(
            pairs=200 if quick else PAIRS, embedded_alone=50 if quick else EMBEDDED_ALONE
        ),
        "neighbours": lambda: measure_neighbours(
            lesions=2000 if quick else NEIGHBOURS_LESIONS,
            width=64 if quick else NEIGHBOURS_WIDTH,
            rounds=1 if quick else 3,
        ),
        "exam-drawing": lambda: measure_exam_drawing(lesions=200 if quick else EXAM_LESIONS),
        "bootstrap": lambda: measure_bootstrap(
            models=MODELS,
            items=900 if quick else ITEMS,
            patients=130 if quick else PATIENTS,
            draws=500 if quick else DRAWS,
        ),
        "masks": lambda: measure_masks(enlarged=1 if quick else 3, rounds=1 if quick else 3),
        "perturb": lambda: measure_perturb(
            pictures=2 if quick else 1000, side=96 if quick else 512, rounds=1 if quick else 3
        ),
    }
    figures: dict[str, Any] = {
        "machine": f"{platform.system()} {platform.machine()}, Python {platform.python_version()}"
    }
    for name in arguments.parts or parts:
        figures[name] = parts[name]()
        _show(name, figures[name])
        if arguments.json:
            arguments.json.write_text(json.dumps(figures, indent=1) + "\n", "utf-8")


def _show(name: str, figures: Mapping[str, Any]) -> None:
    print(f"\n{name}")
    for title, values in figures.items():
        if not isinstance(values, Mapping) or not any(
            isinstance(value, Mapping) for value in values.values()
        ):
            print(f"  {title}: {_line(values)}")
            continue
        print(f"  {title}")
        for inner, one in values.items():
            print(f"    {inner}: {_line(one)}")


def _line(values: object) -> str:
    if not isinstance(values, Mapping):
        return str(values)
    return ", ".join(
        f"{name} {value:.3g}" if isinstance(value, float) else f"{name} {value}"
        for name, value in values.items()
        if not isinstance(value, Mapping)
    )


if __name__ == "__main__":
    main()
