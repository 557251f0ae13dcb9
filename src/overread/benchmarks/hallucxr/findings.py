"""What is missing or odd in a release: pictures, labels, outputs that belong to none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from overread.benchmarks.hallucxr import layout
from overread.benchmarks.hallucxr.layout import Picture
from overread.errors import ImageError, UnsafePathError, listed
from overread.imaging.read import read_slice
from overread.imaging.safe_path import resolve_inside
from overread.records import Finding, Severity

__all__ = ["look"]

_SHOWN: Final = 3


def look(
    root: Path,
    media_root: Path,
    pictures: Mapping[str, Picture],
    *,
    n_unusable: int,
    is_synthetic: bool,
    thorough: bool,
) -> Iterator[Finding]:
    """Report what a reader of numbers must know.

    Parameters
    ----------
    root, media_root
        The release, and where its pictures lie.
    pictures
        By item name.
    n_unusable
        Lines of the list that are no picture with labels.
    is_synthetic
        Whether the pictures are drawn; real ones are credentialed.
    thorough
        Decode every picture.
    """
    if not is_synthetic:
        yield _finding(
            "credentialed-data",
            layout.IMAGES,
            f"{len(pictures)} pictures under a data use agreement",
            "no number; a server that stores what it is sent may break the agreement",
            severity=Severity.INFO,
        )
    if n_unusable:
        yield _finding(
            "unusable-rows",
            layout.IMAGES,
            f"{n_unusable} lines without an id or labels",
            "they are not asked about",
            count=n_unusable,
        )
    yield from _summed(
        "repeated-picture",
        [name for name in pictures if name != pictures[name].id],
        "the picture counts twice",
    )
    yield from _summed(
        "no-label",
        [name for name, picture in pictures.items() if not picture.truth.labels],
        "undefined: no score",
    )
    yield from _cases(pictures)
    yield from _files(media_root, pictures, thorough=thorough)
    yield from _outputs(root, pictures)


def _cases(pictures: Mapping[str, Picture]) -> Iterator[Finding]:
    folded = Counter(name.casefold() for name in pictures)
    alike = [name for name in pictures if folded[name.casefold()] > 1]
    yield from _summed(
        "ids-alike",
        alike,
        "they differ in the case of letters alone, and are taken for two pictures",
        severity=Severity.WARNING,
    )


def _files(
    media_root: Path, pictures: Mapping[str, Picture], *, thorough: bool
) -> Iterator[Finding]:
    missing, unsafe, unreadable = (list[str]() for _ in range(3))
    for picture in pictures.values():
        try:
            file = resolve_inside(media_root, picture.path)
            if not file.is_file():
                missing.append(picture.path)
            elif thorough:
                read_slice(file)
        except UnsafePathError:
            unsafe.append(picture.path)
        except ImageError as error:
            unreadable.append(f"{picture.path}: {error}")
    effect = "questions on them count as failed"
    yield from _summed("missing-image", missing, effect)
    yield from _summed("unsafe-path", unsafe, effect)
    yield from _summed("unreadable-image", unreadable, effect)


def _outputs(root: Path, pictures: Mapping[str, Picture]) -> Iterator[Finding]:
    rows = layout.read_rows(root, layout.OUTPUTS)
    if rows.problem is not None:
        if rows.problem.code != "missing-file":
            yield rows.problem
        return
    found = [layout.output_of(row) for row in rows.rows]
    strangers = [one.picture for one in found if one and one.picture not in pictures]
    yield from _summed(
        "output-without-picture",
        strangers,
        "they are in no number",
        severity=Severity.WARNING,
    )
    unnamed = sum(one is None for one in found) + len(rows.bad_lines)
    if unnamed:
        yield _finding(
            "unusable-outputs",
            layout.OUTPUTS,
            f"{unnamed} lines that do not say which model answered what",
            "they are in no number",
            severity=Severity.WARNING,
            count=unnamed,
        )


def _summed(
    code: str, places: Sequence[str], effect: str, *, severity: Severity = Severity.ERROR
) -> Iterator[Finding]:
    if places:
        yield _finding(
            code,
            listed(places, most=_SHOWN, between="; "),
            f"{len(places)} pictures" if len(places) > 1 else "1 picture",
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
