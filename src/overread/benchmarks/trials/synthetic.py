"""Writes a synthetic TriALS release: phantom livers in four phases, lesions, clicks, two teams.

Every patient has the four phases, in each of which the same lesions stand out more or less. Beside
the layout that the scorer reads lie what the real release keeps to itself: CT volumes, masks of the
liver, and two teams with masks, curves of masks and stored tables as the released code writes them.
One team is careful; the other's masks hold what the code stumbles over: a false blob that is
numbered first, two lesions joined into one, an empty mask and one that is missing.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from overread.benchmarks.trials.clicks import simulate_clicks
from overread.benchmarks.trials.layout import (
    CENTRE_FILE,
    CLICK_ENDING,
    ID_LIST,
    LIVER_FOLDER,
    NONCONTRAST,
    SYNTHETIC_MARK,
    TRUTH_FOLDERS,
)
from overread.benchmarks.trials.measures import CaseMeasures, case_row, measure_case, summary
from overread.benchmarks.trials.stored import PREDICTIONS, STORED_METRICS
from overread.errors import UsageError, expected
from overread.metrics.click_curve import CLICKS

__all__ = ["TEAMS", "synthesise"]

TEAMS: Final = ("team-careful", "team-eager")
CURVES: Final = "curves"
"""Folder of a team's masks of the interactive task: ``ID/ID_CLICKS.nii.gz``."""

_SHAPE: Final = (56, 48, 32)
_SPACING_MM: Final = (3.0, 3.0, 5.0)
_PHASES: Final = (NONCONTRAST, "arterial", "venous", "delayed")
_LIVER_HU: Final = {NONCONTRAST: 55.0, "arterial": 80.0, "venous": 110.0, "delayed": 90.0}
_LESION_HU: Final = {NONCONTRAST: 42.0, "arterial": 120.0, "venous": 65.0, "delayed": 70.0}
_FAT_HU: Final = -80.0
_AIR_HU: Final = -1000.0
_NOISE_HU: Final = 9.0
_CENTRES: Final = ("centre A", "centre B", "external")
_EMPTY_EVERY: Final = 5
"""One patient in so many has no lesion."""
_BODY, _SCAN, _TEAM, _CLICKS = range(4)
"""One stream of random numbers for each purpose."""

_Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Volume:
    case: str
    phase: str
    patient: int
    lesions: _Mask
    liver: _Mask
    intensity_hu: NDArray[np.int16]


def synthesise(root: Path, *, seed: int, size: int) -> None:
    """Write a synthetic release of `size` volumes into a new or empty folder.

    Same seed and size, same bytes. The last patient may lack phases.

    Parameters
    ----------
    root
        Folder to write; made when absent.
    seed
        0 or more.
    size
        Number of volumes, 4 or more: one patient.

    Raises
    ------
    UsageError
        If `size` is too small, `seed` negative, or the folder holds something.
    """
    _check(root, seed=seed, size=size)
    volumes = [_volume(seed, place) for place in range(size)]
    truth = TRUTH_FOLDERS[0]
    for volume in volumes:
        _write_nifti(root / truth / f"{volume.case}.nii.gz", volume.lesions.astype(np.uint8))
        _write_nifti(root / LIVER_FOLDER / f"{volume.case}.nii.gz", volume.liver.astype(np.uint8))
        _write_nifti(root / "inputs" / f"{volume.case}_0000.nii.gz", volume.intensity_hu)
    _write(root / ID_LIST, "\n".join(volume.case for volume in volumes) + "\n")
    patients = sorted({volume.patient for volume in volumes})
    centres = [f"{patient},{_CENTRES[patient % len(_CENTRES)]}" for patient in patients]
    _write(root / CENTRE_FILE, "\n".join(centres) + "\n")
    for number, team in enumerate(TEAMS):
        _write_team(root / team, seed, number, volumes)
    # The interactive task is about the portal venous phase.
    for volume in (each for each in volumes if each.phase == "venous"):
        _write_clicks(root, seed, volume)
    mark = f"A synthetic TriALS release: phantoms, no patient. Seed {seed}, {size} volumes.\n"
    _write(root / SYNTHETIC_MARK, mark)


def _check(root: Path, *, seed: int, size: int) -> None:
    if size < len(_PHASES):
        raise UsageError(
            expected(
                "size",
                rule=f"{len(_PHASES)} volumes or more, the phases of one patient",
                got=size,
                remedy="Choose a larger one.",
            )
        )
    if seed < 0:
        raise UsageError(
            expected("seed", rule="a number of 0 or more", got=seed, remedy="Choose another.")
        )
    if root.exists() and (not root.is_dir() or any(root.iterdir())):
        raise UsageError(
            expected("OUT", rule="a new or empty folder", got=root, remedy="Choose another folder.")
        )
    root.mkdir(parents=True, exist_ok=True)


# ---------------------------------------------------------------- volumes


def _volume(seed: int, place: int) -> _Volume:
    patient, phase = place // len(_PHASES), _PHASES[place % len(_PHASES)]
    body = np.random.default_rng([seed, _BODY, patient])
    axes = np.meshgrid(*(np.arange(size) for size in _SHAPE), indexing="ij")
    points = np.stack(axes, axis=-1).astype(np.float64) * np.array(_SPACING_MM)
    middle = np.array(_SHAPE) * _SPACING_MM / 2 + body.uniform(-6, 6, 3)
    liver = _ellipsoid(points, middle, np.array([58.0, 45.0, 55.0]) * body.uniform(0.9, 1.1, 3))
    lesions = np.zeros(_SHAPE, dtype=np.bool_)
    n_lesions = 0 if patient % _EMPTY_EVERY == _EMPTY_EVERY - 1 else int(body.integers(1, 6))
    inside = np.argwhere(liver)
    for _ in range(n_lesions):
        centre = inside[body.integers(len(inside))] * np.array(_SPACING_MM)
        radii = body.uniform(4.0, 14.0) * body.uniform(0.8, 1.25, 3)
        lesions |= _ellipsoid(points, centre, radii)
    lesions &= liver
    scan = np.random.default_rng([seed, _SCAN, place])
    breath = int(scan.integers(0, 2))
    lesions, liver = (np.roll(each, breath, axis=2) for each in (lesions, liver))
    body_wall = _ellipsoid(
        points, np.array(_SHAPE) * _SPACING_MM / 2, np.array([82.0, 70.0, 400.0])
    )
    hu = np.where(body_wall | liver, _FAT_HU, _AIR_HU)
    hu[liver] = _LIVER_HU[phase]
    hu[lesions] = _LESION_HU[phase]
    hu += scan.normal(0.0, _NOISE_HU, _SHAPE)
    return _Volume(
        case=f"{phase}_{patient}",
        phase=phase,
        patient=patient,
        lesions=lesions,
        liver=liver,
        intensity_hu=hu.round().astype(np.int16),
    )


def _ellipsoid(
    points: NDArray[np.float64], centre: NDArray[np.float64], radii: NDArray[np.float64]
) -> _Mask:
    return (((points - centre) / radii) ** 2).sum(axis=-1) <= 1.0


# ---------------------------------------------------------------- teams


def _write_team(folder: Path, seed: int, number: int, volumes: Sequence[_Volume]) -> None:
    measured: list[tuple[str, CaseMeasures]] = []
    spacing_mm = tuple(float(np.float32(each)) for each in _SPACING_MM)
    for place, volume in enumerate(volumes):
        rng = np.random.default_rng([seed, _TEAM, number, place])
        if number == 1 and place == 1:
            continue  # the missing mask
        mask = _predict(volume, rng, is_eager=number == 1, place=place)
        _write_nifti(folder / PREDICTIONS / f"{volume.case}.nii.gz", mask.astype(np.uint8))
        case = measure_case(volume.lesions, mask, spacing_mm, mended=False)
        measured.append((volume.case, case))
    _write_tables(folder, measured)
    for volume in (each for each in volumes if each.phase == "venous"):
        rng = np.random.default_rng([seed, _TEAM, number, len(volumes) + volume.patient])
        for clicks in range(CLICKS):
            mask = _after_clicks(volume, rng, clicks)
            path = folder / CURVES / volume.case / f"{volume.case}_{clicks}.nii.gz"
            _write_nifti(path, mask.astype(np.uint8))


def _predict(volume: _Volume, rng: np.random.Generator, *, is_eager: bool, place: int) -> _Mask:
    """Predict as a model might: worse where lesions stand out less, with a blob now and then."""
    from scipy import ndimage

    loss = 0.35 if volume.phase == NONCONTRAST else 0.12
    mask = volume.lesions & (rng.random(_SHAPE) > loss)
    mask = np.asarray(ndimage.binary_closing(mask), dtype=np.bool_) & volume.liver
    if not is_eager:
        return mask
    if place == 2:
        return np.zeros_like(mask)
    if place % 3 == 0:
        # A blob where a scan meets it first, so that lesions are numbered otherwise.
        i, j, k = np.argwhere(volume.liver)[0]
        mask[i : i + 2, j - 1 : j + 2, k - 1 : k + 1] = True
    if place % 4 == 3:
        mask = np.asarray(ndimage.binary_dilation(mask), dtype=np.bool_)
    return mask


def _after_clicks(volume: _Volume, rng: np.random.Generator, clicks: int) -> _Mask:
    """Find more of the lesions with every click."""
    return volume.lesions & (rng.random(_SHAPE) < 0.4 + 0.055 * clicks)


def _write_tables(folder: Path, measured: Sequence[tuple[str, CaseMeasures]]) -> None:
    rows: list[Sequence[object]] = [
        (
            "Image_gt",
            "Image_pm",
            "DSC",
            "precision",
            "recall",
            "precision_greater_zero",
            "recall_greater_zero",
        )
    ]
    for case, each in measured:
        rows.append((case, f"pred-{case}", *case_row(each)))
    _write_csv(folder / "metrics/per_case_metrics.csv", rows)
    values = summary([each for _, each in measured])
    signed = [one.signed_rvd for _, each in measured for one in each.scored]
    if signed:
        # As in the stored table of the real sample: differences keep their sign.
        values["rvd"] = float(np.mean([one for one in signed if one is not None]))
    table = [("Metric", "Value"), *((f"lesion_{name}", value) for name, value in values.items())]
    _write_csv(folder / STORED_METRICS, table)


def _write_clicks(root: Path, seed: int, volume: _Volume) -> None:
    rng = np.random.default_rng([seed, _CLICKS, volume.patient])
    clicks = dict(simulate_clicks(volume.lesions, volume.liver, rng).as_json())
    if volume.patient == 1:
        # One of the two released simulators names the key so.
        clicks = {"tumor": clicks["lesion"], "background": clicks["background"]}
    _write(root / "clicks" / f"{volume.case}{CLICK_ENDING}", json.dumps(clicks) + "\n")


# ---------------------------------------------------------------- files


def _write_nifti(path: Path, array: NDArray[Any]) -> None:
    import nibabel

    affine = np.diag([-_SPACING_MM[0], -_SPACING_MM[1], _SPACING_MM[2], 1.0])
    image = nibabel.Nifti1Image(array, affine)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(image.to_bytes(), compresslevel=4, mtime=0))


def _write_csv(path: Path, rows: Sequence[Sequence[object]]) -> None:
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows(rows)
    _write(path, text.getvalue())


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="")
