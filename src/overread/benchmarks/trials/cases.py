"""The cases of a release, from its folders: which files belong to which id."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from overread.benchmarks.trials.layout import ENDINGS, CaseName, Part
from overread.errors import UnsafePathError
from overread.imaging.safe_path import resolve_inside

__all__ = ["TrialsCase", "list_cases"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialsCase:
    """One volume: one phase of one patient."""

    id: str
    """As listed, or with ``#2`` where it was listed before."""
    case: str
    """As listed."""
    name: CaseName
    centre: str
    truth: str
    """Reference mask, relative to the release, whether it is there or not."""
    volume: str | None
    """CT volume, relative to the folder of media; None where the release has no such folder."""
    clicks: str | None
    """File of its clicks, relative to the release."""
    problem: str | None
    """Why its reference cannot be used."""


def list_cases(
    root: Path, part: Part, *, media: Path | None, centres: Mapping[str, str]
) -> tuple[TrialsCase, ...]:
    """List the cases of one folder in their order.

    Parameters
    ----------
    root
        The release.
    part
        A folder in the scorer's layout.
    media
        A folder of CT volumes outside the release; None where they lie in it.
    centres
        Id or patient → centre.
    """
    clicks = dict(part.click_files)
    seen: dict[str, int] = {}
    cases: list[TrialsCase] = []
    for case in part.ids:
        seen[case] = seen.get(case, 0) + 1
        name = CaseName.of(case)
        truth, problem = _find_truth(root, part, case)
        cases.append(
            TrialsCase(
                id=case if seen[case] == 1 else f"{case}#{seen[case]}",
                case=case,
                name=name,
                centre=centres.get(case) or centres.get(name.patient) or "not stated",
                truth=truth,
                volume=_find_volume(root, part, case, media),
                clicks=clicks.get(case),
                problem=problem,
            )
        )
    return tuple(cases)


def _find_truth(root: Path, part: Part, case: str) -> tuple[str, str | None]:
    paths = [f"{part.truth}/{case}{ending}" for ending in ENDINGS]
    try:
        found = [path for path in paths if resolve_inside(root, path).is_file()]
    except UnsafePathError as error:
        return paths[0], str(error)
    if not found:
        return paths[0], f"no reference mask: {paths[0]} is not there"
    if len(found) > 1:
        return found[0], f"two reference masks: {' and '.join(found)}"
    return found[0], None


def _find_volume(root: Path, part: Part, case: str, media: Path | None) -> str | None:
    if media is None and part.inputs is None:
        return None
    base, folders = (root, (f"{part.inputs}/",)) if media is None else (media, _inner(media))
    # The containers read ID_0000, as nnU-Net names a first channel; elsewhere plain ids are shown.
    paths = [
        f"{each}{case}{end}{ending}"
        for each in folders
        for end in ("_0000", "")
        for ending in ENDINGS
    ]
    for path in paths:
        try:
            if resolve_inside(base, path).is_file():
                return path
        except UnsafePathError:
            break
    return paths[0]


def _inner(media: Path) -> Sequence[str]:
    return (
        "",
        *(
            f"{each}/"
            for each in ("inputs", "images", "imagesTs", "imagesTr")
            if (media / each).is_dir()
        ),
    )
