"""`overread compare`: runs against each other, pair by pair."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Literal

from rich.table import Table

from overread.analysis.asked import check_same_release, release_of
from overread.analysis.compare import PairDifference, RunScores, compare
from overread.analysis.plans import plan_of
from overread.cli.output import (
    is_wide,
    notice,
    number_table,
    percent,
    print_json,
    safe,
    show,
    stratum_name,
)
from overread.errors import UsageError, expected
from overread.records import Manifest
from overread.run.scoring import score_if_stopped
from overread.store.run_store import RunStore

__all__ = ["compare_command"]


def compare_command(
    runs: tuple[Path, ...],
    /,
    *,
    release: Path | None = None,
    profile: Literal["honest", "published"] = "honest",
    metric: str | None = None,
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
    metric
        Another metric than the headline: jury_accuracy, rougeL and so on.
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
    planned = [line for run in scores for line in run.planned]
    plan = plan_of(release_of(manifests[0], release), planned)
    found = compare(scores, plan, profile=profile, metric=metric)
    if json:
        print_json(asdict(found))
        return 0
    unit = plan.cluster or "item"
    what = f"{found.metric}, {found.profile} profile (%)"
    show(_table(what, found.pairs, names=("run 1", "run 2"), unit=unit))
    for pair in found.pairs if by_stratum else ():
        rows = [r for r in found.by_stratum if (r.first, r.second) == (pair.first, pair.second)]
        title = f"{pair.first} and {pair.second}: {what}"
        show(_table(title, rows, names=("stratum",), unit=unit))
    for note in found.notes:
        notice(note)
    notice(
        "diff: run 1 minus run 2; p McN: exact McNemar, which takes questions as independent; "
        f"p {unit}: permutation {unit} by {unit}; p adj: the p marked *, adjusted after Holm."
    )
    return 0


def _labels(runs: tuple[Path, ...]) -> list[str]:
    """Name runs by their files, short where that tells them apart."""
    stems = [path.stem for path in runs]
    return stems if len(set(stems)) == len(stems) else [str(path) for path in runs]


def _table(
    title: str, rows: Iterable[PairDifference], *, names: tuple[str, ...], unit: str
) -> Table:
    """Tabulate pairs; `names` are the columns that say which: the runs, or the stratum."""
    table = number_table(title)
    for name in names:
        table.add_column(name, overflow="fold", min_width=6)
    columns = ["n", "1, 2", "diff", "95 %", "only 1, 2", "p McN", f"p {unit}", "p adj"]
    if not is_wide():
        columns = [name for name in columns if name not in ("n", "only 1, 2")]
    for name in columns:
        table.add_column(name, justify="right", no_wrap=True)
    for row in rows:
        shown = {
            "run 1": safe(row.first),
            "run 2": safe(row.second),
            "stratum": safe(stratum_name(row.stratum)),
            "n": str(row.n),
            "1, 2": f"{percent(row.first_value)}, {percent(row.second_value)}",
            "diff": f"{100 * row.difference:+.1f}",
            "95 %": _bounds(row),
            "only 1, 2": f"{_dash(row.only_first)}, {_dash(row.only_second)}",
            "p McN": _p(row.p_mcnemar, mark="*" if row.adjusted == "mcnemar" else ""),
            f"p {unit}": _p(row.p_sign_flip, mark="*" if row.adjusted == "sign flip" else ""),
            "p adj": _p(row.p_holm, mark=""),
        }
        table.add_row(*(shown[name] for name in (*names, *columns)))
    return table


def _bounds(row: PairDifference) -> str:
    if row.low is None or row.high is None:
        return "–"
    return f"{100 * row.low:+.1f} to {100 * row.high:+.1f}"


def _p(value: float | None, *, mark: str) -> str:
    return "–" if value is None else f"{value:.2g}{mark}"


def _dash(count: int | None) -> str:
    return "–" if count is None else str(count)
