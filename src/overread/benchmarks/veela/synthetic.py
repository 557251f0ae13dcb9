"""Writes a synthetic VEELA release: scans of drawn vessels, references, and five submissions.

Each submission in ``predictions/`` has the folders of a real one and makes errors of one sort, so
that the metrics part: who draws too wide loses overlap and keeps the centreline, who breaks
branches the other way round.
"""

from __future__ import annotations

import gzip
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from overread.benchmarks.veela.changes import CHANGES
from overread.benchmarks.veela.layout import (
    REFERENCES_FOLDER,
    SCANS_FOLDER,
    SYNTHETIC_MARK,
    TASKS,
)
from overread.benchmarks.veela.trees import SHAPE, SPACING_MM, draw_trees, grow_trees

__all__ = ["PREDICTIONS_FOLDER", "SUBMISSIONS", "synthesise"]

PREDICTIONS_FOLDER: Final = "predictions"
SUBMISSIONS: Final[Mapping[str, tuple[str, ...]]] = {
    "careful": ("erode",),
    "wide": ("dilate",),
    "broken": ("break", "cut-branch"),
    "confused": ("swap",),
    "shifted": ("shift-i", "shift-j", "shift-k"),
}
"""Name of a submission → the changes that its cases take in turn."""

_NOISE_HU: Final = 14.0
_LIVER_HU: Final = 105.0
_VESSEL_HU: Final = 190.0
_FAT_HU: Final = -95.0


def synthesise(root: Path, *, seed: int, size: int) -> None:
    """Write `size` cases of one patient each."""
    for folder in (SCANS_FOLDER, REFERENCES_FOLDER):
        (root / folder).mkdir(parents=True, exist_ok=True)
    (root / SYNTHETIC_MARK).write_text(
        f"A synthetic release in the layout of VEELA, of seed {seed}: drawn tubes, no patient.\n",
        encoding="utf-8",
    )
    for number in range(1, size + 1):
        grown, noise, drawn = (np.random.default_rng([seed, number, stream]) for stream in range(3))
        trees = grow_trees(grown)
        labels = draw_trees(trees)
        (root / REFERENCES_FOLDER / f"case_{number}_gt.nii").write_bytes(_nifti(labels))
        scan = gzip.compress(_nifti(_scan(labels, noise)), compresslevel=4, mtime=0)
        (root / SCANS_FOLDER / f"case_{number}.nii.gz").write_bytes(scan)
        for name, changes in SUBMISSIONS.items():
            change = CHANGES[changes[number % len(changes)]]
            _submit(root / PREDICTIONS_FOLDER / name, number, change(trees, drawn))


def _submit(folder: Path, number: int, labels: NDArray[np.uint8]) -> None:
    for task, array in zip(TASKS, ((labels > 0).astype(np.uint8), labels), strict=True):
        (folder / task).mkdir(parents=True, exist_ok=True)
        (folder / task / f"case_{number}.nii").write_bytes(_nifti(array))


def _scan(labels: NDArray[np.uint8], noise: np.random.Generator) -> NDArray[np.int16]:
    """Paint a liver around the vessels, in HU; both trees are equally bright, as veins are late."""
    grid = np.indices(SHAPE, dtype=np.float32)
    away = sum(
        ((axis - (side - 1) / 2) / (0.49 * side)) ** 2
        for axis, side in zip(grid, SHAPE, strict=True)
    )
    intensity_hu = np.where(np.asarray(away) <= 1.35, _LIVER_HU, _FAT_HU).astype(np.float32)
    intensity_hu[labels > 0] = _VESSEL_HU
    intensity_hu += noise.standard_normal(SHAPE, dtype=np.float32) * np.float32(_NOISE_HU)
    return np.rint(intensity_hu).astype(np.int16)


def _nifti(array: NDArray[np.uint8] | NDArray[np.int16]) -> bytes:
    """Encode as ``.nii``: same voxels, same bytes. x and y run against NIfTI's frame, as in CT."""
    import nibabel

    steps = np.array([-SPACING_MM[0], -SPACING_MM[1], SPACING_MM[2]])
    affine = np.diag([*steps, 1.0])
    affine[:3, 3] = -steps * (np.array(SHAPE) - 1) / 2
    image = nibabel.Nifti1Image(array, affine)
    image.header.set_xyzt_units("mm")
    return bytes(image.to_bytes())
