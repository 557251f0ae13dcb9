"""What a new exam is checked for before it is called released."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from overread.records import Finding, Severity
from overread.stats.intervals import binomial_band

__all__ = ["BlindCheck", "Leak", "is_beyond_luck", "leak_findings"]

_TAIL: Final = 0.025
"""Probability that luck alone keeps a fair split from being released, by any of its tasks."""
_CONDITIONS: Final = 2
"""A question is asked with and without the box at most: its two items are one draw of luck."""


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


def is_beyond_luck(value: float, n: int, *, chance: float, n_looked_at: int) -> bool:
    """Whether a score is more than luck makes of the best of many (binomial, by Bonferroni).

    Parameters
    ----------
    value
        Share of right answers over a task's items, 0 to 1.
    n
        Number of items; each question gives two at most.
    chance
        Probability of a right guess.
    n_looked_at
        Rules times tasks among which it was found.

    Examples
    --------
    >>> is_beyond_luck(0.60, 100, chance=0.25, n_looked_at=100)
    True
    >>> is_beyond_luck(1.0, 8, chance=0.25, n_looked_at=100)
    False
    """
    band = binomial_band(max(1, n // _CONDITIONS), chance, level=1 - 2 * _TAIL / n_looked_at)
    return value > band.high


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
