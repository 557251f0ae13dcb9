"""Holds what a text claims against what is known: right, made up, left out, on the wrong side."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from overread.scoring.claims.claim import State
from overread.scoring.claims.lexicon import lexicon
from overread.scoring.claims.truth import FindingTruth, Label

__all__ = ["Cell", "ClaimComparison", "ClaimPolicy", "compare_claims"]

Cell: TypeAlias = Literal["tp", "fp", "fn", "tn"]
"""Asserted or not, of a finding that is there or not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimPolicy:
    """What becomes of what is neither yes nor no."""

    uncertain: Literal["ignore", "present", "absent"] = "ignore"
    """Labels that the report itself leaves open."""
    unmentioned: Literal["ignore", "absent"] = "ignore"
    """Findings that the report does not speak of. Counting them as absent makes a true claim that
    the report left out a made-up one."""
    hedged: Literal["ignore", "asserted", "denied"] = "ignore"
    """Hedged claims: neither made up nor left out, unless counted as one of the two."""
    wider_counts: bool = True
    """Whether names cover each other: an "opacity" is not made up where the labels have a
    consolidation, and a consolidation that is asserted does not leave the opacity out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimComparison:
    """One text against one picture."""

    cells: Mapping[str, Cell]
    """Of each finding that counts."""
    wrong_sides: tuple[str, ...] = ()
    """Findings that are there, asserted on another side: no fabrication, an error of its own."""
    told_sides: tuple[str, ...] = ()
    """Findings for which both text and truth tell a side."""

    def named(self, cell: Cell) -> tuple[str, ...]:
        """List the findings of one cell."""
        return tuple(finding for finding, each in self.cells.items() if each == cell)


def compare_claims(
    states: Mapping[str, State],
    truth: FindingTruth,
    *,
    findings: Collection[str],
    policy: ClaimPolicy,
    sides: Mapping[str, frozenset[str]],
) -> ClaimComparison:
    """Compare the states of findings with labels.

    Parameters
    ----------
    states
        Of a reading; what is absent is not mentioned.
    truth
        Labels and, where known, sides.
    findings
        Those that are asked about.
    policy
        What counts.
    sides
        On which each finding is said to be.

    Examples
    --------
    >>> truth = FindingTruth(labels={"Edema": "absent", "Fracture": "present"})
    >>> policy = ClaimPolicy()
    >>> compare_claims({"Edema": "asserted"}, truth, findings=("Edema", "Fracture"),
    ...                policy=policy, sides={}).cells
    {'Edema': 'fp', 'Fracture': 'fn'}
    """
    cells: dict[str, Cell] = {}
    wrong: list[str] = []
    both: list[str] = []
    for finding in findings:
        there = _is_there(truth.labels.get(finding), policy)
        said = states.get(finding, "not mentioned")
        if there is None or (said == "hedged" and policy.hedged == "ignore"):
            continue
        claimed = said == "asserted" or (said == "hedged" and policy.hedged == "asserted")
        if policy.wider_counts:
            if claimed and not there and _is_backed(finding, truth, policy):
                continue
            if not claimed and there and said != "denied":
                claimed = _is_covered(finding, states)
        cells[finding] = _cell(claimed=claimed, there=there)
        told = sides.get(finding, frozenset()), truth.sides.get(finding, frozenset())
        if cells[finding] == "tp" and all(told):
            both.append(finding)
            if not told[0] & told[1]:
                wrong.append(finding)
    return ClaimComparison(cells=cells, wrong_sides=tuple(wrong), told_sides=tuple(both))


def _is_there(label: Label | None, policy: ClaimPolicy) -> bool | None:
    """Give whether a label says that a finding is there; None where it does not count."""
    if label is None:
        return None if policy.unmentioned == "ignore" else False
    if label == "uncertain":
        return {"ignore": None, "present": True, "absent": False}[policy.uncertain]
    return label == "present"


def _is_backed(finding: str, truth: FindingTruth, policy: ClaimPolicy) -> bool:
    """Whether a narrower finding is there, of which this is the wider name."""
    known = lexicon()
    return any(
        finding in known.wider(other)[1:] and _is_there(label, policy)
        for other, label in truth.labels.items()
    )


def _is_covered(finding: str, states: Mapping[str, State]) -> bool:
    """Whether a narrower name of the finding is asserted."""
    known = lexicon()
    return any(
        finding in known.wider(other)[1:] and state == "asserted" for other, state in states.items()
    )


def _cell(*, claimed: bool, there: bool) -> Cell:
    if claimed:
        return "tp" if there else "fp"
    return "fn" if there else "tn"
