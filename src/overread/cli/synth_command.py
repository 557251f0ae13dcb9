"""`overread synth`: a synthetic release."""

from __future__ import annotations

from pathlib import Path

from overread.cli.output import notice, print_json
from overread.errors import UsageError, expected
from overread.registry import find_benchmark

__all__ = ["synth_command"]


def synth_command(
    benchmark: str, out: Path, /, *, lesions: int = 240, seed: int = 1, json: bool = False
) -> None:
    """Write a synthetic release in the benchmark's own layout.

    Parameters
    ----------
    benchmark
        A name of `overread list benchmarks`.
    out
        A new or empty folder.
    lesions
        How many cases to make.
    seed
        Same seed and size, same bytes.
    json
        Print JSON for machines.
    """
    if lesions < 1:
        raise UsageError(
            expected(
                "--lesions",
                rule="a whole number of 1 or more",
                got=lesions,
                remedy="Leave it out for 240.",
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
    find_benchmark(benchmark).synthesise(out, seed=seed, size=lesions)
    if json:
        print_json({"benchmark": benchmark, "out": str(out), "lesions": lesions, "seed": seed})
    else:
        notice(f"Wrote a synthetic {benchmark} release of {lesions} lesions (seed {seed}): {out}")
