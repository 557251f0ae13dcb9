"""The result of an audit as files: a page that opens offline, Markdown, JSON.

Of a table the page shows the table itself, with every cell marked that cannot be right, and what
was tried: nothing found means little where nothing could be tried.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from overread.audits.table.audit import TableAudit
from overread.audits.table.flaws import Check
from overread.records import Finding, Severity
from overread.report.markdown import cell
from overread.report.page import asset, content_policy, environment, write_whole
from overread.report.wording import count, moment, sentence
from overread.store.printed_number import without_markup

__all__ = ["AuditPage", "audit_json", "page_of_table", "write_audit"]

_MOST_ROWS: Final = 200
"""Rows of a table that are shown; those with marked cells always are."""
_MOST_MARKS: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class _Cell:
    text: str
    severity: str
    """The worst of what is found about it; empty where nothing is."""
    marks: tuple[int, ...]
    """Numbers of the findings about it, from 1."""
    is_number: bool
    is_name: bool
    is_bold: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    line: int
    cells: tuple[_Cell, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _TableView:
    columns: tuple[tuple[str, bool], ...]
    """Heading, and whether it stands over numbers."""
    rows: tuple[_Row, ...]
    n_left_out: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditPage:
    """An audit to be written down."""

    title: str
    subject: str
    """What was looked at, in a few words: a file, a release with its protocol."""
    source: str = ""
    findings: tuple[Finding, ...]
    checks: tuple[Check, ...] = ()
    """What was tried; empty for a release, whose audits look where they can."""
    table: TableAudit | None = None
    command: str
    created: str
    """UTC, ISO 8601."""


def page_of_table(
    audit: TableAudit, *, title: str, source: str, command: str, created: str
) -> AuditPage:
    """Make a page of the audit of a table."""
    read = audit.read
    return AuditPage(
        title=title,
        subject=f"{read.label}: {count(len(read.table.rows))} rows, "
        f"{count(len(read.table.columns))} columns",
        source=source,
        findings=audit.findings,
        checks=audit.checks,
        table=audit,
        command=command,
        created=created,
    )


def audit_json(page: AuditPage) -> dict[str, Any]:
    """Give an audit as JSON: findings with the cells they are about, and what was tried."""
    value: dict[str, Any] = {
        "format": "overread audit 1",
        "title": page.title,
        "subject": page.subject,
        "source": page.source,
        "created": page.created,
        "command": page.command,
        "findings": [asdict(finding) for finding in page.findings],
    }
    if page.table is not None:
        read = page.table.read
        for flaw, finding in zip(page.table.flaws, value["findings"], strict=True):
            finding["cells"] = [
                {
                    "row": read.row_names[row],
                    "line": read.table.line_of_row[row],
                    "column": read.table.columns[column],
                    "text": read.table.rows[row][column],
                }
                for row, column in flaw.cells
            ]
        value["checks"] = [asdict(check) for check in page.checks]
    return value


def write_audit(page: AuditPage, out_dir: Path) -> tuple[Path, ...]:
    """Write ``audit.html``, ``audit.md`` and ``audit.json`` into a folder, made if need be.

    Returns
    -------
    tuple of Path
        The files, in this order.
    """
    import json

    out_dir.mkdir(parents=True, exist_ok=True)
    text = json.dumps(audit_json(page), ensure_ascii=False, allow_nan=False, indent=2)
    return (
        write_whole(out_dir / "audit.html", _html(page)),
        write_whole(out_dir / "audit.md", _markdown(page)),
        write_whole(out_dir / "audit.json", f"{text}\n"),
    )


# ---------------------------------------------------------------- HTML


def _html(page: AuditPage) -> str:
    style = asset("report.css") + asset("audit.css")
    return (
        environment()
        .get_template("audit.html.j2")
        .render(
            page=page,
            counts=_counts(page.findings),
            table=None if page.table is None else _view(page.table),
            tried=[check for check in page.checks if check.tried],
            untried=[check for check in page.checks if not check.tried],
            count=count,
            moment=moment,
            sentence=sentence,
            style=style,
            policy=content_policy(script=None, style=style),
        )
    )


def _counts(findings: Sequence[Finding]) -> list[tuple[str, int]]:
    counts = Counter(finding.severity for finding in findings)
    return [(severity.value, counts[severity]) for severity in reversed(Severity)]


def _view(audit: TableAudit) -> _TableView:
    read = audit.read
    marks: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
    for number, flaw in enumerate(audit.flaws, 1):
        for place in flaw.cells:
            marks[place].append(number)
    marked = {row for row, _ in marks}
    rows = [row for row in range(len(read.table.rows)) if row < _MOST_ROWS or row in marked]
    is_number = [column.kind not in ("name", "text") for column in read.columns]
    return _TableView(
        columns=tuple(zip(read.table.columns, is_number, strict=True)),
        rows=tuple(
            _Row(
                line=read.table.line_of_row[row],
                cells=tuple(
                    _Cell(
                        text=without_markup(text),
                        severity=_worst(audit, marks[row, column]),
                        marks=tuple(marks[row, column][:_MOST_MARKS]),
                        is_number=is_number[column],
                        is_name=read.columns[column].kind == "name",
                        is_bold="bold" in read.numbers[row][column].marks,
                    )
                    for column, text in enumerate(read.table.rows[row])
                ),
            )
            for row in rows
        ),
        n_left_out=len(read.table.rows) - len(rows),
    )


def _worst(audit: TableAudit, numbers: Sequence[int]) -> str:
    # Findings stand with the worst first.
    return audit.flaws[min(numbers) - 1].finding.severity.value if numbers else ""


# ---------------------------------------------------------------- Markdown


def _whole(text: str) -> str:
    return cell(text, whole=True)


def _markdown(page: AuditPage) -> str:
    return "\n".join(_markdown_lines(page)) + "\n"


def _markdown_lines(page: AuditPage) -> Iterator[str]:
    yield f"# {_whole(page.title)}"
    yield ""
    yield _whole(page.subject) + (f". Source: {_whole(page.source)}." if page.source else ".")
    yield ""
    yield ", ".join(f"{n} of severity {name}" for name, n in _counts(page.findings)) + "."
    yield ""
    yield "## Findings"
    yield ""
    if not page.findings:
        yield "Nothing was found."
    for number, each in enumerate(page.findings, 1):
        times = f" × {count(each.count)}" if each.count != 1 else ""
        yield (
            f"{number}. **{each.severity}** `{each.code}`{times}, {_whole(each.where)}: "
            f"{_whole(each.evidence)}."
        )
        for text in (each.effect, each.remedy):
            if text:
                yield f"   {_whole(sentence(text))}"
    if page.checks:
        yield ""
        yield "## What was tried"
        yield ""
        yield "| what | tried | off | how |"
        yield "|---|---:|---:|---|"
        for check in page.checks:
            yield (
                f"| {_whole(check.name)} | {count(check.tried)} | {count(check.off)} | "
                f"{_whole(check.note)} |"
            )
    yield ""
    yield f"Written {moment(page.created)} by `{page.command.replace('`', '')}`."
