"""The files of a MedVIGIL release: where they lie, what they hold, what they give when opened.

Read from the public runner, validator and aggregator (hq0709/MedVIGIL); the dataset itself
(``jhq0709/MedVIGIL`` on the Hugging Face hub) was not seen::

    manifest.csv                 300 cases, nine columns
    probes_mcq.csv               2,556 probes with five options, the fifth of them the safe action
    probes_open.csv              the same probes without options
    grounding.csv                a box in 0..1 for each case, and whether sides matter
    triplets.csv                 240 questions with a paraphrase and a hypothetical change
    splits/by_tier.json, …       lists of case ids
    clinician_baseline.csv       counts of one radiologist, by kind and tier
    visual_token_ablation.csv    three models while the box is greyed out step by step
    images/, images_perturbed/   pictures

Every reader here is bounded and gives what it could read with the reason why a part is missing.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from overread.records import Finding, Severity

__all__ = [
    "CLINICIAN_FILE",
    "DECAY_FILE",
    "GROUNDING_FILE",
    "IMAGES",
    "KINDS",
    "LETTERS",
    "MANIFEST_COLUMNS",
    "MANIFEST_FILE",
    "MCQ_FILE",
    "OPEN_FILE",
    "PERTURBED",
    "PROBE_COLUMNS",
    "SPLITS",
    "SPLITS_FOLDER",
    "SYNTHETIC_MARK",
    "TEXT_ONLY",
    "TIERS",
    "TRIPLETS_FILE",
    "Case",
    "Probe",
    "Region",
    "Table",
    "case_of",
    "data_folder",
    "picture_path",
    "probe_of",
    "read_json",
    "read_table",
    "region_of",
]

MANIFEST_FILE: Final = "manifest.csv"
MCQ_FILE: Final = "probes_mcq.csv"
OPEN_FILE: Final = "probes_open.csv"
GROUNDING_FILE: Final = "grounding.csv"
TRIPLETS_FILE: Final = "triplets.csv"
CLINICIAN_FILE: Final = "clinician_baseline.csv"
DECAY_FILE: Final = "visual_token_ablation.csv"
SPLITS_FOLDER: Final = "splits"
SPLITS: Final = ("by_tier", "by_source", "by_modality", "by_rarity")
IMAGES: Final = "images"
PERTURBED: Final = "images_perturbed"
TEXT_ONLY: Final = "text_only_subset.json"
SYNTHETIC_MARK: Final = "SYNTHETIC.txt"
LETTERS: Final = "ABCDE"
TIERS: Final = ("L1", "L2", "L3", "L4", "L5")
MANIFEST_COLUMNS: Final = (
    "case_id",
    "source_dataset",
    "modality",
    "image_file",
    "question",
    "gold_answer",
    "risk_tier",
    "text_only_answerable",
    "annotator_notes",
)
PROBE_COLUMNS: Final = (
    "probe_id",
    "case_id",
    "probe_axis",
    "probe_kind",
    "question",
    *(f"choice_{letter}" for letter in LETTERS),
    "correct_letter",
    "expected_behavior",
    "expected_answer_or_set",
    "halluc_explanation",
    "image_file",
    "provenance",
)
KINDS: Final[Mapping[str, str | None]] = {
    "original": "A",
    "halluc_trap": "E",
    "tcf": "A",
    "negation": "A",
    "specificity_drop": "A",
    "knowledge_only": "A",
    "roi_only": None,
    "roi_masked": "E",
    "lr_flip": None,
}
"""Kind of probe → the letter that the release's validator demands; None where it demands none: the
options of the case's original probe, and the letter that follows from its gold answer."""

_NEEDED: Final = ("probe_id", "case_id", "probe_kind", "question", "correct_letter")
_FOLDERS: Final = ("", "data/medvigil_v1", "medvigil_v1")
_LARGEST_FILE_BYTES: Final = 2**28
_LONGEST_CELL: Final = 20_000
_TRUE: Final = frozenset({"true", "1", "yes"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One row of the manifest."""

    id: str
    source: str
    modality: str
    image: str
    """As written: a name in ``images``."""
    question: str
    gold: str
    tier: str
    text_only: bool
    """Whether the question can be answered without its picture."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """One row of a probe file."""

    id: str
    case: str
    kind: str
    question: str
    choices: tuple[tuple[str, str], ...]
    """Letter and text of the options that are not empty."""
    correct: str
    """As written, in capitals."""
    image: str
    """As written; empty where the probe has no picture."""
    provenance: str
    expected: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Region:
    """Where the answer lies, as stated; checked by `regions.box_problem`."""

    case: str
    box: tuple[float, ...] | None
    """x0, y0, x1, y1 as shares of width and height; None where that is no list of numbers."""
    is_lateral: bool
    """Whether the answer changes sides when the picture is mirrored."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A CSV file as read: its rows, or why there is none."""

    file: str
    columns: tuple[str, ...] = ()
    rows: tuple[Mapping[str, str], ...] = ()
    data: bytes = b""
    problem: Finding | None = None


def data_folder(root: Path) -> Path:
    """Find the folder of the data: the release itself, or ``data/medvigil_v1`` in it."""
    for name in _FOLDERS:
        if (root / name / MCQ_FILE).is_file():
            return root / name
    return root


def read_table(root: Path, file: str) -> Table:
    """Read a CSV file; an absent or unreadable one has no rows and a finding."""
    path = root / file
    try:
        if (size := path.stat().st_size) > _LARGEST_FILE_BYTES:
            raise ValueError(f"{size:,} bytes")
        data = path.read_bytes()
        reader = csv.DictReader(io.StringIO(data.decode("utf-8-sig"), newline=""), restval="")
        rows = tuple(
            {key: (value or "").strip()[:_LONGEST_CELL] for key, value in row.items() if key}
            for row in reader
        )
    except (OSError, ValueError, csv.Error) as error:
        absent = isinstance(error, FileNotFoundError)
        return Table(file=file, problem=_unreadable(file, "absent" if absent else str(error)))
    return Table(file=file, columns=tuple(reader.fieldnames or ()), rows=rows, data=data)


def read_json(root: Path, file: str) -> tuple[Any, Finding | None]:
    """Read a JSON file; None and a finding when it cannot be read."""
    path = root / file
    try:
        if (size := path.stat().st_size) > _LARGEST_FILE_BYTES:
            raise ValueError(f"{size:,} bytes")
        return json.loads(path.read_bytes().decode("utf-8-sig")), None
    except (OSError, ValueError, RecursionError) as error:
        absent = isinstance(error, FileNotFoundError)
        return None, _unreadable(file, "absent" if absent else str(error))


def case_of(row: Mapping[str, str]) -> Case:
    """Read a row of the manifest; columns that are absent are empty."""
    return Case(
        id=row.get("case_id", ""),
        source=row.get("source_dataset", "") or "unknown",
        modality=row.get("modality", "") or "unknown",
        image=row.get("image_file", ""),
        question=row.get("question", ""),
        gold=row.get("gold_answer", ""),
        tier=row.get("risk_tier", "").upper() or "unknown",
        text_only=row.get("text_only_answerable", "").lower() in _TRUE,
    )


def probe_of(row: Mapping[str, str]) -> Probe | None:
    """Read a row of a probe file; None where it has no id, case, kind or question."""
    if not all(row.get(name) for name in _NEEDED[:4]):
        return None
    choices = ((letter, row.get(f"choice_{letter}", "")) for letter in LETTERS)
    return Probe(
        id=row["probe_id"],
        case=row["case_id"],
        kind=row["probe_kind"],
        question=row["question"],
        choices=tuple((letter, text) for letter, text in choices if text),
        correct=row.get("correct_letter", "").upper(),
        image=row.get("image_file", ""),
        provenance=row.get("provenance", ""),
        expected=row.get("expected_answer_or_set", ""),
    )


def region_of(row: Mapping[str, str]) -> Region:
    """Read a row of the grounding file. The name of its column of sides was not seen."""
    lateral = next((value for key, value in row.items() if key.startswith("lateral")), "")
    return Region(
        case=row.get("case_id", ""),
        box=_numbers(row.get("roi_bbox_norm", "")),
        is_lateral=lateral.lower() in _TRUE,
    )


def picture_path(image: str) -> str | None:
    """Give the path of a picture as the released runner finds it; None where a probe has none."""
    if not image:
        return None
    return image if image.startswith(f"{PERTURBED}/") else f"{IMAGES}/{image}"


def _numbers(text: str) -> tuple[float, ...] | None:
    try:
        found: object = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, list):
        return None
    values: Sequence[object] = found  # pyright: ignore[reportUnknownVariableType]
    if not all(isinstance(each, int | float) and not isinstance(each, bool) for each in values):
        return None
    return tuple(float(each) for each in values if isinstance(each, int | float))


def _unreadable(file: str, why: str) -> Finding:
    return Finding(
        severity=Severity.ERROR if file == MCQ_FILE else Severity.WARNING,
        code="missing-file" if why == "absent" else "unreadable-file",
        where=file,
        evidence=why,
        effect="what it holds is not in any number here",
        remedy="Download it again: hf download --repo-type=dataset jhq0709/MedVIGIL.",
    )
