"""Run files for `overread rank`: read, held together, and turned into a table of cases."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from overread.analysis.asked import check_same_release, release_of
from overread.analysis.compared_pairs import RunScores
from overread.analysis.plans import plan_of
from overread.analysis.ranking.from_runs import RankedRuns, cases_of_runs
from overread.errors import UsageError, expected
from overread.records import Manifest
from overread.run.scoring import score_if_stopped
from overread.store.run_store import RunStore

__all__ = ["are_runs", "ranked_runs"]

_MAGIC: Final = b"SQLite format 3\0"


def are_runs(paths: Sequence[Path]) -> bool:
    """Tell run files from tables by their first bytes.

    Raises
    ------
    UsageError
        Some are run files and some are not, or there are several tables.
    """
    kinds = [_is_run(path) for path in paths]
    if all(kinds):
        return True
    if any(kinds) or len(paths) > 1:
        raise UsageError(
            expected(
                "TABLE or RUN RUN...",
                rule="one table of cases, or run files alone",
                got=f"{sum(kinds)} run files and {len(kinds) - sum(kinds)} other files",
                remedy="Write several tables into one, with a column that names the method.",
            )
        )
    return False


def ranked_runs(paths: Sequence[Path], *, release: Path | None) -> RankedRuns:
    """Read runs of one release for a ranking by the rule of its benchmark.

    Raises
    ------
    UsageError
        The runs are of different releases, or share no question.
    """
    runs: list[RunScores] = []
    manifests: list[Manifest] = []
    for path, label in zip(paths, _labels(paths), strict=True):
        score_if_stopped(path, release=release)
        with RunStore.open(path) as store:
            manifests.append(store.manifest)
            runs.append(RunScores(label=label, scores=store.scores(), planned=store.plan()))
    check_same_release(paths, manifests)
    planned = [line for run in runs for line in run.planned]
    return cases_of_runs(runs, plan_of(release_of(manifests[0], release), planned))


def _is_run(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(len(_MAGIC)) == _MAGIC
    except OSError:
        return False  # whoever reads it as a table says why it cannot be read


def _labels(paths: Sequence[Path]) -> list[str]:
    """Name runs by their files, with as much of the folder as tells them apart."""
    stems = [path.stem for path in paths]
    return stems if len(set(stems)) == len(stems) else [str(path.with_suffix("")) for path in paths]
