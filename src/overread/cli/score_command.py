"""`overread score`: numbers from what is stored or from a file; no model is asked."""

from __future__ import annotations

import sys
from pathlib import Path

from overread.analysis.asked import release_of
from overread.cli.output import notice
from overread.cli.results import print_run
from overread.cli.typed import typed_command
from overread.contracts import Selection
from overread.errors import UsageError, expected
from overread.registry import benchmark_names, find_benchmark
from overread.run.pipeline import execute
from overread.run.request import RunRequest
from overread.run.scoring import score_run
from overread.store.run_store import RunStore

__all__ = ["score_command"]


def score_command(
    run_or_benchmark: str,
    release: Path | None = None,
    /,
    *,
    predictions: tuple[Path, ...] = (),
    out: Path | None = None,
    split: str = "test",
    json: bool = False,
) -> int:
    """Score a run again, or score files of predictions.

    `overread score RUN [RELEASE]` reads a run file; RELEASE is needed when the release has moved.
    `overread score BENCHMARK RELEASE --predictions FILE` joins a file by key and scores it.

    Parameters
    ----------
    run_or_benchmark
        A run file, or a name of `overread list benchmarks` together with --predictions.
    release
        The folder of the release.
    predictions
        A file of answers with their keys; may be repeated, one run each.
    out
        The run file of the predictions; beside them when left out.
    split
        Which part of the exam the predictions answer.
    json
        Print JSON for machines.
    """
    if predictions:
        return _score_files(run_or_benchmark, release, predictions, out, split, json=json)
    path = Path(run_or_benchmark)
    if run_or_benchmark in benchmark_names():
        raise UsageError(
            expected(
                "--predictions",
                rule=f"files of answers to {run_or_benchmark}",
                got="none",
                remedy="To score a run again, name its file alone.",
            )
        )
    if not path.is_file():
        raise UsageError(
            expected(
                "RUN",
                rule="a run file, or BENCHMARK RELEASE --predictions FILE",
                got=run_or_benchmark,
                remedy="'overread run' writes run files.",
            )
        )
    with RunStore.open(path, write=True) as store:
        score_run(store, release_of(store.manifest, release))
    print_run(path, json=json)
    notice(f"{path}: scored again from the stored answers.")
    return 0


def _score_files(
    benchmark: str,
    release: Path | None,
    predictions: tuple[Path, ...],
    out: Path | None,
    split: str,
    *,
    json: bool,
) -> int:
    if release is None or (out is not None and len(predictions) > 1):
        raise UsageError(
            expected(
                "overread score",
                rule="BENCHMARK RELEASE with --predictions FILE (and one --out for one file)",
                got=f"RELEASE {release}, {len(predictions)} files, --out {out}",
                remedy="Name the release's folder; leave out --out for several files.",
            )
        )
    failed = 0
    opened = find_benchmark(benchmark).open(release)
    for file in predictions:
        place = out or file.with_name(f"{file.stem}.{benchmark}.sqlite")
        request = RunRequest(
            benchmark=benchmark,
            release=release,
            model=f"predictions:{file}",
            out=place,
            selection=Selection(split=split),
            command=typed_command(sys.argv[1:]),
        )
        outcome = execute(request, release=opened)
        failed += outcome.n_failed
        print_run(place, json=json)
        notice(
            f"{place}: {outcome.n_planned - outcome.n_failed} of {outcome.n_planned} questions "
            f"have an answer in {file}."
        )
    return 1 if failed else 0
