"""Reports as a table states them: what cannot be asked about is left out aloud.

A CSV with one report a row, or JSON as CT-SpatialVQA releases it (``{case: {"Findings_EN": …,
"Impressions_EN": …}}``). Columns are found by name, whatever their case.
"""

from __future__ import annotations

import csv
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from overread.benchmarks.ct_bench.index import encoding_finding
from overread.builders.report_qa.spreadsheet import decode_sheet, read_sheet
from overread.errors import ReleaseError, UsageError, expected
from overread.records import Finding, Severity

__all__ = ["Columns", "Report", "ReportTable", "read_reports"]

_MAX_BYTES = 512 * 2**20
_LONGEST_REPORT = 60_000
"""Characters; fifteen times the longest of CT-RATE's validation split."""
_CASE_NAMES = ("case", "case_id", "file_name", "volumename", "volume_name")
_FINDINGS_NAMES = ("findings", "findings_en")
_IMPRESSIONS_NAMES = ("impressions", "impressions_en", "impression", "impression_en")
_NOTHING = frozenset({"", "nan", "none", "null", "n/a", "na", "-", "not given."})
"""How tables write that a cell is empty."""
_PARTED = "it has more cells than the table has columns, as where a text with commas has no quotes"
_SAFE_CASE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,199}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Columns:
    """Names of the columns; None looks for the usual ones."""

    case: str | None = None
    findings: str | None = None
    impressions: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """One report."""

    case: str
    """The volume that it describes: ``valid_1000_a_1.nii.gz``."""
    findings: str
    impressions: str
    """May be empty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportTable:
    """The reports that can be asked about, in the table's order, and what was odd."""

    reports: tuple[Report, ...]
    findings: tuple[Finding, ...]
    n_rows: int


def read_reports(path: Path, columns: Columns) -> ReportTable:
    """Read a table of reports.

    Parameters
    ----------
    path
        CSV (UTF-8 or Windows-1252), or JSON (see the module).
    columns
        Names that are not the usual ones.

    Raises
    ------
    ReleaseError
        It cannot be read, or holds no report that can be asked about.
    UsageError
        A named or needed column is not there.
    """
    rows, encoding = _rows(path, columns)
    reports: dict[str, Report] = {}
    faults: dict[str, list[str]] = defaultdict(list)
    for where, report, is_whole in rows:
        fault = _fault(report) if is_whole else _PARTED
        if not fault and report.case in reports:
            fault = "its case stands there twice"
        if fault:
            faults[fault].append(report.case[:80] or where)
        else:
            reports[report.case] = report
    if not reports:
        got = "; ".join(f"{fault} ({len(at)} rows)" for fault, at in faults.items()) or "no row"
        raise ReleaseError(
            expected(
                str(path),
                rule="at least one report with a case and findings",
                got=got,
                remedy="Name the columns with --case-column and --findings-column.",
            )
        )
    odd = (
        []
        if encoding.startswith("utf")
        else [encoding_finding(path.name, encoding, words="reports")]
    )
    return ReportTable(
        reports=tuple(reports.values()),
        findings=(
            *(_left_out(fault, places) for fault, places in faults.items()),
            *odd,
            *_shared(reports.values()),
        ),
        n_rows=len(rows),
    )


def _fault(report: Report) -> str:
    """Say why a report cannot be asked about; empty when it can."""
    if not report.case:
        return "it names no case"
    if _SAFE_CASE.fullmatch(report.case) is None or ".." in report.case:
        return "its case is no plain file name"
    if not report.findings:
        return "it has no findings"
    if len(report.findings) + len(report.impressions) > _LONGEST_REPORT:
        return f"it is longer than {_LONGEST_REPORT:,} characters"
    return ""


def _left_out(fault: str, places: list[str]) -> Finding:
    return Finding(
        severity=Severity.WARNING,
        code="report-without-findings" if "findings" in fault else "report-left-out",
        where=places[0],
        evidence=fault,
        effect="no question is asked about it",
        count=len(places),
    )


def _shared(reports: Iterable[Report]) -> Iterator[Finding]:
    """Report texts that stand at several cases: reconstructions of one scan, normal reports."""
    cases: dict[tuple[str, str], list[str]] = defaultdict(list)
    for report in reports:
        cases[report.findings, report.impressions].append(report.case)
    shared = [named for named in cases.values() if len(named) > 1]
    if shared:
        yield Finding(
            severity=Severity.INFO,
            code="report-shared",
            where=" and ".join(shared[0][:2]),
            evidence=f"{sum(map(len, shared))} cases share {len(shared)} texts",
            effect="what is asked about them is not independent of each other",
            remedy="Keep one reconstruction of a scan; patients with the same report may stay.",
            count=len(shared),
        )


# ---------------------------------------------------------------- two kinds of file


def _rows(path: Path, columns: Columns) -> tuple[list[tuple[str, Report, bool]], str]:
    """Read what stands there, row by row and whether it is whole, and say in which encoding."""
    try:
        text, encoding = decode_sheet(path, max_bytes=_MAX_BYTES)
        is_json = text.lstrip()[:1] in ("{", "[")
        rows = list(_from_json(text) if is_json else _from_csv(text))
    except (OSError, ValueError, RecursionError, csv.Error) as error:
        raise ReleaseError(
            expected(
                str(path),
                rule="a table of reports (CSV or JSON)",
                got=f"something else ({error})",
                remedy="Give one report a row, with its case, findings and impressions.",
            )
        ) from error
    names = dict.fromkeys(name for _, cells, _ in rows for name in cells)
    case = _column(names, columns.case, _CASE_NAMES, "--case-column", path)
    findings = _column(names, columns.findings, _FINDINGS_NAMES, "--findings-column", path)
    impressions = (
        _column(names, columns.impressions, _IMPRESSIONS_NAMES, "--impressions-column", path)
        if columns.impressions or any(name.casefold() in _IMPRESSIONS_NAMES for name in names)
        else None
    )
    return [
        (
            where,
            Report(
                case=_cell(cells, case),
                findings=_cell(cells, findings),
                impressions=_cell(cells, impressions) if impressions else "",
            ),
            is_whole,
        )
        for where, cells, is_whole in rows
    ], encoding


def _column(
    names: Iterable[str], wanted: str | None, usual: tuple[str, ...], option: str, path: Path
) -> str:
    spelt = {name.casefold(): name for name in names}
    for name in (wanted,) if wanted else usual:
        if name.casefold() in spelt:
            return spelt[name.casefold()]
    raise UsageError(
        expected(
            option,
            rule=f"a column of {path.name}, such as {wanted or ' or '.join(usual)}",
            got=", ".join(spelt.values()) or "a table without columns",
            remedy=f"Name it with {option}.",
        )
    )


def _cell(cells: Mapping[str, object], name: str) -> str:
    value = cells.get(name)
    text = value.strip() if isinstance(value, str) else ""
    # Half a character cannot be written in UTF-8, and a table of texts needs no NUL.
    text = text.encode("utf-8", "replace").decode().replace("\0", "")
    return "" if text.casefold() in _NOTHING else text


def _from_csv(text: str) -> Iterator[tuple[str, Mapping[str, object], bool]]:
    _, rows = read_sheet(text)
    return ((row.where, row.cells, row.is_whole) for row in rows)


def _from_json(text: str) -> Iterator[tuple[str, Mapping[str, object], bool]]:
    """Read a mapping from cases to reports, or a list of rows."""
    held = json.loads(text)
    if isinstance(held, dict):
        for case, cells in cast("dict[str, object]", held).items():
            inner = cast("dict[str, object]", cells) if isinstance(cells, dict) else {}
            yield case[:80], {"Findings_EN": None, **inner, "case": case}, True
        return
    for number, cells in enumerate(cast("list[object]", held), start=1):
        inner = cast("dict[str, object]", cells) if isinstance(cells, dict) else {}
        yield f"row {number}", inner, True
