"""Files that hold a table in a form that is not read: each is refused with what to do about it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from overread.errors import UsageError, expected

__all__ = ["refuse_other_forms"]

_SIGNATURES: Final = (
    (b"PK\x03\x04", "an Office or ZIP file", "Save the sheet as CSV in the program it is from."),
    (b"\xd0\xcf\x11\xe0", "an old Office file", "Save the sheet as CSV in the program it is from."),
    (b"%PDF", "a PDF", "Copy the table into a CSV file, a row a line."),
    (b"\x89PNG", "a picture", "Type the table into a CSV file, a row a line."),
    (b"\xff\xd8\xff", "a picture", "Type the table into a CSV file, a row a line."),
    (b"\x1f\x8b", "a gzip file", "Unpack it first."),
    (b"PAR1\x15", "a Parquet file", "Write it as CSV first."),
    (b"SQLite format 3", "an SQLite file, such as a run", "Export its rows as CSV first."),
)
_LOOKED_AT: Final = 65_536
_MOST_CONTROLS: Final = 0.01
"""Of the characters: text has line ends and tabs, and hardly any other control character."""
_CONTROLS: Final = re.compile("[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f\ufffd]")
_PLAIN: Final = (".md", ".markdown", ".json", ".jsonl", ".ndjson")
"""Endings of files that may speak of LaTeX or HTML beside their table."""
_LATEX: Final = re.compile(
    r"\\begin\s*\{(?:tabular|tabularx|longtable|array|table)\*?\}|\\(?:toprule|midrule|hline)\b"
)
_HTML: Final = re.compile(r"<\s*(?:!doctype html|html|table)\b", re.IGNORECASE)


def refuse_other_forms(data: bytes, text: str, path: Path) -> None:
    """Refuse what is no table of text cells.

    Parameters
    ----------
    data
        The file.
    text
        What it reads as.
    path
        Its name, for the message.

    Raises
    ------
    UsageError
        It is no text, or LaTeX, or HTML; says what to do.
    """
    marked_up = path.suffix.casefold() not in _PLAIN
    found = _form(data, text[:_LOOKED_AT], marked_up=marked_up)
    if found is not None:
        got, remedy = found
        raise UsageError(
            expected(
                str(path), rule="a table as CSV, TSV, Markdown or JSON rows", got=got, remedy=remedy
            )
        )


def _form(data: bytes, head: str, *, marked_up: bool) -> tuple[str, str] | None:
    for signature, got, remedy in _SIGNATURES:
        if data.startswith(signature):
            return got, remedy
    if len(_CONTROLS.findall(head)) > _MOST_CONTROLS * len(head):
        return "bytes that are no text", "Check the path, or save the table as CSV in UTF-8."
    if not marked_up:
        return None
    rows = sum("&" in line and line.rstrip().endswith("\\\\") for line in head.split("\n"))
    if _LATEX.search(head) or rows >= 2:
        return (
            "LaTeX",
            "Write one row a line with ; in the place of & and without the \\\\ at its end and the "
            "lines that begin with a backslash; \\textbf{…} and $…$ in cells are understood.",
        )
    if _HTML.match(head.lstrip()):
        return "HTML", "Copy the table into a spreadsheet and save it as CSV."
    return None
