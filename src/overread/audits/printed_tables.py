"""Audit: the printed tables that a benchmark carries, looked at cell by cell."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from overread.audits.table.audit import audit_table
from overread.audits.table.read_claims import read_claims
from overread.contracts import Audit, PrintsTables, Release
from overread.records import Finding
from overread.store.printed_table import read_table

__all__ = ["AUDIT"]


@dataclass(frozen=True, slots=True)
class _TableAudit:
    """Does for the tables of a benchmark what `overread audit table` does for any."""

    name: str
    summary: str

    def look(self, release: Release) -> Iterator[Finding]:
        """Report what the cells of each table contradict."""
        if not isinstance(release, PrintsTables):
            return
        for table, claims in release.printed_tables():
            found = audit_table(read_table(table), read_claims(claims), label=table.name)
            for finding in found.findings:
                # What is said of a table as a whole names it already.
                is_named = finding.where.startswith(table.name)
                where = finding.where if is_named else f"{table.name}: {finding.where}"
                yield replace(finding, where=where)


AUDIT: Audit = _TableAudit(
    name="printed-tables",
    summary="cells of a benchmark's printed tables that contradict each other",
)
