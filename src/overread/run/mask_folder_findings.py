"""What was seen of masks that belong to no benchmark, as findings: grids, turns, labels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from overread.errors import listed
from overread.records import Finding, Severity
from overread.run.mask_folders import FolderCase
from overread.scoring.masks.case_report import CaseReport

__all__ = ["grid_findings", "label_findings", "some_cases"]

_SHOWN: Final = 3


def grid_findings(
    cases: Sequence[FolderCase], reports: Mapping[str, CaseReport]
) -> Iterator[Finding]:
    """Report what the geometry doctor saw, the same thing once for all cases."""
    told: dict[tuple[str, Severity, str], list[str]] = {}
    for case in cases:
        report = reports.get(case.id)
        if report is None:
            continue
        if report.problems:
            level = Severity.WARNING if report.remedy else Severity.ERROR
            told.setdefault(("grid", level, "; ".join(report.problems)), []).append(case.id)
        if report.advice:
            told.setdefault(("turned-mask", Severity.WARNING, report.advice), []).append(case.id)
        if report.renamed:
            words = "; ".join(report.renamed[:_SHOWN])
            if len(report.renamed) > _SHOWN:
                words += f"; and {len(report.renamed) - _SHOWN} more labels"
            told.setdefault(("renamed-label", Severity.WARNING, words), []).append(case.id)
        for note in report.notes:
            told.setdefault(("odd-header", Severity.INFO, note), []).append(case.id)
    for (code, severity, evidence), ids in told.items():
        yield Finding(
            severity=severity,
            code=code,
            where=some_cases(ids),
            evidence=evidence,
            effect=_EFFECTS[code, severity],
            remedy=_REMEDIES.get((code, severity), ""),
            count=len(ids),
        )


def label_findings(
    cases: Sequence[FolderCase],
    reports: Mapping[str, CaseReport],
    labels: Mapping[int, str] | None,
) -> Iterator[Finding]:
    """Report labels too many to be some, and names that no mask has a label of.

    Parameters
    ----------
    cases, reports
        All cases, and what was seen of them.
    labels
        Those that the user named; None where every label goes.
    """
    sides = {
        case.id: (reports[case.id].reference_labels, reports[case.id].prediction_labels)
        for case in cases
        if case.id in reports
    }
    crowded = {case: most for case, each in sides.items() if (most := max(map(len, each))) > _MANY}
    if crowded:
        yield Finding(
            severity=Severity.WARNING,
            code="many-labels",
            where=some_cases(list(crowded)),
            evidence=f"{max(crowded.values()):,} labels in one mask",
            effect="each value counts as a structure of its own",
            remedy="Is it a label map, and no image? Name the labels that matter: --labels.",
            count=len(crowded),
        )
    there = {label: None for each in sides.values() for side in each for label in side}
    if labels is not None and there and not there.keys() & {*labels.values()}:
        yield Finding(
            severity=Severity.ERROR,
            code="no-such-label",
            where=some_cases(list(sides)),
            evidence=f"no mask has {some_cases([f'{n}={name}' for n, name in labels.items()])}; "
            f"there are {some_cases(list(there))}",
            effect="nothing that is there was scored",
            remedy="Name the labels that the masks have: --labels.",
            count=len(sides),
        )


_MANY: Final = 256
"""Labels of one mask: more are rather values of an image."""
_EFFECTS: Final = {
    ("grid", Severity.ERROR): "not scored: voxels of one index lie in two places",
    ("grid", Severity.WARNING): "predictions were resampled to the reference's grid by the nearest "
    "voxel",
    ("turned-mask", Severity.WARNING): "the mask may have been written in another orientation",
    ("renamed-label", Severity.WARNING): "each is scored under its own number, and misses the "
    "other",
    ("odd-header", Severity.INFO): "",
}
_REMEDIES: Final = {
    ("renamed-label", Severity.WARNING): "Number labels alike on both sides.",
    ("grid", Severity.ERROR): "Write masks on the grid of the scan, or say --resample nearest.",
    ("grid", Severity.WARNING): "Write masks on the grid of the scan.",
    ("turned-mask", Severity.WARNING): "Look at the pictures; mend what writes the masks.",
}


def some_cases(ids: Sequence[str]) -> str:
    """Name the first few."""
    return listed(ids, most=_SHOWN)
