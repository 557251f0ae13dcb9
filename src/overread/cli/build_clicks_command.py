"""`overread build clicks`: clicks of an interactive task, simulated from masks."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

from overread.builders.clicks import build_clicks
from overread.cli.output import notice, print_json, safe, show

__all__ = ["clicks_command"]

_MOST_NAMED = 8


def clicks_command(
    references: Path,
    livers: Path,
    out: Path,
    /,
    *,
    seed: int = 42,
    label: int = 1,
    liver_label: int = 1,
    json: bool = False,
) -> int:
    """Simulate clicks on lesions and in the rest of the organ, a JSON file a case, as TriALS has.

    Parameters
    ----------
    references
        A folder of lesion masks.
    livers
        A folder of masks of the organ, under the same names.
    out
        A new or empty folder for the clicks.
    seed
        Of all draws.
    label
        Of lesions in their masks.
    liver_label
        Of the organ in its masks.
    json
        Print JSON for machines.
    """
    report = build_clicks(references, livers, out, seed=seed, label=label, liver_label=liver_label)
    if json:
        print_json(asdict(report))
        return 1 if report.left_out else 0
    show(safe(f"{report.out}: clicks of {len(report.written)} cases"))
    if report.without_lesion:
        notice(f"{len(report.without_lesion)} of them have no lesion: background clicks alone.")
    for case, reason in report.left_out[:_MOST_NAMED]:
        notice(f"{case} is left out: {reason}")
    if len(report.left_out) > _MOST_NAMED:
        notice(f"{len(report.left_out)} cases are left out in all.")
    return 1 if report.left_out else 0
