"""What is missing or odd in a TriALS release, case by case."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from overread.benchmarks.trials.cases import TrialsCase
from overread.benchmarks.trials.clicks import MOST_CLICKS, Clicks
from overread.benchmarks.trials.layout import ID_LIST, Part
from overread.benchmarks.trials.opening import LABEL
from overread.errors import ImageError, UnsafePathError
from overread.imaging.safe_path import resolve_inside, without_root
from overread.records import Finding, Severity

__all__ = ["case_findings", "click_findings", "part_findings"]

_MOST_NAMED: Final = 8
_UNDEFINED: Final = "undefined: no score"
_ANYWAY: Final = "asked; a model that needs the volume fails, and it stays in the denominator"


def part_findings(part: Part) -> Iterator[Finding]:
    """Say what is odd about a folder's list of ids, and whether it has volumes."""
    where = part.folder + ID_LIST
    if not part.is_listed:
        yield Finding(
            severity=Severity.INFO,
            code="no-id-list",
            where=where,
            evidence=f"the ids are those of the {len(part.ids)} reference masks",
        )
    if part.blank_lines:
        yield Finding(
            severity=Severity.WARNING,
            code="blank-line",
            where=where,
            evidence=f"{part.blank_lines} lines without an id",
            effect="passed over; the released scorer breaks off there",
            count=part.blank_lines,
        )
    if part.inputs is None:
        yield Finding(
            severity=Severity.INFO,
            code="no-volumes",
            where=part.folder or ".",
            evidence="no folder inputs or images",
            effect="masks can be scored; a model that needs the CT cannot be asked",
            remedy="Name the folder of the gated CT volumes: --media FOLDER.",
        )


def case_findings(
    root: Path, media: Path, cases: Sequence[TrialsCase], *, thorough: bool
) -> Iterator[Finding]:
    """Look at every case's reference and volume; `thorough` reads them.

    Parameters
    ----------
    root, media
        The release, and the folder that volumes are relative to.
    """
    empty: list[str] = []
    for case in cases:
        if "#" in case.id and case.id != case.case:
            yield _about(
                case, Severity.WARNING, "repeated-id", "listed before", "asked under another id"
            )
        if case.name.patient == case.case:
            yield _about(
                case,
                Severity.WARNING,
                "odd-id",
                "no PHASE_NUMBER: its patient and phase are not known",
                "taken for a patient of its own",
            )
        if case.problem is not None:
            yield _about(case, Severity.ERROR, "unusable-reference", case.problem, _UNDEFINED)
        elif thorough:
            yield from _look_into(root, case, empty)
    if empty:
        effect = "Dice of an empty prediction is undefined; the released script counts it as 1"
        yield _listed(Severity.INFO, "empty-reference", empty, effect)
    yield from _volumes(media, cases, thorough=thorough)


def click_findings(cases: Sequence[TrialsCase], clicks: Mapping[str, Clicks]) -> Iterator[Finding]:
    """Report cases of the interactive task without clicks, and odd ones."""
    lost = [case.case for case in cases if case.clicks is None]
    if lost:
        yield _listed(Severity.ERROR, "missing-clicks", lost, "asked without any click")
    for case in cases:
        found = clicks.get(case.id)
        if found is None:
            continue
        for problem in found.problems:
            yield _about(case, Severity.WARNING, "odd-clicks", problem, "what is whole is shown")
        short = [
            f"{len(each)} of '{kind}'"
            for kind, each in (("lesion", found.lesion), ("background", found.background))
            if len(each) < MOST_CLICKS
        ]
        if short and not found.problems:
            evidence = f"fewer than {MOST_CLICKS} clicks: {', '.join(short)}"
            yield _about(case, Severity.INFO, "few-clicks", evidence, "later masks have no new one")


def _look_into(root: Path, case: TrialsCase, empty: list[str]) -> Iterator[Finding]:
    from overread.imaging.label_box import labels_of
    from overread.imaging.label_map import read_label_map

    try:
        labels = read_label_map(resolve_inside(root, case.truth))
    except ImageError as error:
        evidence = without_root(str(error), root)
        yield _about(case, Severity.ERROR, "unreadable-reference", evidence, _UNDEFINED)
        return
    values = labels_of(labels.array)
    if labels.array.ndim != 3:
        evidence = f"{labels.array.ndim} dimensions"
        yield _about(case, Severity.ERROR, "unreadable-reference", evidence, _UNDEFINED)
    elif LABEL not in values:
        others = f" (labels {', '.join(map(str, values))})" if values else ""
        empty.append(f"{case.id}{others}")
    for warning in labels.warnings:
        yield _about(case, Severity.WARNING, "odd-reference", warning, "")


def _volumes(media: Path, cases: Sequence[TrialsCase], *, thorough: bool) -> Iterator[Finding]:
    missing: list[str] = []
    for case in cases:
        if case.volume is None:
            continue
        try:
            file = resolve_inside(media, case.volume)
            if not file.is_file():
                missing.append(case.volume)
            elif thorough:
                from overread.imaging.read_volume import read_volume

                read_volume(file)
        except UnsafePathError as error:
            yield _about(case, Severity.ERROR, "unsafe-path", str(error), _ANYWAY)
        except ImageError as error:
            evidence = without_root(str(error), media)
            yield _about(case, Severity.ERROR, "unreadable-volume", evidence, _ANYWAY)
    if missing:
        yield _listed(Severity.ERROR, "missing-volume", missing, _ANYWAY)


def _about(case: TrialsCase, severity: Severity, code: str, evidence: str, effect: str) -> Finding:
    return Finding(severity=severity, code=code, where=case.id, evidence=evidence, effect=effect)


def _listed(severity: Severity, code: str, names: Sequence[str], effect: str) -> Finding:
    more = ", …" if len(names) > _MOST_NAMED else ""
    return Finding(
        severity=severity,
        code=code,
        where=names[0],
        evidence=", ".join(names[:_MOST_NAMED]) + more,
        effect=effect,
        count=len(names),
    )
