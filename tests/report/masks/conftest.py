"""Small phantoms, their masks of a careless method, and the scores of both: all files are real."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from overread.analysis.mask_results import MaskCase, MaskGeometry, MaskResults, mask_results
from overread.records import Finding, Item, Mask, Reference, Response, Score, Severity, Status
from overread.scoring.masks.standard import MaskScorer

HOSTILE = "</style><script>alert(1)</script>"
LABELS = {1: "liver", 2: f"kidney {HOSTILE}", 3: "lesion"}
SHAPE = (48, 40, 24)
SPACING_MM = (2.0, 2.0, 4.0)


def ball(centre: tuple[float, float, float], radius: float) -> NDArray[np.bool_]:
    """Give the voxels within a radius (in voxels along i) of a place."""
    grid = np.indices(SHAPE, dtype=np.float64)
    scaled = [(axis - at) * mm for axis, at, mm in zip(grid, centre, SPACING_MM, strict=True)]
    return np.linalg.norm(scaled, axis=0) <= radius * SPACING_MM[0]


def save(path: Path, array: NDArray[Any], *, shift_mm: float = 0.0) -> None:
    """Write a NIfTI file whose first two axes grow to the left and to the back."""
    import nibabel

    affine = np.diag([-SPACING_MM[0], -SPACING_MM[1], SPACING_MM[2], 1.0])
    affine[:3, 3] = (40.0 + shift_mm, 30.0, -50.0)
    path.parent.mkdir(parents=True, exist_ok=True)
    image = nibabel.Nifti1Image(array, affine)
    image.set_sform(affine, 1)
    image.set_qform(affine, 1)
    nibabel.save(image, path)


def masks_of(number: int) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Draw a case and what the method made of it; every third lesion is missed."""
    rng = np.random.default_rng(number)
    reference, prediction = np.zeros(SHAPE, np.uint8), np.zeros(SHAPE, np.uint8)
    move = rng.normal(0, 0.8, 3)
    for array, (x, y, z), grow in ((reference, (0, 0, 0), 0.0), (prediction, move, 0.4)):
        array[ball((16 + x, 18 + y, 12 + z), 10 + grow + number % 3)] = 1
        array[ball((35 + x, 24 + y, 11 + z), 6 + grow)] = 2
    size = 1.2 + number % 4
    if number % 5:
        reference[ball((15, 16, 12), size)] = 3
    if number % 3:
        prediction[ball((15.6, 16, 12), size)] = 3
    return reference, prediction


def item_of(case: str) -> Item:
    return Item(
        id=case, benchmark="phantoms", task="segment", condition="ct", question="Segment.",
        answer_space=Mask(labels=LABELS), groups={"patient": f"p{case[-1]}"},
    )  # fmt: skip


def score_case(root: Path, case: str, prediction: Path | None) -> list[Score]:
    """Score one case as a run would."""
    text = None
    if prediction is not None:
        text = f"sha256:{hashlib.sha256(prediction.read_bytes()).hexdigest()}"
    response = Response(
        run="r",
        item=case,
        status=Status.FAILED if prediction is None else Status.OK,
        text=text,
        path=None if prediction is None else str(prediction),
        reason=f"no mask: expected {case}.nii.gz" if prediction is None else None,
        request_hash=case,
    )
    reference = Reference(item=case, answer=None, path=f"reference/{case}.nii.gz")
    scorer = MaskScorer(root=root, labels=LABELS)
    return list(scorer.score(item_of(case), reference, response))


def make(root: Path, n: int) -> tuple[list[Score], list[MaskCase]]:
    """Write `n` cases: the last has no prediction, the last but one lies elsewhere."""
    scores: list[Score] = []
    cases: list[MaskCase] = []
    for number in range(n):
        case = f"case {number:03d}"
        reference, prediction = masks_of(number)
        files = [root / kind / f"{case}.nii.gz" for kind in ("reference", "prediction", "image")]
        save(files[0], reference)
        elsewhere = number == n - 2
        if number < n - 1:
            save(files[1], prediction, shift_mm=9.0 if elsewhere else 0.0)
        hu = np.where(reference > 0, 60 + 30 * (reference == 3), -1000).astype(np.int16)
        save(files[2], hu + np.random.default_rng(number).integers(-20, 20, SHAPE, np.int16))
        scores += score_case(root, case, files[1] if number < n - 1 else None)
        cases.append(
            MaskCase(
                id=case,
                patient=f"p{case[-1]}",
                strata={"centre": "North" if number % 2 else f"South {HOSTILE}"},
                reference=files[0],
                prediction=files[1] if number < n - 1 else None,
                image=files[2],
                geometry=MaskGeometry(problems=("origin: 9 mm apart",)) if elsewhere else None,
            )
        )
    return scores, cases


@pytest.fixture(scope="session")
def phantoms(tmp_path_factory: pytest.TempPathFactory) -> MaskResults:
    """Give the results of eight cases."""
    root = tmp_path_factory.mktemp("phantoms")
    scores, cases = make(root, 8)
    return mask_results(
        scores,
        title=f"Phantoms {HOSTILE}",
        subject="a careless method",
        created="2026-12-01T03:00:00+00:00",
        command="overread score-masks reference prediction",
        labels=LABELS,
        cases=cases,
        findings=[
            Finding(
                severity=Severity.WARNING, code="extra-file", where="prediction/old.nii.gz",
                evidence="no case is called old", effect="it is left aside",
                remedy="Remove it",
            )
        ],
        only_reference=["spleen"],
        only_prediction=["label 9"],
    )  # fmt: skip


@pytest.fixture(scope="session")
def make_phantoms() -> Callable[[Path, int], tuple[list[Score], list[MaskCase]]]:
    return make
