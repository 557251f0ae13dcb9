"""`overread audit editions`: what changed between two editions of a benchmark."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from pathlib import Path

from overread.audits.carried_answers import CarriedAnswers, carry_over
from overread.audits.editions import compare_editions
from overread.cli.output import findings_table, notice, percent, print_json, show
from overread.cli.waiting import slowly
from overread.records import Severity
from overread.registry import find_benchmark
from overread.store.run_store import RunStore

__all__ = ["audit_editions_command"]


def audit_editions_command(
    benchmark: str,
    old: Path,
    new: Path,
    /,
    *,
    run: Path | None = None,
    json: bool = False,
) -> int:
    """Say what changed between two editions of a benchmark, and what that does to old answers.

    Exit status 1 when old scores do not carry over: an answer, a metric or a split changed.

    Parameters
    ----------
    benchmark
        A name of `overread list benchmarks`.
    old
        The folder of the older release.
    new
        The folder of the newer one.
    run
        A run file made on the old release: its answers are scored by the new one's key as well.
    json
        Print JSON for machines.
    """
    told = slowly("audit editions", quiet=json)
    opened = find_benchmark(benchmark)
    before, after = opened.open(old), opened.open(new)
    told("comparing two editions")
    findings = compare_editions(before, after)
    carried = None
    if run is not None:
        told("scoring old answers by the new key")
        with RunStore.open(run) as store:
            carried = carry_over(store.plan(), list(store.responses()), before, after)
    counts = Counter(each.severity for each in findings)
    if json:
        print_json(
            {
                "benchmark": benchmark,
                "old": str(old),
                "new": str(new),
                "findings": [asdict(each) for each in findings],
                "carried": None if carried is None else asdict(carried),
            }
        )
        return 1 if counts[Severity.ERROR] else 0
    if findings:
        show(findings_table(findings, title="What changed"))
    if carried is not None:
        notice(_sentence(carried))
    notice(
        f"{old} and {new}: {len(findings)} differences, {counts[Severity.ERROR]} of them keep old "
        "scores from carrying over."
        if findings
        else f"{old} and {new}: nothing changed."
    )
    return 1 if counts[Severity.ERROR] else 0


def _sentence(carried: CarriedAnswers) -> str:
    if carried.new_on_shared is None:
        return f"The run's {carried.n_old:,} questions are all gone from the new edition."
    changed = (
        f" ({carried.n_asked_otherwise:,} of them are asked otherwise now)"
        if carried.n_asked_otherwise
        else ""
    )
    return (
        f"The run's {carried.metric}: {percent(carried.old)} % of {carried.n_old:,} questions in "
        f"the old edition; on the {carried.n_shared:,} that both have{changed} "
        f"{percent(carried.old_on_shared)} % by the old key and {percent(carried.new_on_shared)} % "
        f"by the new one. The new edition asks {carried.n_new:,}."
    )
