"""A sheet for people: pairs to be judged beside their report, without what the validator said."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from overread.builders.report_qa.candidates import Candidate
from overread.errors import UsageError, expected

__all__ = [
    "COLUMNS",
    "LABEL_COLUMNS",
    "draw_sheet",
    "guarded",
    "refuse_used_sheet",
    "unguarded",
    "write_sheet",
]

LABEL_COLUMNS = ("is_spatial", "is_relevant", "is_supported")
COLUMNS = (
    "pair",
    "case",
    "findings",
    "impressions",
    "question",
    "answer",
    *LABEL_COLUMNS,
    "auditor",
    "note",
)
_ACTS = ("=", "+", "-", "@", "\t", "\r")
"""What a spreadsheet takes for the start of a formula."""


def draw_sheet(
    candidates: Sequence[Candidate], n_pairs: int, rng: np.random.Generator
) -> tuple[Candidate, ...]:
    """Draw pairs for people: half of what the validator kept, half of what it dropped.

    One pair a patient for as long as there are patients, since pairs of one patient tell less
    than as many of several. Where one half is short, the other fills up.

    Returns
    -------
    tuple of Candidate
        In the order of the candidates, which says nothing about what was kept.
    """
    kept = _patients_first([each for each in candidates if each.is_kept], rng)
    dropped = _patients_first([each for each in candidates if not each.is_kept], rng)
    n_kept = min(len(kept), max(n_pairs - len(dropped), (n_pairs + 1) // 2))
    drawn = {each.id for each in (*kept[:n_kept], *dropped[: n_pairs - n_kept])}
    return tuple(each for each in candidates if each.id in drawn)


def _patients_first(candidates: Sequence[Candidate], rng: np.random.Generator) -> list[Candidate]:
    """Shuffle, then give the first pair of every patient, then the second ones, and so on."""
    turns: dict[str, int] = {}
    ranked: list[tuple[int, Candidate]] = []
    for i in rng.permutation(len(candidates)):
        patient = candidates[i].patient
        ranked.append((turns.setdefault(patient, 0), candidates[i]))
        turns[patient] += 1
    return [candidate for _, candidate in sorted(ranked, key=lambda each: each[0])]


def refuse_used_sheet(path: Path) -> None:
    """Refuse to overwrite a file unless it is a sheet that nobody has written on.

    Raises
    ------
    UsageError
        Somebody's work may be in it.
    """
    if path.exists() and not _is_untouched(path):
        raise UsageError(
            expected(
                "--sheet",
                rule="a new file, or a sheet that nobody has written on",
                got=f"{path}, which holds something",
                remedy="Name another one; a filled-in sheet goes with --audited.",
            )
        )


def _is_untouched(path: Path) -> bool:
    try:
        # Whatever else may have saved it is somebody: ours is UTF-8 with commas.
        rows = list(csv.reader(io.StringIO(path.read_text("utf-8-sig"), newline=""), strict=True))
    except (OSError, ValueError, csv.Error):
        return False
    if not rows or rows[0] != list(COLUMNS):
        return False
    first = COLUMNS.index(LABEL_COLUMNS[0])
    return not any(cell for row in rows[1:] for cell in row[first:])


def write_sheet(path: Path, candidates: Sequence[Candidate]) -> None:
    """Write the sheet as CSV with empty columns for labels; UsageError over somebody's work."""
    refuse_used_sheet(path)
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for each in candidates:
        cells = {
            "pair": each.id,
            "case": each.case,
            "findings": each.report.findings,
            "impressions": each.report.impressions,
            "question": each.pair.question,
            "answer": each.pair.answer,
        }
        writer.writerow([guarded(cells.get(name, "")) for name in COLUMNS])
    path.parent.mkdir(parents=True, exist_ok=True)
    # With a mark, so that spreadsheets read it as UTF-8.
    path.write_text(text.getvalue(), encoding="utf-8-sig", newline="")


def unguarded(cell: str) -> str:
    """Take away what `write_sheet` puts before a cell that a spreadsheet would run."""
    return cell[1:] if cell[:1] == "'" and cell[1:2] in _ACTS else cell


def guarded(cell: str) -> str:
    """Put a quote before a cell that a spreadsheet would run as a formula."""
    return f"'{cell}" if cell.startswith(_ACTS) else cell
