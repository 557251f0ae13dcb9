"""Prints what a run file holds: the score card of both profiles and the findings."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from overread.cli.output import card_table, findings_table, headline, print_json, safe, show
from overread.records import Estimate
from overread.report.json_report import run_json
from overread.report.tokens import count_tokens
from overread.store.run_store import RunStore

__all__ = ["print_run"]


def print_run(path: Path, *, json: bool) -> None:
    """Print a scored run for people, or as one JSON object."""
    with RunStore.open(path) as store:
        estimates, findings = tuple(store.estimates()), tuple(store.findings())
        manifest = store.manifest
        tokens = count_tokens(store.responses()) if json else None
    if json:
        print_json(run_json(manifest.run, estimates, findings, tokens=tokens))
        return
    for profile in ("honest", "published"):
        show(card_table(manifest.model.label, estimates, profile=profile))
    for note in _notes(estimates):
        show(f"Note: {safe(note)}.")
    if findings:
        show(findings_table(findings))


def _notes(estimates: Iterable[Estimate]) -> list[str]:
    """Give what must be known to read the totals: few patients, questions not asked yet."""
    totals = [each for each in estimates if not each.stratum]
    metric = headline(totals)
    return list(dict.fromkeys(e.reason for e in totals if e.reason and e.metric == metric))
