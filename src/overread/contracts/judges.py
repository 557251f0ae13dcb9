"""How open answers are graded by judge models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from overread.records import Part, Profile, Status

__all__ = [
    "Graded",
    "JudgeForm",
    "Judged",
    "Judging",
    "JuryRule",
    "VoteReading",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Graded:
    """What a judge is shown of one response. All three texts are hostile: they may plant words."""

    item: str
    draw: int
    question: str
    reference: str
    prediction: str


@dataclass(frozen=True, slots=True, kw_only=True)
class VoteReading:
    """What could be read of a judge's reply about one graded response."""

    verdict: bool | None
    status: Status
    reason: str | None = None
    rationale: str | None = None


class JudgeForm(Protocol):
    """One way of asking a judge and of reading its reply."""

    @property
    def name(self) -> str:
        """Short and stable: ``fenced-2``. It is part of every vote's hash."""
        ...

    @property
    def batch_size(self) -> int:
        """How many responses one request grades."""
        ...

    def prompt(self, graded: Sequence[Graded]) -> tuple[Part, ...]:
        """Word one request."""
        ...

    def read(self, text: str | None, graded: Sequence[Graded]) -> tuple[VoteReading, ...]:
        """Read one reply: as many readings as were graded, whatever the reply holds."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class JuryRule:
    """How votes become one verdict."""

    needs_all: bool = False
    """Every judge must have voted; else there is no verdict. False takes those present."""
    null_is_no: bool = False
    """A reply that came and holds no verdict (`UNPARSED`, `REFUSED`) counts as no, as some released
    code has it; a vote that never came stays missing."""
    threshold: float = 0.5
    """A verdict is yes when more than this share of the votes counted is yes; a tie is no
    verdict unless `needs_all` makes ties impossible."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judging:
    """How a benchmark wants its open answers judged, under one profile."""

    form: JudgeForm
    rule: JuryRule
    metric: str = "jury_accuracy"
    judges_empty: bool = False
    """Whether an empty answer goes to the judges too, as some released code does."""


@runtime_checkable
class Judged(Protocol):
    """A release whose open answers are graded by judge models."""

    def judging(self, profile: Profile) -> Judging:
        """Give the way of asking, reading and counting."""
        ...
