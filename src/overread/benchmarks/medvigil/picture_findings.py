"""Pictures that are missing, unreadable, or not what their original and box give."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from overread.benchmarks.medvigil import layout
from overread.benchmarks.medvigil.layout import Case, Probe, Region
from overread.benchmarks.medvigil.pictures import PictureResolver
from overread.benchmarks.medvigil.regions import REMADE, region_px
from overread.benchmarks.medvigil.worded import found, listed, listed_if
from overread.errors import ImageError, UnsafePathError
from overread.imaging.read import read_slice
from overread.imaging.safe_path import resolve_inside
from overread.records import Finding, Severity

__all__ = ["picture_findings"]

_FAILS: Final = "the probe is asked, fails, and stays in the denominator"
_TOLERANCE: Final = 24
"""Grey values: pictures stored as JPEG change a little."""
_MOST_OFF: Final = 0.02
"""Share of pixels beyond the tolerance: edges of a filled box ring in JPEG."""


def picture_findings(
    probes: Mapping[str, Probe],
    cases: Mapping[str, Case],
    regions: Mapping[str, Region],
    pictures: PictureResolver,
    *,
    thorough: bool,
) -> Iterator[Finding]:
    """Look at the picture of every probe.

    Parameters
    ----------
    probes
        By item id.
    cases, regions
        By folded case id.
    pictures
        Finds them.
    thorough
        Also decode every picture, and hold changed ones against their originals.
    """
    yield from _pictures(probes, cases, regions, pictures)
    if thorough:
        yield from _decoded(probes, cases, regions, pictures)


def _pictures(
    probes: Mapping[str, Probe],
    cases: Mapping[str, Case],
    regions: Mapping[str, Region],
    pictures: PictureResolver,
) -> Iterator[Finding]:
    missing: dict[str, list[str]] = {}
    unsafe: list[str] = []
    made = 0
    for name, one in probes.items():
        case = cases.get(one.case.casefold())
        path = layout.picture_path(one.image)
        if path is None:
            continue
        try:
            resolve_inside(pictures.root, path)
        except UnsafePathError:
            unsafe.append(name)
            continue
        if pictures.has(path):
            continue
        region = regions.get(one.case.casefold())
        if case is not None and pictures.is_made_here(one, case, region.box if region else None):
            made += 1
        else:
            missing.setdefault(path, []).append(name)
    yield from listed_if(Severity.ERROR, "unsafe-path", unsafe, _FAILS)
    if missing:
        n = sum(len(names) for names in missing.values())
        yield listed(
            Severity.ERROR, "missing-image", [*missing], f"{_FAILS}: {n} probes", count=len(missing)
        )
    if made:
        yield found(
            Severity.INFO,
            "picture-made-here",
            layout.PERTURBED,
            f"{made} changed pictures are absent and are made from their originals and boxes",
            "pixels equal the release's own but for what JPEG does to them",
            count=made,
        )


def _decoded(
    probes: Mapping[str, Probe],
    cases: Mapping[str, Case],
    regions: Mapping[str, Region],
    pictures: PictureResolver,
) -> Iterator[Finding]:
    """Decode every picture, and hold changed ones against what their originals give."""
    read: dict[str, NDArray[Any] | None] = {}
    broken: list[str] = []

    def pixels(path: str) -> NDArray[Any] | None:
        if path not in read:
            try:
                shown = read_slice(resolve_inside(pictures.root, path)).pixels
                read[path] = shown if shown.ndim == 3 else np.stack([shown] * 3, axis=-1)
            except (ImageError, UnsafePathError):
                read[path] = None
                broken.append(path)
        return read[path]

    unlike: dict[str, list[str]] = {}
    n_held: Counter[str] = Counter()
    for name, one in probes.items():
        path, case = layout.picture_path(one.image), cases.get(one.case.casefold())
        if path is None or not pictures.has(path):
            continue
        changed = pixels(path)
        source = layout.picture_path(case.image) if case is not None else None
        if one.kind not in REMADE or changed is None or source is None or not pictures.has(source):
            continue
        original, region = pixels(source), regions.get(one.case.casefold())
        if original is None:
            continue
        corners = region_px(region.box if region else None, *original.shape[1::-1])
        if corners is None and one.kind != "lr_flip":
            continue
        n_held[one.kind] += 1
        made = REMADE[one.kind](original, corners)
        if made.shape != changed.shape or _share_off(made, changed) > _MOST_OFF:
            unlike.setdefault(one.kind, []).append(name)
    yield from listed_if(Severity.ERROR, "unreadable-image", broken, _FAILS)
    for kind, names in unlike.items():
        effect = (
            f"{len(names)} of {n_held[kind]} pictures of the kind {kind} are not what original and "
            "box give: something else is hidden"
        )
        yield listed(Severity.ERROR, "picture-not-as-stated", names, effect, count=len(names))


def _share_off(one: NDArray[Any], other: NDArray[Any]) -> float:
    far = np.abs(one.astype(np.float64) - other.astype(np.float64)).max(axis=-1) > _TOLERANCE
    return float(far.mean())
