"""`overread audit`: of a release, and of tables, replies and editions by commands of their own."""

from __future__ import annotations

from cyclopts import App

from overread.cli.audit_command import audit_command

__all__ = ["app"]

app = App(
    name="audit",
    help="Look for faults in a release, a printed table, stored replies or two editions.",
)
app.default(audit_command)
for _name, _help in {
    "table": "Find cells, totals and ranks of a printed table that cannot be right.",
    "parsers": "Read stored replies by every published parser, and say what that moves.",
    "editions": "Say what changed between two editions of a benchmark.",
}.items():
    app.command(f"overread.cli.audit_{_name}_command:audit_{_name}_command", name=_name, help=_help)
