"""The files of a release. None was published, so the layout is ours; labels as in CheXpert.

::

    images.jsonl        image_id, subject_id, study_id, view, stratum, path, labels, sides, asked
    outputs.jsonl       image_id, query_type, model, response
    annotations.jsonl   image_id, query_type, model, annotator, category, severity, span
    images/             the pictures, unless `--media` names another folder

``labels`` maps findings to 1, 0, -1 (uncertain) or null (not spoken of); ``sides`` maps findings
to left, right or both; ``asked`` is the finding of the yes/no question. An annotation with the
category ``none`` says that the output is free of errors.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, cast

from overread.records import Finding, Severity
from overread.scoring.claims.truth import FindingTruth, Label

__all__ = [
    "ANNOTATIONS",
    "CATEGORIES",
    "FINDINGS",
    "IMAGES",
    "NAMED_ABSENT",
    "OUTPUTS",
    "QUERIES",
    "SEVERITIES",
    "SYNTHETIC_MARK",
    "Annotation",
    "Output",
    "Picture",
    "Rows",
    "annotation_of",
    "output_of",
    "picture_of",
    "read_rows",
]

IMAGES: Final = "images.jsonl"
OUTPUTS: Final = "outputs.jsonl"
ANNOTATIONS: Final = "annotations.jsonl"
SYNTHETIC_MARK: Final = "SYNTHETIC.txt"
QUERIES: Final = ("describe", "abnormalities", "yes-no")
NAMED_ABSENT: Final = "named-absent"
"""Asked by name only: the free description after a finding was named that is not there."""
FINDINGS: Final = (
    "Enlarged Cardiomediastinum",
    "Cardiomegaly",
    "Lung Opacity",
    "Lung Lesion",
    "Edema",
    "Consolidation",
    "Pneumonia",
    "Atelectasis",
    "Pneumothorax",
    "Pleural Effusion",
    "Pleural Other",
    "Fracture",
)
"""Twelve of the fourteen CheXpert labels: without No Finding and Support Devices."""
CATEGORIES: Final = (
    "fabricated finding",
    "omitted finding",
    "wrong side or place",
    "wrong severity or extent",
    "wrong measurement or count",
    "invented comparison",
    "invented device or procedure",
    "contradiction",
)
"""Our working set of eight: the names of the paper's were not seen."""
SEVERITIES: Final = ("none", "minor", "moderate", "severe")

_LARGEST_FILE_BYTES: Final = 2**28
_LONGEST: Final = 100_000
_LABELS: Final[Mapping[int, Label]] = {1: "present", 0: "absent", -1: "uncertain"}
_SIDES: Final[Mapping[str, frozenset[str]]] = {
    "left": frozenset(("left",)),
    "right": frozenset(("right",)),
    "both": frozenset(("left", "right")),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """A line of the list of pictures."""

    id: str
    subject: str
    study: str
    view: str
    stratum: str
    path: str
    truth: FindingTruth
    asked: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    """A saved reply of a model."""

    picture: str
    query: str
    model: str
    response: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Annotation:
    """What a person or a judge says of one output."""

    picture: str
    query: str
    model: str
    annotator: str
    category: str
    severity: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """The lines of a file that could be read, or why there is none."""

    rows: tuple[Mapping[str, Any], ...] = ()
    data: bytes = b""
    bad_lines: tuple[int, ...] = field(default=())
    problem: Finding | None = None


def read_rows(root: Path, file: str) -> Rows:
    """Read a file of JSON lines; lines that are no objects are counted and left out."""
    path = root / file
    try:
        if (size := path.stat().st_size) > _LARGEST_FILE_BYTES:
            raise ValueError(f"{size:,} bytes")
        data = path.read_bytes()
        lines = data.decode("utf-8-sig").splitlines()
    except (OSError, ValueError) as error:
        absent = isinstance(error, FileNotFoundError)
        return Rows(problem=_unreadable(file, "absent" if absent else str(error)))
    rows: list[Mapping[str, Any]] = []
    bad: list[int] = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            found: object = json.loads(line)
        except (ValueError, RecursionError):
            found = None
        if isinstance(found, dict):
            rows.append(cast("Mapping[str, Any]", found))
        else:
            bad.append(number)
    return Rows(rows=tuple(rows), data=data, bad_lines=tuple(bad))


def picture_of(row: Mapping[str, Any]) -> Picture | None:
    """Read a picture; None where it has no id or no labels."""
    labels, sides = row.get("labels"), row.get("sides")
    name = _text(row, "image_id")
    if not name or not isinstance(labels, dict):
        return None
    known: dict[str, Label] = {}
    for finding in FINDINGS:
        value: object = cast("dict[str, object]", labels).get(finding)
        if isinstance(value, int | float) and not isinstance(value, bool) and value in _LABELS:
            known[finding] = _LABELS[int(value)]
    told: dict[str, frozenset[str]] = {}
    for finding, side in cast(
        "dict[str, object]", sides if isinstance(sides, dict) else {}
    ).items():
        if known.get(finding) == "present" and isinstance(side, str) and side in _SIDES:
            told[finding] = _SIDES[side]
    return Picture(
        id=name,
        subject=_text(row, "subject_id") or name,
        study=_text(row, "study_id") or name,
        view=_text(row, "view") or "unknown",
        stratum=_text(row, "stratum") or "unknown",
        path=_text(row, "path") or f"images/{name}.png",
        truth=FindingTruth(labels=known, sides=told),
        asked=_text(row, "asked"),
    )


def output_of(row: Mapping[str, Any]) -> Output | None:
    """Read a saved reply; None where it does not say whose or to what."""
    output = Output(
        picture=_text(row, "image_id"),
        query=_text(row, "query_type"),
        model=_text(row, "model"),
        response=_text(row, "response")[:_LONGEST],
    )
    return output if output.picture and output.query and output.model else None


def annotation_of(row: Mapping[str, Any]) -> Annotation | None:
    """Read an annotation; None where it names no output or category."""
    found = Annotation(
        picture=_text(row, "image_id"),
        query=_text(row, "query_type"),
        model=_text(row, "model"),
        annotator=_text(row, "annotator") or "unknown",
        category=_text(row, "category"),
        severity=_text(row, "severity") or "none",
    )
    return found if found.picture and found.model and found.category else None


def _text(row: Mapping[str, Any], key: str) -> str:
    value = row.get(key)
    return value if isinstance(value, str) else ""


def _unreadable(file: str, why: str) -> Finding:
    is_needed = file == IMAGES
    return Finding(
        severity=Severity.ERROR if is_needed else Severity.WARNING,
        code="missing-file" if why == "absent" else "unreadable-file",
        where=file,
        evidence=why,
        effect="what it holds is not in any number here",
        remedy="Restore the file, or make a release: overread synth hallucxr FOLDER.",
    )
