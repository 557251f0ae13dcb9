"""`overread build`: releases from lesion tables."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

from overread.builders.lesion_set import build_lesion_set
from overread.cli.output import findings_table, notice, print_json, show

__all__ = ["lesion_set_command"]


def lesion_set_command(
    table: Path,
    images: Path,
    out: Path,
    /,
    *,
    seed: int = 1,
    grey_range: tuple[int, int] | None = None,
    json: bool = False,
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
    grey_range
        For 8-bit slices that look dim: the stored values to show as black and as white.
    json
        Print JSON for machines.
    """
    report = build_lesion_set(table, images, out, seed=seed, grey_range=grey_range)
    if json:
        print_json(asdict(report))
    elif report.findings:
        show(findings_table(report.findings))
    notice(
        f"Wrote {report.lesions} lesions of {report.patients} patients and "
        f"{sum(report.questions.values())} questions: {out}; "
        f"'overread check ct-bench {out}' counts them."
    )
    return 0
