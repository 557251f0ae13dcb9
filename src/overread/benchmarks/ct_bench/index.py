"""The list of lesions: Metadata.csv, DeepLesion's columns and the ontology, joined by lesion_idx.

The list of lesions is Metadata.csv, never the picture folders: those hold DeepLesion's 32,735
files, of which 20,335 are described. Tables are joined by key; a column is found by its name,
whatever its case and blanks.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final

from overread.benchmarks.ct_bench import layout
from overread.benchmarks.ct_bench.questions import normal_split
from overread.records import Finding, Severity
from overread.store.hashes import file_sha256

__all__ = ["Lesion", "LesionIndex", "encoding_finding", "read_text"]

_TABLES: Final = (layout.METADATA_FILE, layout.MERGED_FILE, layout.ONTOLOGY_FILE)

_MAX_TABLE_BYTES: Final = 512 * 2**20
_LONGEST_CELL: Final = 2**20


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesion:
    """What the tables say about one lesion; None where they say nothing."""

    id: str
    description: str | None
    size: str | None
    split: str | None
    patient: str | None = None
    study: str | None = None
    series: str | None = None
    spacing_mm: tuple[float, float] | None = None
    lesion_type: str | None = None
    body_part: str | None = None
    attributes: str | None = None


class LesionIndex:
    """Lesions by id, with what was odd in their tables.

    Reading is lazy: nothing is opened before the first lesion or finding is asked for.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._findings: list[Finding] = []
        self._contested: set[str] = set()

    @property
    def contested(self) -> frozenset[str]:
        """Ids of lesions that a table describes twice, and not alike: nobody knows which is meant.

        The first row counts for all else, as a question names its own right answer.
        """
        _ = self.lesions
        return frozenset(self._contested)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What is missing or odd in the tables."""
        _ = self.lesions
        return tuple(self._findings)

    @cached_property
    def lesions(self) -> Mapping[str, Lesion]:
        """Every lesion of Metadata.csv, or of the merged table where that is absent."""
        metadata, merged, ontology = map(self._table, _TABLES)
        ids = metadata or merged
        return {
            key: _lesion(key, metadata.get(key, {}), merged.get(key, {}), ontology.get(key, {}))
            for key in ids
        }

    @cached_property
    def digests(self) -> Mapping[str, str]:
        """SHA-256 of each table's bytes, by its name in the layout; nothing is parsed for it.

        A table that is absent or cannot be read says so in place of a hash: with it, and without
        it, patients and splits are not the same.
        """
        return {name: _digest(_named(self._root, name)) for name in _TABLES}

    def _table(self, name: str) -> dict[str, dict[str, str]]:
        path = _named(self._root, name)
        if path is None:
            self._findings.append(
                Finding(
                    severity=Severity.WARNING,
                    code="missing-table",
                    where=self._root.name,
                    evidence=f"{name} is not in the release",
                    effect="patients, splits or lesion facts that only it holds are unknown",
                )
            )
            return {}
        try:
            text, encoding = read_text(path, max_bytes=_MAX_TABLE_BYTES)
        except (OSError, ValueError) as error:
            self._findings.append(
                Finding(
                    severity=Severity.ERROR,
                    code="unreadable-table",
                    where=path.name,
                    evidence=str(error),
                    effect="nothing of this table is known",
                )
            )
            return {}
        if encoding != "utf-8":
            self._findings.append(encoding_finding(path.name, encoding, words="texts"))
        return self._rows(path, text)

    def _rows(self, path: Path, text: str) -> dict[str, dict[str, str]]:
        rows: dict[str, dict[str, str]] = {}
        repeated, without_id = 0, 0
        try:
            for row in _dicts(text):
                # A data frame with a gap in the column writes 12.0 for 12.
                key = row.get("lesion_idx", "").removesuffix(".0")
                if not key:
                    without_id += 1
                elif key in rows:
                    repeated += 1
                    if row.get("description") != rows[key].get("description"):
                        self._contested.add(key)
                else:
                    rows[key] = row
        except csv.Error as error:
            self._findings.append(
                Finding(
                    severity=Severity.ERROR,
                    code="broken-table",
                    where=path.name,
                    evidence=f"{error}; {len(rows)} rows were read before",
                    effect="later rows of this table are unknown",
                )
            )
        for count, code, evidence in (
            (repeated, "duplicate-lesion", "rows repeat a lesion_idx; the first one counts"),
            (without_id, "row-without-id", "rows have no lesion_idx and were left out"),
        ):
            if count:
                self._findings.append(
                    Finding(
                        severity=Severity.WARNING,
                        code=code,
                        where=path.name,
                        evidence=evidence,
                        count=count,
                    )
                )
        return rows


def read_text(path: Path, *, max_bytes: int) -> tuple[str, str]:
    """Read a text file as UTF-8 (with or without a mark), or else as Windows-1252.

    Returns
    -------
    text, encoding
        `encoding` is ``utf-8`` or ``cp1252``; a byte neither knows becomes U+FFFD.

    Raises
    ------
    ValueError
        The file is larger than `max_bytes`.
    """
    size = path.stat().st_size
    if size > max_bytes:
        raise ValueError(f"{size} bytes, more than the {max_bytes} a table may have")
    data = path.read_bytes()
    try:
        return data.decode("utf-8-sig"), "utf-8"
    except UnicodeDecodeError:
        return data.decode("cp1252", errors="replace"), "cp1252"


def encoding_finding(file: str, encoding: str, *, words: str) -> Finding:
    """Say that a file is not UTF-8, as what it was read, and which words may suffer."""
    return Finding(
        severity=Severity.WARNING,
        code="mixed-encoding",
        where=file,
        evidence=f"the file is not UTF-8; it was read as {encoding}",
        effect=f"accents and symbols in {words} may be wrong",
        remedy="Save the file as UTF-8.",
    )


def _digest(path: Path | None) -> str:
    if path is None:
        return "absent"
    try:
        return file_sha256(path)
    except OSError:
        return "unreadable"


def _named(root: Path, wanted: str) -> Path | None:
    """Find a file by its name without blanks and case: the release has a stray blank in one."""
    wanted = "".join(wanted.split()).casefold()
    for path in sorted(root.iterdir()):
        if "".join(path.name.split()).casefold() == wanted and path.is_file():
            return path
    return None


def _dicts(text: str) -> Iterator[dict[str, str]]:
    limit = csv.field_size_limit(_LONGEST_CELL)
    try:
        reader = csv.reader(io.StringIO(text, newline=""), strict=True)
        columns = [name.strip().casefold() for name in next(reader, [])]
        for cells in reader:
            if cells:
                yield dict(zip(columns, (cell.strip() for cell in cells), strict=False))
    finally:
        csv.field_size_limit(limit)


def _lesion(
    key: str, metadata: Mapping[str, str], merged: Mapping[str, str], ontology: Mapping[str, str]
) -> Lesion:
    file_name = merged.get("file_name", "").split("_")
    return Lesion(
        id=key,
        description=metadata.get("description") or merged.get("description") or None,
        size=metadata.get("size") or merged.get("size") or None,
        split=normal_split(metadata.get("dataset") or merged.get("dataset")),
        patient=_patient(merged, file_name),
        study=_joined(merged.get("patient_index"), merged.get("study_index")),
        series=_joined(
            merged.get("patient_index"), merged.get("study_index"), merged.get("series_id")
        ),
        spacing_mm=_spacing_mm(merged.get("spacing_mm_px_")),
        lesion_type=ontology.get("lesion_type") or None,
        body_part=ontology.get("body_part") or None,
        attributes=ontology.get("imaging_property") or ontology.get("property") or None,
    )


def _patient(merged: Mapping[str, str], file_name: list[str]) -> str | None:
    stated = merged.get("patient_index")
    if stated:
        return stated.removesuffix(".0").lstrip("0") or "0"
    return (file_name[0].lstrip("0") or "0") if len(file_name) > 1 else None


def _joined(*parts: str | None) -> str | None:
    return "-".join(part for part in parts if part) if all(parts) else None


def _spacing_mm(raw: str | None) -> tuple[float, float] | None:
    try:
        x_mm, y_mm = (float(part) for part in (raw or "").split(",")[:2])
    except ValueError:
        return None
    return (x_mm, y_mm) if x_mm > 0 and y_mm > 0 else None
