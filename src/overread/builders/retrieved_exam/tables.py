"""Reads the tables of a lesion set cell by cell, and refuses a list of lesions that is broken.

`LesionIndex` reads the same tables for whoever asks questions, and makes do with what is left of
them. An exam that is drawn from half a list would be released as if it were of the whole.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from overread.benchmarks.ct_bench import layout
from overread.benchmarks.ct_bench.index import read_text
from overread.errors import ReleaseError, expected
from overread.records import Finding, Severity

__all__ = ["SetTables", "no_set", "read_set_tables"]

_MAX_BYTES: Final = 512 * 2**20
_ID: Final = "lesion_idx"
_SHOWN: Final = 60
"""Characters of a foreign first row that a message shows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SetTables:
    """Cells of the tables by lesion id, where `LesionIndex` keeps less than an exam needs."""

    repeated: frozenset[str]
    """Ids with two rows in Metadata.csv or in the merged table."""
    splits: Mapping[str, str]
    """The split as Metadata.csv spells it, or the merged table where that is the list."""
    merged: Mapping[str, Mapping[str, str]]
    ontology: Mapping[str, Mapping[str, str]]
    """The first row of an id, as `LesionIndex` reads it."""
    findings: tuple[Finding, ...]
    """Which table the lesions are from where Metadata.csv is not all of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Table:
    rows: tuple[tuple[str, Mapping[str, str]], ...] = ()
    broken: str | None = None
    """Why it cannot be read to its end."""


def read_set_tables(root: Path) -> SetTables:
    """Read the tables.

    Raises
    ------
    ReleaseError
        Metadata.csv, the list of lesions, is there and cannot be read, has no column of ids, is
        cut off, or names no lesion. Without the file the merged table is the list.
    """
    by_name = {_folded(path.name): path for path in sorted(root.iterdir()) if path.is_file()}

    def table(name: str, columns: Sequence[str]) -> _Table | None:
        path = by_name.get(_folded(name))
        return None if path is None else _read(path, columns)

    listed = table(layout.METADATA_FILE, ("dataset",))
    merged = table(layout.MERGED_FILE, (*layout.DEEPLESION_COLUMNS, "dataset")) or _Table()
    ontology = table(layout.ONTOLOGY_FILE, layout.ONTOLOGY_COLUMNS) or _Table()
    if listed is not None and listed.broken is not None:
        raise no_set(root, f"{layout.METADATA_FILE} {listed.broken}")
    if listed is not None and not listed.rows:
        raise no_set(root, f"no lesion in {layout.METADATA_FILE}")
    counts = (Counter(key for key, _ in each.rows) for each in (listed or _Table(), merged))
    list_of_lesions = merged if listed is None else listed
    return SetTables(
        repeated=frozenset(key for count in counts for key, n in count.items() if n > 1),
        splits={key: cells.get("dataset", "") for key, cells in reversed(list_of_lesions.rows)},
        merged=dict(reversed(merged.rows)),
        ontology=dict(reversed(ontology.rows)),
        findings=tuple(_where_from(listed, merged)),
    )


def _where_from(listed: _Table | None, merged: _Table) -> list[Finding]:
    if listed is None:
        return [
            Finding(
                severity=Severity.WARNING,
                code="lesions-of-merged-table",
                where=layout.METADATA_FILE,
                evidence=f"there is none; the lesions are the {len(merged.rows)} rows of the "
                "merged table",
                effect="a lesion that Metadata.csv would leave out is in the exam",
            )
        ]
    known = {key for key, _ in listed.rows}
    absent = [key for key, _ in merged.rows if key and key not in known]
    if not absent:
        return []
    return [
        Finding(
            severity=Severity.WARNING,
            code="lesion-not-listed",
            where=f"lesion {absent[0]}",
            evidence=f"rows of the merged table are not in {layout.METADATA_FILE}, which is the "
            f"list of lesions and has {len(listed.rows)} rows",
            effect="the exam is about the listed lesions only",
            remedy=f"Compare {layout.METADATA_FILE} with the release's own: it may be cut off.",
            count=len(absent),
        )
    ]


def _folded(name: str) -> str:
    """Spell a file's name without blanks and case: the release has a stray blank in one."""
    return "".join(name.split()).casefold()


def _read(path: Path, columns: Sequence[str]) -> _Table:
    """Read the named columns, whatever their case, and say why not all rows could be."""
    try:
        text, _ = read_text(path, max_bytes=_MAX_BYTES)
        reader = csv.reader(io.StringIO(text, newline=""), strict=True)
        header = next(reader, [])
        place = {name.strip().casefold(): at for at, name in enumerate(header)}
        if _ID not in place:
            return _Table(broken=f"has no column {_ID}; its first row is {_shown(header)}")
        wanted = {name: place[name.casefold()] for name in columns if name.casefold() in place}
        rows: list[tuple[str, Mapping[str, str]]] = []
        last: Sequence[str] = header
        for cells in reader:
            if not cells:
                continue
            last = cells
            if place[_ID] < len(cells):
                key = cells[place[_ID]].strip().removesuffix(".0")
                named = {n: cells[at].strip() for n, at in wanted.items() if at < len(cells)}
                rows.append((key, named))
    except (OSError, ValueError, csv.Error) as error:
        return _Table(broken=f"cannot be read to its end ({error})")
    is_cut = len(last) < len(header) and not text.endswith(("\n", "\r"))
    cut = f"is cut off: its last row has {len(last)} of {len(header)} cells"
    return _Table(rows=tuple(rows), broken=cut if is_cut else None)


def _shown(header: Sequence[str]) -> str:
    text = ", ".join(header)
    return repr(text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…")


def no_set(root: Path, got: str) -> ReleaseError:
    """Word that a folder is no lesion set."""
    return ReleaseError(
        expected(
            "LESION-SET",
            rule="a lesion set in CT-Bench's layout: Metadata.csv, the merged table, both folders",
            got=f"{root} ({got})",
            remedy="'overread build lesion-set' makes one of a lesion table and its key slices.",
        )
    )
