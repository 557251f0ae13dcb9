"""`overread audit table`: what a printed table says that cannot be right."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path
from typing import Literal

from rich.table import Table

from overread.audits.table.audit import TableAudit, audit_table
from overread.audits.table.claims import Claims, Counts, Total
from overread.audits.table.read_claims import read_claims
from overread.audits.wording import counted
from overread.cli.out_folder import check_out_folder
from overread.cli.output import findings_table, notice, print_json, safe, show
from overread.cli.typed import typed_command
from overread.errors import UsageError, expected
from overread.records import Severity
from overread.report.audit_page import audit_json, page_of_table, write_audit
from overread.store.printed_table import read_table

__all__ = ["audit_table_command"]


def audit_table_command(
    file: Path,
    /,
    *,
    claims: Path | None = None,
    n: tuple[str, ...] = (),
    total: tuple[str, ...] = (),
    runs: int | None = None,
    sites: int | None = None,
    names: tuple[str, ...] = (),
    decimal: Literal["point", "comma"] | None = None,
    table: int = 1,
    infer: bool = True,
    out: Path | None = None,
    json: bool = False,
) -> int:
    """Find what cannot be right in a printed table, and what it does to the numbers.

    Exit status 1 when an error was found: something that no rounding of its parts explains.

    Parameters
    ----------
    file
        CSV, TSV, semicolons, a Markdown pipe table (.md), or JSON rows.
    claims
        A TOML file of what the cells do not say: questions behind them, weights, ranks, statements.
    n
        How many items stand behind a cell: 200 for all of them, COLUMN=200 for one column.
    total
        A column and its parts: TOTAL=PART,PART; whether pooled or a plain mean is found out.
    runs
        Cells are means over so many runs of the same items.
    sites
        How many sites, of equal weight, stand behind a mean with a best, a worst or a gap.
    names
        Columns that name a row together; without it the first column of words.
    decimal
        The decimal mark; without it, it is found out.
    table
        Which table of a Markdown file, from 1.
    infer
        Look for totals, differences and ranks that hold in most rows, and for rows that differ.
    out
        A folder for audit.html, audit.md and audit.json.
    json
        Print JSON for machines.
    """
    check_out_folder(out)
    mark: Literal[".", ","] | None = None
    if decimal is not None:
        mark = "," if decimal == "comma" else "."
    printed = read_table(file, decimal=mark, table=table)
    known = Claims() if claims is None else read_claims(claims)
    known = _with_options(known, n=n, total=total, runs=runs, sites=sites, names=names)
    known = replace(known, infer=known.infer and infer)
    audit = audit_table(printed, known, label=file.name)
    page = page_of_table(
        audit,
        title=known.table or f"Audit of {file.name}",
        source=known.source,
        command=typed_command(sys.argv[1:]),
        created=datetime.now(UTC).isoformat(timespec="seconds"),
    )
    if out is not None:
        for path in write_audit(page, out):
            notice(f"wrote {path}")
    if json:
        print_json(audit_json(page))
    else:
        _print(audit, file)
    return 1 if any(each.severity == Severity.ERROR for each in audit.findings) else 0


def _print(audit: TableAudit, file: Path) -> None:
    if audit.findings:
        show(findings_table(audit.findings))
    tried = Table(title="What was tried", title_justify="left")
    tried.add_column("what", overflow="fold")
    for name in ("tried", "off"):
        tried.add_column(name, justify="right", no_wrap=True)
    tried.add_column("how", overflow="fold")
    for check in audit.checks:
        style = None if check.tried else "dim"
        cells = (safe(check.name), str(check.tried), str(check.off), safe(check.note))
        tried.add_row(*cells, style=style)
    show(tried)
    counts = Counter(each.severity for each in audit.findings)
    notice(
        f"{file}: {counted(len(audit.findings), 'finding')} "
        f"({counted(counts[Severity.ERROR], 'error')}, "
        f"{counted(counts[Severity.WARNING], 'warning')})."
    )


def _with_options(
    claims: Claims,
    *,
    n: Sequence[str],
    total: Sequence[str],
    runs: int | None,
    sites: int | None,
    names: Sequence[str],
) -> Claims:
    """Add what options say to what the file says; an option stands above the file."""
    counts = claims.n
    for each in n:
        name, equals, value = each.rpartition("=")
        number = _count(value, argument="--n")
        if not equals:
            counts = replace(counts, all=number)
        else:
            counts = replace(counts, columns={**counts.columns, name: number})
    if runs is not None:
        counts = replace(counts, runs=_count(str(runs), argument="--runs"))
    summaries = claims.summaries
    if sites is not None:
        number = _count(str(sites), argument="--sites")
        summaries = tuple(replace(each, sites=number) for each in summaries)
    return replace(
        claims,
        n=counts if counts != Counts() else claims.n,
        totals=(*claims.totals, *(_total(each) for each in total)),
        summaries=summaries,
        sites=sites if sites is not None else claims.sites,
        names=tuple(names) or claims.names,
    )


def _count(text: str, *, argument: str) -> int:
    if text.strip().isascii() and text.strip().isdigit() and 0 < int(text) < 10**12:
        return int(text)
    raise UsageError(
        expected(
            argument,
            rule="a whole number of 1 or more, or COLUMN=NUMBER"
            if argument == "--n"
            else "a whole number of 1 or more",
            got=repr(text),
            remedy="A row of its own number goes into --claims.",
        )
    )


def _total(text: str) -> Total:
    name, equals, rest = text.partition("=")
    parts = tuple(part.strip() for part in rest.split(",") if part.strip())
    if not equals or len(parts) < 2:
        raise UsageError(
            expected(
                "--total",
                rule="TOTAL=PART,PART with two parts or more",
                got=repr(text),
                remedy="Weights and names with a comma go into --claims.",
            )
        )
    return Total(column=name.strip(), parts=parts, tolerance=Fraction(0))
