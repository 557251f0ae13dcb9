"""Audit: what stands in two splits at once: patients, studies, pictures, texts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from overread.audits.exam_parts import split_parts
from overread.audits.wording import counted
from overread.contracts import Audit, Release, Selection
from overread.errors import ImageError, UnsafePathError, listed
from overread.imaging.likeness import PictureMark
from overread.imaging.picture_marks import mark_files, twins
from overread.imaging.safe_path import resolve_inside
from overread.records import Choice, Finding, Item, Media, Reference, Severity
from overread.store.hashes import file_sha256, item_media

__all__ = ["AUDIT", "Side", "release_sides", "shared_groups"]

_PATIENT: Final = "patient"
_TRAIN: Final = "train"
_MOST_PICTURES: Final = 20_000
"""Fingerprints are taken of so many pictures at most, split by split: 20 to 50 ms each."""
_SHORTEST_TEXT: Final = 12
"""Characters: shorter texts ("Yes", "Left lung") stand everywhere."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One split, or what is there to learn from, as far as it could stand elsewhere too."""

    name: str
    groups: Mapping[str, Mapping[str, str]]
    """Kind of id (patient, study) → id → patient it belongs to, empty where none is named."""
    pictures: Mapping[str, str]
    """Picture → its patient, empty where none is named."""
    texts: Mapping[str, str]
    """Question with its answer, normalised → an item that asks it."""


def release_sides(release: Release) -> list[Side]:
    """Read every split of a release, and its training cases where they are a split of their own."""
    sides = [
        _side(
            part.split,
            ((item.groups, tuple(item_media(item))) for item in part.items),
            _texts(part.items, part.references),
        )
        for part in split_parts(release)
    ]
    if sides and _TRAIN not in release.card.splits:
        cases = release.training(Selection(split=release.card.splits[0])).cases
        if cases:
            sides.append(_side(_TRAIN, ((case.groups, case.media) for case in cases), {}))
    return sides


def _side(
    name: str,
    members: Iterable[tuple[Mapping[str, str], Sequence[Media]]],
    texts: Mapping[str, str],
) -> Side:
    groups: dict[str, dict[str, str]] = {}
    pictures: dict[str, str] = {}
    for ids, media in members:
        patient = ids.get(_PATIENT, "")
        for key, value in ids.items():
            groups.setdefault(key, {})[value] = patient
        for one in media:
            for path in one.paths:
                pictures[path] = patient
    return Side(name=name, groups=groups, pictures=pictures, texts=texts)


def _texts(items: Sequence[Item], references: Mapping[str, Reference]) -> dict[str, str]:
    """Key questions by all they say and the answer's words, not its letter."""
    found: dict[str, str] = {}
    for item in items:
        answer = references[item.id].answer
        if isinstance(item.answer_space, Choice):
            answer = next((o.text for o in item.options if o.letter == answer), None)
        if answer is not None:
            text = f"{_plain(item.question)} → {_plain(answer)}"
            if len(text) >= _SHORTEST_TEXT:
                found.setdefault(text, item.id)
    return found


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


def _look(release: Release) -> Iterator[Finding]:
    sides = release_sides(release)
    if sides and not any(_PATIENT in side.groups for side in sides):
        yield Finding(
            severity=Severity.WARNING,
            code="no-patient-id",
            where="questions",
            evidence="no question names its patient",
            effect="whether splits share patients cannot be told, and intervals that take questions"
            " as independent are too narrow where a patient has several",
            remedy="Ask the makers for an id per patient, or derive one from study ids.",
        )
    for one, other in combinations(sides, 2):
        yield from shared_groups(one, other)
    yield from _shared_pictures(release, sides)
    for one, other in combinations(sides, 2):
        yield from _shared_texts(one, other)


def shared_groups(one: Side, other: Side) -> Iterator[Finding]:
    """Report patients in two splits; and studies, series, cases in two splits beside them.

    Ids of a patient who is named already are not told again.
    """
    shared = one.groups.get(_PATIENT, {}).keys() & other.groups.get(_PATIENT, {}).keys()
    if shared:
        yield Finding(
            severity=Severity.ERROR,
            code="shared-patient",
            where=f"{one.name} and {other.name}",
            evidence=f"{counted(len(shared), 'patient')} in both, for instance {min(shared)}",
            effect="what is learnt on one split is no fair test on the other",
            remedy="Move all of a patient to one split.",
            count=len(shared),
        )
    for key in sorted((one.groups.keys() & other.groups.keys()) - {_PATIENT}):
        ids = sorted(
            each
            for each in one.groups[key].keys() & other.groups[key].keys()
            if not ({one.groups[key][each], other.groups[key][each]} & shared)
        )
        if ids:
            yield Finding(
                severity=Severity.ERROR,
                code="shared-group",
                where=f"{one.name} and {other.name}",
                evidence=f"{len(ids)} {key} ids in both under other patients or none, for instance "
                f"{ids[0]}",
                effect=f"the same {key} is learnt and tested on, or two of them share an id",
                remedy="Find out which of the two it is.",
                count=len(ids),
            )


def _shared_texts(one: Side, other: Side) -> Iterator[Finding]:
    shared = sorted(one.texts.keys() & other.texts.keys())
    if shared:
        smaller = min(len(one.texts), len(other.texts))
        yield Finding(
            severity=Severity.INFO,
            code="shared-text",
            where=f"{one.name} and {other.name}",
            evidence=f"{counted(len(shared), 'question')} with the same words and the same answer "
            f"in both (of {smaller:,} distinct ones): '{shared[0][:120]}'",
            effect="such an answer can be learnt by heart, without a picture",
            count=len(shared),
        )


def _shared_pictures(release: Release, sides: Sequence[Side]) -> Iterator[Finding]:
    if len(sides) < 2:
        return
    hashes = {path: _sha256(release, path) for side in sides for path in side.pictures}
    left, told = _MOST_PICTURES, set[tuple[str, str]]()
    for one, other in combinations(sides, 2):
        pairs = list(_same_bytes(one, other, hashes))
        told.update(pairs)
        yield from _picture_finding(one, other, pairs, "same-picture", "the same bytes")
    n_all = sum(len(side.pictures) for side in sides)
    looked: list[dict[str, PictureMark]] = []
    for side in sides:
        paths = [path for path in side.pictures if hashes[path] is not None][: max(0, left)]
        left -= len(paths)
        looked.append(mark_files(release.media_root, paths))
    for (one, ones), (other, others) in combinations(list(zip(sides, looked, strict=True)), 2):
        first, second = list(ones), list(others)
        by_kind: dict[str, list[tuple[str, str]]] = {}
        for pair in twins(list(ones.values()), list(others.values())):
            paths = first[pair.first], second[pair.second]
            if paths not in told and paths[0] != paths[1]:
                by_kind.setdefault(pair.likeness, []).append(paths)
        yield from _picture_finding(
            one, other, by_kind.get("copy", []), "picture-copy", "the same picture, encoded anew"
        )
        yield from _picture_finding(
            one, other, by_kind.get("crop or drawing", []), "picture-crop",
            "a crop of the other, or the other with something drawn on it",
        )  # fmt: skip
    if n_all > _MOST_PICTURES:
        yield Finding(
            severity=Severity.INFO,
            code="pictures-not-compared",
            where=", ".join(side.name for side in sides),
            evidence=f"copies and crops were looked for among {_MOST_PICTURES:,} of {n_all:,} "
            "pictures; equal bytes among all",
            count=n_all - _MOST_PICTURES,
        )


def _sha256(release: Release, path: str) -> str | None:
    try:
        return file_sha256(resolve_inside(release.media_root, path.partition("#")[0]))
    except (OSError, ImageError, UnsafePathError):
        return None  # `overread check` tells of it


def _same_bytes(
    one: Side, other: Side, hashes: Mapping[str, str | None]
) -> Iterator[tuple[str, str]]:
    # Slices of one volume share its bytes: then the slice has to be the same as well.
    where = {
        (sha256, path.partition("#")[2]): path
        for path in other.pictures
        if (sha256 := hashes[path]) is not None
    }
    for path in one.pictures:
        twin = where.get((hashes[path] or "", path.partition("#")[2]))
        if twin is not None:
            yield path, twin


def _picture_finding(
    one: Side, other: Side, pairs: Sequence[tuple[str, str]], code: str, what: str
) -> Iterator[Finding]:
    if not pairs:
        return
    named = [first if first == second else f"{first} = {second}" for first, second in pairs]
    strangers = sum(one.pictures[first] != other.pictures[second] for first, second in pairs)
    yield Finding(
        severity=Severity.ERROR,
        code=code,
        where=f"{one.name} and {other.name}",
        evidence=f"{counted(len(pairs), 'picture')} of {one.name} and {other.name}: {what}"
        f"{f', {strangers} of them under different patients' if strangers else ''}: "
        f"{listed(named, most=3)}",
        effect="the answer to a picture that was learnt is remembered, not read",
        remedy="Take it out of one of the splits.",
        count=len(pairs),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Leakage:
    name: str = "leakage"
    summary: str = "patients, studies, pictures and texts that stand in two splits"

    def look(self, release: Release) -> Iterable[Finding]:
        """Report what two splits share."""
        return _look(release)


AUDIT: Audit = _Leakage()
