"""Reads a lesion set in CT-Bench's layout: what an exam can ask about, and what it cannot."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import numpy as np

from overread.benchmarks.ct_bench import layout
from overread.benchmarks.ct_bench.files import ReleaseFiles
from overread.benchmarks.ct_bench.index import Lesion, LesionIndex
from overread.builders.lesion_table import left_out
from overread.builders.patient_splits import split_patients
from overread.builders.retrieved_exam.embeddings import Seen
from overread.builders.retrieved_exam.tables import SetTables, no_set, read_set_tables
from overread.errors import ReleaseError, expected
from overread.models.baselines.words import stated_size
from overread.records import Box, Finding, Severity
from overread.scoring.facts.facts import LesionFacts
from overread.scoring.facts.ontology import OntologyTerms
from overread.scoring.facts.reader import read_facts, size_of
from overread.store.hashes import file_sha256

__all__ = ["ExamLesion", "LesionSet", "read_lesion_set"]

_SPLIT_DRAWS: Final = 98
"""Sets the stream of drawn splits apart from those of the questions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExamLesion:
    """A lesion that the exam can hold."""

    lesion_idx: int
    patient: str
    study: str
    split: str
    plain: Path
    """Its key slice."""
    boxed: Path
    """The same with the box drawn."""
    picture_sha256: str
    """Of the key slice: equal ones show one picture twice."""
    box: Box | None
    spacing_mm: tuple[float, float] | None
    description: str
    size: str
    attributes: str
    """The imaging property of the ontology mapping; empty where there is none."""
    terms: OntologyTerms
    facts: LesionFacts
    """Of the description, completed by the ontology mapping and the size."""
    cells: Mapping[str, str] = field(repr=False)
    """DeepLesion's columns as they stand in the merged table."""

    @property
    def stem(self) -> str:
        """DeepLesion's name of its key slice without ending; empty where the table gives none."""
        return self.cells.get("File_name", "").rpartition(".")[0]

    @property
    def seen(self) -> Seen:
        """What an embedder gets."""
        return Seen(
            lesion_idx=self.lesion_idx,
            boxed=self.boxed,
            plain=self.plain,
            description=self.description,
            spacing_mm=self.spacing_mm,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class LesionSet:
    """The lesions of a set, by their number, and what was left out or odd."""

    lesions: tuple[ExamLesion, ...]
    findings: tuple[Finding, ...]
    origin: str
    """published, synthetic or built."""

    @property
    def patients(self) -> int:
        """How many different patients there are."""
        return len({lesion.patient for lesion in self.lesions})


@dataclass(frozen=True, slots=True, kw_only=True)
class _Split:
    """A lesion as the drawing of splits sees it."""

    patient: str
    coarse_type: int
    stated_split: str | None


def read_lesion_set(root: Path, *, seed: int) -> LesionSet:
    """Read a lesion set: its tables and which of its pictures are there.

    A lesion is left out, with a finding, when its id stands twice (which row is right is not
    known), when its patient is unknown or its picture another patient's as well (splits could not
    be proved), or when a key slice is missing or cannot be read. Stated splits are kept where no
    patient is in two of them; otherwise patients are drawn anew.

    Parameters
    ----------
    root
        A folder with Metadata.csv, the merged table, lesion_nobox and lesion_bbox.
    seed
        Of the splits, where they are drawn.

    Raises
    ------
    ReleaseError
        It is no lesion set, its list of lesions is broken or empty, or it holds one patient only.
    """
    if not root.is_dir():
        raise no_set(root, "a file" if root.exists() else "nothing there")
    if (root / layout.UNFINISHED_MARK).is_file():
        raise no_set(root, f"half-built: see {layout.UNFINISHED_MARK}")
    index, files, tables = LesionIndex(root), ReleaseFiles(root), read_set_tables(root)
    known = index.lesions
    if not known:
        raise no_set(root, "no lesion in Metadata.csv")
    usable, faults = _usable(root, files, known, tables)
    if not usable:
        raise no_set(root, f"{len(known)} lesions of which none can be used: {'; '.join(faults)}")
    rows = {key: known[key] for key in usable}
    patients = {str(lesion.patient) for lesion in rows.values()}
    if len(patients) < 2:
        raise ReleaseError(
            expected(
                "LESION-SET",
                rule="lesions of several patients: wrong choices come from other patients",
                got=f"{len(rows)} lesions of patient {min(patients)} only",
                remedy="Add patients; an exam about one says nothing about others.",
            )
        )
    splits, odd = _splits(rows, tables, seed)
    lesions = [
        _lesion(
            lesion,
            usable[key],
            splits[str(lesion.patient)],
            tables.merged.get(key, {}),
            tables.ontology.get(key, {}),
        )
        for key, lesion in rows.items()
    ]
    findings = (
        # Of two rows of one id the index takes the first; an exam takes neither, and says so.
        *(one for one in index.findings if one.code != "duplicate-lesion"),
        *tables.findings,
        *odd,
        *(left_out(fault, at) for fault, at in faults.items()),
        *_unread(lesions),
    )
    ordered = sorted(lesions, key=lambda one: one.lesion_idx)
    return LesionSet(lesions=tuple(ordered), findings=findings, origin=files.origin)


def _usable(
    root: Path, files: ReleaseFiles, known: Mapping[str, Lesion], tables: SetTables
) -> tuple[dict[str, tuple[Path, Path, str]], Mapping[str, list[str]]]:
    """Give both key slices and the plain one's hash by lesion; and faults, with whose they are."""
    faults: dict[str, list[str]] = defaultdict(list)
    usable: dict[str, tuple[Path, Path, str]] = {}
    with ThreadPoolExecutor() as pool:
        looked = pool.map(lambda one: _look(root, files, one, tables), known.values())
        for lesion, seen in zip(known.values(), looked, strict=True):
            if isinstance(seen, str):
                faults[seen].append(f"lesion {lesion.id}")
            else:
                usable[lesion.id] = seen
    patients: dict[str, set[str]] = defaultdict(set)
    for key, (_, _, digest) in usable.items():
        patients[digest].add(str(known[key].patient))
    # One slice is of one patient: two names for one would put the picture into two splits.
    for key in [key for key, (_, _, digest) in usable.items() if len(patients[digest]) > 1]:
        faults["its picture is another patient's as well"].append(f"lesion {key}")
        del usable[key]
    return usable, faults


def _unread(lesions: Iterable[ExamLesion]) -> Iterator[Finding]:
    """Report descriptions and sizes that are not read; their lesions stay in the set."""
    where: dict[str, list[str]] = defaultdict(list)
    for lesion in lesions:
        if lesion.facts.unreadable is not None:
            where[lesion.facts.unreadable].append(f"lesion {lesion.lesion_idx}")
    odd = [(one, _odd_size(one)) for one in lesions]
    sizes = [(f"lesion {one.lesion_idx}", how) for one, how in odd if how]
    if sizes:
        yield Finding(
            severity=Severity.WARNING,
            code="size-unreadable",
            where=sizes[0][0],
            evidence=f"a size is written in a way that is not read: {sizes[0][1]}",
            effect="that length asks no question and calls no choice wrong",
            count=len(sizes),
        )
    for reason, at in where.items():
        yield Finding(
            severity=Severity.WARNING,
            code="description-unreadable",
            where=at[0],
            evidence=f"its description cannot be read: {reason}",
            effect="no question asks about it or offers it",
            count=len(at),
        )


def _odd_size(lesion: ExamLesion) -> str | None:
    """Give the size of a lesion, stated or in its description, that cannot be read."""
    pixels = stated_size(lesion.size)
    if lesion.size and size_of(lesion.size) is None and (pixels is None or pixels.unit != "px"):
        return lesion.size
    return next(iter(lesion.facts.unread_sizes), None)


def _look(
    root: Path, files: ReleaseFiles, lesion: Lesion, tables: SetTables
) -> tuple[Path, Path, str] | str:
    """Find a lesion's two key slices and the hash of the plain one; a text says what is wrong."""
    if lesion.id in tables.repeated:
        return "its id stands twice in a table"
    if not lesion.id.isascii() or not lesion.id.isdigit():
        return "its id is no whole number"
    if not lesion.description:
        return "it has no description"
    if lesion.patient is None:
        return "its patient is unknown"
    paths = [
        files.lesion_picture(lesion.id, folder=folder)
        for folder in (layout.LESION_NOBOX_FOLDER, layout.LESION_BBOX_FOLDER)
    ]
    problems = files.problems(paths, thorough=False)
    if problems:
        code, _evidence = next(iter(problems.values()))
        return f"a key slice cannot be used ({code})"
    plain, boxed = (root / path for path in paths)
    return plain, boxed, file_sha256(plain)


def _splits(
    rows: Mapping[str, Lesion], tables: SetTables, seed: int
) -> tuple[dict[str, str], tuple[Finding, ...]]:
    lines = [
        _Split(
            patient=str(lesion.patient),
            coarse_type=_whole(tables.merged.get(key, {}).get("Coarse_lesion_type", ""), -1),
            # As it is spelt where it is none: the finding names it.
            stated_split=lesion.split or tables.splits.get(key) or None,
        )
        for key, lesion in rows.items()
    ]
    return split_patients(lines, np.random.default_rng([seed, _SPLIT_DRAWS]))


def _lesion(
    lesion: Lesion,
    seen: tuple[Path, Path, str],
    split: str,
    cells: Mapping[str, str],
    mapped: Mapping[str, str],
) -> ExamLesion:
    plain, boxed, digest = seen
    terms = OntologyTerms.of_row({**mapped, "size": lesion.size})
    description = lesion.description or ""
    return ExamLesion(
        lesion_idx=int(lesion.id),
        patient=str(lesion.patient),
        study=lesion.study or str(lesion.patient),
        split=split,
        plain=plain,
        boxed=boxed,
        picture_sha256=digest,
        box=_box(cells.get("Bounding_boxes", "")),
        spacing_mm=lesion.spacing_mm,
        description=description,
        size=lesion.size or "",
        attributes=lesion.attributes or "",
        terms=terms,
        facts=read_facts(description, ontology=terms),
        cells={name: cells.get(name, "") for name in layout.DEEPLESION_COLUMNS},
    )


def _box(raw: str) -> Box | None:
    try:
        x_min, y_min, x_max, y_max = (float(part) for part in raw.split(","))
    except ValueError:
        return None
    whole = 0 <= x_min < x_max < 1e6 and 0 <= y_min < y_max < 1e6
    return Box(x_min=x_min, y_min=y_min, x_max=x_max, y_max=y_max) if whole else None


def _whole(raw: str, otherwise: int) -> int:
    try:
        return int(float(raw))
    except (ValueError, OverflowError):
        return otherwise
