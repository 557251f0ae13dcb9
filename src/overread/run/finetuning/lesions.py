"""Picks what a scorer learns from: training lesions with a sentence and the right picture."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from overread.contracts import Release, Selection, TrainingCase
from overread.models.clip.finetune.trainer import Pair
from overread.records import Finding, Media, Severity
from overread.run.finetuning.request import Boxes

__all__ = ["Lesions", "pick_lesions", "unreadable_finding"]

_KIND: Final = "description"
_NO_BOX = re.compile(r"no[-_ ]?b?box|without[-_ ]?b?box", re.IGNORECASE)
_BOX = re.compile(r"b?box", re.IGNORECASE)
_EXAM_SPLITS: Final = ("validation", "test")


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesions:
    """The pairs, and what was left out."""

    pairs: tuple[Pair, ...]
    findings: tuple[Finding, ...]


def pick_lesions(release: Release, boxes: Boxes) -> Lesions:
    """Pair each training lesion's sentence with its picture, with the box drawn or without.

    A lesion whose patient is asked about in the exam is left out: a model that has seen the
    patient was not tested on new ones. Nothing is left out in silence.
    """
    cases = release.training(Selection(split="test", form="clip", stack="features")).cases
    asked = _patients_asked(release)
    left_out: Counter[str] = Counter()
    pairs: list[Pair] = []
    for case in cases:
        media = _view(case, boxes)
        sentence = " ".join(case.texts.get(_KIND, "").split())
        if not sentence:
            left_out["training-without-description"] += 1
        elif media is None:
            left_out["training-without-picture"] += 1
        elif case.groups.get("patient") in asked:
            left_out["training-patient-in-exam"] += 1
        else:
            pairs.append(Pair(id=case.id, media=media, text=sentence))
    return Lesions(pairs=tuple(pairs), findings=tuple(_findings(left_out, len(cases), boxes)))


def _patients_asked(release: Release) -> frozenset[str]:
    return frozenset(
        patient
        for split in _EXAM_SPLITS
        for item in release.items(Selection(split=split, form="clip", stack="features"))
        if (patient := item.groups.get("patient")) is not None
    )


def _view(case: TrainingCase, boxes: Boxes) -> Media | None:
    """Give the view that its folder's name says to be with the box, or without."""
    wanted = boxes == "with"
    for media in case.media:
        path = "/".join(media.paths)
        boxed = not _NO_BOX.search(path) and _BOX.search(path) is not None
        if boxed == wanted and media.kind == "picture" and len(media.paths) == 1:
            return media
    return None


def _findings(left_out: Counter[str], n: int, boxes: Boxes) -> Iterator[Finding]:
    told: dict[str, tuple[Severity, str]] = {
        "training-without-description": (Severity.WARNING, "have no description"),
        "training-without-picture": (Severity.WARNING, f"have no picture {boxes} a box"),
        "training-patient-in-exam": (Severity.ERROR, "are of patients that the exam asks about"),
    }
    for code, (severity, words) in told.items():
        if count := left_out[code]:
            yield Finding(
                severity=severity,
                code=code,
                where="training split",
                evidence=f"{count} of {n} lesions {words}",
                effect="nothing is learnt from them",
                count=count,
            )


def unreadable_finding(n: int, pairs: Sequence[Pair]) -> Finding:
    """Report pictures that could not be decoded while they were learnt from."""
    return Finding(
        severity=Severity.WARNING,
        code="training-unreadable-picture",
        where="training split",
        evidence=f"the pictures of {n} of {len(pairs)} lesions cannot be read",
        effect="nothing is learnt from them",
        count=n,
        remedy="'overread check' names them.",
    )
