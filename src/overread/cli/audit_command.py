"""`overread audit`: the faults of a release, found by code, each with its count."""

from __future__ import annotations

import sys
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

from overread.audits.inspection import inspect_release
from overread.cli.compare_tables import counted
from overread.cli.output import findings_table, notice, print_json, show
from overread.cli.typed import typed_command
from overread.cli.waiting import slowly
from overread.contracts import Replayable
from overread.records import Severity
from overread.registry import find_benchmark
from overread.report.audit_page import AuditPage, audit_json, write_audit

__all__ = ["audit_command"]


def audit_command(
    benchmark: str,
    release: Path,
    /,
    *,
    only: tuple[str, ...] = (),
    out: Path | None = None,
    json: bool = False,
) -> int:
    """Look for faults in what a release ships and in the numbers published on it.

    Exit status 1 when an error was found: a fault that makes published numbers wrong, or a part
    that cannot be read.

    Parameters
    ----------
    benchmark
        A name of `overread list benchmarks`.
    release
        The folder of the release.
    only
        Names of audits (`overread list audits`); without it all of them look.
    out
        A folder for audit.html, audit.md and audit.json.
    json
        Print JSON for machines.
    """
    opened = find_benchmark(benchmark).open(release)
    findings = inspect_release(opened, only=only, on_progress=slowly("audit", quiet=json))
    counts = Counter(each.severity for each in findings)
    page = AuditPage(
        title=f"Audit of {opened.card.title}",
        subject=f"{release.resolve().name}, protocol {opened.card.protocol_version}"
        + (f", only {', '.join(only)}" if only else ""),
        findings=findings,
        command=typed_command(sys.argv[1:]),
        created=datetime.now(UTC).isoformat(timespec="seconds"),
    )
    if out is not None:
        for path in write_audit(page, out):
            notice(f"wrote {path}")
    if json:
        print_json({"benchmark": benchmark, "release": str(release), **audit_json(page)})
        return 1 if counts[Severity.ERROR] else 0
    if findings:
        show(findings_table(findings))
    elif not isinstance(opened, Replayable):
        notice(f"{benchmark} ships no predictions, votes or tables; 'overread check' looks at it.")
    notice(
        f"{release}: {counted(len(findings), 'finding')}, "
        f"{counted(counts[Severity.ERROR], 'error')} and "
        f"{counted(counts[Severity.WARNING], 'warning')} among them."
    )
    return 1 if counts[Severity.ERROR] else 0
