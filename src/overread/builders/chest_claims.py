"""Draws a HalluCXR release out of tables as MIMIC-CXR-JPG ships, and sheets for annotators.

No picture is copied: the release holds ids, labels and paths, and pictures stay where they are
(``--media``). Columns are those of ``mimic-cxr-2.0.0-chexpert.csv`` and ``-metadata.csv``; labels
taken from them fall under the same data use agreement.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from overread.benchmarks.hallucxr import layout
from overread.benchmarks.hallucxr.layout import FINDINGS, Annotation, Output
from overread.errors import UsageError, expected

__all__ = ["ClaimSample", "annotation_sheet", "draw_pictures", "read_sheet", "write_release"]

_FRONTAL: Final = frozenset({"AP", "PA"})
_LABELS: Final[Mapping[str, int]] = {"1.0": 1, "0.0": 0, "-1.0": -1, "1": 1, "0": 0, "-1": -1}
_NO_FINDING: Final = "No Finding"
_SHEET: Final = ("code", "response", "category", "severity", "span")
_LARGEST_FILE_BYTES: Final = 2**29


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimSample:
    """What was drawn, and from how much."""

    rows: tuple[Mapping[str, object], ...]
    """Lines of ``images.jsonl``."""
    pool: Mapping[str, int]
    """Stratum → frontal pictures with labels."""
    drawn: Mapping[str, int]
    patients: int


def draw_pictures(
    labels: Path, metadata: Path, *, n: int, per_patient: int, seed: int
) -> ClaimSample:
    """Draw frontal pictures evenly over normal and abnormal ones, few of one patient.

    Parameters
    ----------
    labels, metadata
        The two tables; a study has one row of labels and several pictures.
    n
        Pictures wanted; fewer where strata and the cap leave no more.
    per_patient
        At most so many of one patient.
    seed
        Of the order in which patients come.

    Returns
    -------
    ClaimSample
        In the order drawn. One picture a study.

    Raises
    ------
    UsageError
        A table cannot be read or lacks a column, or nothing is left to draw from.
    """
    by_study = {
        row["study_id"]: row for row in _table(labels, ("subject_id", "study_id", *FINDINGS))
    }
    needed = ("dicom_id", "subject_id", "study_id", "ViewPosition")
    pool: dict[str, list[Mapping[str, str]]] = {"normal": [], "abnormal": []}
    seen: set[str] = set()
    for row in sorted(_table(metadata, needed), key=lambda each: each["dicom_id"]):
        study = by_study.get(row["study_id"])
        is_first = row["study_id"] not in seen
        if study is None or row["ViewPosition"] not in _FRONTAL or not is_first:
            continue
        seen.add(row["study_id"])
        pool[_stratum(study)].append(row)
    if not any(pool.values()):
        raise UsageError(
            expected(
                "METADATA",
                rule="frontal pictures (ViewPosition AP or PA) of studies with labels",
                got=f"none in {metadata}",
                remedy="Give the two tables of one release.",
            )
        )
    chosen = list(_turns(pool, n=n, per_patient=per_patient, rng=np.random.default_rng(seed)))
    rows = tuple(_line(row, by_study[row["study_id"]]) for row in chosen)
    strata = [str(row["stratum"]) for row in rows]
    return ClaimSample(
        rows=rows,
        pool={name: len(each) for name, each in pool.items()},
        drawn={name: strata.count(name) for name in pool},
        patients=len({row["subject_id"] for row in chosen}),
    )


def write_release(sample: ClaimSample, out: Path) -> None:
    """Write ``images.jsonl`` into a folder that has none. UsageError where it has."""
    path = out / layout.IMAGES
    if path.exists():
        raise UsageError(
            expected(
                "OUT",
                rule=f"a folder without {layout.IMAGES}",
                got=str(out),
                remedy="Name a new folder.",
            )
        )
    out.mkdir(parents=True, exist_ok=True)
    text = "".join(json.dumps(row) + "\n" for row in sample.rows)
    path.write_text(text, encoding="utf-8", newline="\n")


def _turns(
    pool: Mapping[str, Sequence[Mapping[str, str]]],
    *,
    n: int,
    per_patient: int,
    rng: np.random.Generator,
) -> Iterator[Mapping[str, str]]:
    """Take one of each stratum in turn, in a drawn order, until there are enough."""
    queues = {name: [rows[k] for k in rng.permutation(len(rows))] for name, rows in pool.items()}
    places = dict.fromkeys(queues, 0)
    count: dict[str, int] = {}
    taken = 0
    while taken < n:
        before = taken
        for name, queue in queues.items():
            while places[name] < len(queue) and taken < n:
                row = queue[places[name]]
                places[name] += 1
                if count.get(row["subject_id"], 0) < per_patient:
                    count[row["subject_id"]] = count.get(row["subject_id"], 0) + 1
                    taken += 1
                    yield row
                    break
        if taken == before:
            return


def _stratum(study: Mapping[str, str]) -> str:
    return "normal" if _LABELS.get(study.get(_NO_FINDING, "")) == 1 else "abnormal"


def _line(row: Mapping[str, str], study: Mapping[str, str]) -> dict[str, object]:
    subject, name = f"p{row['subject_id']}", f"s{row['study_id']}"
    return {
        "image_id": row["dicom_id"],
        "subject_id": subject,
        "study_id": name,
        "view": row["ViewPosition"],
        "stratum": _stratum(study),
        "path": f"files/{subject[:3]}/{subject}/{name}/{row['dicom_id']}.jpg",
        "labels": {finding: _LABELS.get(study[finding]) for finding in FINDINGS},
        "sides": {},
    }


def _table(path: Path, columns: Sequence[str]) -> list[dict[str, str]]:
    """Read a CSV table. UsageError where it cannot be read or lacks a column."""
    try:
        if (size := path.stat().st_size) > _LARGEST_FILE_BYTES:
            raise ValueError(f"{size:,} bytes")
        text = path.read_bytes().decode("utf-8-sig")
        reader = csv.DictReader(io.StringIO(text, newline=""), restval="")
        rows = [{key: (value or "").strip() for key, value in row.items() if key} for row in reader]
        missing = [name for name in columns if name not in (reader.fieldnames or ())]
    except (OSError, ValueError, csv.Error) as error:
        rows, missing = [], [str(error)]
    if missing:
        raise UsageError(
            expected(
                str(path),
                rule="a table with the columns " + ", ".join(columns),
                got=f"without {', '.join(missing)}",
                remedy="Unpack the file of MIMIC-CXR-JPG, or write one with these columns.",
            )
        )
    return rows


# ---------------------------------------------------------------- sheets for people


def annotation_sheet(
    outputs: Sequence[Output], *, n: int, seed: int
) -> tuple[str, Mapping[str, tuple[str, str, str]]]:
    """Draw outputs for people to annotate, evenly over models and questions, and blinded.

    Parameters
    ----------
    outputs
        As saved.
    n
        How many.
    seed
        Of the draw and the order.

    Returns
    -------
    sheet, key
        A CSV whose rows bear codes instead of models, with empty columns for one of
        `layout.CATEGORIES` (or ``none``), a severity and the words at fault; and code → picture,
        question, model, which the annotator does not get.
    """
    rng = np.random.default_rng(seed)
    groups: dict[tuple[str, str], list[Output]] = {}
    for k in rng.permutation(len(outputs)):
        groups.setdefault((outputs[k].model, outputs[k].query), []).append(outputs[k])
    turns = [
        (turn, place, group[turn])
        for place, (_, group) in enumerate(sorted(groups.items()))
        for turn in range(len(group))
    ]
    chosen = [one for _, _, one in sorted(turns, key=lambda each: each[:2])[:n]]
    text = io.StringIO(newline="")
    table = csv.writer(text, lineterminator="\n")
    table.writerow(_SHEET)
    key: dict[str, tuple[str, str, str]] = {}
    for number, k in enumerate(rng.permutation(len(chosen)), start=1):
        one, code = chosen[k], f"output-{number:04d}"
        key[code] = one.picture, one.query, one.model
        table.writerow((code, one.response, "", "", ""))
    return text.getvalue(), key


def read_sheet(
    text: str, key: Mapping[str, tuple[str, str, str]], *, annotator: str
) -> tuple[tuple[Annotation, ...], tuple[str, ...]]:
    """Read a sheet that was filled in; several rows with one code are several errors.

    Returns
    -------
    annotations, unread
        And codes of rows whose category or severity is empty or unknown: no row is guessed.
    """
    found: list[Annotation] = []
    unread: list[str] = []
    for row in csv.DictReader(io.StringIO(text, newline=""), restval=""):
        code = (row.get("code") or "").strip()
        category = " ".join((row.get("category") or "").lower().split())
        severity = (row.get("severity") or "").strip().lower() or "none"
        known = category == "none" or category in layout.CATEGORIES
        if code not in key or not known or severity not in layout.SEVERITIES:
            unread.append(code)
            continue
        picture, query, model = key[code]
        found.append(
            Annotation(
                picture=picture,
                query=query,
                model=model,
                annotator=annotator,
                category=category,
                severity=severity,
            )
        )
    return tuple(found), tuple(unread)
