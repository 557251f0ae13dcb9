"""What a report claims: the records that reading gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias

__all__ = ["Claim", "ClaimReading", "State", "Tense"]

State: TypeAlias = Literal["asserted", "denied", "hedged", "not mentioned"]
"""What a text says of a finding. Silence is no denial."""
Tense: TypeAlias = Literal["past", "resolved", "new", "unchanged", "worse", "better"]
"""How a claim stands to an earlier picture."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One mention of a finding, and what its sentence makes of it."""

    finding: str
    state: State
    sides: frozenset[str] = frozenset()
    """left, right; both sides are two. Empty where none is told."""
    tenses: frozenset[Tense] = frozenset()
    start: int
    end: int
    """Where it stands in `ClaimReading.text`."""
    rule: str
    """What decided the state: the words that deny or hedge, or ``stated``."""

    @property
    def is_past(self) -> bool:
        """Whether it is only about an earlier time: "history of pneumonia"."""
        return "past" in self.tenses


@dataclass(frozen=True, kw_only=True)
class ClaimReading:
    """All claims of a text in its order, or why there is none to read."""

    text: str
    """The text as read: lower case, without thinking and markup; spans are places in it."""
    claims: tuple[Claim, ...] = ()
    says_normal: bool = False
    """Whether it calls the whole picture normal, as in "no acute cardiopulmonary process"."""
    unreadable: str | None = None
    """``empty``, ``not in English (German?)``, ``names no finding``."""

    @cached_property
    def states(self) -> Mapping[str, State]:
        """What is said of each finding mentioned now: asserted before hedged before denied."""
        order: tuple[State, ...] = ("denied", "hedged", "asserted")
        found: dict[str, State] = {}
        for claim in self.claims:
            if not claim.is_past:
                known: State = found.get(claim.finding, "denied")
                later = order.index(claim.state) > order.index(known)
                found[claim.finding] = claim.state if later else known
        return found

    def state(self, finding: str) -> State:
        """Give what is said of a finding."""
        return self.states.get(finding, "not mentioned")

    def sides(self, finding: str) -> frozenset[str]:
        """Give the sides on which it is asserted or hedged."""
        return frozenset(
            side
            for claim in self.claims
            if claim.finding == finding and claim.state != "denied" and not claim.is_past
            for side in claim.sides
        )

    @property
    def contradictions(self) -> tuple[str, ...]:
        """Findings that are asserted and denied of the same side, or of none."""
        found: list[str] = []
        for finding in self.states:
            claims = [each for each in self.claims if each.finding == finding and not each.is_past]
            yes = [each.sides for each in claims if each.state == "asserted"]
            no = [each.sides for each in claims if each.state == "denied"]
            if any(a == b or (a & b) for a in yes for b in no):
                found.append(finding)
        return tuple(found)

    @property
    def compares(self) -> bool:
        """Whether it speaks of an earlier picture."""
        told = {"resolved", "new", "unchanged", "worse", "better"}
        return any(told & claim.tenses for claim in self.claims)
