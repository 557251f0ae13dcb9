"""Reads a table of report sentences: one sentence a lesion, as somebody dictated it."""

from __future__ import annotations

import csv
import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from overread.builders.lesion_table import left_out
from overread.builders.report_qa.spreadsheet import decode_sheet, read_sheet
from overread.errors import ReleaseError, expected
from overread.records import Finding

__all__ = ["Sentence", "SentenceTable", "read_sentences"]

_MAX_BYTES: Final = 256 * 2**20
_SWALLOWED: Final = re.compile(r"\n\"?[A-Za-z_-]{0,20}\d{1,12}\"?[,;\t]")
"""A line of a sentence that begins with an id and what parts cells."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """What a report says about one lesion."""

    lesion_idx: str
    text: str
    patient: str
    """The lesion itself where the table names none."""
    split: str
    """As stated; may be empty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceTable:
    """The sentences in the order of the table, and what was left out."""

    sentences: tuple[Sentence, ...]
    findings: tuple[Finding, ...]


def read_sentences(path: Path) -> SentenceTable:
    """Read a CSV with the columns lesion_idx and sentence; patient and dataset are optional.

    Both rows of an id that stands twice are left out: which is right is not known.

    Raises
    ------
    ReleaseError
        It cannot be read, lacks a column, or holds no sentence.
    """
    try:
        text, _ = decode_sheet(path, max_bytes=_MAX_BYTES)
        names, rows = read_sheet(text)
    except (OSError, ValueError, csv.Error) as error:
        raise _none(path, str(error)) from error
    lacking = {"lesion_idx", "sentence"} - {name.casefold() for name in names}
    if lacking:
        raise _none(path, f"no column {' and '.join(sorted(lacking))}")
    cells = [({n.casefold(): c for n, c in row.cells.items()}, row) for row in rows]
    ids = Counter(each.get("lesion_idx", "") for each, _ in cells)
    faults: dict[str, list[str]] = defaultdict(list)
    found: list[Sentence] = []
    for each, row in cells:
        key, sentence = each.get("lesion_idx", ""), each.get("sentence", "")
        fault = None
        if not key or not sentence:
            fault = "its id or its sentence is empty"
        elif _SWALLOWED.search(sentence):
            fault = "it holds what looks like the next row: a quote that ends too late"
        elif not row.is_whole:
            fault = "it has more cells than columns: a delimiter inside its sentence"
        elif ids[key] > 1:
            fault = "its id stands twice in the table"
        if fault is not None:
            faults[fault].append(row.where)
            continue
        found.append(
            Sentence(
                lesion_idx=key,
                text=sentence,
                patient=each.get("patient") or f"lesion-{key}",
                split=each.get("dataset", ""),
            )
        )
    if not found:
        raise _none(path, f"none ({'; '.join(faults) or 'no row'})")
    findings = tuple(left_out(fault, where) for fault, where in faults.items())
    return SentenceTable(sentences=tuple(found), findings=findings)


def _none(path: Path, got: str) -> ReleaseError:
    return ReleaseError(
        expected(
            "REPORT-SENTENCES",
            rule="a CSV with lesion_idx and sentence, at least one row",
            got=f"{path}: {got}",
            remedy="Name the columns so; patient and dataset may stand beside them.",
        )
    )
