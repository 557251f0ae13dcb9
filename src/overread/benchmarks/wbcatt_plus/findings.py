"""What is missing or odd in a release: tables, pictures, masks, contradicting values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

import numpy as np

from overread.benchmarks.wbcatt_plus import layout
from overread.benchmarks.wbcatt_plus.layout import Cell, Family
from overread.errors import ImageError, UnsafePathError, listed
from overread.imaging.label_map import read_label_map
from overread.imaging.read import read_slice
from overread.imaging.safe_path import resolve_inside
from overread.records import Finding, Severity

__all__ = ["look"]

_SHOWN: Final = 3
_NUCLEUS, _CYTOPLASM, _VACUOLES = 2, 1, 5


def look(
    root: Path,
    media_root: Path,
    tables: Mapping[str, tuple[Family, Sequence[Cell]]],
    *,
    thorough: bool,
) -> Iterator[Finding]:
    """Report what a reader of numbers must know.

    Parameters
    ----------
    root, media_root
        The release, and where its pictures lie.
    tables
        Split → family and cells, for the splits that were found.
    thorough
        Decode every picture and mask, and hold areas against labels.
    """
    for split in layout.SPLITS:
        if split not in tables:
            yield _finding(
                "missing-table",
                f"pbc_attr_v1_{split}.csv",
                "not there",
                f"nothing of the split '{split}' is asked",
                severity=Severity.WARNING,
            )
    families = {family for family, _ in tables.values()}
    if len(families) > 1:
        yield _finding(
            "two-families",
            "tables",
            "some splits are of WBCAtt and some of WBCAtt+",
            "pictures of two sizes stand in one exam",
        )
    cells = [cell for _, each in tables.values() for cell in each]
    yield from _repeated(tables)
    yield from _values(cells)
    yield from _granules(cells)
    for split, (family, each) in tables.items():
        yield from _pictures(root, media_root, split, family, each, thorough=thorough)
    if thorough:
        yield from _areas(root, tables)


def _repeated(tables: Mapping[str, tuple[Family, Sequence[Cell]]]) -> Iterator[Finding]:
    first: dict[str, str] = {}
    twice: list[str] = []
    for split, (_, cells) in tables.items():
        for cell in cells:
            name = cell.name.partition("#")[0]
            if name in first:
                twice.append(f"{name} ({first[name]}, {split})")
            first.setdefault(name, split)
    yield from _summed(
        "repeated-picture",
        twice,
        "a picture that a model was trained on, or that counts twice, is under test",
    )


def _values(cells: Sequence[Cell]) -> Iterator[Finding]:
    odd = [
        f"{cell.name}: {name} {cell.values[name]!r}" for cell, name in layout.unknown_values(cells)
    ]
    yield from _summed("unknown-value", odd, "undefined: no score")


def _granules(cells: Sequence[Cell]) -> Iterator[Finding]:
    """Report cells whose three columns on granules contradict each other."""
    odd: list[str] = []
    for cell in cells:
        has = cell.values["granularity"] == "yes"
        kinds = {name: cell.values[name] != "nil" for name in ("granule_type", "granule_colour")}
        if any(kind != has for kind in kinds.values()):
            shown = ", ".join(f"{name} {cell.values[name]}" for name in ("granularity", *kinds))
            odd.append(f"{cell.name}: {shown}")
    yield from _summed(
        "inconsistent-granules",
        odd,
        "whoever answers them consistently is wrong in one of three questions",
        severity=Severity.WARNING,
    )


def _pictures(
    root: Path,
    media_root: Path,
    split: str,
    family: Family,
    cells: Sequence[Cell],
    *,
    thorough: bool,
) -> Iterator[Finding]:
    missing, unsafe, unreadable, no_mask = (list[str]() for _ in range(4))
    for cell in cells:
        path = layout.picture_path(cell, family)
        try:
            file = resolve_inside(media_root, path)
            if not file.is_file():
                missing.append(path)
            elif thorough:
                read_slice(file)
        except UnsafePathError:
            unsafe.append(path)
        except ImageError as error:
            unreadable.append(f"{path}: {error}")
        mask = layout.mask_path(cell, family)
        if mask is not None and not (root / mask).is_file():
            no_mask.append(mask)
    effect = f"questions on them ({split}) count as failed"
    yield from _summed("missing-image", missing, effect)
    yield from _summed("unsafe-path", unsafe, effect)
    yield from _summed("unreadable-image", unreadable, effect)
    yield from _summed(
        "missing-mask", no_mask, f"they are no part of the segmentation exam ({split})"
    )


def _areas(root: Path, tables: Mapping[str, tuple[Family, Sequence[Cell]]]) -> Iterator[Finding]:
    """Hold the areas in the masks against what the labels say of size and of the nucleus."""
    ratio: dict[str, list[float]] = {}
    size: dict[str, list[float]] = {}
    unreadable: list[str] = []
    for family, cells in tables.values():
        for cell in cells:
            mask = layout.mask_path(cell, family)
            try:
                if mask is None or not (file := resolve_inside(root, mask)).is_file():
                    continue
                areas = np.bincount(read_label_map(file).array.ravel(), minlength=6)
            except UnsafePathError:
                continue  # told with its picture, whose folder it shares
            except ImageError as error:
                unreadable.append(f"{mask}: {error}")
                continue
            nucleus = float(areas[_NUCLEUS])
            whole = nucleus + float(areas[_CYTOPLASM] + areas[_VACUOLES])
            if whole:
                ratio.setdefault(cell.values["nuclear_cytoplasmic_ratio"], []).append(
                    nucleus / whole
                )
                size.setdefault(cell.values["cell_size"], []).append(whole)
    yield from _summed("unreadable-mask", unreadable, "undefined: no score")
    for code, what, groups, high, low in (
        ("nucleus-area", "share of the nucleus in the cell", ratio, "high", "low"),
        ("cell-area", "area of the cell in pixels", size, "big", "small"),
    ):
        if high in groups and low in groups:
            yield _against_label(code, what, groups[high], groups[low], high, low)


def _against_label(
    code: str, what: str, high: Sequence[float], low: Sequence[float], more: str, less: str
) -> Finding:
    ones, others = np.asarray(high), np.asarray(low)
    above = float((ones[:, None] > others[None, :]).mean())
    tied = float((ones[:, None] == others[None, :]).mean())
    order = above + tied / 2
    return _finding(
        code,
        f"{len(ones)} cells '{more}', {len(others)} '{less}'",
        f"median {what}: {np.median(ones):.3g} where '{more}', {np.median(others):.3g} where "
        f"'{less}'; a '{more}' cell has the larger one in {100 * order:.0f} % of pairs",
        "masks and labels of this attribute agree" if order > 0.8 else "labels and masks disagree",
        severity=Severity.INFO if order > 0.8 else Severity.WARNING,
    )


def _summed(
    code: str, places: Sequence[str], effect: str, *, severity: Severity = Severity.ERROR
) -> Iterator[Finding]:
    if places:
        yield _finding(
            code,
            listed(places, most=_SHOWN, between="; "),
            f"{len(places)} cells" if len(places) > 1 else "1 cell",
            effect,
            severity=severity,
            count=len(places),
        )


def _finding(
    code: str,
    where: str,
    evidence: str,
    effect: str,
    *,
    severity: Severity = Severity.ERROR,
    count: int = 1,
) -> Finding:
    return Finding(
        severity=severity, code=code, where=where, evidence=evidence, effect=effect, count=count
    )
