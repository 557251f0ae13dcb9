"""Prints what a run file holds: the score card of both profiles and the findings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from overread.cli.further import further_metrics, further_table
from overread.cli.jury import jury_json, jury_tables
from overread.cli.output import card_table, findings_table, headline, print_json, safe, show
from overread.records import Estimate, Finding, JsonValue, Manifest, Severity
from overread.report.json_report import run_json
from overread.report.tokens import count_tokens
from overread.store.run_store import RunStore

if TYPE_CHECKING:
    from overread.run.jury_report import JuryReport

__all__ = ["print_run", "run_value", "unscored"]


def unscored(n: int) -> str:
    """Say for a last line how many answers could not be scored; empty where all could."""
    return f" {n} could not be scored: see the findings." if n else ""


def run_value(path: Path, *, juries: Sequence[JuryReport] = ()) -> dict[str, JsonValue]:
    """Give a scored run, with the juries of its open answers, as one JSON object."""
    with RunStore.open(path) as store:
        shown = run_json(
            store.manifest.run,
            tuple(store.estimates()),
            tuple(store.findings()),
            tokens=count_tokens(store.responses()),
        )
    return shown | ({"judges": [jury_json(each) for each in juries]} if juries else {})


def print_run(path: Path, *, json: bool, juries: Sequence[JuryReport] = ()) -> None:
    """Print a scored run for people, or as one JSON object, with the juries of open answers."""
    if json:
        print_json(run_value(path, juries=juries))
        return
    with RunStore.open(path) as store:
        estimates, manifest = tuple(store.estimates()), store.manifest
        findings = [
            *_collapsed(store.findings("release"), manifest),
            *(
                finding
                for kind in store.finding_kinds()
                if kind != "release"
                for finding in store.findings(kind)
            ),
        ]
    metric = headline(estimates)
    for profile in ("honest", "published"):
        if any(each.metric == metric and each.profile == profile for each in estimates):
            show(card_table(manifest.model.label, estimates, profile=profile))
    further = further_metrics(estimates, headline=metric)
    if further:
        show(further_table(further))
    for report in juries:
        show(*jury_tables(report))
    for note in _notes(estimates):
        show(f"Note: {safe(note)}.")
    if findings:
        show(findings_table(findings))


def _collapsed(findings: Sequence[Finding], manifest: Manifest) -> Iterator[Finding]:
    """Put what is merely to be known of a release into one line: it is not about this run."""
    mere = [each for each in findings if each.severity is Severity.INFO]
    yield from (each for each in findings if each.severity is not Severity.INFO)
    if len(mere) < 2:
        yield from mere
        return
    counts = Counter(each.code for each in mere)
    n_absent = counts.pop("missing-part", 0)
    said = [f"{n_absent} parts are not there"] if n_absent > 1 else []
    if n_absent == 1:
        counts["missing-part"] = 1
    said += [f"{n} × {code}" if n > 1 else code for code, n in counts.items()]
    media = f" --media {manifest.media_root}" if manifest.media_root else ""
    yield Finding(
        severity=Severity.INFO,
        code="release-notes",
        where="release",
        evidence=f"{', '.join(said)}: see 'overread check {manifest.benchmark} "
        f"{manifest.release_root}{media}'",
        count=len(mere),
    )


def _notes(estimates: Iterable[Estimate]) -> list[str]:
    """Give what must be known to read the totals: few patients, questions not asked yet."""
    totals = [each for each in estimates if not each.stratum]
    metric = headline(totals)
    of_headline = [e.reason for e in totals if e.reason and e.metric == metric]
    # Text metrics leave out the very same pairs: one sentence for all that share a reason.
    others: dict[str, list[str]] = {}
    for each in further_metrics(totals, headline=metric):
        if each.reason:
            others.setdefault(each.reason, []).append(each.metric)
    named = [f"{', '.join(dict.fromkeys(names))}: {reason}" for reason, names in others.items()]
    return list(dict.fromkeys([*of_headline, *named]))
