"""Summaries that lie beside a team's masks: computed again as released, and as it was meant.

The challenge keeps ``TEAM/predictions/ID.nii.gz`` and ``TEAM/metrics/metrics.csv`` in a folder of
the scorer's layout; the repository keeps the table of its sample apart from the masks.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from overread.benchmarks.trials.layout import ENDINGS, CaseName, Part, stem
from overread.benchmarks.trials.measures import CaseMeasures, measure_case, summary
from overread.benchmarks.trials.opening import LABEL, header_spacing_mm, lesions_as_released
from overread.contracts.replay import RebuiltCell
from overread.errors import ImageError, UnsafePathError
from overread.imaging.safe_path import resolve_inside
from overread.scoring.masks.pair import open_pair

__all__ = ["PREDICTIONS", "STORED_METRICS", "rebuild"]

PREDICTIONS: Final = "predictions"
STORED_METRICS: Final = "metrics/metrics.csv"
_REPOSITORY_METRICS: Final = "eval_scripts/metrics/{team}/metrics.csv"
_COLUMNS: Final = (
    "precision",
    "recall",
    "precision_greater_zero",
    "recall_greater_zero",
    "dice",
    "jaccard",
    "voe",
    "rvd",
    "assd",
    "rmsd",
    "msd",
    "dice_per_case",
    "dice_global",
)
_PREFIX: Final = "lesion_"
_LARGEST_TABLE: Final = 2**20


@dataclass(frozen=True, slots=True, kw_only=True)
class _Team:
    """What a team's masks give, case by case."""

    released: list[CaseMeasures]
    """Of the masks that are there and that the released code can read."""
    meant: list[tuple[str, CaseMeasures]]
    """Patient and case; a missing mask is one without lesions."""
    missing: int
    unreadable: tuple[str, ...]


def rebuild(root: Path, part: Part | None) -> Iterator[RebuiltCell]:
    """Compute the table of every team whose masks lie in a folder of the scorer's layout.

    Parameters
    ----------
    root
        The release.
    part
        The folder; None gives nothing.
    """
    for name in () if part is None else _teams(root, part):
        assert part is not None
        stored, source = _stored(root, part, name)
        team = _measure(root, part, name)
        if not team.released or len(team.unreadable) == len(part.ids):
            continue
        released, meant = summary(team.released), _as_meant(team)
        for column in _COLUMNS:
            text = stored.get(_PREFIX + column)
            published = None if text is None else float(text)
            values, clusters = _items(team) if column == "dice_per_case" else ((), ())
            yield RebuiltCell(
                row=name,
                column=_PREFIX + column,
                unit="1",
                published=published,
                decimals=_decimals(text),
                source=source,
                recomputed=None if team.unreadable else released.get(column),
                corrected=meant.get(column),
                n_published=len(team.released),
                n_corrected=len(team.meant),
                values=values,
                clusters=clusters,
                fault=_fault(team, column, published),
            )


def _teams(root: Path, part: Part) -> list[str]:
    try:
        folders = sorted(each.name for each in (root / part.folder).iterdir() if each.is_dir())
    except OSError:
        return []
    return [name for name in folders if _masks(root / part.folder / name / PREDICTIONS)]


def _masks(folder: Path) -> list[str]:
    try:
        return [each.name for each in folder.iterdir() if stem(each.name)]
    except OSError:
        return []


def _stored(root: Path, part: Part, team: str) -> tuple[Mapping[str, str], str]:
    """Read a stored table: metric → its digits; empty where there is none."""
    for path in (f"{part.folder}{team}/{STORED_METRICS}", _REPOSITORY_METRICS.format(team=team)):
        try:
            text = resolve_inside(root, path).read_text(encoding="utf-8-sig")[:_LARGEST_TABLE]
            rows = [row for row in csv.reader(io.StringIO(text)) if len(row) == 2]
        except (OSError, UnicodeDecodeError, csv.Error, UnsafePathError):
            continue
        return {name: value.strip() for name, value in rows if _is_number(value)}, path
    return {}, f"{part.folder}{team}/{PREDICTIONS}"


def _is_number(text: str) -> bool:
    try:
        return bool(np.isfinite(float(text)))
    except ValueError:
        return False


def _decimals(text: str | None) -> int:
    if text is None:
        return 4
    digits = text.lower().partition("e")[0].partition(".")[2]
    return len(digits) or 1


def _measure(root: Path, part: Part, team: str) -> _Team:
    released: list[CaseMeasures] = []
    meant: list[tuple[str, CaseMeasures]] = []
    unreadable: list[str] = []
    missing = 0
    for case in dict.fromkeys(part.ids):
        patient = CaseName.of(case).patient
        try:
            truth = _file(root, f"{part.truth}/{case}")
            mask = _file(root, f"{part.folder}{team}/{PREDICTIONS}/{case}")
            if truth is None:
                continue
            pair = open_pair(truth, mask or truth, (LABEL,))
            spacing_mm = header_spacing_mm(pair.reference)
            reference, prediction = lesions_as_released(pair)
            if mask is None:
                missing += 1
                nothing = np.zeros_like(reference)
                none = measure_case(reference, nothing, spacing_mm, mended=True)
                meant.append((patient, none))
                continue
            pair.check()
            released.append(measure_case(reference, prediction, spacing_mm, mended=False))
            meant.append((patient, measure_case(reference, prediction, spacing_mm, mended=True)))
        except (ImageError, UnsafePathError):
            unreadable.append(case)
    return _Team(released=released, meant=meant, missing=missing, unreadable=tuple(unreadable))


def _file(root: Path, path: str) -> Path | None:
    found = (resolve_inside(root, path + ending) for ending in ENDINGS)
    return next((each for each in found if each.is_file()), None)


def _as_meant(team: _Team) -> dict[str, float]:
    """Summarise with lesions matched as meant and missing masks as empty ones.

    Volumes without a lesion on both sides have no Dice, and the volume difference is of the
    reference's volume. What has no value is left out.
    """
    cases = [case for _, case in team.meant]
    found = summary(cases)
    scored = [one for case in cases for one in case.scored]
    if not scored:
        for name in ("dice", "jaccard", "voe", "rvd", "assd", "rmsd", "msd"):
            del found[name]
    else:
        found["rvd"] = float(np.mean([one.ravd for one in scored if one.ravd is not None]))
    values, _ = _items(team)
    if values:
        found["dice_per_case"] = float(np.mean(values))
    else:
        del found["dice_per_case"]
    return found


def _items(team: _Team) -> tuple[tuple[float, ...], tuple[str, ...]]:
    """Give Dice of each volume that has one, and its patient."""
    held = [(patient, case) for patient, case in team.meant if _has_voxels(case)]
    return tuple(case.dice for _, case in held), tuple(patient for patient, _ in held)


def _has_voxels(case: CaseMeasures) -> bool:
    return case.reference_voxels + case.prediction_voxels > 0


def _fault(team: _Team, column: str, published: float | None) -> str | None:
    faults: list[str] = []
    scored = [one for case in team.released for one in case.scored]
    if column == "rvd":
        signed = [one.signed_rvd for one in scored if one.signed_rvd is not None]
        if published is not None and signed and np.isclose(published, np.mean(signed), atol=1e-12):
            faults.append("stored when differences kept their sign, so that they cancel")
        faults.append("of the prediction's volume")
    if column in ("precision", "recall") and _mixed(team):
        faults.append("lesion numbers mixed up in the union")
    if column in ("dice", "jaccard", "voe", "rvd", "assd", "rmsd", "msd"):
        left_out = sum(match.n_reference for match in (case.half for case in team.released))
        left_out -= len(scored)
        if left_out > 0:
            faults.append(f"lesions not found are left out: {left_out}")
    if column == "dice_per_case":
        empty = sum(not _has_voxels(case) for case in team.released)
        faults += [f"volumes empty on both sides count as 1: {empty}"] if empty else []
    if team.missing:
        faults.append(f"missing masks are left out: {team.missing}")
    if team.unreadable:
        faults.append(f"the released code breaks off at {team.unreadable[0]}")
    return "; ".join(faults) or None


def _mixed(team: _Team) -> bool:
    """Tell whether matching as meant finds other numbers of lesions in the same masks."""
    hits = sum(case.half.n_found for case in team.released)
    return hits != sum(case.half.n_found for _, case in team.meant)
