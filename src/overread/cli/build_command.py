"""`overread build`: releases from lesion tables."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

from overread.builders.lesion_set import build_lesion_set
from overread.cli.output import notice, print_json

__all__ = ["lesion_set_command"]


def lesion_set_command(
    table: Path, images: Path, out: Path, /, *, seed: int = 1, json: bool = False
) -> int:
    """Turn a lesion table and its key slices into a release in CT-Bench's layout.

    Parameters
    ----------
    table
        A CSV with DeepLesion's columns, or a folder of .tru files.
    images
        The folder of the key slices.
    out
        A new or empty folder for the release.
    seed
        Of splits, wrong choices and letters.
    json
        Print JSON for machines.
    """
    report = build_lesion_set(table, images, out, seed=seed)
    if json:
        print_json(asdict(report))
    notice(f"Wrote {out}; 'overread check ct-bench {out}' counts what it holds.")
    return 0
