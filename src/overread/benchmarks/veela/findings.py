"""What is missing or odd in a VEELA release."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import numpy as np

from overread.benchmarks.veela.evaluator import SPACING_MM
from overread.benchmarks.veela.layout import REFERENCES_FOLDER, TASK_LABELS, ReferenceFiles
from overread.errors import ImageError, UnsafePathError, listed
from overread.imaging.label_map import LabelMap, read_label_map
from overread.imaging.safe_path import resolve_inside, without_root
from overread.records import Finding, Severity

__all__ = ["look"]

_MOST_NAMED: Final = 6
_CLASSES: Final = TASK_LABELS["Task02"]


@dataclass(slots=True)
class _Looked:
    """What was seen in the references, by kind."""

    unreadable: dict[str, str] = field(default_factory=dict[str, str])
    """Case → why."""
    lacking: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    """Class → cases without a voxel of it."""
    foreign: list[str] = field(default_factory=list[str])
    no_spacing: list[str] = field(default_factory=list[str])
    spacings: dict[tuple[float, ...], list[str]] = field(default_factory=lambda: defaultdict(list))
    """Spacing in mm → cases."""


def look(
    root: Path,
    files: ReferenceFiles,
    *,
    media_root: Path,
    scans: Mapping[str, str],
    n_wanted: int | None,
    thorough: bool,
) -> Iterator[Finding]:
    """Look at names and headers, and with `thorough` at every voxel of the references.

    Parameters
    ----------
    scans
        Case → scan relative to `media_root`.
    n_wanted
        How many cases a whole release has; None for one of any size.
    """
    cases = list(files.by_case)
    missing = [case for case in cases if case not in scans]
    yield from _listed(
        Severity.ERROR,
        "missing-volume",
        missing,
        "a model that reads scans fails here, and the case stays in the denominator; masks made "
        "before can be scored all the same",
        remedy="Name the folder of the scans: --media FOLDER.",
    )
    if n_wanted is not None and len(cases) != n_wanted:
        yield _finding(
            Severity.WARNING,
            "number-of-cases",
            REFERENCES_FOLDER,
            f"{len(cases)} references; the evaluator takes exactly {n_wanted} files",
            "the published profile rejects every submission (E2)",
        )
    yield from _listed(
        Severity.WARNING,
        "doubled-reference",
        files.doubled,
        "the file ending in .nii is used",
        remedy="Keep one file a case.",
    )
    yield from _listed(
        Severity.WARNING,
        "unknown-file",
        files.unknown,
        "no case is named by it: the evaluator wants case_NUMBER_gt.nii",
    )
    looked = _Looked()
    for case, path in files.by_case.items():
        _look_at(root, case, path, looked, thorough=thorough)
    yield from _of_references(looked)


def _look_at(root: Path, case: str, path: str, looked: _Looked, *, thorough: bool) -> None:
    try:
        file = resolve_inside(root, path)
        if not thorough:
            _header(case, file, looked)
            return
        labels = read_label_map(file)
    except (ImageError, UnsafePathError) as error:
        looked.unreadable[case] = without_root(str(error), root)
        return
    _voxels(case, labels, looked)
    _spacing(case, labels.spacing_mm, looked)


def _header(case: str, file: Path, looked: _Looked) -> None:
    import nibabel

    try:
        header = nibabel.load(file).header
        spacing = tuple(round(float(size), 4) for size in header.get_zooms()[:3])  # pyright: ignore[reportAttributeAccessIssue]
    # nibabel has no common error for hostile bytes: its own, zlib's, struct's, ValueError, ….
    except Exception as error:
        looked.unreadable[case] = f"a header that cannot be read ({error})"
        return
    _spacing(case, spacing, looked)


def _spacing(case: str, spacing: Sequence[float] | None, looked: _Looked) -> None:
    if spacing is None or len(spacing) != 3 or not all(spacing):
        looked.no_spacing.append(case)
    else:
        looked.spacings[tuple(round(size, 4) for size in spacing)].append(case)


def _voxels(case: str, labels: LabelMap, looked: _Looked) -> None:
    present = {int(value) for value in np.unique(labels.array)}
    if present - {0, *_CLASSES}:
        looked.foreign.append(case)
    for label, name in _CLASSES.items():
        if label not in present:
            looked.lacking[name].append(case)


def _of_references(looked: _Looked) -> Iterator[Finding]:
    if looked.unreadable:
        where, why = next(iter(looked.unreadable.items()))
        yield _finding(
            Severity.ERROR,
            "unreadable-reference",
            where,
            f"{_shown(list(looked.unreadable))}; {where}: {why}",
            "undefined: no score",
            count=len(looked.unreadable),
        )
    yield from _listed(
        Severity.WARNING, "foreign-labels", looked.foreign, "in Task01 they count as vessels"
    )
    for name, cases in looked.lacking.items():
        yield from _listed(
            Severity.WARNING,
            "class-absent",
            cases,
            f"no {name} voxel: Dice of it is undefined for whoever finds none",
        )
    yield from _listed(
        Severity.WARNING, "no-spacing", looked.no_spacing, "distances and volumes have no value"
    )
    yield from _constant_spacing(looked)


def _constant_spacing(looked: _Looked) -> Iterator[Finding]:
    """Warn where the evaluator's one spacing is not that of the files, as it hardly ever is."""
    others = {size: cases for size, cases in looked.spacings.items() if size != SPACING_MM}
    if not others:
        return
    sizes = sorted(others, key=lambda size: (-len(others[size]), size))
    shown = "; ".join(" × ".join(f"{step:g}" for step in size) for size in sizes[:3])
    n = sum(len(cases) for cases in others.values())
    yield _finding(
        Severity.WARNING,
        "constant-spacing",
        others[sizes[0]][0],
        f"{n} cases measure {shown}{'; …' if len(sizes) > 3 else ''} mm; the evaluator takes "
        "3 × 2 × 1 mm for all of them",
        "in the published profile surface Dice at 1 mm forgives an error of one voxel along the "
        "third axis, and none along the others; the honest one takes the header's spacing",
        count=n,
    )


def _listed(
    severity: Severity, code: str, names: Sequence[str], effect: str, *, remedy: str = ""
) -> Iterator[Finding]:
    if names:
        yield _finding(
            severity, code, names[0], _shown(names), effect, remedy=remedy, count=len(names)
        )


def _shown(names: Sequence[str]) -> str:
    return f"{len(names)}: {listed(names, most=_MOST_NAMED)}"


def _finding(
    severity: Severity,
    code: str,
    where: str,
    evidence: str,
    effect: str,
    *,
    remedy: str = "",
    count: int = 1,
) -> Finding:
    return Finding(
        severity=severity,
        code=code,
        where=where,
        evidence=evidence,
        effect=effect,
        remedy=remedy,
        count=count,
    )
