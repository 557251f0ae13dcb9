"""Findings worded alike: one for many places, with the first few of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from overread.errors import listed as few
from overread.records import Finding, Severity

__all__ = ["found", "listed", "listed_if"]

_SHOWN: Final = 4


def listed_if(
    severity: Severity, code: str, names: Sequence[str], effect: str
) -> Iterator[Finding]:
    """Give one finding for all names; none without a name."""
    if names:
        yield listed(severity, code, names, effect, count=len(names))


def listed(
    severity: Severity, code: str, names: Sequence[str], effect: str, *, count: int
) -> Finding:
    """Give one finding for all names, the first few of them in it."""
    evidence = f"{count}: {few(names, most=_SHOWN)}"
    return found(severity, code, names[0], evidence, effect, count=count)


def found(
    severity: Severity, code: str, where: str, evidence: str, effect: str, *, count: int = 1
) -> Finding:
    """Give a finding."""
    return Finding(
        severity=severity, code=code, where=where, evidence=evidence, effect=effect, count=count
    )
