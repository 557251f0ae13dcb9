"""Simulates the clicks of an interactive segmentation task from masks of lesions and of the liver.

One JSON file a case, as TriALS's containers read it: ten voxels on lesions, ten in the rest of the
organ. Any organ and any target in it will do.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from overread.benchmarks.trials.clicks import MOST_CLICKS, simulate_clicks
from overread.benchmarks.trials.layout import CLICK_ENDING, natural, stem
from overread.errors import ImageError, UsageError, expected
from overread.imaging.label_map import LabelMap, read_label_map
from overread.imaging.safe_path import without_root

__all__ = ["ClicksReport", "build_clicks"]

_MOST_SHIFT_MM: Final = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class ClicksReport:
    """What was written."""

    out: str
    written: tuple[str, ...]
    """Cases with a file of clicks."""
    without_lesion: tuple[str, ...]
    """Of them, those with clicks on the background alone."""
    left_out: tuple[tuple[str, str], ...]
    """Cases without a file, and why."""


def build_clicks(
    references: Path,
    livers: Path,
    out: Path,
    *,
    seed: int = 42,
    label: int = 1,
    liver_label: int = 1,
) -> ClicksReport:
    """Write the clicks of every case into a new or empty folder.

    Same masks, same seed, same clicks, whichever other cases there are.

    Parameters
    ----------
    references
        Folder of masks, ``ID.nii.gz`` or ``ID.nii``.
    livers
        Folder of masks of the organ under the same names, lesions in it or cut out.
    out
        New or empty folder for ``ID_clicks.json``.
    seed
        0 or more.
    label, liver_label
        Of lesions, and of the organ.

    Returns
    -------
    ClicksReport
        Cases whose masks cannot be read, do not lie on one grid or leave no voxel beside the
        lesions are left out, with the reason.

    Raises
    ------
    UsageError
        A folder is absent or without masks, `out` holds something, or `seed` is negative.
    """
    if seed < 0:
        raise UsageError(
            expected("--seed", rule="a number of 0 or more", got=seed, remedy="Choose another.")
        )
    masks, organs = (
        _masks(folder, name) for folder, name in ((references, "REFERENCES"), (livers, "LIVERS"))
    )
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise UsageError(
            expected("OUT", rule="a new or empty folder", got=out, remedy="Choose another folder.")
        )
    out.mkdir(parents=True, exist_ok=True)
    written: list[str] = []
    without: list[str] = []
    left_out: list[tuple[str, str]] = []
    for case in sorted(masks, key=natural):
        try:
            if case not in organs:
                raise UsageError("no mask of the organ under this name")
            lesions, organ = read_label_map(masks[case]), read_label_map(organs[case])
            _check_grids(lesions, organ)
            clicks = simulate_clicks(
                lesions.array == label, organ.array == liver_label, _generator(seed, case)
            )
        except (ImageError, UsageError) as error:
            reason = without_root(without_root(str(error), references), livers)
            left_out.append((case, reason))
            continue
        text = json.dumps(clicks.as_json()) + "\n"
        (out / f"{case}{CLICK_ENDING}").write_text(text, encoding="utf-8", newline="")
        written.append(case)
        if len(clicks.lesion) < MOST_CLICKS:
            without.append(case)
    return ClicksReport(
        out=str(out),
        written=tuple(written),
        without_lesion=tuple(without),
        left_out=tuple(left_out),
    )


def _masks(folder: Path, argument: str) -> dict[str, Path]:
    found: dict[str, Path] = {}
    for path in sorted(folder.iterdir()) if folder.is_dir() else ():
        case = stem(path.name)
        if case and found.setdefault(case, path) != path:
            raise UsageError(
                expected(
                    argument,
                    rule="one mask for each case",
                    got=f"{found[case].name} and {path.name}",
                    remedy="Take one of them away.",
                )
            )
    if not found:
        raise UsageError(
            expected(
                argument,
                rule="a folder of masks, ID.nii.gz or ID.nii",
                got=f"{folder} ({'none in it' if folder.is_dir() else 'no folder'})",
                remedy="Name the folder that holds them.",
            )
        )
    return found


def _check_grids(lesions: LabelMap, organ: LabelMap) -> None:
    """Refuse masks on two grids: a click is a voxel's index, and would be in another place."""
    one, other = lesions.geometry, organ.geometry
    apart = lesions.array.shape != organ.array.shape
    if not apart and one is not None and other is not None:
        here, there = np.asarray(one.affine_lps), np.asarray(other.affine_lps)
        size = np.array([*lesions.array.shape, 1.0])
        apart = bool(np.abs((here - there) @ size).max() > _MOST_SHIFT_MM)
        apart = apart or bool(np.abs(here[:, 3] - there[:, 3]).max() > _MOST_SHIFT_MM)
    if apart:
        raise UsageError("the masks of lesions and of the organ lie on two grids")


def _generator(seed: int, case: str) -> np.random.Generator:
    digest = hashlib.sha256(case.encode()).digest()
    return np.random.default_rng([seed, int.from_bytes(digest[:8], "big")])
