"""Decides by facts whether a lesion can be a wrong choice: never a second right one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from overread.builders.retrieved_exam.lesions import ExamLesion
from overread.builders.shown_together import shows_also
from overread.models.baselines.words import stated_size
from overread.scoring.facts.contradiction import contradicts
from overread.scoring.facts.facts import Lesion, LesionFacts
from overread.scoring.facts.lexicon import lexicon
from overread.scoring.facts.reader import read_facts

__all__ = ["Pairs", "excludes", "seen_with", "told", "why_unlike"]

_LEAST_ATTRIBUTES: Final = 2
_APART_SHARE: Final = 1.25
"""Sizes in pixels differ when one is a quarter larger; in mm `contradicts` decides."""


def told(task: str, lesion: ExamLesion) -> str:
    """Give what a task's option says of a lesion; empty where nothing is known.

    Attributes are those that description and ontology mapping state and one slice shows, two or
    more of them, in one form for all: ``attenuation: low; margin: smooth``.
    """
    if task == "img2size":
        return lesion.size
    if not task.endswith("attrib"):
        return lesion.description
    named = _attributes(lesion)
    kinds = [f"{kind}: {value}" for kind, value in sorted(named)]
    return "; ".join(kinds) if len(named) >= _LEAST_ATTRIBUTES else ""


def _attributes(lesion: ExamLesion) -> frozenset[tuple[str, str]]:
    """Give the attributes of a lesion that is spoken of alone, of kinds that exclude and show."""
    if len(lesion.facts.present) != 1:
        return frozenset()
    kinds = lexicon().kinds
    (one,) = lesion.facts.present
    return frozenset(
        (kind, value)
        for kind, value in one.attributes
        if kinds[kind].exclusive and kinds[kind].visible
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Told:
    """A lesion as one task tells of it, read once."""

    patient: str
    picture_sha256: str
    words: str
    """What its option says, however it is spaced and spelt; empty where nothing is known."""
    known: LesionFacts
    """All that is known of it where it is shown."""
    said: LesionFacts
    """What its words say alone."""
    pixels: float | None
    """The longer side of its box where the task is about sizes and they are in pixels."""


def _as_told(task: str, lesion: ExamLesion) -> _Told:
    words = told(task, lesion)
    if task.endswith("attrib"):
        known = said = LesionFacts(lesions=(Lesion(attributes=_attributes(lesion)),))
    elif task == "img2size":
        known = said = read_facts(words)
    else:
        known, said = lesion.facts, read_facts(words)
    size = stated_size(words) if task == "img2size" else None
    return _Told(
        patient=lesion.patient,
        picture_sha256=lesion.picture_sha256,
        words=" ".join(words.casefold().split()),
        known=known,
        said=said,
        pixels=max(size.lengths) if size is not None and size.unit == "px" else None,
    )


def excludes(task: str, shown: ExamLesion, wrong: ExamLesion) -> str | None:
    """Say why the words about one lesion cannot be right for the picture of another.

    The words count alone, as a reader of the question sees them; of the lesion that is shown all
    that is known counts, ontology mapping and size included. So two lesions whose sentences read
    alike never stand side by side, although the tables tell them apart.

    Returns
    -------
    str or None
        The fact, as in ``side: left against right``; None where the words may be right.
    """
    return _excludes(task, _as_told(task, shown), _as_told(task, wrong))


def _excludes(task: str, shown: _Told, wrong: _Told) -> str | None:
    reason = contradicts(shown.known, wrong.said)
    if task != "img2size":
        return reason
    if reason is not None:
        return reason if reason.startswith("size") else None
    if shown.pixels is None or wrong.pixels is None:
        return None
    shorter, longer = sorted((shown.pixels, wrong.pixels))
    if shorter * _APART_SHARE > longer:
        return None
    return f"size: {shorter:g} against {longer:g} pixels"


def seen_with(
    task: str, lesion: ExamLesion, others: Iterable[ExamLesion]
) -> tuple[ExamLesion, ...]:
    """Give the other lesions that what a question shows of one lesion shows as well.

    Those on the very same picture; where nine slices are shown, those of the patient on one of
    them, and those of which it is not known.
    """
    return tuple(
        other
        for other in others
        if other.lesion_idx != lesion.lesion_idx
        and (
            other.picture_sha256 == lesion.picture_sha256
            or (other.patient == lesion.patient and shows_also(task, lesion.stem, other.stem))
        )
    )


def why_unlike(
    task: str,
    one: ExamLesion,
    other: ExamLesion,
    *,
    with_one: Sequence[ExamLesion],
    with_other: Sequence[ExamLesion],
) -> str | None:
    """Say why two lesions can be options of one question; None where they cannot.

    Of other patients, on other pictures, told in other words, and each excluded by what is said of
    the other: either may be the right one. What is said of one must be wrong as well for whatever
    is seen with the other (`seen_with`): without a box nobody can tell which lesion is meant.
    Whether they can does not depend on their order; only the words do.
    """
    return _why_unlike(
        task,
        _as_told(task, one),
        _as_told(task, other),
        [_as_told(task, each) for each in with_one],
        [_as_told(task, each) for each in with_other],
    )


def _why_unlike(
    task: str, one: _Told, other: _Told, with_one: Sequence[_Told], with_other: Sequence[_Told]
) -> str | None:
    if one.patient == other.patient or one.picture_sha256 == other.picture_sha256:
        return None
    if not one.words or not other.words or one.words == other.words:
        return None
    reason = _excludes(task, one, other)
    if reason is None or any(_excludes(task, beside, other) is None for beside in with_one):
        return None
    is_apart = all(_excludes(task, beside, one) is not None for beside in (other, *with_other))
    return reason if is_apart else None


_UNLIKE: Final = 1
_ALIKE: Final = 2


class Pairs:
    """Which lesions of a split can stand side by side in a task, each pair judged once.

    A byte a pair is kept, of the pairs that were asked for: 25 MB for 5,000 lesions.

    Parameters
    ----------
    task
        A question type.
    lesions
        All lesions of the split: what is seen with one of them is among them.
    """

    def __init__(self, task: str, lesions: Sequence[ExamLesion]) -> None:
        self._task = task
        self._told = [_as_told(task, lesion) for lesion in lesions]
        self._beside = _beside(task, lesions)
        self._judged: dict[int, bytearray] = {}

    def are_unlike(self, row: int, other: int) -> bool:
        """Whether two lesions, by their places, can be options of one question."""
        low, high = (row, other) if row < other else (other, row)
        judged = self._judged.get(low)
        if judged is None:
            judged = self._judged[low] = bytearray(len(self._told) - low)
        if not judged[high - low]:
            judged[high - low] = _ALIKE if self.why_unlike(low, high) is None else _UNLIKE
        return judged[high - low] == _UNLIKE

    def why_unlike(self, row: int, other: int) -> str | None:
        """Say why they can, worded from the first one's side; None where they cannot."""
        return _why_unlike(
            self._task,
            self._told[row],
            self._told[other],
            [self._told[each] for each in self._beside[row]],
            [self._told[each] for each in self._beside[other]],
        )


def _beside(task: str, lesions: Sequence[ExamLesion]) -> list[tuple[int, ...]]:
    """Give the places of the lesions that are seen with each (`seen_with`)."""
    row_of = {lesion.lesion_idx: row for row, lesion in enumerate(lesions)}
    near: dict[tuple[str, str], list[ExamLesion]] = defaultdict(list)
    for lesion in lesions:
        near["patient", lesion.patient].append(lesion)
        near["picture", lesion.picture_sha256].append(lesion)
    return [
        tuple(
            row_of[other.lesion_idx]
            for other in seen_with(
                task,
                lesion,
                (*near["patient", lesion.patient], *near["picture", lesion.picture_sha256]),
            )
        )
        for lesion in lesions
    ]
