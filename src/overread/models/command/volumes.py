"""Hands volumes of a release on as copies under names that tell nothing of their case."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Final

__all__ = ["hand_on", "volume_kind"]

_KINDS: Final = {
    ".nii": "nifti",
    ".nii.gz": "nifti",
    ".mha": "metaimage",
    ".mhd": "metaimage",
    ".png": "picture",
    ".jpg": "picture",
    ".jpeg": "picture",
    ".webp": "picture",
    ".bmp": "picture",
    ".tif": "picture",
    ".tiff": "picture",
}


def hand_on(paths: Sequence[Path], place: Path) -> Path:
    """Copy the files of one volume, so that a program can change nothing in the release.

    Parameters
    ----------
    paths
        One file, the files of a series, or an ``.mhd`` header with its data file.
    place
        Path without a suffix; several files go into a folder of this name.

    Returns
    -------
    Path
        What a program opens: the file, the folder of a series, or the header.

    Raises
    ------
    OSError
        There is no room.
    """
    first = paths[0]
    if len(paths) == 1 and not _is_dicom(first):
        return Path(shutil.copyfile(first, place.with_name(place.name + _suffix(first))))
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    header = next((path for path in paths if path.suffix.lower() == ".mhd"), None)
    if header is not None:  # which names its data file: both keep their names
        for path in paths:
            shutil.copyfile(path, place / path.name)
        return place / header.name
    for number, path in enumerate(paths, start=1):
        shutil.copyfile(path, place / f"{number:05}.dcm")
    return place


def volume_kind(path: Path) -> str:
    """Name what a program opens: ``nifti``, ``metaimage``, ``picture``, ``dicom-series``."""
    return "dicom-series" if path.is_dir() else _KINDS.get(_suffix(path), "file")


def _suffix(path: Path) -> str:
    name = path.name.lower()
    return next((each for each in sorted(_KINDS, key=len, reverse=True) if name.endswith(each)), "")


def _is_dicom(path: Path) -> bool:
    """Tell a series of one slice: a file without a known ending."""
    return not _suffix(path)
