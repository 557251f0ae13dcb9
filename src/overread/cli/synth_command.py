"""`overread synth`: a synthetic release."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from overread.cli.output import notice, print_json
from overread.errors import UsageError, expected
from overread.registry import find_benchmark

__all__ = ["synth_command"]


def synth_command(
    benchmark: str,
    out: Path,
    /,
    *,
    size: Annotated[int | None, Parameter(alias="--lesions")] = None,
    seed: int = 1,
    json: bool = False,
) -> None:
    """Write a synthetic release in the benchmark's own layout.

    Parameters
    ----------
    benchmark
        A name of `overread list benchmarks`.
    out
        A new or empty folder.
    size
        How many lesions or cases to make; what the benchmark's demo needs when left out.
    seed
        Same seed and size, same bytes.
    json
        Print JSON for machines.
    """
    if size is not None and size < 1:
        raise UsageError(
            expected(
                "--size",
                rule="a whole number of 1 or more",
                got=size,
                remedy="Leave it out for the usual size.",
            )
        )
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise UsageError(
            expected(
                "OUT",
                rule="a new or empty folder",
                got=f"{out}, which holds something",
                remedy="Name another folder, or empty this one.",
            )
        )
    found = find_benchmark(benchmark)
    card = found.card
    count = card.synthetic_size if size is None else size
    found.synthesise(out, seed=seed, size=count)
    if json:
        print_json({"benchmark": benchmark, "out": str(out), f"{card.unit}s": count, "seed": seed})
    else:
        notice(
            f"Wrote a synthetic {benchmark} release of {count} {card.unit}s (seed {seed}): {out}"
        )
