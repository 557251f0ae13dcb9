"""Run files for `overread rank`: read, held together, and turned into a table of cases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Final, Literal

from overread.analysis.asked import check_same_release, release_of
from overread.analysis.compared_pairs import RunScores
from overread.analysis.plans import plan_of
from overread.analysis.ranking.from_runs import cases_of_runs
from overread.analysis.ranking.options import Missing, Rule
from overread.analysis.ranking.reading import Columns, ReadCases
from overread.errors import UsageError, expected
from overread.records import Manifest
from overread.run.scoring import score_if_stopped
from overread.store.run_store import RunStore

__all__ = ["RankSource", "are_runs", "refuse_columns", "source_of_runs"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RankSource:
    """What is to be ranked, and the choices that hold where no option says otherwise."""

    name: str
    """For the page's title."""
    read: ReadCases
    larger_is_better: Mapping[str, bool]
    weights: Mapping[str, float] = field(default_factory=dict[str, float])
    """Of the metrics that do not weigh 1."""
    rule: Rule = "mean-then-rank"
    ties: Literal["min", "average", "max"] = "min"
    missing: Missing = "error"
    worst: Mapping[str, float] = field(default_factory=dict[str, float])
    tie_break: str | None = None


_MAGIC: Final = b"SQLite format 3\0"


def are_runs(paths: Sequence[Path]) -> bool:
    """Tell run files from tables by their first bytes.

    Raises
    ------
    UsageError
        Some are run files and some are not, or there are several tables.
    """
    kinds = [_is_run(path) for path in paths]
    if kinds and all(kinds):
        return True
    if any(kinds) or len(paths) != 1:
        raise UsageError(
            expected(
                "TABLE or RUN RUN...",
                rule="one table of cases, or two or more run files",
                got=f"{sum(kinds)} run files and {len(kinds) - sum(kinds)} other files",
                remedy="Write several tables into one, with a column that names the method.",
            )
        )
    return False


def refuse_columns(
    columns: Columns,
    *,
    better: Sequence[str],
    decimal: str | None,
    smaller: bool | None,
) -> None:
    """Refuse options that say how a table is to be read: a run has no columns.

    Raises
    ------
    UsageError
        One of them is given.
    """
    given = [f"--{each.name}" for each in fields(columns) if getattr(columns, each.name)]
    given += ["--better"] * bool(better) + ["--decimal"] * bool(decimal)
    given += ["--smaller-is-better or --larger-is-better"] * (smaller is not None)
    if given:
        raise UsageError(
            expected(
                given[0],
                rule="a table of cases",
                got="run files, whose benchmark says what its metrics are",
                remedy="Leave it out; 'overread export' writes a run as a table.",
            )
        )


def source_of_runs(paths: Sequence[Path], *, release: Path | None) -> RankSource:
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
    found = cases_of_runs(runs, plan_of(release_of(manifests[0], release), planned))
    names = tuple(each.name for each in found.metrics)
    return RankSource(
        name=f"{len(runs)} runs over {manifests[0].benchmark}",
        read=ReadCases(
            tables=(found.table,), metrics=names, is_wide=False, findings=found.findings
        ),
        larger_is_better={each.name: each.larger_is_better for each in found.metrics},
        weights={each.name: each.weight for each in found.metrics},
        rule=found.rule,
        ties="average",
        missing=found.missing,
        worst=found.worst,
        tie_break=found.tie_break,
    )


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
