"""What a new exam is checked for before it is called released."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from overread.records import Finding, Severity

__all__ = ["BlindCheck", "Leak", "leak_findings"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Leak:
    """A rule that scores without looking, better than luck explains."""

    split: str
    where: str
    """``all questions`` or the task."""
    policy: str
    value: float
    n: int
    mark: float
    """How far luck carries this rule: 39 of 40 fair exams stay below."""
    questions: tuple[str, ...] = field(repr=False)
    """Ids of the questions that it gets right with more than a guess's probability."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BlindCheck:
    """The best that anybody scores on one split without looking, and how far luck carries."""

    split: str
    policy: str
    value: float
    low: float | None
    high: float | None
    n: int
    chance: float
    mark: float
    """Of this rule: 39 of 40 fair exams stay below."""
    leaks: tuple[Leak, ...]
    """Over the whole split, or in a task by more than luck explains for any task: any of these
    keeps the exam from being released."""
    doubts: tuple[Leak, ...]
    """In single tasks, by less: with so many tasks one of them may be luck."""


def leak_findings(checks: Sequence[BlindCheck]) -> tuple[Finding, ...]:
    """Say which questions leak, and why."""
    return tuple(
        Finding(
            severity=Severity.ERROR if leak in check.leaks else Severity.WARNING,
            code="leak",
            where=f"{leak.split}, {leak.where}",
            evidence=f"'{leak.policy}' is right on {100 * leak.value:.1f} % of {leak.n} without "
            f"looking; luck reaches {100 * leak.mark:.1f} %. Questions: "
            + ", ".join(leak.questions[:5])
            + (", …" if len(leak.questions) > 5 else ""),
            effect="a score on this exam may come from wording or letters",
            remedy="Draw it with another --seed, or make the descriptions alike in form; "
            "leaks.csv lists the questions.",
            count=len(leak.questions),
        )
        for check in checks
        for leak in (*check.leaks, *check.doubts)
    )
