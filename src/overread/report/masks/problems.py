"""What stands before the scores: cases without a prediction, grids that differ, odd labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from overread.records import Finding, Severity, Status
from overread.report.masks.sides import MaskSide
from overread.report.wording import count

__all__ = ["CaseProblem", "LabelProblem", "case_problems", "label_problems", "side_findings"]

_SEVERITIES: Final = (Severity.ERROR, Severity.WARNING, Severity.INFO)
_KINDS: Final = {
    Status.FAILED: "no prediction",
    Status.REFUSED: "no prediction",
    Status.UNPARSED: "not scored",
    Status.UNDEFINED: "reference unusable",
    Status.OK: "scored",
}
_MOST_LABELS: Final = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseProblem:
    """One case that was not scored, or whose grid is not its reference's."""

    side: str
    colour: int
    case: str
    kind: str
    said: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelProblem:
    """Labels that one side alone has."""

    side: str
    colour: int
    where: str
    labels: tuple[str, ...]


def case_problems(sides: Sequence[MaskSide]) -> tuple[CaseProblem, ...]:
    """List cases that were not scored, then cases scored in spite of something."""
    found: list[CaseProblem] = []
    for side in sides:
        for case in side.results.cases:
            said = [case.reason] if case.reason else []
            geometry = case.geometry
            if geometry is not None:
                said += [text for text in geometry.problems if text not in (case.reason or "")]
                said += [text for text in (geometry.better_turn, geometry.remedy) if text]
                if geometry.unknown_labels:
                    said.append(f"labels that nobody named: {_listed(geometry.unknown_labels)}")
            if said or case.status is not Status.OK:
                found.append(
                    CaseProblem(
                        side=side.label,
                        colour=side.colour,
                        case=case.id,
                        kind=_KINDS[case.status],
                        said=tuple(dict.fromkeys(map(_ended, said))),
                    )
                )
    found.sort(key=lambda problem: problem.kind == "scored")
    return tuple(found)


def label_problems(sides: Sequence[MaskSide]) -> tuple[LabelProblem, ...]:
    """List the labels that no reference, or no prediction, has anywhere."""
    return tuple(
        LabelProblem(side=side.label, colour=side.colour, where=where, labels=labels)
        for side in sides
        for where, labels in (
            ("Only references have", side.results.only_reference),
            ("Only predictions have", side.results.only_prediction),
        )
        if labels
    )


def side_findings(sides: Sequence[MaskSide]) -> tuple[Finding, ...]:
    """Gather the findings of all sides, each once, the worst first."""
    found = dict.fromkeys(finding for side in sides for finding in side.results.findings)
    return tuple(sorted(found, key=lambda finding: _SEVERITIES.index(finding.severity)))


def _ended(text: str) -> str:
    """End a sentence; its beginning may be the name of a file and stays as it is."""
    return text if text[-1:] in ".?!" else f"{text}."


def _listed(values: Sequence[int]) -> str:
    shown = ", ".join(map(str, values[:_MOST_LABELS]))
    more = len(values) - _MOST_LABELS
    return f"{shown} and {count(more)} more" if more > 0 else shown
