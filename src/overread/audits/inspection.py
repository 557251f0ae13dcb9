"""Lets every audit look at a release."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from overread.audits.exam_parts import parts_kept
from overread.contracts import Release
from overread.records import Finding, Severity
from overread.registry import audit_names, find_audit

__all__ = ["inspect_release"]


def inspect_release(
    release: Release,
    *,
    only: Sequence[str] = (),
    on_progress: Callable[[str], None] | None = None,
) -> tuple[Finding, ...]:
    """Give what audits find in a release, the worst first and by audit within a severity.

    Parameters
    ----------
    release
        Any release; an audit that has nothing to look at finds nothing.
    only
        Names of audits; none means all of them.
    on_progress
        Is told which audit looks.

    Raises
    ------
    UsageError
        No audit has one of the names.
    """
    audits = [find_audit(name) for name in (only or audit_names())]
    found: list[Finding] = []
    with parts_kept(release):
        for audit in audits:
            if on_progress is not None:
                on_progress(f"looking for {audit.summary}")
            found += audit.look(release)
    order = list(reversed(Severity))
    return tuple(sorted(found, key=lambda finding: order.index(finding.severity)))
