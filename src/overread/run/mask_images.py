"""Whether scans can be shown behind masks: looked at before a page is drawn without them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from overread.errors import ImageError, MissingExtraError
from overread.imaging.label_map import mask_suffix, read_label_map
from overread.imaging.safe_path import without_root
from overread.records import Finding, Severity
from overread.run.mask_folders import FolderCase
from overread.scoring.masks.structures import structure_files

__all__ = ["image_findings"]

_LOOKED_AT: Final = 3
"""Volumes are large: a folder that is the wrong one shows it at once."""


def image_findings(cases: Sequence[FolderCase], images: Mapping[str, Path]) -> Iterator[Finding]:
    """Read the first few scans, and tell of those that cannot be shown behind their masks.

    Parameters
    ----------
    cases
        All cases.
    images
        Case → its scan, as `find_images` gives them.
    """
    shown = [each for each in cases if each.id in images and each.reference is not None]
    problems = {
        case.id: problem
        for case in shown[:_LOOKED_AT]
        if case.reference is not None
        if (problem := _problem(images[case.id], case.reference)) is not None
    }
    if problems:
        yield Finding(
            severity=Severity.WARNING,
            code="unusable-image",
            where=", ".join(problems),
            evidence=next(iter(problems.values())),
            effect="outlines are drawn over the labels instead; scores are not touched",
            remedy="Name the scans that the references were drawn on: --image.",
            count=len(problems),
        )


def _problem(image: Path, reference: Path) -> str | None:
    """Say why a scan cannot be shown; None where it can, or where the reference is at fault."""
    from overread.imaging.picture_file import read_picture
    from overread.imaging.read_volume import read_volume

    try:
        if reference.is_dir():
            reference = next(iter(structure_files(reference).values()))
        wanted = read_label_map(reference).array.shape
    except (ImageError, MissingExtraError):
        return None
    try:
        if mask_suffix(reference.name) == ".png":
            found = read_picture(image).pixels.shape[:2]
        else:
            found = read_volume(image).array.shape
    except (ImageError, MissingExtraError, OSError) as error:
        return without_root(str(error), image.parent)
    if found == wanted:
        return None
    sizes = [" × ".join(map(str, shape)) for shape in (found, wanted)]
    return f"{image.name} has another grid: {sizes[0]} voxels, the reference {sizes[1]}"
