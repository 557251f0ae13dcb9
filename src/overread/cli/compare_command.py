"""`overread compare`: runs against each other, pair by pair."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Literal

from rich.markup import escape
from rich.table import Table

from overread.analysis.asked import check_same_release
from overread.analysis.compare import Comparison, PairDifference, RunScores, compare
from overread.cli.output import notice, percent, print_json, show, stratum_name
from overread.errors import UsageError, expected
from overread.records import Manifest
from overread.registry import find_benchmark
from overread.run.scoring import score_if_stopped
from overread.store.run_store import RunStore

__all__ = ["compare_command"]


def compare_command(
    runs: tuple[Path, ...],
    /,
    *,
    release: Path | None = None,
    profile: Literal["honest", "published"] = "honest",
    by_stratum: bool = False,
    json: bool = False,
) -> int:
    """Compare runs question by question, clustered by patient.

    Parameters
    ----------
    runs
        Two or more run files.
    release
        The release's folder, where it is not where the runs were made.
    profile
        Whose scores.
    by_stratum
        Also compare within every task and condition.
    json
        Print JSON for machines.
    """
    if len(runs) < 2:
        raise UsageError(
            expected("RUN RUN...", rule="two or more run files", got=len(runs), remedy="Add one.")
        )
    scores: list[RunScores] = []
    manifests: list[Manifest] = []
    for path, label in zip(runs, _labels(runs), strict=True):
        score_if_stopped(path, release=release)
        with RunStore.open(path) as store:
            manifests.append(store.manifest)
            scores.append(RunScores(label=label, scores=store.scores(), planned=store.plan()))
    check_same_release(runs, manifests)
    root = release or Path(manifests[0].release_root)
    plan = find_benchmark(manifests[0].benchmark).open(root).plan()
    found = compare(scores, plan, profile=profile)
    if json:
        print_json(asdict(found))
        return 0
    show(_table(found, found.pairs))
    if by_stratum:
        show(_table(found, found.by_stratum))
    for note in found.notes:
        notice(note)
    drawn = any(line.draw for run in scores for line in run.planned)
    test = "permutation by patient, for several draws an item" if drawn else "exact McNemar"
    notice(f"difference = first minus second; p: {test}, adjusted after Holm.")
    return 0


def _labels(runs: tuple[Path, ...]) -> list[str]:
    """Name runs by their files, short where that tells them apart."""
    stems = [path.stem for path in runs]
    return stems if len(set(stems)) == len(stems) else [str(path) for path in runs]


def _table(found: Comparison, rows: tuple[PairDifference, ...]) -> Table:
    table = Table(
        title=escape(f"{found.metric}, {found.profile} profile (%)"), title_justify="left"
    )
    for name in ("first", "second", "stratum"):
        table.add_column(name, overflow="fold", min_width=9)
    for name in ("n", "first", "second", "difference", "95 %", "only 1", "only 2", "p (Holm)"):
        table.add_column(name, justify="right", no_wrap=True)
    for row in rows:
        table.add_row(
            escape(row.first),
            escape(row.second),
            escape(stratum_name(row.stratum)),
            str(row.n),
            percent(row.first_value),
            percent(row.second_value),
            f"{100 * row.difference:+.1f}",
            _bounds(row),
            _dash(row.only_first),
            _dash(row.only_second),
            "–" if row.p_holm is None else f"{row.p_holm:.2g}",
        )
    return table


def _bounds(row: PairDifference) -> str:
    if row.low is None or row.high is None:
        return "–"
    return f"{100 * row.low:+.1f} to {100 * row.high:+.1f}"


def _dash(count: int | None) -> str:
    return "–" if count is None else str(count)
