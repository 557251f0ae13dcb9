"""Opens a release of autoPET: studies, masks, and what its tables say of them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Final

from overread.benchmarks.autopet3 import layout, protocol
from overread.benchmarks.autopet3.layout import LESION, Study
from overread.benchmarks.autopet3.leaderboard import rebuilt_cells
from overread.contracts import AnalysisPlan, Card, ExpectedCount, Scorer, Selection, Training
from overread.contracts.replay import RebuiltCell
from overread.errors import ImageError, ReleaseError, UnsafePathError, expected, listed
from overread.imaging.label_map import read_label_map
from overread.imaging.safe_path import resolve_inside, without_root
from overread.records import (
    Finding,
    Item,
    Mask,
    Media,
    Profile,
    PublishedValue,
    Recipe,
    Reference,
    Severity,
)
from overread.scoring.exam.limit import evenly

__all__ = ["AutoPet3Release"]

_MOST_NAMED: Final = 8
_STILL_SCORED: Final = "a model cannot be shown it; masks made elsewhere are scored all the same"
_MOST_LOOKED_INTO: Final = 20
"""Folders that are tried where the one named is no release."""


def _remedy(root: Path) -> str:
    """Name the folder one level down that is a release, if there is one."""
    try:
        below = sorted(each for each in root.iterdir() if each.is_dir())
    except OSError:
        below = []
    for folder in below[:_MOST_LOOKED_INTO]:
        if layout.find_studies(folder)[0]:
            return f"The folder in it is one: name {folder}."
    return (
        "Download the training part (FDAT 6gjsg-zcg93), or make a small one: "
        "overread synth autopet3 FOLDER."
    )


class AutoPet3Release:
    """One release folder. ReleaseError when it holds no study with a mask."""

    def __init__(self, root: Path) -> None:
        self._root = root
        studies, self._odd = layout.find_studies(root)
        if not studies:
            raise ReleaseError(
                expected(
                    "RELEASE",
                    rule="a folder with masks: labelsTr/TRACER_PATIENT_STUDY.nii.gz, or "
                    "PETCT_PATIENT/STUDY/SEG.nii.gz",
                    got=f"{root}, where there is none",
                    remedy=_remedy(root),
                )
            )
        self._studies = {study.id: study for study in studies}
        self._tables = layout.read_tables(root)
        self._folds, self._fold_findings = layout.read_folds(root)

    @property
    def root(self) -> Path:
        """The folder."""
        return self._root

    @property
    def media_root(self) -> Path:
        """The same folder: the volumes lie in the release."""
        return self._root

    @property
    def card(self) -> Card:
        """The benchmark's card."""
        return protocol.CARD

    @property
    def fingerprint(self) -> str:
        """SHA-256 of the studies with their parts, and of the bytes of their masks."""
        return self._fingerprint

    @cached_property
    def _fingerprint(self) -> str:
        found = hashlib.sha256()
        for study in self._studies.values():
            found.update(f"{study.split} {study.id}\n".encode(errors="replace"))
            found.update(self._mask_hash(study))
        return found.hexdigest()

    def _mask_hash(self, study: Study) -> bytes:
        try:
            with resolve_inside(self._root, study.mask).open("rb") as file:
                return hashlib.file_digest(file, "sha256").digest()
        except (OSError, UnsafePathError):
            return b"unreadable"

    def findings(self, *, thorough: bool = False) -> Sequence[Finding]:
        """Report volumes that are absent and odd names; with `thorough` also what masks hold."""
        return (
            *self._odd,
            *self._tables.findings,
            *self._fold_findings,
            *self._media_findings(),
            *(self._mask_findings() if thorough else ()),
        )

    def items(self, selection: Selection) -> Iterator[Item]:
        """Give the studies of a part by id."""
        chosen = [
            study
            for study in self._studies.values()
            if study.split == selection.split
            and (selection.tasks is None or protocol.TASK in selection.tasks)
            and (selection.conditions is None or protocol.CONDITION in selection.conditions)
        ]
        chosen = evenly([(study.tracer, study) for study in chosen], selection.limit)
        yield from (self._item(study, selection) for study in chosen)

    def _item(self, study: Study, selection: Selection) -> Item:
        recipe = Recipe(max_side_px=selection.max_side_px)
        media = tuple(
            Media(paths=(path,), kind="volume", recipe=recipe) for path in (study.pet, study.ct)
        )
        tables = self._tables
        centre = tables.of(
            tables.centre, study, default=layout.CENTRES.get(study.tracer, layout.UNKNOWN)
        )
        return Item(
            id=study.id,
            benchmark=protocol.CARD.name,
            task=protocol.TASK,
            condition=protocol.CONDITION,
            question=protocol.QUESTION,
            media=media,
            prompt=protocol.prompt(media),
            answer_space=Mask(labels={1: LESION}),
            groups={"patient": study.patient, "study": study.id, "case": study.id},
            strata={
                "split": study.split,
                "tracer": study.tracer,
                "centre": centre,
                "scanner": tables.of(tables.scanner, study, default=layout.UNKNOWN),
                "nuclide": tables.of(tables.nuclide, study, default=layout.UNKNOWN),
                "fold": self._folds.get(study.id, layout.UNKNOWN),
            },
        )

    def reference(self, item_id: str) -> Reference:
        """Give the path of the mask; whether it can be used shows when it is read."""
        study = self._studies[item_id]
        try:
            is_there = resolve_inside(self._root, study.mask).is_file()
            problem = None if is_there else f"no mask at {study.mask}"
        except UnsafePathError as error:
            problem = str(error)
        return Reference(item=item_id, answer=None, path=study.mask, problem=problem)

    def scorers(self, profile: Profile) -> Sequence[Scorer]:
        """Give the scorers of a profile."""
        return protocol.scorers(profile, self._root)

    def plan(self) -> AnalysisPlan:
        """By centre and tracer, clustered by patient."""
        return protocol.PLAN

    def notes(self) -> Sequence[str]:
        """Say what numbers on this release do not show."""
        return protocol.notes("synthetic" if self._is_synthetic else "training")

    def published(self) -> Sequence[PublishedValue]:
        """Give the leaderboard's means in each subset."""
        return protocol.published_values()

    def expected_counts(self) -> Sequence[ExpectedCount]:
        """Give the size of the parts that are here, as released; synthetic ones have any size."""
        if self._is_synthetic:
            return ()
        parts = {study.split for study in self._studies.values()}
        return tuple(each for each in protocol.expected_counts() if each.split in parts)

    def training(self, selection: Selection) -> Training:
        """Give nothing: a model learns from whole volumes outside of overread."""
        del selection
        return Training()

    def rebuild(self) -> Iterator[RebuiltCell]:
        """Compute ranks and scores of the leaderboards again from their own cells."""
        for category in protocol.LEADERBOARDS:
            yield from rebuilt_cells(protocol.leaderboard_rows(category), category)

    def printed_tables(self) -> Sequence[tuple[Path, Path]]:
        """Give the leaderboards as printed, with what is claimed of them."""
        here = Path(__file__).parent
        return tuple(
            (here / table, here / claims) for table, claims in protocol.LEADERBOARDS.values()
        )

    @cached_property
    def _is_synthetic(self) -> bool:
        return (self._root / layout.SYNTHETIC_MARK).is_file()

    def _media_findings(self) -> Iterator[Finding]:
        for kind in ("pet", "ct"):
            lost: list[str] = []
            for study in self._studies.values():
                path = study.pet if kind == "pet" else study.ct
                try:
                    if not resolve_inside(self._root, path).is_file():
                        lost.append(path)
                except UnsafePathError as error:
                    yield _finding(Severity.ERROR, "unsafe-path", study.id, str(error))
            if lost:
                yield Finding(
                    severity=Severity.WARNING,
                    code="missing-image",
                    where=lost[0],
                    evidence=f"{kind.upper()} of {len(lost)} studies is not here: "
                    f"{listed(lost, most=_MOST_NAMED)}",
                    effect=_STILL_SCORED,
                    count=len(lost),
                )

    def _mask_findings(self) -> Iterator[Finding]:
        """Read every mask: how many studies have no lesion, and what holds other numbers."""
        negative: dict[str, list[int]] = {}
        for study in self._studies.values():
            try:
                mask = read_label_map(resolve_inside(self._root, study.mask))
            except (ImageError, UnsafePathError) as error:
                reason = without_root(str(error), self._root)
                yield _finding(Severity.ERROR, "unreadable-mask", study.id, reason)
                continue
            highest = int(mask.array.max()) if mask.array.size else 0
            if highest > 1:
                evidence = f"numbers up to {highest} where 0 and 1 are expected"
                yield _finding(Severity.WARNING, "odd-labels", study.id, evidence)
            for warning in mask.warnings:
                yield _finding(Severity.WARNING, "odd-mask", study.id, warning)
            negative.setdefault(f"{study.split}, {study.tracer}", []).append(int(not highest))
        for where, flags in negative.items():
            yield Finding(
                severity=Severity.INFO,
                code="negative-studies",
                where=where,
                evidence=f"{sum(flags)} of {len(flags)} studies have no lesion",
                effect="Dice and the false negative volume have no value there; the false positive "
                "volume has",
                count=sum(flags),
            )


def _finding(severity: Severity, code: str, where: str, evidence: str) -> Finding:
    return Finding(
        severity=severity,
        code=code,
        where=where,
        evidence=evidence,
        effect="see the rows of this study",
    )
