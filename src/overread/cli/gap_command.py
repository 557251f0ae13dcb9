"""`overread gap`: what one circumstance costs, patient by patient, within one run."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Literal

from overread.analysis.asked import release_of
from overread.analysis.paired_gap import PairedGap, paired_gap
from overread.analysis.plans import plan_of
from overread.cli.output import notice, number_table, print_json, safe, show
from overread.errors import UsageError, expected
from overread.run.scoring import score_if_stopped
from overread.store.run_store import RunStore

__all__ = ["gap_command"]


def gap_command(
    run: Path,
    /,
    *,
    by: str,
    between: str,
    profile: Literal["honest", "published"] = "honest",
    metric: str | None = None,
    release: Path | None = None,
    json: bool = False,
) -> int:
    """Say how far a score falls from one circumstance to another in the same patients.

    For instance from the venous phase to non-contrast CT: --by phase --between venous,noncontrast.

    Parameters
    ----------
    run
        A run file.
    by
        What the two circumstances are values of: phase, condition, centre.
    between
        The two, parted by a comma; the gap is the first less the second.
    profile
        Whose scores.
    metric
        Another metric than the headline.
    release
        The release's folder, where it is not where the run was made.
    json
        Print JSON for machines.
    """
    first, comma, second = (part.strip() for part in between.partition(","))
    if not comma or not first or not second or first == second or "," in second:
        raise UsageError(
            expected(
                "--between",
                rule="two values parted by a comma",
                got=between,
                remedy="For instance --by phase --between venous,noncontrast.",
            )
        )
    score_if_stopped(run, release=release)
    with RunStore.open(run) as store:
        manifest, scores, planned = store.manifest, store.scores(), store.plan()
    found = paired_gap(
        scores,
        planned,
        plan_of(release_of(manifest, release), planned),
        key=by,
        first=first,
        second=second,
        profile=profile,
        metric=metric,
    )
    if json:
        print_json(asdict(found))
        return 0
    _print(found)
    return 0


def _print(found: PairedGap) -> None:
    title = f"{found.metric}, {found.profile} profile, in {found.n_pairs} {found.unit}s"
    table = number_table(title)
    for heading in (found.first, found.second, "gap", f"{found.level * 100:g} %"):
        table.add_column(safe(heading), justify="right")
    low, high = (_shown(each) for each in (found.low, found.high))
    table.add_row(
        _shown(found.first_mean),
        _shown(found.second_mean),
        _shown(found.value),
        "–" if found.low is None else f"{low} to {high}",
    )
    show(table)
    if found.n_unpaired:
        notice(
            f"{found.n_unpaired} {found.unit}s have only one of the two that can be scored, and "
            "are left out."
        )
    if found.n_missing:
        notice(f"{found.n_missing} items of these have no answer, and count as 0.")
    if found.n_lost:
        notice(
            f"{found.n_lost} items without an answer are left out: as 0 they would pass for the "
            "best."
        )
    if found.reason:
        notice(f"{safe(found.reason[0].upper())}{safe(found.reason[1:])}.")


def _shown(value: float | None) -> str:
    return "–" if value is None else f"{value:.4g}"
