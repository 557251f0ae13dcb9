"""The files of a JMed48k-Eval release: where they lie, and what is in them.

Hugging Face ``JMed48k/JMed48k`` (CC-BY-NC-4.0)::

    JMed48k-eval/01…/…_2024/….json              one paper: an object with ``questions``
    JMed48k-eval/01…/…_2024/2024_images/….png   its figures

The folders of the eleven professions begin with their number, those of years end with the year.
The layout is as an independent importer of the data set reads it; the files were not seen.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, cast

from overread.errors import UnsafePathError
from overread.imaging.safe_path import resolve_inside
from overread.records import Finding, Severity

__all__ = [
    "EVAL_FOLDER",
    "N_PAPERS",
    "PROFESSIONS",
    "SYNTHETIC_MARK",
    "Paper",
    "Profession",
    "find_papers",
    "picture_path",
    "read_rows",
]

EVAL_FOLDER: Final = "JMed48k-eval"
SYNTHETIC_MARK: Final = "SYNTHETIC.txt"
N_PAPERS: Final = 55
"""Files of a complete release: eleven professions, five years."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Profession:
    """One of the exams."""

    name: str
    """As strata have it."""
    japanese: str
    """What the exam makes of who passes it."""
    english: str


PROFESSIONS: Final = (
    Profession(name="physician", japanese="医師", english="physicians"),
    Profession(name="dentist", japanese="歯科医師", english="dentists"),
    Profession(name="public-health-nurse", japanese="保健師", english="public health nurses"),
    Profession(name="midwife", japanese="助産師", english="midwives"),
    Profession(name="nurse", japanese="看護師", english="nurses"),
    Profession(
        name="radiological-technologist",
        japanese="診療放射線技師",
        english="radiological technologists",
    ),
    Profession(
        name="clinical-laboratory-technologist",
        japanese="臨床検査技師",
        english="clinical laboratory technologists",
    ),
    Profession(name="physical-therapist", japanese="理学療法士", english="physical therapists"),
    Profession(
        name="occupational-therapist", japanese="作業療法士", english="occupational therapists"
    ),
    Profession(name="orthoptist", japanese="視能訓練士", english="orthoptists"),
    Profession(name="pharmacist", japanese="薬剤師", english="pharmacists"),
)
"""In the order of their folders, 01 to 11."""

_LARGEST_FILE_BYTES: Final = 64 * 2**20
_PROFESSION = re.compile(r"(\d{2})(?!\d).*", re.ASCII | re.S)
_YEAR = re.compile(r"(?:.*\D)?((?:19|20)\d{2})", re.ASCII | re.S)


@dataclass(frozen=True, slots=True, kw_only=True)
class Paper:
    """One exam of one year: a question file."""

    profession: str
    year: str
    path: Path
    where: str
    """Relative to the release, with forward slashes."""


def find_papers(root: Path) -> tuple[tuple[Paper, ...], tuple[Finding, ...]]:
    """List the question files by profession and year.

    `root` is the folder of the whole repository or ``JMed48k-eval`` in it; any part of the papers
    will do.
    """
    top = root / EVAL_FOLDER if (root / EVAL_FOLDER).is_dir() else root
    papers: list[Paper] = []
    strange: list[str] = []
    for folder in _folders(top):
        match = _PROFESSION.fullmatch(folder.name)
        if match is None:
            continue
        place = int(match[1])
        if not 1 <= place <= len(PROFESSIONS):
            strange.append(folder.relative_to(root).as_posix())
            continue
        for year_folder in _folders(folder):
            year = _YEAR.fullmatch(year_folder.name)
            if year is None:
                continue
            papers += (
                Paper(
                    profession=PROFESSIONS[place - 1].name,
                    year=year[1],
                    path=path,
                    where=path.relative_to(root).as_posix(),
                )
                for path in _files(year_folder)
            )
    return tuple(papers), tuple(_unknown(where) for where in strange)


def read_rows(
    paper: Paper,
) -> tuple[bytes, tuple[Mapping[str, object], ...], tuple[Finding, ...]]:
    """Read a question file.

    Returns
    -------
    data, rows, findings
        The file's bytes, its questions, and what could not be read.
    """
    try:
        if paper.path.stat().st_size > _LARGEST_FILE_BYTES:
            return b"", (), (_unreadable(paper, f"{paper.path.stat().st_size:,} bytes"),)
        data = paper.path.read_bytes()
        content: object = json.loads(data.decode("utf-8-sig"))
    except (OSError, ValueError, RecursionError) as error:
        return b"", (), (_unreadable(paper, str(error)),)
    if isinstance(content, dict):
        content = cast("dict[str, object]", content).get("questions")
    if not isinstance(content, list):
        return data, (), (_unreadable(paper, "no list of questions"),)
    entries = cast("list[object]", content)
    rows = tuple(cast("dict[str, object]", row) for row in entries if isinstance(row, dict))
    odd = len(entries) - len(rows)
    return data, rows, ((_unusable(paper, odd, len(entries)),) if odd else ())


def picture_path(root: Path, paper: Paper, reference: str) -> str:
    """Find the file of a figure: by its path in the release, in the paper's folder, by its name.

    Parameters
    ----------
    root
        The release.
    paper
        The paper that refers to it.
    reference
        As written there, with slashes of either kind.

    Returns
    -------
    str
        Relative to the release; of a figure that is not there the place where it should be.
    """
    written = unicodedata.normalize("NFC", reference).replace("\\", "/")
    folder = paper.where.rpartition("/")[0]
    top = EVAL_FOLDER if paper.where.startswith(f"{EVAL_FOLDER}/") else ""
    expected_at = f"{folder}/{paper.year}_images/{written.rpartition('/')[2]}"
    tried = (written, f"{top}/{written}" if top else written, f"{folder}/{written}", expected_at)
    for each in tried:
        try:
            if resolve_inside(root, each).is_file():
                return each
        except UnsafePathError:
            continue
    return expected_at


def _folders(folder: Path) -> Iterator[Path]:
    try:
        yield from sorted(path for path in folder.iterdir() if path.is_dir())
    except OSError:
        return


def _files(folder: Path) -> tuple[Path, ...]:
    try:
        return tuple(
            sorted(
                path
                for path in folder.iterdir()
                if path.suffix.lower() == ".json" and path.is_file()
            )
        )
    except OSError:
        return ()


def _unreadable(paper: Paper, why: str) -> Finding:
    return Finding(
        severity=Severity.ERROR,
        code="unreadable-file",
        where=paper.where,
        evidence=why,
        effect="its questions are not asked",
        remedy="Download the file again.",
    )


def _unusable(paper: Paper, odd: int, n: int) -> Finding:
    return Finding(
        severity=Severity.ERROR,
        code="unusable-rows",
        where=paper.where,
        evidence=f"{odd} of {n} entries are no objects",
        effect="they are not asked",
        count=odd,
    )


def _unknown(where: str) -> Finding:
    return Finding(
        severity=Severity.WARNING,
        code="unknown-profession",
        where=where,
        evidence="the folder's number is none of 01 to 11",
        effect="its papers are not asked",
    )
