"""The files of a release of autoPET: where they lie, how studies are named, what tables say.

Three layouts are read, also together in one folder::

    imagesTr/psma_95b833d46f153cd2_2018-04-16_0000.nii.gz   CT on the grid of the PET
    imagesTr/psma_95b833d46f153cd2_2018-04-16_0001.nii.gz   PET in SUV
    labelsTr/psma_95b833d46f153cd2_2018-04-16.nii.gz        lesions, 0 and 1
    imagesTs/…, labelsTs/…                                  the test part, where somebody has one
    psma_metadata.csv, fdg_metadata.csv                     one row a study
    splits_final.json                                       five folds of training and validation

    PETCT_0011f3deaf/03-23-2003-NA-PET-CT …/SUV.nii.gz      the older layout, a folder a study,
                                            CTres.nii.gz    at most two folders further down
                                            SEG.nii.gz

    orig/psma_95b833d46f153cd2_2018-04-16.nii.gz            the sample of the evaluation repository

Every reader here is bounded and gives what it could read with the reason why a part is missing.
"""

from __future__ import annotations

import csv
import io
import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, Literal, cast

from overread.records import Finding, Severity

__all__ = [
    "CENTRES",
    "LABELS",
    "LESION",
    "SYNTHETIC_MARK",
    "TRACERS",
    "Study",
    "StudyTable",
    "find_studies",
    "read_folds",
    "read_tables",
]

SYNTHETIC_MARK: Final = "SYNTHETIC.txt"
LABELS: Final[Mapping[Literal["train", "test"], str]] = {"train": "labelsTr", "test": "labelsTs"}
IMAGES: Final[Mapping[Literal["train", "test"], str]] = {"train": "imagesTr", "test": "imagesTs"}
SAMPLE: Final = "orig"
CT_ENDING: Final = "_0000.nii.gz"
PET_ENDING: Final = "_0001.nii.gz"
MASK_ENDING: Final = ".nii.gz"
TRACERS: Final[Mapping[str, str]] = {"fdg": "FDG", "psma": "PSMA"}
CENTRES: Final[Mapping[str, str]] = {"FDG": "UKT", "PSMA": "LMU"}
"""Tracer → the centre of its training cohort."""
LESION: Final = "lesion"
"""Name of label 1."""
UNKNOWN: Final = "not stated"

_LARGEST_TABLE_BYTES: Final = 64 * 2**20
_MOST_FOLDERS: Final = 20_000
_DEEPEST: Final = 4
_NAME = re.compile(r"(?P<tracer>[A-Za-z]+)_(?P<patient>[^_/]+)_(?P<study>[^/]+)")
_OLD_PATIENT = re.compile(r"(?P<kind>PETCT|PSMA)_(?P<patient>[^_/]+)")
_OLD_TRACER: Final[Mapping[str, str]] = {"PETCT": "fdg", "PSMA": "psma"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Study:
    """One PET/CT study; paths are relative to the release."""

    id: str
    split: Literal["train", "test"]
    tracer: str
    """``FDG`` or ``PSMA``; another word as the name has it."""
    patient: str
    """With its tracer, for two cohorts may count alike: ``psma_95b833d46f153cd2``."""
    study: str
    mask: str
    pet: str
    ct: str


def find_studies(root: Path) -> tuple[tuple[Study, ...], tuple[Finding, ...]]:
    """List all studies with a mask, the training part first, by id; and what names no study."""
    found: dict[tuple[str, str], Study] = {}
    odd: list[str] = []
    places: tuple[tuple[Literal["train", "test"], str, str], ...] = (
        ("train", LABELS["train"], IMAGES["train"]),
        ("test", LABELS["test"], IMAGES["test"]),
        ("test", SAMPLE, SAMPLE),
    )
    for split, labels, images in places:
        for name in _listed(root / labels):
            if name.endswith((CT_ENDING, PET_ENDING)):
                continue
            study = _named(name, split, labels, images)
            if study is None:
                odd.append(f"{labels}/{name}")
            else:
                found.setdefault((split, study.id), study)
    for study in _old_studies(root):
        found.setdefault((study.split, study.id), study)
    ordered = sorted(found.values(), key=lambda each: (each.split != "train", each.id))
    train = {each.id for each in ordered if each.split == "train"}
    # A study of both parts is asked in both, under an id of its own in each.
    unique = [
        replace(each, id=f"{each.id}#test") if each.split == "test" and each.id in train else each
        for each in ordered
    ]
    return tuple(unique), tuple(_odd_names(odd))


def _named(name: str, split: Literal["train", "test"], labels: str, images: str) -> Study | None:
    stem = name.removesuffix(MASK_ENDING)
    match = _NAME.fullmatch(stem)
    if match is None:
        return None
    tracer = match["tracer"]
    return Study(
        id=stem,
        split=split,
        tracer=TRACERS.get(tracer.lower(), tracer),
        patient=f"{tracer}_{match['patient']}",
        study=match["study"],
        mask=f"{labels}/{name}",
        pet=f"{images}/{stem}{PET_ENDING}",
        ct=f"{images}/{stem}{CT_ENDING}",
    )


def _old_studies(root: Path) -> Iterator[Study]:
    """Find folders of the older layout; they are all of the training part."""
    top = os.fspath(root)
    for visited, (folder, folders, files) in enumerate(os.walk(top)):
        if visited >= _MOST_FOLDERS:
            return
        inner = os.path.relpath(folder, top).replace(os.sep, "/")
        parts = [] if inner == "." else inner.split("/")
        folders[:] = sorted(folders) if len(parts) < _DEEPEST else []
        if "SEG.nii.gz" not in files or len(parts) < 2:
            continue
        match = _OLD_PATIENT.fullmatch(parts[-2])
        if match is None:
            continue
        tracer, patient = _OLD_TRACER[match["kind"]], match["patient"]
        yield Study(
            id=f"{tracer}_{patient}_{parts[-1]}",
            split="train",
            tracer=TRACERS[tracer],
            patient=f"{tracer}_{patient}",
            study=parts[-1],
            mask=f"{inner}/SEG.nii.gz",
            pet=f"{inner}/SUV.nii.gz",
            ct=f"{inner}/CTres.nii.gz",
        )


def _listed(folder: Path) -> list[str]:
    try:
        return sorted(each.name for each in folder.iterdir() if each.name.endswith(MASK_ENDING))
    except OSError:
        return []


def _odd_names(odd: list[str]) -> Iterator[Finding]:
    if odd:
        yield Finding(
            severity=Severity.WARNING,
            code="odd-name",
            where=odd[0],
            evidence=f"{len(odd)} masks are not named TRACER_PATIENT_STUDY.nii.gz: "
            + ", ".join(odd[:5])
            + (", …" if len(odd) > 5 else ""),
            effect="they are not asked: nobody knows whose they are",
            count=len(odd),
        )


# ---------------------------------------------------------------- tables


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyTable:
    """What the tables of a release say of studies; never whether one has a lesion."""

    scanner: Mapping[str, str] = field(default_factory=dict[str, str])
    """Study id, or patient where all rows of one agree → scanner."""
    nuclide: Mapping[str, str] = field(default_factory=dict[str, str])
    centre: Mapping[str, str] = field(default_factory=dict[str, str])
    findings: tuple[Finding, ...] = ()

    def of(self, values: Mapping[str, str], study: Study, *, default: str) -> str:
        """Look a study up by its id, then by its patient."""
        return values.get(study.id) or values.get(study.patient) or default


_COLUMNS: Final[Mapping[str, tuple[str, ...]]] = {
    "scanner": ("manufacturer_model_name", "scanner"),
    "nuclide": ("pet_radionuclide", "radionuclide"),
    "centre": ("centre", "center", "site"),
}


def read_tables(root: Path) -> StudyTable:
    """Read ``psma_metadata.csv`` and ``fdg_metadata.csv``; a missing one is told."""
    values: dict[str, dict[str, str]] = {kind: {} for kind in _COLUMNS}
    clashing: dict[str, set[str]] = {kind: set() for kind in _COLUMNS}
    findings: list[Finding] = []
    for tracer in TRACERS:
        path = root / f"{tracer}_metadata.csv"
        try:
            if path.stat().st_size > _LARGEST_TABLE_BYTES:
                raise ValueError(f"{path.stat().st_size:,} bytes")
            text = path.read_bytes().decode("utf-8-sig")
            rows = list(csv.DictReader(io.StringIO(text, newline=""), restval=""))
        except FileNotFoundError:
            continue
        except (OSError, ValueError, csv.Error) as error:
            findings.append(_unreadable(path.name, str(error)))
            continue
        for row in rows:
            patient, study = _keys(row, tracer)
            for kind, columns in _COLUMNS.items():
                value = next((row[each].strip() for each in columns if row.get(each)), "")
                if not (patient and value):
                    continue
                if values[kind].setdefault(patient, value) != value:
                    clashing[kind].add(patient)
                if study:
                    values[kind][f"{patient}_{study}"] = value
    for kind, patients in clashing.items():
        for patient in patients:
            del values[kind][patient]
    return StudyTable(
        scanner=values["scanner"],
        nuclide=values["nuclide"],
        centre=values["centre"],
        findings=tuple(findings),
    )


def _keys(row: Mapping[str, str], tracer: str) -> tuple[str, str]:
    """Give patient and study of a row as ids have them: ``PSMA_95b8…`` is ``psma_95b8…``."""
    subject = (row.get("Subject ID") or "").strip()
    patient = subject.rpartition("_")[2]
    study = (row.get("Study Date") or "").strip()
    location = (row.get("File Location") or "").strip().replace("\\", "/").rstrip("/")
    if tracer == "fdg" and location:
        study = next((part for part in reversed(location.split("/")) if "-NA-" in part), study)
    return (f"{tracer}_{patient}" if patient else ""), study


def read_folds(root: Path) -> tuple[Mapping[str, str], tuple[Finding, ...]]:
    """Read ``splits_final.json``: study id → the fold in which it is held out, from 0."""
    path = root / "splits_final.json"
    try:
        if path.stat().st_size > _LARGEST_TABLE_BYTES:
            raise ValueError(f"{path.stat().st_size:,} bytes")
        content: object = json.loads(path.read_bytes().decode("utf-8-sig"))
    except FileNotFoundError:
        return {}, ()
    except (OSError, ValueError, RecursionError) as error:
        return {}, (_unreadable(path.name, str(error)),)
    folds: dict[str, str] = {}
    twice: list[str] = []
    for number, fold in enumerate(
        cast("list[object]", content) if isinstance(content, list) else ()
    ):
        held_out = cast("dict[str, object]", fold).get("val") if isinstance(fold, dict) else None
        names = cast("list[object]", held_out) if isinstance(held_out, list) else []
        known = [name for name in names if isinstance(name, str)]
        twice += [n for n in known if folds.setdefault(n, str(number)) != str(number)]
    if not folds:
        return {}, (_unreadable(path.name, "no list of folds with studies under 'val'"),)
    if twice:
        return folds, (
            Finding(
                severity=Severity.WARNING,
                code="fold-twice",
                where=path.name,
                evidence=f"{len(twice)} studies are held out in two folds: {', '.join(twice[:5])}",
                effect="the first fold is taken",
                count=len(twice),
            ),
        )
    return folds, ()


def _unreadable(name: str, why: str) -> Finding:
    return Finding(
        severity=Severity.WARNING,
        code="unreadable-file",
        where=name,
        evidence=why,
        effect="what it says of studies (scanner, nuclide, fold) is not in any stratum",
        remedy="Restore the file from the release.",
    )
