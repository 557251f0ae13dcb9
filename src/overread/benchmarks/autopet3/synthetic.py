"""Writes synthetic PET/CT studies from a seed, and the masks of two methods for them.

Both tracers and both centres, patients with several studies, studies without a lesion, all in the
layout of the release. Coordinates are millimetres from the middle of the volume: x to the patient's
left, y to the front, z to the head.
"""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from overread.benchmarks.autopet3.layout import IMAGES, LABELS, SYNTHETIC_MARK
from overread.benchmarks.autopet3.phantom import Body, draw_body, encode_nifti

__all__ = ["METHODS", "synthesise"]

METHODS: Final = {
    "careful": "misses small lesions and draws the others a little too small",
    "eager": "takes hot organs for lesions and draws everything too large",
}
"""Folder in ``predictions`` → what its masks are like."""
_FOLDS: Final = 5
_SUBSETS: Final = (("fdg", "LMU"), ("psma", "LMU"), ("fdg", "UKT"), ("psma", "UKT"))
_TRAINED: Final = (("fdg", "UKT"), ("psma", "LMU"))
_SCANNERS: Final[Mapping[str, str]] = {"UKT": "Biograph mCT", "LMU": "Discovery 690"}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Drawn:
    """One study as it was made."""

    id: str
    tracer: str
    patient: str
    date: str
    centre: str
    nuclide: str
    is_test: bool


def synthesise(root: Path, *, seed: int, size: int) -> None:
    """Write `size` studies, half of them a test part with all four pairs of tracer and centre.

    Each third study has no lesion. ``predictions/careful`` and ``predictions/eager`` hold
    masks of the test part by two methods: ``--model masks:FOLDER/predictions/careful``.
    """
    rng = np.random.default_rng(seed)
    for part in ("train", "test"):
        for folder in (IMAGES[part], LABELS[part]):
            (root / folder).mkdir(parents=True, exist_ok=True)
    for method in METHODS:
        (root / "predictions" / method).mkdir(parents=True, exist_ok=True)
    n_test = (size + 1) // 2
    drawn = _studies(rng, size - n_test, _TRAINED, is_test=False)
    drawn += _studies(rng, n_test, _SUBSETS, is_test=True)
    seen: Counter[tuple[bool, str, str]] = Counter()
    for study in sorted(drawn, key=lambda each: each.id):
        subset = study.is_test, study.tracer, study.centre
        # The second of each three in a subset has no lesion: every subset has studies with some.
        body = draw_body(rng, study.tracer, study.centre, has_lesion=seen[subset] % 3 != 1)
        seen[subset] += 1
        _write_study(root, study, body)
        if study.is_test:
            _write_masks(root, study, body)
    for tracer in ("fdg", "psma"):
        _write_table(root, tracer, [each for each in drawn if each.tracer == tracer])
    _write_splits(root, [each for each in drawn if not each.is_test])
    mark = f"Written by overread: {size} synthetic studies, seed {seed}.\n"
    (root / SYNTHETIC_MARK).write_text(mark, encoding="utf-8", newline="\n")


def _studies(
    rng: np.random.Generator, n: int, subsets: Sequence[tuple[str, str]], *, is_test: bool
) -> list[_Drawn]:
    """Draw who is examined when: a third of the patients twice, of one tracer and centre."""
    found: list[_Drawn] = []
    turn = 0
    while len(found) < n:
        tracer, centre = subsets[turn % len(subsets)]
        nuclide = "18F" if tracer == "fdg" or rng.random() < 0.6 else "68Ga"
        patient = "".join(f"{int(each):x}" for each in rng.integers(0, 16, 12))
        year = int(rng.integers(2014, 2022))
        for visit in range(2 if turn % 3 == 0 else 1):
            if len(found) == n:
                break
            date = f"{year + visit}-{int(rng.integers(1, 13)):02}-{int(rng.integers(1, 29)):02}"
            found.append(
                _Drawn(
                    id=f"{tracer}_{patient}_{date}",
                    tracer=tracer,
                    patient=patient,
                    date=date,
                    centre=centre,
                    nuclide=nuclide,
                    is_test=is_test,
                )
            )
        turn += 1
    return found


def _write_study(root: Path, study: _Drawn, body: Body) -> None:
    part = "test" if study.is_test else "train"
    images, labels = root / IMAGES[part], root / LABELS[part]
    spacing = body.spacing_mm
    (images / f"{study.id}_0000.nii.gz").write_bytes(encode_nifti(body.ct_hu, spacing))
    (images / f"{study.id}_0001.nii.gz").write_bytes(encode_nifti(body.pet_suv, spacing))
    lesions = body.lesions(grow_mm=0.0, smallest_mm=0.0).astype(np.uint8)
    (labels / f"{study.id}.nii.gz").write_bytes(encode_nifti(lesions, spacing))


def _write_masks(root: Path, study: _Drawn, body: Body) -> None:
    masks: dict[str, NDArray[np.bool_]] = {
        "careful": body.lesions(grow_mm=-1.0, smallest_mm=9.0),
        "eager": body.lesions(grow_mm=2.5, smallest_mm=0.0) | body.hot_organ,
    }
    for method, mask in masks.items():
        path = root / "predictions" / method / f"{study.id}.nii.gz"
        path.write_bytes(encode_nifti(mask.astype(np.uint8), body.spacing_mm))


def _write_table(root: Path, tracer: str, studies: Sequence[_Drawn]) -> None:
    columns = ("Subject ID", "Study Date", "pet_radionuclide", "manufacturer_model_name", "centre")
    subject = {"fdg": "PETCT", "psma": "PSMA"}[tracer]
    with (root / f"{tracer}_metadata.csv").open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(columns)
        table.writerows(
            (
                f"{subject}_{each.patient}",
                each.date,
                each.nuclide,
                _SCANNERS[each.centre],
                each.centre,
            )
            for each in studies
        )


def _write_splits(root: Path, studies: Sequence[_Drawn]) -> None:
    """Part the training studies by patient, as the release's folds do."""
    patients = list(dict.fromkeys(each.patient for each in studies))
    fold = {patient: number % _FOLDS for number, patient in enumerate(patients)}
    splits = [
        {
            "train": [each.id for each in studies if fold[each.patient] != number],
            "val": [each.id for each in studies if fold[each.patient] == number],
        }
        for number in range(_FOLDS)
    ]
    text = json.dumps(splits, indent=2)
    (root / "splits_final.json").write_text(text + "\n", encoding="utf-8", newline="\n")
    described = {
        "channel_names": {"0": "CT", "1": "PET"},
        "labels": {"background": 0, "tumor": 1},
        "numTraining": len(studies),
        "file_ending": ".nii.gz",
    }
    text = json.dumps(described, indent=2)
    (root / "dataset.json").write_text(text + "\n", encoding="utf-8", newline="\n")
