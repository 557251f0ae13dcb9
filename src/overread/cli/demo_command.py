"""`overread demo`: the main job on a synthetic release, from nothing to a report."""

from __future__ import annotations

import shutil
import time
from pathlib import Path
from typing import Final

from overread.cli.output import notice, progress_bar, show, totals_table
from overread.cli.report_command import write_report
from overread.records import Estimate
from overread.registry import find_benchmark
from overread.run.pipeline import execute
from overread.run.request import RunRequest
from overread.store.run_store import RunStore

__all__ = ["demo_command"]

_READERS: Final = ("radiomics", "text-only", "majority", "longest", "constant:A", "chance")
_BENCHMARK: Final = "ct-bench"


def demo_command(*, out: Path = Path("demo"), lesions: int = 240, seed: int = 1) -> int:
    """Run the built-in readers on a synthetic CT-Bench release and leave a report.

    A second start takes the release and the answers that are there already.

    Parameters
    ----------
    out
        The folder for release, runs and report.
    lesions
        Size of the synthetic release.
    seed
        Of the release.
    """
    begin = time.monotonic()
    root = out / f"release-{lesions}-{seed}"
    _synthesise(root, lesions=lesions, seed=seed)
    release = find_benchmark(_BENCHMARK).open(root)
    runs: list[Path] = []
    for reader in _READERS:
        run = out / "runs" / f"{root.name}-{reader.replace(':', '-')}.sqlite"
        request = RunRequest(
            benchmark=_BENCHMARK, release=root, model=reader, out=run, command="overread demo"
        )
        with progress_bar(reader, quiet=False) as on_progress:
            execute(request, release=release, on_progress=on_progress)
        runs.append(run)
    show(
        totals_table(_totals(runs), title="Built-in readers, synthetic CT-Bench", profile="honest")
    )
    write_report(runs, out / "report", title="Demo: built-in readers on a synthetic CT-Bench")
    seconds = time.monotonic() - begin
    notice(f"Done in {seconds:.0f} s. Open {out / 'report' / 'index.html'} in a browser.")
    return 0


def _totals(runs: list[Path]) -> list[tuple[str, list[Estimate]]]:
    found: list[tuple[str, list[Estimate]]] = []
    for run in runs:
        with RunStore.open(run) as store:
            found.append((store.manifest.model.name, store.estimates()))
    return found


def _synthesise(root: Path, *, lesions: int, seed: int) -> None:
    """Write the release, all or nothing: a stopped demo leaves no half release behind."""
    if root.is_dir():
        return
    part = root.with_name(f"{root.name}.part")
    if part.exists():
        shutil.rmtree(part)  # an earlier demo was stopped while it wrote this
    notice(f"Writing a synthetic release of {lesions} lesions: {root}")
    find_benchmark(_BENCHMARK).synthesise(part, seed=seed, size=lesions)
    part.rename(root)
