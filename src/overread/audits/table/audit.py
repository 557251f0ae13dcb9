"""Lets every check look at a printed table."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from overread.audits.table.claims import Claims
from overread.audits.table.copies import check_blocks, check_copies
from overread.audits.table.counts import check_counts
from overread.audits.table.differences import check_differences
from overread.audits.table.equations import check_equations
from overread.audits.table.flaws import Check, Flaw, gathered
from overread.audits.table.granularity import check_granularity
from overread.audits.table.hygiene import check_hygiene
from overread.audits.table.inferred_totals import check_inferred_totals
from overread.audits.table.intervals import check_intervals, check_spreads
from overread.audits.table.ranks import check_ranks
from overread.audits.table.reading import ReadTable, read_for_audit
from overread.audits.table.shares_of_counts import check_shares_of_counts
from overread.audits.table.summaries import check_summaries
from overread.audits.table.totals import check_totals
from overread.records import Finding
from overread.store.printed_table import PrintedTable

__all__ = ["TableAudit", "audit_table"]

_Check = Callable[[ReadTable], Iterator[Flaw | Check]]

# Hygiene is the first: cells on another scale leave the table before anything is computed.
_ALWAYS: tuple[_Check, ...] = (
    check_hygiene,
    check_granularity,
    check_shares_of_counts,
    check_intervals,
    check_spreads,
    check_totals,
    check_summaries,
    check_ranks,
    check_blocks,
    check_copies,
    check_equations,
    check_counts,
)
_INFERRED: tuple[_Check, ...] = (check_inferred_totals, check_differences)


@dataclass(frozen=True, slots=True, kw_only=True)
class TableAudit:
    """What was looked at, and what cannot be right."""

    read: ReadTable
    flaws: tuple[Flaw, ...]
    """The worst first."""
    checks: tuple[Check, ...]
    """In the order in which they looked."""

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The findings without their cells."""
        return tuple(each.finding for each in self.flaws)


def audit_table(table: PrintedTable, claims: Claims, *, label: str) -> TableAudit:
    """Find what cannot be right in a printed table.

    Nothing is called wrong that some choice of unrounded values makes right. What nobody claims is
    inferred only where it holds in most rows, and says so.

    Parameters
    ----------
    table
        As printed.
    claims
        What is known beside it (`read_claims`).
    label
        What findings call it: the file.

    Raises
    ------
    UsageError
        A claim names a column or row that is not there, or the table holds no number.
    """
    read = read_for_audit(table, claims, label=label)
    flaws = [Flaw(finding=finding) for finding in table.findings]
    checks: list[Check] = []
    for check in (*_ALWAYS, *(_INFERRED if claims.infer else ())):
        for found in check(read):
            if isinstance(found, Check):
                checks.append(found)
            else:
                flaws.append(found)
    return TableAudit(read=read, flaws=gathered(flaws), checks=tuple(checks))
